// RUN: tinygrad-opt %s --lazy-materialize-buffers | FileCheck %s

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

// The padding of a constant is read through the view of a buffer.
// CHECK-LABEL: func.func @view_of_constant
func.func @view_of_constant() -> tensor<3xf32> {
  // CHECK: %[[C:.*]] = lazy.kernel @copy outs(%{{.*}} : tensor<f32>) {
  // CHECK: lazy.const dense<7.000000e+00> : tensor<f32>
  // CHECK: %[[R:.*]] = lazy.kernel @copy_3 ins(%[[C]] : tensor<f32>)
  // CHECK: lazy.load %{{.*}} <[3], strides = [0], mask = {{\[\[}}1, 3]]>
  // CHECK: return %[[R]]
  %c = lazy.const dense<7.0> : tensor<f32>
  %v = lazy.view %c <[3], strides = [0], mask = [[1, 3]]> : tensor<f32> -> tensor<3xf32>
  return %v : tensor<3xf32>
}

// A kernel loads a constant through a mask from a buffer.
// CHECK-LABEL: func.func @constant_operand
func.func @constant_operand() -> tensor<3xf32> {
  // CHECK: %[[C:.*]] = lazy.kernel @copy outs(%{{.*}} : tensor<f32>) {
  // CHECK: lazy.kernel @neg ins(%[[C]] : tensor<f32>)
  %c = lazy.const dense<7.0> : tensor<f32>
  %e = lazy.empty : tensor<3xf32>
  %r = lazy.kernel @neg ins(%c : tensor<f32>) outs(%e : tensor<3xf32>) {
  ^bb0(%in: tensor<f32>, %out: tensor<3xf32>):
    %0 = lazy.load %in <[3], strides = [0], mask = [[1, 3]]> : tensor<f32> -> tensor<3xf32>
    %1 = lazy.neg %0 : tensor<3xf32>
    lazy.store %1, %out <[3]> : tensor<3xf32>, tensor<3xf32>
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}
