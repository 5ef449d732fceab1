// RUN: tinygrad-opt %s --lazy-materialize-results | FileCheck %s

// CHECK-LABEL: func.func @transpose
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @transpose(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  // CHECK: %[[E:.*]] = lazy.empty : tensor<3x4xf32>
  // CHECK: %[[R:.*]] = lazy.kernel @copy_3_4 ins(%[[X]] : tensor<4x3xf32>) outs(%[[E]] : tensor<3x4xf32>) {
  // CHECK: lazy.load %{{.*}} <[3, 4], strides = [1, 3]>
  // CHECK: return %[[R]]
  %v = lazy.view %x <[3, 4], strides = [1, 3]> : tensor<4x3xf32> -> tensor<3x4xf32>
  return %v : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @argument_and_constant
func.func @argument_and_constant(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<3xi32>) {
  // CHECK: lazy.kernel @copy_2 ins
  // CHECK: lazy.kernel @copy_3 outs
  // CHECK: lazy.const dense<7> : tensor<3xi32>
  %c = lazy.const dense<7> : tensor<3xi32>
  return %x, %c : tensor<2xf32>, tensor<3xi32>
}

// The result of a kernel has a buffer; a second result of the same value needs
// another one.
// CHECK-LABEL: func.func @kernel_result_stays
func.func @kernel_result_stays(%seed: tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: %[[C:.*]] = lazy.custom
  // CHECK: %[[K:.*]] = lazy.kernel @copy_2 ins(%[[C]]
  // CHECK: return %[[C]], %[[K]]
  %c = lazy.custom "rand"(%seed) : (tensor<i64>) -> tensor<2xf32>
  return %c, %c : tensor<2xf32>, tensor<2xf32>
}
