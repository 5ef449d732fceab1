// RUN: tinygrad-opt %s --lazy-merge-reduce-into-elementwise --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @mre_one_reduce
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @mre_one_reduce(%x: tensor<4x3xf32>) -> tensor<4x1xf32> {
  // CHECK: %[[K:.*]] = lazy.kernel @r_4_3 ins(%[[X]] : tensor<4x3xf32>)
  // CHECK: %[[S:.*]] = lazy.reduce_sum
  // CHECK: lazy.sqrt %[[S]] : tensor<4x1xf32>
  // CHECK-NOT: lazy.kernel
  // CHECK: return %[[K]]
  %s = lazy.reduce_sum %x : tensor<4x3xf32> -> tensor<4x1xf32>
  %q = lazy.sqrt %s : tensor<4x1xf32>
  return %q : tensor<4x1xf32>
}

// -----

// Through a reshape: the other source is read in the shape of the reduce, and
// the store writes that shape into the result's.
// CHECK-LABEL: func.func @mre_reshaped_reduce
func.func @mre_reshaped_reduce(%x: tensor<4x3xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // CHECK: %[[K:.*]] = lazy.kernel @r_4_3
  // CHECK: ^bb0(%{{.*}}, %[[B:.*]]: tensor<2x2xf32>, %[[OUT:.*]]: tensor<2x2xf32>):
  // CHECK-DAG: %[[S:.*]] = lazy.reduce_sum
  // CHECK-DAG: %[[L:.*]] = lazy.load %[[B]] <[4, 1]> : tensor<2x2xf32> -> tensor<4x1xf32>
  // CHECK: %[[A:.*]] = lazy.add %[[S]], %[[L]] : tensor<4x1xf32>
  // CHECK: lazy.store %[[A]], %[[OUT]] <[4, 1]> : tensor<4x1xf32>, tensor<2x2xf32>
  // CHECK: return %[[K]]
  %s = lazy.reduce_sum %x : tensor<4x3xf32> -> tensor<4x1xf32>
  %r = lazy.reshape %s : tensor<4x1xf32> -> tensor<2x2xf32>
  %a = lazy.add %r, %y : tensor<2x2xf32>
  return %a : tensor<2x2xf32>
}

// -----

// Two values read the reduce: it is computed once, in a kernel of its own.
// CHECK-LABEL: func.func @mre_not_with_two_children
func.func @mre_not_with_two_children(%x: tensor<4x3xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  // CHECK: %[[S:.*]] = lazy.kernel @r_4_3
  // CHECK: lazy.kernel @e_4_1 ins(%[[S]] :
  // CHECK: lazy.kernel @e_4_1n1 ins(%[[S]] :
  %s = lazy.reduce_sum %x : tensor<4x3xf32> -> tensor<4x1xf32>
  %q = lazy.sqrt %s : tensor<4x1xf32>
  %n = lazy.neg %s : tensor<4x1xf32>
  return %q, %n : tensor<4x1xf32>, tensor<4x1xf32>
}

// -----

// Of two reduces the first is merged.
// CHECK-LABEL: func.func @mre_only_the_first
func.func @mre_only_the_first(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x1xf32> {
  // CHECK: %[[M:.*]] = lazy.kernel @r_4_3
  // CHECK: lazy.reduce_max
  // CHECK: lazy.kernel @r_4_3n1 ins(%{{.*}}, %[[M]] :
  // CHECK: lazy.reduce_sum
  // CHECK: lazy.add
  %s = lazy.reduce_sum %x : tensor<4x3xf32> -> tensor<4x1xf32>
  %m = lazy.reduce_max %y : tensor<4x3xf32> -> tensor<4x1xf32>
  %a = lazy.add %s, %m : tensor<4x1xf32>
  return %a : tensor<4x1xf32>
}
