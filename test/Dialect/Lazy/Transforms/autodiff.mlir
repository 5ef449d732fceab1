// RUN: tinygrad-opt %s --lazy-autodiff=function=square --lazy-autodiff=function=square_grad | FileCheck %s
// RUN: tinygrad-opt %s --lazy-autodiff="function=linear arguments=1" | FileCheck %s --check-prefix=LINEAR
// RUN: tinygrad-opt %s --lazy-autodiff=function=scalar | FileCheck %s --check-prefix=SCALAR
// RUN: not tinygrad-opt %s --lazy-autodiff=function=absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not tinygrad-opt %s --lazy-autodiff="function=linear arguments=5" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tinygrad-opt %s --lazy-autodiff="function=linear arguments=2" 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: tinygrad-opt %s --lazy-autodiff=function=composed | FileCheck %s --check-prefix=VIEW
// RUN: not tinygrad-opt %s --lazy-autodiff=function=huge_view 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not tinygrad-opt %s --lazy-autodiff=function=scheduled 2>&1 | FileCheck %s --check-prefix=SCHEDULED
// RUN: tinygrad-opt %s --lazy-autodiff=function=copies | FileCheck %s --check-prefix=COPIES
// RUN: tinygrad-opt %s --lazy-autodiff=function=assigns | FileCheck %s --check-prefix=ASSIGN

// ABSENT: error: expects `function` to name a function with a body, got `absent`
// RANGE: error: 'func.func' op expects option `arguments` from 0 on and below 3, got 5
// INTEGER: error: 'func.func' op expects argument 2 to be a tensor of floats, got 'tensor<3xi32>'
// HUGE: error: 'lazy.as_strided' op has a gradient that takes a tensor of 2^62 elements or more
// HUGE-NEXT: %v = lazy.view
// SCHEDULED: error: 'lazy.kernel' op has no gradient rule; differentiate the graph before it is scheduled

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

// A view is the movement operations that make it.
// VIEW-LABEL: func.func @composed_grad
// VIEW-SAME:    (%{{.*}}: tensor<2x3xf32>, %[[G:.*]]: tensor<3x2xf32>) -> tensor<2x3xf32>
// VIEW-NOT: lazy.view
// VIEW: %[[D:.*]] = lazy.permute %[[G]] [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
// VIEW: return %[[D]]
func.func @composed(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %v = lazy.view %x <[3, 2], strides = [1, 3]> : tensor<2x3xf32> -> tensor<3x2xf32>
  return %v : tensor<3x2xf32>
}

// Copies of overlapping rows, to be summed, would have almost 2^63 elements.
func.func @huge_view(%x: tensor<4294967293xf16>) -> tensor<2147483647x2147483647xf16> {
  %v = lazy.view %x <[2147483647, 2147483647], strides = [1, 1]> : tensor<4294967293xf16> -> tensor<2147483647x2147483647xf16>
  return %v : tensor<2147483647x2147483647xf16>
}

func.func @scheduled(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = lazy.empty : tensor<4xf32>
  %k = lazy.kernel @copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  return %k : tensor<4xf32>
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

// The gradient is that of the value. What the target holds before is lost, but
// for what reads it itself.
// ASSIGN-LABEL: func.func @assigns_grad
// ASSIGN-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>, %[[H:.*]]: tensor<4xf32>)
// ASSIGN-DAG:     lazy.assign %[[X]], %[[Y]]
// ASSIGN-DAG:     %[[DX:.*]] = lazy.neg %[[H]]
// ASSIGN:         return %[[DX]], %[[G]]
func.func @assigns(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = lazy.assign %x, %y : tensor<4xf32>
  %1 = lazy.neg %x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
