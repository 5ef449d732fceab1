// RUN: tinygrad-opt %s --lazy-schedule --split-input-file --verify-diagnostics | FileCheck %s
// RUN: not tinygrad-opt %s --lazy-materialize-buffers --lazy-plan-memory --split-input-file 2>&1 | FileCheck %s --check-prefix=PLAN

// On one device a copy is a buffer of its own, as a contiguous is.
// CHECK-LABEL: func.func @copies
// CHECK:     lazy.kernel
// CHECK:       lazy.neg
// CHECK-NOT: lazy.copy
// CHECK-NOT: lazy.fromcpu
// PLAN: error: 'lazy.fromcpu' op expects kernels, custom and empty operations in a schedule
func.func @copies(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.fromcpu %x : tensor<4xf32> -> tensor<4xf32>
  %1 = lazy.neg %0 : tensor<4xf32>
  %2 = lazy.copy %1 : tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// The rules of lazy.py see the program as it is written: nothing is folded
// before them.
// CHECK-LABEL: func.func @as_written
// CHECK: lazy.noop
// CHECK: lazy.neg
// CHECK: lazy.neg
func.func @as_written(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.noop %x : tensor<4xf32>
  %1 = lazy.neg %0 : tensor<4xf32>
  %2 = lazy.neg %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// PLAN: error: 'lazy.assign' op expects kernels, custom and empty operations in a schedule
func.func @assigns(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'lazy.assign' op cannot be scheduled: a kernel writes into a buffer of its own}}
  %0 = lazy.assign %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}
