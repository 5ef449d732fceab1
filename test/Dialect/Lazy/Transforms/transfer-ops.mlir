// RUN: tinygrad-opt %s --lazy-schedule=trace-rules --split-input-file | FileCheck %s
// RUN: tinygrad-opt %s --lazy-schedule --lazy-materialize-buffers --lazy-plan-memory --split-input-file | FileCheck %s --check-prefix=PLAN

// A copy is an item of the schedule, of a contiguous source. Equal copies are
// one. On one device it becomes a kernel that copies.
// CHECK-LABEL: func.func @copies
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
// PLAN-LABEL: func.func @copies
func.func @copies(%x: tensor<4xf32>) -> tensor<2xf32> {
  // CHECK: %[[C:.*]] = lazy.fromcpu %[[X]]
  // CHECK: %[[N:.*]] = lazy.kernel @e_2 ins(%[[C]] :
  // CHECK: %[[R:.*]] = lazy.copy %[[N]] : tensor<2xf32> -> tensor<2xf32>
  // CHECK-NOT: lazy.copy
  // CHECK: return %[[R]]
  // PLAN: lazy.kernel @copy_4
  // PLAN: lazy.kernel @e_2
  // PLAN: lazy.kernel @copy_2
  // PLAN-NOT: lazy.kernel
  %0 = lazy.fromcpu %x : tensor<4xf32> -> tensor<4xf32>
  %1 = lazy.fromcpu %x : tensor<4xf32> -> tensor<4xf32>
  %2 = lazy.add %0, %1 : tensor<4xf32>
  %3 = lazy.shrink %2 begin [0] end [2] : tensor<4xf32> -> tensor<2xf32>
  %4 = lazy.copy %3 : tensor<2xf32> -> tensor<2xf32>
  return %4 : tensor<2xf32>
}

// -----

// The source of a copy is made contiguous by a kernel where it is a view.
// CHECK-LABEL: func.func @copy_of_view
// PLAN-LABEL: func.func @copy_of_view
func.func @copy_of_view(%x: tensor<4x2xf32>) -> tensor<2x4xf32> {
  // CHECK: %[[P:.*]] = lazy.kernel @e_2_4
  // CHECK: lazy.copy %[[P]]
  %p = lazy.permute %x [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %c = lazy.copy %p : tensor<2x4xf32> -> tensor<2x4xf32>
  return %c : tensor<2x4xf32>
}

// -----

// CPY: there and back is nowhere.
// CHECK-LABEL: func.func @cpy_there_and_back
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
func.func @cpy_there_and_back(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: lazy.copy
  // CHECK: lazy.kernel @e_4 ins(%[[X]] :
  %0 = lazy.copy %x : tensor<4xf32> -> tensor<4xf32>
  %1 = lazy.copy %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = lazy.neg %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// CPY does not apply where something was computed on the way.
// CHECK-LABEL: func.func @cpy_not_of_computed
func.func @cpy_not_of_computed(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: lazy.copy
  // CHECK: lazy.kernel
  // CHECK: lazy.copy
  %0 = lazy.copy %x : tensor<4xf32> -> tensor<4xf32>
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
