// RUN: tinygrad-opt %s --lazy-merge-elementwise --split-input-file | FileCheck %s

// MEO: nothing reads the product before the sum is built, and nothing after.
// CHECK-LABEL: func.func @meo_source_without_children
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>, %[[Y:.*]]: tensor<4x3xf32>)
func.func @meo_source_without_children(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: %[[K:.*]] = lazy.kernel @e_4_3 ins(%[[X]], %[[Y]] :
  // CHECK: ^bb0(%[[A:.*]]: tensor<4x3xf32>, %[[B:.*]]: tensor<4x3xf32>, %[[OUT:.*]]: tensor<4x3xf32>):
  // CHECK-DAG: %[[LA:.*]] = lazy.load %[[A]] <[4, 3]>
  // CHECK-DAG: %[[LB:.*]] = lazy.load %[[B]] <[4, 3]>
  // CHECK: %[[M:.*]] = lazy.mul %[[LA]], %[[LB]]
  // CHECK: %[[S:.*]] = lazy.add %[[M]], %[[LA]]
  // CHECK: lazy.store %[[S]], %[[OUT]] <[4, 3]>
  // CHECK-NOT: lazy.kernel
  // CHECK: return %[[K]]
  %m = lazy.mul %x, %y : tensor<4x3xf32>
  %a = lazy.add %m, %x : tensor<4x3xf32>
  return %a : tensor<4x3xf32>
}

// -----

// A value that is returned too is inlined all the same, and computed twice: it
// has no child when its user is built.
// CHECK-LABEL: func.func @meo_returned_source
func.func @meo_returned_source(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[N:.*]] = lazy.kernel
  // CHECK: lazy.neg
  // CHECK: %[[S:.*]] = lazy.kernel
  // CHECK: lazy.neg
  // CHECK: lazy.sin
  // CHECK: return %[[N]], %[[S]]
  %n = lazy.neg %x : tensor<4xf32>
  %s = lazy.sin %n : tensor<4xf32>
  return %n, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// The reduce is a child of the negation when the sine is built: not inlined.
// CHECK-LABEL: func.func @meo_not_with_children
func.func @meo_not_with_children(%x: tensor<4xf32>) -> (tensor<1xf32>, tensor<4xf32>) {
  // CHECK: %[[N:.*]] = lazy.kernel @e_4
  // CHECK: lazy.kernel @r_4 ins(%[[N]] :
  // CHECK-NOT: lazy.neg
  // CHECK: lazy.kernel @e_4n1 ins(%[[N]] :
  // CHECK-NOT: lazy.neg
  // CHECK: return
  %n = lazy.neg %x : tensor<4xf32>
  %r = lazy.reduce_sum %n : tensor<4xf32> -> tensor<1xf32>
  %s = lazy.sin %n : tensor<4xf32>
  return %r, %s : tensor<1xf32>, tensor<4xf32>
}
