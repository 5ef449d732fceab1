// RUN: tinygrad-opt %s --lazy-schedule --lazy-materialize-buffers --lazy-plan-memory --lazy-verify-schedule --split-input-file --verify-diagnostics | FileCheck %s

// Values of symbolic sizes go from device to device as a whole.

#i = #lazy.variable<i, 1, 10>
!host = tensor<?x3xf32, #lazy.type<device = "HOST", dims = [#i, 3]>>
!cpu = tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
!turned = tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
!device = tensor<3x?xf32, #lazy.type<device = "CUDA:1", dims = [3, #i]>>

// CHECK-LABEL: func.func @copies
// CHECK-SAME:    %[[N:[^:]*]]: index {lazy.variable = #i}, %[[X:.*]]: memref<?xf32> {lazy.device = "HOST"}, %[[R:.*]]: memref<?xf32> {lazy.device = "CUDA:1"})
func.func @copies(%n: index {lazy.variable = #i}, %x: !host) -> !device {
  // CHECK: %[[S:.*]] = arith.muli %[[N]]
  // CHECK: %[[A:.*]] = memref.alloc(%[[S]]) : memref<?xf32>
  // CHECK: lazy.copy %[[X]] into %[[A]] {{.*}} : memref<?xf32>, memref<?xf32>
  // CHECK: lazy.kernel @e_3_i ins(%[[A]] :
  // CHECK: lazy.copy %{{.*}} into %[[R]]
  %0 = lazy.copy %x : !host -> !cpu
  %1 = lazy.permute %0 [1, 0] : !cpu -> !turned
  %2 = lazy.neg %1 : !turned
  %3 = lazy.copy %2 : !turned -> !device
  return %3 : !device
}

// -----

// A kernel runs where its values are.
#i = #lazy.variable<i, 1, 10>
!device = tensor<?xf32, #lazy.type<device = "CUDA:1", dims = [#i]>>
// CHECK-LABEL: func.func @on_a_device
func.func @on_a_device(%n: index {lazy.variable = #i}, %x: !device) -> !device {
  // CHECK: lazy.kernel @e_i ins({{.*}}) outs({{.*}}) variables(#i = %{{.*}})
  // CHECK: lazy.load {{.*}} -> tensor<?xf32, #lazy.type<dims = [#i]>>
  %0 = lazy.neg %x : !device
  return %0 : !device
}

// -----

// Which part of a file or of the host is read must be known before.
#i = #lazy.variable<i, 1, 10>
func.func @part_of_the_host(%n: index {lazy.variable = #i}, %x: tensor<12xf32, #lazy.type<device = "HOST">>) -> tensor<2xf32> {
  %0 = lazy.shrink %x begin [#i] end [#i + 2] : tensor<12xf32, #lazy.type<device = "HOST">> -> tensor<2xf32, #lazy.type<device = "HOST">>
  // expected-error @+1 {{'lazy.copy' op expects all of a value on 'HOST', or a view with numbers, got}}
  %1 = lazy.copy %0 : tensor<2xf32, #lazy.type<device = "HOST">> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
