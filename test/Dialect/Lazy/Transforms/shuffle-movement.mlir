// RUN: tinygrad-opt %s --lazy-shuffle-movement --split-input-file | FileCheck %s

// SMO1: the expand comes last, so that a later expand joins it. Both are views,
// and one load shows that they were composed.
// CHECK-LABEL: func.func @smo1_permute_of_expand
// CHECK-SAME:    (%[[X:.*]]: tensor<1x3xf32>)
func.func @smo1_permute_of_expand(%x: tensor<1x3xf32>) -> tensor<3x2xf32> {
  // CHECK: %[[N:.*]] = lazy.kernel @e_1_3
  // CHECK: %[[V:.*]] = lazy.view %[[N]] <[3, 2], strides = [1, 0]>
  // CHECK: return %[[V]]
  %n = lazy.neg %x : tensor<1x3xf32>
  %e = lazy.expand %n : tensor<1x3xf32> -> tensor<2x3xf32>
  %p = lazy.permute %e [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %p : tensor<3x2xf32>
}

// -----

// SMO2: a permute of an elementwise value becomes one of what that reads.
// CHECK-LABEL: func.func @smo2_permute_of_elementwise
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @smo2_permute_of_elementwise(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  // CHECK: %[[K:.*]] = lazy.kernel @e_3_4 ins(%[[X]] :
  // CHECK: lazy.load %{{.*}} <[3, 4], strides = [1, 3]>
  // CHECK: return %[[K]]
  %n = lazy.neg %x : tensor<4x3xf32>
  %p = lazy.permute %n [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  return %p : tensor<3x4xf32>
}

// -----

// SMO2: not where something reads the value already.
// CHECK-LABEL: func.func @smo2_not_with_children
func.func @smo2_not_with_children(%x: tensor<4x3xf32>) -> (tensor<1x3xf32>, tensor<3x4xf32>) {
  // CHECK: %[[N:.*]] = lazy.kernel @e_4_3
  // CHECK: lazy.kernel @r_4_3 ins(%[[N]] :
  // CHECK: %[[P:.*]] = lazy.view %[[N]] <[3, 4], strides = [1, 3]>
  // CHECK: return %{{.*}}, %[[P]]
  %n = lazy.neg %x : tensor<4x3xf32>
  %s = lazy.reduce_sum %n : tensor<4x3xf32> -> tensor<1x3xf32>
  %p = lazy.permute %n [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  return %s, %p : tensor<1x3xf32>, tensor<3x4xf32>
}

// -----

// SMO2: the reshape of a binary operation stays; that is for PRE.
// CHECK-LABEL: func.func @smo2_not_reshape_of_binary
func.func @smo2_not_reshape_of_binary(%x: tensor<4x3xf32>) -> tensor<12xf32> {
  // CHECK: %[[A:.*]] = lazy.kernel @e_4_3
  // CHECK: lazy.view %[[A]] <[12]>
  %a = lazy.add %x, %x : tensor<4x3xf32>
  %r = lazy.reshape %a : tensor<4x3xf32> -> tensor<12xf32>
  return %r : tensor<12xf32>
}

// -----

// SMO3: the reshape between the two goes to the sources of the first.
// CHECK-LABEL: func.func @smo3_between_elementwise
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>, %[[Y:.*]]: tensor<12xf32>)
func.func @smo3_between_elementwise(%x: tensor<4x3xf32>, %y: tensor<12xf32>) -> tensor<12xf32> {
  // CHECK: %[[A:.*]] = lazy.kernel @e_12 ins(%[[X]] :
  // CHECK: lazy.load %{{.*}} <[12]> : tensor<4x3xf32> -> tensor<12xf32>
  // CHECK: lazy.kernel @e_12n1 ins(%[[A]], %[[Y]] :
  %a = lazy.add %x, %x : tensor<4x3xf32>
  %r = lazy.reshape %a : tensor<4x3xf32> -> tensor<12xf32>
  %m = lazy.mul %r, %y : tensor<12xf32>
  return %m : tensor<12xf32>
}

// -----

// SMO3: an expand stays, or the sum would be computed twelve times.
// CHECK-LABEL: func.func @smo3_not_past_expand
func.func @smo3_not_past_expand(%x: tensor<1x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: %[[A:.*]] = lazy.kernel @e_1_3
  // CHECK: lazy.kernel @e_4_3 ins(%[[A]],
  // CHECK: lazy.load %{{.*}} <[4, 3], strides = [0, 1]> : tensor<1x3xf32>
  %a = lazy.add %x, %x : tensor<1x3xf32>
  %e = lazy.expand %a : tensor<1x3xf32> -> tensor<4x3xf32>
  %m = lazy.mul %e, %y : tensor<4x3xf32>
  return %m : tensor<4x3xf32>
}
