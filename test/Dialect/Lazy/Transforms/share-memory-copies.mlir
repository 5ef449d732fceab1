// RUN: tinygrad-opt %s -pass-pipeline='builtin.module(func.func(lazy-schedule,lazy-materialize-buffers,lazy-plan-memory,lazy-verify-schedule))' | FileCheck %s

// A copy that would write elements where they are is no kernel, and who reads
// its result reads what was there before.

// CHECK-LABEL: func.func @view_of_what_is_used(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: {{.*}}, %[[R0:[a-z0-9]+]]: memref<4xf32>, %[[R1:[a-z0-9]+]]: memref<1xf32>)
// CHECK-NEXT:    lazy.kernel @r_4_4 ins(%[[X]] : {{.*}}) outs(%[[R0]] : {{.*}}lazy.versions = array<i64: 0, 3>
// CHECK-NOT:     lazy.kernel @copy
// CHECK:         lazy.kernel @r_4 ins(%[[R0]] : {{.*}}) outs(%[[R1]] : {{.*}}lazy.versions = array<i64: 3, 4>
// CHECK-NOT:     lazy.kernel
// CHECK:         return {lazy.versions = array<i64: 0, 3, 4>}
func.func @view_of_what_is_used(%x: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<1xf32>) {
  %0 = lazy.reduce_sum %x : tensor<4x4xf32> -> tensor<4x1xf32>
  %1 = lazy.reshape %0 : tensor<4x1xf32> -> tensor<4xf32>
  %2 = lazy.reduce_sum %1 : tensor<4xf32> -> tensor<1xf32>
  return %1, %2 : tensor<4xf32>, tensor<1xf32>
}

// CHECK-LABEL: func.func @view_of_what_a_callback_makes(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: {{.*}}, %[[R:[a-z0-9]+]]: memref<4xf32>)
// CHECK-NEXT:    lazy.custom "f"(%[[X]], %[[R]])
// CHECK-NEXT:    return
func.func @view_of_what_a_callback_makes(%x: tensor<4x1xf32>) -> tensor<4xf32> {
  %0 = lazy.custom "f"(%x) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = lazy.reshape %0 : tensor<4x1xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Each result has memory of its own, so one of two views is copied.
// CHECK-LABEL: func.func @two_views(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: {{.*}}, %[[R0:[a-z0-9]+]]: memref<4xf32>, %[[R1:[a-z0-9]+]]: memref<4xf32>)
// CHECK-NEXT:    lazy.kernel @r_4_4 ins(%[[X]] : {{.*}}) outs(%[[R1]] :
// CHECK:         lazy.kernel @copy_1_4 ins(%[[R1]] : {{.*}}) outs(%[[R0]] :
// CHECK-NOT:     lazy.kernel
// CHECK:         return
func.func @two_views(%x: tensor<4x4xf32>) -> (tensor<1x4xf32>, tensor<2x2xf32>) {
  %0 = lazy.reduce_sum %x : tensor<4x4xf32> -> tensor<4x1xf32>
  %1 = lazy.reshape %0 : tensor<4x1xf32> -> tensor<1x4xf32>
  %2 = lazy.reshape %0 : tensor<4x1xf32> -> tensor<2x2xf32>
  return %1, %2 : tensor<1x4xf32>, tensor<2x2xf32>
}

// The elements are in another order: a copy in their own memory, or not, it is
// a kernel.
// CHECK-LABEL: func.func @reversed(
// CHECK:         lazy.kernel @copy_4
func.func @reversed(%x: tensor<4x1xf32>) -> tensor<4xf32> {
  %0 = lazy.custom "f"(%x) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = lazy.reshape %0 : tensor<4x1xf32> -> tensor<4xf32>
  %2 = lazy.stride %1 [-1] : tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
