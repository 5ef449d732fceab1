// RUN: tinygrad-opt %s --canonicalize | FileCheck %s

// A copy of a copy on one device is that copy; a single one stays.
// CHECK-LABEL: func.func @copy
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
func.func @copy(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = lazy.copy %[[X]]
  // CHECK-NEXT: %[[B:.*]] = lazy.fromcpu %[[X]]
  // CHECK-NEXT: return %[[A]], %[[B]]
  %0 = lazy.copy %x : tensor<4xf32> -> tensor<4xf32>
  %1 = lazy.copy %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = lazy.fromcpu %x : tensor<4xf32> -> tensor<4xf32>
  %3 = lazy.copy %2 : tensor<4xf32> -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @fromcpu
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
func.func @fromcpu(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = lazy.fromcpu %[[X]]
  // CHECK-NEXT: %[[B:.*]] = lazy.fromcpu %[[A]]
  // CHECK-NEXT: return %[[A]], %[[B]]
  %0 = lazy.copy %x : tensor<4xf32> -> tensor<4xf32>
  %1 = lazy.fromcpu %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = lazy.fromcpu %1 : tensor<4xf32> -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
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
