// RUN: tinygrad-opt %s --canonicalize | FileCheck %s

!host = tensor<4xf32, #lazy.type<device = "HOST">>

// A copy to where the value is does nothing, and one of a copy reads what that
// one does; a copy to another device stays.
// CHECK-LABEL: func.func @copy
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
func.func @copy(%x: tensor<4xf32>) -> (tensor<4xf32>, !host, tensor<4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = lazy.copy %[[X]] : tensor<4xf32> -> tensor<4xf32, #lazy.type<device = "HOST">>
  // CHECK-NEXT: return %[[X]], %[[A]], %[[X]]
  %0 = lazy.copy %x : tensor<4xf32> -> tensor<4xf32>
  %1 = lazy.copy %0 : tensor<4xf32> -> !host
  %2 = lazy.copy %1 : !host -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, !host, tensor<4xf32>
}

// CHECK-LABEL: func.func @fromcpu
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32, #lazy.type<device = "HOST">>)
func.func @fromcpu(%x: !host) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = lazy.fromcpu %[[X]]
  // CHECK-NEXT: %[[B:.*]] = lazy.fromcpu %[[X]]
  // CHECK-NEXT: return %[[A]], %[[B]]
  %0 = lazy.copy %x : !host -> tensor<4xf32, #lazy.type<device = "CUDA">>
  %1 = lazy.copy %0 : tensor<4xf32, #lazy.type<device = "CUDA">> -> !host
  %2 = lazy.fromcpu %1 : !host -> tensor<4xf32>
  %3 = lazy.fromcpu %x : !host -> tensor<4xf32>
  %4 = lazy.fromcpu %3 : tensor<4xf32> -> tensor<4xf32>
  return %2, %4 : tensor<4xf32>, tensor<4xf32>
}

// Writing a value over itself does nothing; writing another one stays, also
// where it is written over again: someone may read it in between.
// CHECK-LABEL: func.func @assign
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
func.func @assign(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = lazy.assign %[[X]], %[[Y]]
  // CHECK-NEXT: %[[B:.*]] = lazy.assign %[[A]], %[[X]]
  // CHECK-NEXT: return %[[X]], %[[B]]
  %0 = lazy.assign %x, %x : tensor<4xf32>
  %1 = lazy.assign %x, %y : tensor<4xf32>
  %2 = lazy.assign %1, %x : tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}
