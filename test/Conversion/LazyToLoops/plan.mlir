// RUN: tinygrad-opt %s --convert-lazy-to-loops --canonicalize --cse --split-input-file | FileCheck %s

// What the plan says becomes visible in the loops: each function differs from
// the first in one field.

// CHECK-LABEL: func.func @no_plan
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c8
// CHECK:   scf.for %{{.*}} = %c0{{.*}} to %c64
// CHECK:     memref.load
// CHECK:     memref.store
// CHECK-NOT: vector
// CHECK-NOT: scf.parallel
func.func @no_plan(%x: memref<512xf32>, %y: memref<512xf32>) {
  lazy.kernel @k ins(%x : memref<512xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%in: memref<512xf32>, %out: memref<512xf32>):
    %0 = lazy.load %in <[8, 64]> : memref<512xf32> -> tensor<8x64xf32>
    %1 = lazy.neg %0 : tensor<8x64xf32>
    lazy.store %1, %out <[8, 64]> : tensor<8x64xf32>, memref<512xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @parallel_axis
// CHECK: scf.parallel (%{{.*}}) = (%c0{{.*}}) to (%c4{{.*}}) step (%c1{{.*}})
// CHECK:   scf.for
// CHECK:     scf.for %{{.*}} = %c0{{.*}} to %c64
func.func @parallel_axis(%x: memref<512xf32>, %y: memref<512xf32>) {
  lazy.kernel @k ins(%x : memref<512xf32>) outs(%y : memref<512xf32>) plan <parallel = [0], tile = [2]> {
  ^bb0(%in: memref<512xf32>, %out: memref<512xf32>):
    %0 = lazy.load %in <[8, 64]> : memref<512xf32> -> tensor<8x64xf32>
    %1 = lazy.neg %0 : tensor<8x64xf32>
    lazy.store %1, %out <[8, 64]> : tensor<8x64xf32>, memref<512xf32>
  }
  return
}

// -----

// Two parallel axes: 8 / 2 times 64 / 16 tasks.
// CHECK-LABEL: func.func @two_parallel_axes
// CHECK: scf.parallel (%{{.*}}) = (%c0{{.*}}) to (%c16{{.*}}) step
func.func @two_parallel_axes(%x: memref<512xf32>, %y: memref<512xf32>) {
  lazy.kernel @k ins(%x : memref<512xf32>) outs(%y : memref<512xf32>) plan <parallel = [0, 1], tile = [2, 16]> {
  ^bb0(%in: memref<512xf32>, %out: memref<512xf32>):
    %0 = lazy.load %in <[8, 64]> : memref<512xf32> -> tensor<8x64xf32>
    %1 = lazy.neg %0 : tensor<8x64xf32>
    lazy.store %1, %out <[8, 64]> : tensor<8x64xf32>, memref<512xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @vector_width
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c64{{.*}} step %c16
// CHECK:   vector.load %{{.*}} : memref<512xf32>, vector<16xf32>
// CHECK:   arith.negf %{{.*}} : vector<16xf32>
// CHECK:   vector.store %{{.*}} : memref<512xf32>, vector<16xf32>
// CHECK-NOT: memref.load
func.func @vector_width(%x: memref<512xf32>, %y: memref<512xf32>) {
  lazy.kernel @k ins(%x : memref<512xf32>) outs(%y : memref<512xf32>) plan <vector = 1 : 16> {
  ^bb0(%in: memref<512xf32>, %out: memref<512xf32>):
    %0 = lazy.load %in <[8, 64]> : memref<512xf32> -> tensor<8x64xf32>
    %1 = lazy.neg %0 : tensor<8x64xf32>
    lazy.store %1, %out <[8, 64]> : tensor<8x64xf32>, memref<512xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @unroll
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c64{{.*}} step %c32
// CHECK-COUNT-4: vector.load %{{.*}} : memref<512xf32>, vector<8xf32>
// CHECK-NOT: vector.load
func.func @unroll(%x: memref<512xf32>, %y: memref<512xf32>) {
  lazy.kernel @k ins(%x : memref<512xf32>) outs(%y : memref<512xf32>) plan <vector = 1 : 8, unroll = 4> {
  ^bb0(%in: memref<512xf32>, %out: memref<512xf32>):
    %0 = lazy.load %in <[8, 64]> : memref<512xf32> -> tensor<8x64xf32>
    %1 = lazy.neg %0 : tensor<8x64xf32>
    lazy.store %1, %out <[8, 64]> : tensor<8x64xf32>, memref<512xf32>
  }
  return
}

// -----

// An axis of 13 is one vector of 8 and five scalars.
// CHECK-LABEL: func.func @tail
// CHECK: vector.load %{{.*}} : memref<13xf32>, vector<8xf32>
// CHECK: scf.for %{{.*}} = %c8{{.*}} to %c13
// CHECK:   memref.load
func.func @tail(%x: memref<13xf32>, %y: memref<13xf32>) {
  lazy.kernel @k ins(%x : memref<13xf32>) outs(%y : memref<13xf32>) plan <vector = 0 : 8> {
  ^bb0(%in: memref<13xf32>, %out: memref<13xf32>):
    %0 = lazy.load %in <[13]> : memref<13xf32> -> tensor<13xf32>
    %1 = lazy.neg %0 : tensor<13xf32>
    lazy.store %1, %out <[13]> : tensor<13xf32>, memref<13xf32>
  }
  return
}

// -----

// A reduce along the vector axis: two vectors and a scalar are carried, and
// combined after the loop.
// CHECK-LABEL: func.func @reduce_along_vectors
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-2: arith.addf %{{.*}} : vector<8xf32>
// CHECK: vector.reduction <add>, %{{.*}} fastmath<reassoc> : vector<8xf32> into f32
func.func @reduce_along_vectors(%x: memref<512xf32>, %y: memref<8xf32>) {
  lazy.kernel @k ins(%x : memref<512xf32>) outs(%y : memref<8xf32>) plan <vector = 1 : 8, unroll = 2> {
  ^bb0(%in: memref<512xf32>, %out: memref<8xf32>):
    %0 = lazy.load %in <[8, 64]> : memref<512xf32> -> tensor<8x64xf32>
    %1 = lazy.reduce_sum %0 : tensor<8x64xf32> -> tensor<8x1xf32>
    lazy.store %1, %out <[8, 1]> : tensor<8x1xf32>, memref<8xf32>
  }
  return
}

// -----

// A reduce across the vector axis carries whole vectors.
// CHECK-LABEL: func.func @reduce_across_vectors
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>)
// CHECK:   vector.load
// CHECK:   arith.addf %{{.*}} : vector<8xf32>
// CHECK-NOT: vector.reduction
func.func @reduce_across_vectors(%x: memref<512xf32>, %y: memref<64xf32>) {
  lazy.kernel @k ins(%x : memref<512xf32>) outs(%y : memref<64xf32>) plan <vector = 1 : 8> {
  ^bb0(%in: memref<512xf32>, %out: memref<64xf32>):
    %0 = lazy.load %in <[8, 64]> : memref<512xf32> -> tensor<8x64xf32>
    %1 = lazy.reduce_sum %0 : tensor<8x64xf32> -> tensor<1x64xf32>
    lazy.store %1, %out <[1, 64]> : tensor<1x64xf32>, memref<64xf32>
  }
  return
}

// -----

// A tile of any size is one task.
// CHECK-LABEL: func.func @largest_tile
func.func @largest_tile(%x: memref<4xf32>, %y: memref<4xf32>) {
  // CHECK: scf.for %{{.*}} = %c0{{.*}} to %c4
  // CHECK: memref.store
  lazy.kernel @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) plan <parallel = [0], tile = [9223372036854775807]> {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// Axes beside one without elements may be as long as 63 bits allow; there is no
// task.
// CHECK-LABEL: func.func @no_elements
// CHECK-NEXT: return
func.func @no_elements(%x: memref<0xf32>, %y: memref<0xf32>) {
  lazy.kernel @no_elements ins(%x : memref<0xf32>) outs(%y : memref<0xf32>) plan <parallel = [1, 2], tile = [1, 1]> {
  ^bb0(%in: memref<0xf32>, %out: memref<0xf32>):
    %0 = lazy.load %in <[0, 3, 9223372036854775807]> : memref<0xf32> -> tensor<0x3x9223372036854775807xf32>
    lazy.store %0, %out <[0, 3, 9223372036854775807]> : tensor<0x3x9223372036854775807xf32>, memref<0xf32>
  }
  return
}
