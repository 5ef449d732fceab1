// RUN: tinygrad-opt %s --lazy-autodiff=function=square --lazy-autodiff=function=square_grad | FileCheck %s
// RUN: tinygrad-opt %s --lazy-autodiff="function=linear arguments=1" | FileCheck %s --check-prefix=LINEAR
// RUN: tinygrad-opt %s --lazy-autodiff=function=scalar | FileCheck %s --check-prefix=SCALAR
// RUN: not tinygrad-opt %s --lazy-autodiff=function=absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not tinygrad-opt %s --lazy-autodiff="function=linear arguments=5" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tinygrad-opt %s --lazy-autodiff="function=linear arguments=2" 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not tinygrad-opt %s --lazy-autodiff=function=composed 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: tinygrad-opt %s --lazy-autodiff=function=copies | FileCheck %s --check-prefix=COPIES
// RUN: not tinygrad-opt %s --lazy-autodiff=function=assigns 2>&1 | FileCheck %s --check-prefix=ASSIGN

// ABSENT: error: expects `function` to name a function with a body, got `absent`
// RANGE: error: 'func.func' op expects `arguments` to be below 3, got 5
// INTEGER: error: 'func.func' op expects argument 2 to be a tensor of floats, got 'tensor<3xi32>'
// VIEW: error: 'lazy.view' op has no gradient rule; differentiate the graph before it is scheduled; `lazy-expand-views` writes views as operations that have one
// ASSIGN: error: 'lazy.assign' op has no gradient rule

// The forward operations stay for the rules that need their results.
// CHECK-LABEL: func.func @square_grad
// CHECK-SAME:    (%[[X:.*]]: tensor<3xf32>, %[[G:.*]]: tensor<3xf32>) -> tensor<3xf32>
// CHECK: %[[A:.*]] = lazy.mul %[[G]], %[[X]]
// CHECK: %[[B:.*]] = lazy.mul %[[G]], %[[X]]
// CHECK: %[[S:.*]] = lazy.add %[[A]], %[[B]]
// CHECK: return %[[S]]
// CHECK-LABEL: func.func @square_grad_grad
// CHECK-SAME:    -> (tensor<3xf32>, tensor<3xf32>)
func.func @square(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = lazy.mul %x, %x : tensor<3xf32>
  return %y : tensor<3xf32>
}

// LINEAR-LABEL: func.func @linear_grad
// LINEAR-SAME:    -> tensor<1x3xf32>
// LINEAR: lazy.reduce_sum %{{.*}} : tensor<2x3xf32> -> tensor<1x3xf32>
func.func @linear(%x: tensor<2x3xf32>, %w: tensor<1x3xf32>, %i: tensor<3xi32>) -> tensor<2x3xf32> {
  %e = lazy.expand %w : tensor<1x3xf32> -> tensor<2x3xf32>
  %y = lazy.mul %x, %e : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

func.func @composed(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %v = lazy.view %x <[3, 2], strides = [1, 3]> : tensor<2x3xf32> -> tensor<3x2xf32>
  return %v : tensor<3x2xf32>
}

// Floats that are no tensors have no gradient.
// SCALAR-LABEL: func.func @scalar_grad
// SCALAR-SAME:    (%{{.*}}: f32, %{{.*}}: memref<4xf32>, %{{.*}}: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>) -> tensor<4xf32>
// SCALAR: return %[[G]]
func.func @scalar(%a: f32, %m: memref<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// A copy passes the gradient on.
// COPIES-LABEL: func.func @copies_grad
// COPIES-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>) -> tensor<4xf32>
// COPIES:         %[[R:.*]] = lazy.neg %[[G]]
// COPIES:         return %[[R]]
func.func @copies(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.fromcpu %x : tensor<4xf32> -> tensor<4xf32>
  %1 = lazy.neg %0 : tensor<4xf32>
  %2 = lazy.copy %1 : tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

func.func @assigns(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.assign %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}
