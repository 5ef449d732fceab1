// RUN: tinygrad-opt %s --lazy-push-permutes --split-input-file | FileCheck %s

// PPE1
// CHECK-LABEL: func.func @ppe1_permute_of_reduce
func.func @ppe1_permute_of_reduce(%x: tensor<4x3xf32>) -> tensor<1x4xf32> {
  // CHECK: %[[K:.*]] = lazy.kernel @r_3_4
  // CHECK: lazy.load %{{.*}} <[3, 4], strides = [1, 3]>
  // CHECK: lazy.reduce_sum %{{.*}} : tensor<3x4xf32> -> tensor<1x4xf32>
  // CHECK: return %[[K]]
  %s = lazy.reduce_sum %x : tensor<4x3xf32> -> tensor<4x1xf32>
  %p = lazy.permute %s [1, 0] : tensor<4x1xf32> -> tensor<1x4xf32>
  return %p : tensor<1x4xf32>
}

// -----

// PPE2: axes 0 and 1 of the negation are joined, so that the permute can come
// before the reshape, and from there into the negation.
// CHECK-LABEL: func.func @ppe2_permute_of_reshape
func.func @ppe2_permute_of_reshape(%x: tensor<2x3x4xf32>) -> tensor<4x6xf32> {
  // CHECK: %[[K:.*]] = lazy.kernel @e_4_2_3
  // CHECK: %[[R:.*]] = lazy.view %[[K]] <[4, 6]> : tensor<4x2x3xf32>
  // CHECK: return %[[R]]
  %n = lazy.add %x, %x : tensor<2x3x4xf32>
  %r = lazy.reshape %n : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %p = lazy.permute %r [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  return %p : tensor<4x6xf32>
}

// -----

// PPE2: not where the reshape splits an axis.
// CHECK-LABEL: func.func @ppe2_not_split_axis
func.func @ppe2_not_split_axis(%x: tensor<6x4xf32>) -> tensor<4x3x2xf32> {
  // CHECK: %[[K:.*]] = lazy.kernel @e_6_4
  // CHECK: lazy.view %[[K]] <[4, 3, 2], strides = [1, 4, 12]> : tensor<6x4xf32>
  %n = lazy.add %x, %x : tensor<6x4xf32>
  %r = lazy.reshape %n : tensor<6x4xf32> -> tensor<2x3x4xf32>
  %p = lazy.permute %r [2, 1, 0] : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
  return %p : tensor<4x3x2xf32>
}
