// RUN: tinygrad-opt %s | tinygrad-opt | FileCheck %s
// RUN: tinygrad-opt %s --mlir-print-op-generic | tinygrad-opt | FileCheck %s

// CHECK-LABEL: func.func @kernel
func.func @kernel(%x: tensor<4x3xf32>) -> tensor<4xf32> {
  %e = lazy.empty : tensor<4xf32>
  // CHECK: lazy.kernel @sum ins(%{{.*}} : tensor<4x3xf32>) outs(%{{.*}} : tensor<4xf32>) {
  %s = lazy.kernel @sum ins(%x : tensor<4x3xf32>) outs(%e : tensor<4xf32>) {
  // CHECK: ^bb0(%[[IN:.*]]: tensor<4x3xf32>, %[[OUT:.*]]: tensor<4xf32>):
  ^bb0(%in: tensor<4x3xf32>, %out: tensor<4xf32>):
    // CHECK: %[[L:.*]] = lazy.load %[[IN]] <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
    %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
    // CHECK: %[[R:.*]] = lazy.reduce_sum %[[L]]
    %1 = lazy.reduce_sum %0 : tensor<4x3xf32> -> tensor<4x1xf32>
    // CHECK: lazy.store %[[R]], %[[OUT]] <[4, 1]> : tensor<4x1xf32>, tensor<4xf32>
    lazy.store %1, %out <[4, 1]> : tensor<4x1xf32>, tensor<4xf32>
  // CHECK: } -> tensor<4xf32>
  } -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// A bool lies in memory as a byte, an unsigned integer as a signless one.
// CHECK-LABEL: func.func @kernel_on_memory
func.func @kernel_on_memory(%x: memref<12xi8>, %y: memref<12xi32>, %z: memref<12xi32>) {
  // CHECK: lazy.kernel @choose ins(%{{.*}}, %{{.*}} : memref<12xi8>, memref<12xi32>) outs(%{{.*}} : memref<12xi32>) plan <parallel = [0], tile = [2], vector = 1 : 4, unroll = 2>
  lazy.kernel @choose ins(%x, %y : memref<12xi8>, memref<12xi32>) outs(%z : memref<12xi32>) plan <parallel = [0], tile = [2], vector = 1 : 4, unroll = 2> {
  ^bb0(%c: memref<12xi8>, %in: memref<12xi32>, %out: memref<12xi32>):
    // CHECK: lazy.load %{{.*}} <[4, 3], strides = [1, 4]> : memref<12xi8> -> tensor<4x3xi1>
    %0 = lazy.load %c <[4, 3], strides = [1, 4]> : memref<12xi8> -> tensor<4x3xi1>
    // CHECK: lazy.load %{{.*}} <[4, 3]> : memref<12xi32> -> tensor<4x3xui32>
    %1 = lazy.load %in <[4, 3]> : memref<12xi32> -> tensor<4x3xui32>
    // CHECK: lazy.const dense<7> : tensor<4x3xui32>
    %2 = lazy.const dense<7> : tensor<4x3xui32>
    %3 = lazy.where %0, %1, %2 : tensor<4x3xi1>, tensor<4x3xui32>
    lazy.store %3, %out <[4, 3]> : tensor<4x3xui32>, memref<12xi32>
  }
  return
}

// CHECK-LABEL: func.func @kernel_with_attributes
func.func @kernel_with_attributes(%x: memref<1xf32>) {
  // CHECK: lazy.kernel @one outs(%{{.*}} : memref<1xf32>) attributes {note = "kept"} {
  lazy.kernel @one outs(%x : memref<1xf32>) attributes {note = "kept"} {
  ^bb0(%out: memref<1xf32>):
    %0 = lazy.const dense<1.0> : tensor<f32>
    lazy.store %0, %out <[]> : tensor<f32>, memref<1xf32>
  }
  return
}

// Attributes are canonical: an axis of one position has stride 0, a mask that
// covers the shape goes.
// CHECK-LABEL: func.func private @attributes
// CHECK-SAME: contraction = #lazy.plan<contract = [0] x [1] x [2, 3], width = 16, register = [12, 32], block = [192, 256, 384]>
// CHECK-SAME: empty = #lazy.plan<>
// CHECK-SAME: masked = #lazy.view<[4, 5], strides = [3, 1], offset = -1, mask = {{\[\[}}0, 4], [1, 4]]>
// CHECK-SAME: ones = #lazy.view<[1, 3]>
// CHECK-SAME: tracker = #lazy.shape_tracker<[3, 2], strides = [1, 3], then [6]>
// CHECK-SAME: whole = #lazy.view<[2, 3]>
func.func private @attributes() attributes {
  contraction = #lazy.plan<contract = [0] x [1] x [2, 3], width = 16, register = [12, 32], block = [192, 256, 384]>,
  empty = #lazy.plan<>,
  masked = #lazy.view<[4, 5], strides = [3, 1], offset = -1, mask = [[0, 4], [1, 4]]>,
  ones = #lazy.view<[1, 3], strides = [7, 1]>,
  tracker = #lazy.shape_tracker<[3, 2], strides = [1, 3], then [6]>,
  whole = #lazy.view<[2, 3], mask = [[0, 2], [0, 3]]>
}

// CHECK-LABEL: func.func @load_of_a_transposed_input
func.func @load_of_a_transposed_input(%x: tensor<3x4xf32>, %e: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %r = lazy.kernel @k ins(%x : tensor<3x4xf32>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%in: tensor<3x4xf32>, %out: tensor<4x3xf32>):
    // CHECK: lazy.load %{{.*}} <[4, 3], strides = [1, 4]> : tensor<3x4xf32> -> tensor<4x3xf32>
    %0 = lazy.load %in <[4, 3], strides = [1, 4]> : tensor<3x4xf32> -> tensor<4x3xf32>
    lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
  } -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
