// RUN: tinygrad-opt %s --lazy-autodiff=function=scaled_sums | FileCheck %s
// RUN: tinygrad-opt %s --lazy-autodiff=function=moved | FileCheck %s --check-prefix=MOVED
// RUN: not tinygrad-opt %s --lazy-autodiff=function=elsewhere 2>&1 | FileCheck %s --check-prefix=ELSEWHERE

// Gradients of functions whose sizes are expressions: the gradient has them too,
// and the variables of the function.

#i = #lazy.variable<i, 1, 10>

// CHECK-LABEL: func.func @scaled_sums_grad
// CHECK-SAME: (%{{.*}}: index {lazy.variable = #i}, %{{.*}}, %{{.*}}, %[[G:.*]]: tensor<?x1xf32, #lazy.type<dims = [#i, 1]>>)
// CHECK: %[[E:.*]] = lazy.expand %[[G]] : {{.*}} -> tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
// CHECK: lazy.mul %[[E]]
// CHECK: lazy.reduce_sum %{{.*}} -> tensor<1x3xf32>
func.func @scaled_sums(%i: index {lazy.variable = #i}, %x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>, %w: tensor<1x3xf32>) -> tensor<?x1xf32, #lazy.type<dims = [#i, 1]>> {
  %0 = lazy.expand %w : tensor<1x3xf32> -> tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
  %1 = lazy.mul %x, %0 : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
  %2 = lazy.reduce_sum %1 : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<?x1xf32, #lazy.type<dims = [#i, 1]>>
  return %2 : tensor<?x1xf32, #lazy.type<dims = [#i, 1]>>
}

// What was cut off gets zeros, and what was added is cut off.
// MOVED-LABEL: func.func @moved_grad
// MOVED-SAME: %[[G:[a-z0-9]+]]: tensor<?xf32, #lazy.type<dims = [#i + 3]>>)
// MOVED: %[[S:.*]] = lazy.shrink %[[G]] begin [1] end [#i + 1] :
// MOVED: %[[P:.*]] = lazy.pad %[[S]] low [0] high [#i * -1 + 10] : {{.*}} -> tensor<10xf32>
// MOVED: return %[[P]]
func.func @moved(%i: index {lazy.variable = #i}, %x: tensor<10xf32>) -> tensor<?xf32, #lazy.type<dims = [#i + 3]>> {
  %0 = lazy.shrink %x begin [0] end [#i] : tensor<10xf32> -> tensor<?xf32, #lazy.type<dims = [#i]>>
  %1 = lazy.pad %0 low [1] high [2] : tensor<?xf32, #lazy.type<dims = [#i]>> -> tensor<?xf32, #lazy.type<dims = [#i + 3]>>
  return %1 : tensor<?xf32, #lazy.type<dims = [#i + 3]>>
}

// ELSEWHERE: error: 'lazy.neg' op expects values on the default device
func.func @elsewhere(%x: tensor<4xf32, #lazy.type<device = "CUDA">>) -> tensor<4xf32, #lazy.type<device = "CUDA">> {
  %0 = lazy.neg %x : tensor<4xf32, #lazy.type<device = "CUDA">>
  return %0 : tensor<4xf32, #lazy.type<device = "CUDA">>
}
