// RUN: tinygrad-opt %s --lazy-schedule | FileCheck %s
// RUN: tinygrad-opt %s --pass-pipeline="builtin.module(func.func(lazy-schedule,lazy-materialize-buffers))" | FileCheck %s --check-prefix=BUFFERS
// RUN: tinygrad-opt %s --lazy-schedule --lazy-print-schedule -o /dev/null | FileCheck %s --check-prefix=TABLE

// Kernels of sizes that are expressions: each takes the variables that it has.

#i = #lazy.variable<i, 1, 10>
#j = #lazy.variable<j, 2, 5>

// A constant of such a size is one of extents 1, expanded.
// CHECK-LABEL: func.func @add_one
// CHECK-SAME: %[[N:.*]]: index {lazy.variable = #i}, %[[X:.*]]: tensor<3x?xf32
// TABLE: @add_one: 1 kernel, 120 bytes read, 120 bytes written, 30 operations
// TABLE: 0 {{.*}} 3xi
func.func @add_one(%n: index {lazy.variable = #i}, %x: tensor<3x?xf32, #lazy.type<dims = [3, #i]>>) -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>> {
  // CHECK: lazy.kernel @e_3_i ins(%[[X]] : {{.*}}) outs({{.*}}) variables(#i = %[[N]]) {
  // CHECK: %[[L:.*]] = lazy.load %{{.*}} <[3, #i]>
  // CHECK: %[[C:.*]] = lazy.const dense<1.000000e+00> : tensor<1x1xf32>
  // CHECK: %[[E:.*]] = lazy.expand %[[C]]
  // CHECK: lazy.add %[[L]], %[[E]]
  %c = lazy.const dense<1.0> : tensor<1x1xf32>
  %e = lazy.expand %c : tensor<1x1xf32> -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  %0 = lazy.add %x, %e : tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  return %0 : tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
}

// Masks become parts of the loads; a kernel is told two variables.
// CHECK-LABEL: func.func @concatenate
func.func @concatenate(%n: index {lazy.variable = #i}, %m: index {lazy.variable = #j},
                       %x: tensor<?xf32, #lazy.type<dims = [#i]>>, %y: tensor<?xf32, #lazy.type<dims = [#j]>>) -> tensor<?xf32, #lazy.type<dims = [#i + #j]>> {
  // CHECK: lazy.kernel @e_ij {{.*}} variables(#i = %{{.*}}, #j = %{{.*}}) {
  // CHECK: lazy.load %{{.*}} <[#i + #j], mask = {{\[\[}}0, #i]]>
  // CHECK: lazy.load %{{.*}} <[#i + #j], offset = #i * -1, mask = {{\[\[}}#i, #i + #j]]>
  // CHECK-NOT: lazy.kernel
  %0 = lazy.pad %x low [0] high [#j] : tensor<?xf32, #lazy.type<dims = [#i]>> -> tensor<?xf32, #lazy.type<dims = [#i + #j]>>
  %1 = lazy.pad %y low [#i] high [0] : tensor<?xf32, #lazy.type<dims = [#j]>> -> tensor<?xf32, #lazy.type<dims = [#i + #j]>>
  %2 = lazy.add %0, %1 : tensor<?xf32, #lazy.type<dims = [#i + #j]>>
  return %2 : tensor<?xf32, #lazy.type<dims = [#i + #j]>>
}

// Numbers alone, but a view that depends on a variable.
// CHECK-LABEL: func.func @window
func.func @window(%n: index {lazy.variable = #i}, %x: tensor<12xf32>) -> tensor<2xf32> {
  // CHECK: lazy.kernel @e_2 {{.*}} variables(#i = %{{.*}}) {
  // CHECK: lazy.load %{{.*}} <[2], offset = #i> : tensor<12xf32> -> tensor<2xf32>
  %0 = lazy.shrink %x begin [#i] end [#i + 2] : tensor<12xf32> -> tensor<2xf32>
  %1 = lazy.neg %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// Results that are views and constants become one copying kernel each.
// BUFFERS-LABEL: func.func @views
// CHECK-LABEL: func.func @views
func.func @views(%n: index {lazy.variable = #i}, %x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>)
    -> (tensor<3x?xf32, #lazy.type<dims = [3, #i]>>, tensor<?xf32, #lazy.type<dims = [#i]>>) {
  // CHECK-NOT: lazy.kernel
  // CHECK: lazy.view %{{.*}} <[3, #i], strides = [1, 3]>
  // BUFFERS: lazy.kernel @copy_3_i ins({{.*}}) outs({{.*}}) variables(#i = %{{.*}}) {
  // BUFFERS: lazy.load %{{.*}} <[3, #i], strides = [1, 3]>
  // BUFFERS: lazy.kernel @copy_i outs({{.*}}) variables(#i = %{{.*}}) {
  // BUFFERS: lazy.const dense<2.000000e+00> : tensor<1xf32>
  // BUFFERS: lazy.expand
  // BUFFERS-NOT: lazy.kernel
  %0 = lazy.permute %x [1, 0] : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  %c = lazy.const dense<2.0> : tensor<1xf32>
  %1 = lazy.expand %c : tensor<1xf32> -> tensor<?xf32, #lazy.type<dims = [#i]>>
  return %0, %1 : tensor<3x?xf32, #lazy.type<dims = [3, #i]>>, tensor<?xf32, #lazy.type<dims = [#i]>>
}

// Equal operations are one.
// BUFFERS-LABEL: func.func @common
// CHECK-LABEL: func.func @common
func.func @common(%n: index {lazy.variable = #i}, %m: index {lazy.variable = #j}, %x: tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>)
    -> (tensor<?xf32, #lazy.type<dims = [#i * #j]>>, tensor<?xf32, #lazy.type<dims = [#i * #j]>>) {
  // CHECK: %[[K:.*]] = lazy.kernel
  // CHECK-NOT: lazy.kernel
  // CHECK: return %[[R:.*]], %[[R]]
  %0 = lazy.reshape %x : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>> -> tensor<?xf32, #lazy.type<dims = [#i * #j]>>
  %1 = lazy.neg %0 : tensor<?xf32, #lazy.type<dims = [#i * #j]>>
  %2 = lazy.reshape %x : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>> -> tensor<?xf32, #lazy.type<dims = [#j * #i]>>
  %3 = lazy.neg %2 : tensor<?xf32, #lazy.type<dims = [#i * #j]>>
  return %1, %3 : tensor<?xf32, #lazy.type<dims = [#i * #j]>>, tensor<?xf32, #lazy.type<dims = [#i * #j]>>
}
