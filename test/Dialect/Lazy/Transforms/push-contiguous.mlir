// RUN: tinygrad-opt %s --lazy-push-contiguous --split-input-file | FileCheck %s

// The negation reads the view itself, and is contiguous anyway.
// CHECK-LABEL: func.func @pco_contiguous_source
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @pco_contiguous_source(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  // CHECK: %[[K:.*]] = lazy.kernel @e_3_4 ins(%[[X]] :
  // CHECK: lazy.load %{{.*}} <[3, 4], strides = [1, 3]>
  // CHECK-NOT: lazy.kernel
  // CHECK: return %[[K]]
  %p = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  %c = lazy.contiguous %p : tensor<3x4xf32>
  %n = lazy.neg %c : tensor<3x4xf32>
  return %n : tensor<3x4xf32>
}

// -----

// A second value reads the view: the contiguous stays before the negation.
// CHECK-LABEL: func.func @pco_not_with_two_children
func.func @pco_not_with_two_children(%x: tensor<4x3xf32>) -> (tensor<3x4xf32>, tensor<3x1xf32>) {
  // CHECK: %[[C:.*]] = lazy.kernel @e_3_4 ins(%{{.*}}
  // CHECK: lazy.kernel @e_3_4n1 ins(%[[C]] :
  // CHECK: lazy.kernel @r_3_4
  %p = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  %c = lazy.contiguous %p : tensor<3x4xf32>
  %s = lazy.reduce_sum %p : tensor<3x4xf32> -> tensor<3x1xf32>
  %n = lazy.neg %c : tensor<3x4xf32>
  return %n, %s : tensor<3x4xf32>, tensor<3x1xf32>
}
