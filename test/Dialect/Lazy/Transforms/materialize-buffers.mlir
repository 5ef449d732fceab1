// RUN: tinygrad-opt %s --lazy-materialize-buffers --split-input-file --verify-diagnostics | FileCheck %s

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

// A constant may be the last operation of a module in a function.
// CHECK-LABEL: func.func @constant_after_its_kernel
func.func @constant_after_its_kernel() {
  builtin.module {
    // CHECK: lazy.kernel @neg ins(%[[C:[0-9]+]] : tensor<3xf32>)
    // CHECK: %[[C]] = lazy.kernel @copy_3 outs(%{{.*}} : tensor<3xf32>) {
    %e = lazy.empty : tensor<3xf32>
    %r = lazy.kernel @neg ins(%c : tensor<3xf32>) outs(%e : tensor<3xf32>) {
    ^bb0(%in: tensor<3xf32>, %out: tensor<3xf32>):
      %0 = lazy.load %in <[3]> : tensor<3xf32> -> tensor<3xf32>
      lazy.store %0, %out <[3]> : tensor<3xf32>, tensor<3xf32>
    } -> tensor<3xf32>
    %c = lazy.const dense<7.0> : tensor<3xf32>
  }
  return
}

// -----

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'func.return' op expects tensors of the lazy dialect, got 'tensor<?xf32>'}}
  return %x : tensor<?xf32>
}

// -----

func.func @index_elements(%x: tensor<4xindex>) -> tensor<4xindex> {
  // expected-error@+1 {{'func.return' op expects tensors of the lazy dialect, got 'tensor<4xindex>'}}
  return %x : tensor<4xindex>
}

// -----

// The result of a kernel in another shape needs no copy.
// CHECK-LABEL: func.func @reshaped_result
func.func @reshaped_result(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  // CHECK: %[[E:.*]] = lazy.empty : tensor<6xf32>
  // CHECK: %[[R:.*]] = lazy.kernel @neg ins(%{{.*}} : tensor<2x3xf32>) outs(%[[E]] : tensor<6xf32>) {
  // CHECK: lazy.store %{{.*}}, %{{.*}} <[2, 3]> : tensor<2x3xf32>, tensor<6xf32>
  // CHECK: return %[[R]] : tensor<6xf32>
  %e = lazy.empty : tensor<2x3xf32>
  %r = lazy.kernel @neg ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%in: tensor<2x3xf32>, %out: tensor<2x3xf32>):
    %0 = lazy.load %in <[2, 3]> : tensor<2x3xf32> -> tensor<2x3xf32>
    %1 = lazy.neg %0 : tensor<2x3xf32>
    lazy.store %1, %out <[2, 3]> : tensor<2x3xf32>, tensor<2x3xf32>
  } -> tensor<2x3xf32>
  %v = lazy.view %r <[6]> : tensor<2x3xf32> -> tensor<6xf32>
  return %v : tensor<6xf32>
}
