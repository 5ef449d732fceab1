// RUN: tinygrad-opt %s --split-input-file | tinygrad-opt --split-input-file | FileCheck %s

// Sizes that are expressions of variables, and tensors on other devices.

// CHECK-DAG: #i = #lazy.variable<i, 1, 10>
// CHECK-DAG: #n2_ = #lazy.variable<n2, 0, 4>
#i = #lazy.variable<i, 1, 10>
#n2_ = #lazy.variable<n2, 0, 4>

// CHECK-LABEL: func.func @bound_by_arguments(
// CHECK-SAME: %{{.*}}: index {lazy.variable = #i}, %{{.*}}: index {lazy.variable = #n2_}
// CHECK-SAME: tensor<?x3x?xf32, #lazy.type<dims = [#i, 3, #n2_]>>
func.func @bound_by_arguments(%a: index {lazy.variable = #i}, %b: index {lazy.variable = #n2_},
                              %x: tensor<?x3x?xf32, #lazy.type<dims = [#i, 3, #n2_]>>) {
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
#j = #lazy.variable<j, 2, 5>

// Equal polynomials are one type, however they are written.
// CHECK-LABEL: func.func @canonical_expressions
func.func @canonical_expressions(%x: tensor<?xf32, #lazy.type<dims = [(#i + #j) * (#i - 1 + 1)]>>) {
  // CHECK: lazy.neg %{{.*}} : tensor<?xf32, #lazy.type<dims = [
  %0 = lazy.neg %x : tensor<?xf32, #lazy.type<dims = [#i * #j + #i * #i]>>
  // CHECK: lazy.neg %{{.*}} : tensor<?xf32, #lazy.type<dims = [
  %1 = lazy.neg %0 : tensor<?xf32, #lazy.type<dims = [#i * #i + #j * #i]>>
  return
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>,
                       %c: tensor<?x3xi1, #lazy.type<dims = [#i, 3]>>) {
  // CHECK: lazy.add
  %0 = lazy.add %x, %x : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
  // CHECK: lazy.where
  %1 = lazy.where %c, %x, %0 : tensor<?x3xi1, #lazy.type<dims = [#i, 3]>>, tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
  // CHECK: lazy.cast
  %2 = lazy.cast %1 : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<?x3xi32, #lazy.type<dims = [#i, 3]>>
  // CHECK: lazy.reduce_sum
  %3 = lazy.reduce_sum %2 : tensor<?x3xi32, #lazy.type<dims = [#i, 3]>> -> tensor<1x3xi32>
  return
}

// CHECK-LABEL: func.func @movement
func.func @movement(%x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>, %one: tensor<1x3xf32>, %flat: tensor<100xf32>) {
  // CHECK: lazy.reshape %{{.*}} : {{.*}} -> tensor<?xf32, #lazy.type<dims = [#i * 3]>>
  %0 = lazy.reshape %x : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<?xf32, #lazy.type<dims = [#i * 3]>>
  // CHECK: lazy.permute %{{.*}} [1, 0] : {{.*}} -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  %1 = lazy.permute %x [1, 0] : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  // CHECK: lazy.expand %{{.*}} : tensor<1x3xf32> -> tensor<?x3xf32, #lazy.type<dims = [#j, 3]>>
  %2 = lazy.expand %one : tensor<1x3xf32> -> tensor<?x3xf32, #lazy.type<dims = [#j, 3]>>
  // CHECK: lazy.pad %{{.*}} low [#j, 0] high [0, 1]
  %3 = lazy.pad %x low [#j, 0] high [0, 1] : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<?x4xf32, #lazy.type<dims = [#i + #j, 4]>>
  // CHECK: lazy.shrink %{{.*}} begin [#i] end [#i + 2] : tensor<100xf32> -> tensor<2xf32>
  %4 = lazy.shrink %flat begin [#i] end [#i + 2] : tensor<100xf32> -> tensor<2xf32>
  // CHECK: lazy.stride %{{.*}} [-2, 1] : {{.*}} -> tensor<?x3xf32, #lazy.type<dims = [(#i + 1) floordiv 2, 3]>>
  %5 = lazy.stride %x [-2, 1] : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<?x3xf32, #lazy.type<dims = [(#i + 1) floordiv 2, 3]>>
  // CHECK: lazy.as_strided %{{.*}} [1, #i] offset #j : tensor<100xf32> -> tensor<?x2xf32, #lazy.type<dims = [#i, 2]>>
  %6 = lazy.as_strided %flat [1, #i] offset #j : tensor<100xf32> -> tensor<?x2xf32, #lazy.type<dims = [#i, 2]>>
  // CHECK: lazy.view %{{.*}} <[3, #i], strides = [1, 3]>
  %7 = lazy.view %x <[3, #i], strides = [1, 3]> : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  return
}

// -----

// CHECK-LABEL: func.func @devices
func.func @devices(%x: tensor<4xf32, #lazy.type<device = "CUDA:1">>) {
  // CHECK: lazy.exp2 %{{.*}} : tensor<4xf32, #lazy.type<device = "CUDA:1">>
  %0 = lazy.exp2 %x : tensor<4xf32, #lazy.type<device = "CUDA:1">>
  // CHECK: lazy.reshape %{{.*}} : {{.*}} -> tensor<2x2xf32, #lazy.type<device = "CUDA:1">>
  %1 = lazy.reshape %0 : tensor<4xf32, #lazy.type<device = "CUDA:1">> -> tensor<2x2xf32, #lazy.type<device = "CUDA:1">>
  return
}
