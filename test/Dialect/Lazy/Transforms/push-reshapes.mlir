// RUN: tinygrad-opt %s --lazy-push-reshapes --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @pre_reshape_of_binary
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>, %[[Y:.*]]: tensor<4x3xf32>)
func.func @pre_reshape_of_binary(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<12xf32> {
  // CHECK: %[[K:.*]] = lazy.kernel @e_12 ins(%[[X]], %[[Y]] :
  // CHECK: return %[[K]]
  %a = lazy.add %x, %y : tensor<4x3xf32>
  %r = lazy.reshape %a : tensor<4x3xf32> -> tensor<12xf32>
  return %r : tensor<12xf32>
}

// -----

// Not where something reads the sum already.
// CHECK-LABEL: func.func @pre_not_with_children
func.func @pre_not_with_children(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> (tensor<4x1xf32>, tensor<12xf32>) {
  // CHECK: %[[A:.*]] = lazy.kernel @e_4_3
  // CHECK: lazy.kernel @r_4_3 ins(%[[A]] :
  // CHECK: lazy.view %[[A]] <[12]>
  %a = lazy.add %x, %y : tensor<4x3xf32>
  %s = lazy.reduce_sum %a : tensor<4x3xf32> -> tensor<4x1xf32>
  %r = lazy.reshape %a : tensor<4x3xf32> -> tensor<12xf32>
  return %s, %r : tensor<4x1xf32>, tensor<12xf32>
}
