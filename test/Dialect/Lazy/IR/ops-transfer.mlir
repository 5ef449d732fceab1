// RUN: tinygrad-opt %s | tinygrad-opt | FileCheck %s
// RUN: tinygrad-opt %s --mlir-print-op-generic | tinygrad-opt | FileCheck %s

// CHECK-LABEL: func.func @copy
func.func @copy(%x: tensor<4x3xf32>) -> tensor<4x3xf32, #lazy.type<device = "HOST">> {
  // CHECK: lazy.copy %{{.*}} : tensor<4x3xf32> -> tensor<4x3xf32, #lazy.type<device = "HOST">>
  %r = lazy.copy %x : tensor<4x3xf32> -> tensor<4x3xf32, #lazy.type<device = "HOST">>
  return %r : tensor<4x3xf32, #lazy.type<device = "HOST">>
}

// CHECK-LABEL: func.func @fromcpu
func.func @fromcpu(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: lazy.fromcpu %{{.*}} : tensor<4x3xf32> -> tensor<4x3xf32>
  %r = lazy.fromcpu %x : tensor<4x3xf32> -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @assign
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>, %[[Y:.*]]: tensor<4x3xf32>)
func.func @assign(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: lazy.assign %[[X]], %[[Y]] : tensor<4x3xf32>
  %r = lazy.assign %x, %y : tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @copy_of_memory
func.func @copy_of_memory(%m: memref<12xf32>, %n: memref<4xf32>) {
  // CHECK: lazy.copy %{{.*}} offset 2 into %{{.*}} : memref<12xf32>, memref<4xf32>
  lazy.copy %m offset 2 into %n : memref<12xf32>, memref<4xf32>
  // CHECK: lazy.copy %{{.*}} into %{{.*}} : memref<12xf32>, memref<4xf32>
  lazy.copy %m into %n : memref<12xf32>, memref<4xf32>
  // CHECK: lazy.copy %{{.*}} into %{{.*}} at 8 size 2 : memref<4xf32>, memref<12xf32>
  lazy.copy %n into %m at 8 size 2 : memref<4xf32>, memref<12xf32>
  return
}
