// RUN: tinygrad-opt %s --lazy-merge-elementwise-into-reduce --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @mer_source_of_one_reduce
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @mer_source_of_one_reduce(%x: tensor<4x3xf32>) -> tensor<4x1xf32> {
  // CHECK: %[[E:.*]] = lazy.empty : tensor<4x1xf32>
  // CHECK: %[[K:.*]] = lazy.kernel @r_4_3 ins(%[[X]] : tensor<4x3xf32>) outs(%[[E]] : tensor<4x1xf32>)
  // CHECK: %[[L:.*]] = lazy.load
  // CHECK: %[[N:.*]] = lazy.neg %[[L]]
  // CHECK: %[[S:.*]] = lazy.reduce_sum %[[N]] : tensor<4x3xf32> -> tensor<4x1xf32>
  // CHECK: lazy.store %[[S]]
  // CHECK-NOT: lazy.kernel
  // CHECK: return %[[K]]
  %n = lazy.neg %x : tensor<4x3xf32>
  %s = lazy.reduce_sum %n : tensor<4x3xf32> -> tensor<4x1xf32>
  return %s : tensor<4x1xf32>
}

// -----

// Two reduces read the value: computed once, in a kernel of its own.
// CHECK-LABEL: func.func @mer_not_with_two_children
func.func @mer_not_with_two_children(%x: tensor<4x3xf32>) -> (tensor<4x1xf32>, tensor<1x3xf32>) {
  // CHECK: %[[N:.*]] = lazy.kernel @e_4_3
  // CHECK: lazy.kernel @r_4_3 ins(%[[N]] :
  // CHECK: lazy.kernel @r_4_3n1 ins(%[[N]] :
  %n = lazy.neg %x : tensor<4x3xf32>
  %s = lazy.reduce_sum %n : tensor<4x3xf32> -> tensor<4x1xf32>
  %m = lazy.reduce_max %n : tensor<4x3xf32> -> tensor<1x3xf32>
  return %s, %m : tensor<4x1xf32>, tensor<1x3xf32>
}
