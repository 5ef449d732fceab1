// RUN: tinygrad-opt %s --convert-lazy-to-loops --canonicalize --cse --split-input-file | FileCheck %s

// A sum that adds only where two integers are equal, as where a row is looked
// up: a branch around the vectors of a step leaves out what is not added.

// CHECK-LABEL: func.func @look_up
// CHECK: %[[SUMS:.*]]:2 = scf.for %[[ROW:.*]] = %c0{{.*}} to %c100
// CHECK-SAME: iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK:   %[[EQUAL:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
// CHECK:   %[[NEXT:.*]]:2 = scf.if %[[EQUAL]]
// CHECK-COUNT-2: vector.load
// CHECK:   } else {
// CHECK:     scf.yield %[[A]], %[[B]]
// CHECK:   scf.yield %[[NEXT]]#0, %[[NEXT]]#1
// CHECK-NOT: arith.select
func.func @look_up(%i: memref<3xi32>, %r: memref<100xi32>, %w: memref<800xf32>, %y: memref<24xf32>) {
  lazy.kernel @k ins(%i, %r, %w : memref<3xi32>, memref<100xi32>, memref<800xf32>) outs(%y : memref<24xf32>) plan <vector = 2 : 4, unroll = 2> {
  ^bb0(%index: memref<3xi32>, %range: memref<100xi32>, %rows: memref<800xf32>, %out: memref<24xf32>):
    %0 = lazy.load %index <[3, 100, 8], strides = [1, 0, 0]> : memref<3xi32> -> tensor<3x100x8xi32>
    %1 = lazy.load %range <[3, 100, 8], strides = [0, 1, 0]> : memref<100xi32> -> tensor<3x100x8xi32>
    %2 = lazy.cmpeq %0, %1 : tensor<3x100x8xi32> -> tensor<3x100x8xi1>
    %3 = lazy.load %rows <[3, 100, 8], strides = [0, 8, 1]> : memref<800xf32> -> tensor<3x100x8xf32>
    %4 = lazy.const dense<0.0> : tensor<3x100x8xf32>
    %5 = lazy.where %2, %3, %4 : tensor<3x100x8xi1>, tensor<3x100x8xf32>
    %6 = lazy.reduce_sum %5 : tensor<3x100x8xf32> -> tensor<3x1x8xf32>
    lazy.store %6, %out <[3, 1, 8]> : tensor<3x1x8xf32>, memref<24xf32>
  }
  return
}

// -----

// Not where the lanes differ in the condition.

// CHECK-LABEL: func.func @each_lane
// CHECK-NOT: scf.if
// CHECK: arith.select
func.func @each_lane(%i: memref<24xi32>, %r: memref<100xi32>, %w: memref<800xf32>, %y: memref<24xf32>) {
  lazy.kernel @k ins(%i, %r, %w : memref<24xi32>, memref<100xi32>, memref<800xf32>) outs(%y : memref<24xf32>) plan <vector = 2 : 4> {
  ^bb0(%index: memref<24xi32>, %range: memref<100xi32>, %rows: memref<800xf32>, %out: memref<24xf32>):
    %0 = lazy.load %index <[3, 100, 8], strides = [8, 0, 1]> : memref<24xi32> -> tensor<3x100x8xi32>
    %1 = lazy.load %range <[3, 100, 8], strides = [0, 1, 0]> : memref<100xi32> -> tensor<3x100x8xi32>
    %2 = lazy.cmpeq %0, %1 : tensor<3x100x8xi32> -> tensor<3x100x8xi1>
    %3 = lazy.load %rows <[3, 100, 8], strides = [0, 8, 1]> : memref<800xf32> -> tensor<3x100x8xf32>
    %4 = lazy.const dense<0.0> : tensor<3x100x8xf32>
    %5 = lazy.where %2, %3, %4 : tensor<3x100x8xi1>, tensor<3x100x8xf32>
    %6 = lazy.reduce_sum %5 : tensor<3x100x8xf32> -> tensor<3x1x8xf32>
    lazy.store %6, %out <[3, 1, 8]> : tensor<3x1x8xf32>, memref<24xf32>
  }
  return
}

// -----

// Nor where something is added elsewhere.

// CHECK-LABEL: func.func @often
// CHECK-NOT: scf.if
// CHECK: arith.select
func.func @often(%i: memref<3xi32>, %r: memref<100xi32>, %w: memref<800xf32>, %y: memref<24xf32>) {
  lazy.kernel @k ins(%i, %r, %w : memref<3xi32>, memref<100xi32>, memref<800xf32>) outs(%y : memref<24xf32>) plan <vector = 2 : 4> {
  ^bb0(%index: memref<3xi32>, %range: memref<100xi32>, %rows: memref<800xf32>, %out: memref<24xf32>):
    %0 = lazy.load %index <[3, 100, 8], strides = [1, 0, 0]> : memref<3xi32> -> tensor<3x100x8xi32>
    %1 = lazy.load %range <[3, 100, 8], strides = [0, 1, 0]> : memref<100xi32> -> tensor<3x100x8xi32>
    %2 = lazy.cmpeq %0, %1 : tensor<3x100x8xi32> -> tensor<3x100x8xi1>
    %3 = lazy.load %rows <[3, 100, 8], strides = [0, 8, 1]> : memref<800xf32> -> tensor<3x100x8xf32>
    %4 = lazy.const dense<1.0> : tensor<3x100x8xf32>
    %5 = lazy.where %2, %3, %4 : tensor<3x100x8xi1>, tensor<3x100x8xf32>
    %6 = lazy.reduce_sum %5 : tensor<3x100x8xf32> -> tensor<3x1x8xf32>
    lazy.store %6, %out <[3, 1, 8]> : tensor<3x1x8xf32>, memref<24xf32>
  }
  return
}
