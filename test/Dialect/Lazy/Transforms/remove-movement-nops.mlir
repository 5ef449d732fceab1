// RUN: tinygrad-opt %s --lazy-remove-movement-nops --split-input-file | FileCheck %s --check-prefixes=CHECK
// RUN: tinygrad-opt %s --lazy-schedule=opt-level=1 --split-input-file | FileCheck %s --check-prefixes=CHECK,ON
// RUN: tinygrad-opt %s --lazy-schedule="opt-level=1 remove-movement-nops=false" --split-input-file | FileCheck %s --check-prefixes=CHECK,OFF

// The pad and the shrink undo each other.
// CHECK-LABEL: func.func @rmn_pad_then_shrink
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @rmn_pad_then_shrink(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: %[[N:.*]] = lazy.kernel @e_4_3 ins(%[[X]] :
  // CHECK: return %[[N]]
  %n = lazy.neg %x : tensor<4x3xf32>
  %p = lazy.pad %n low [0, 1] high [0, 0] : tensor<4x3xf32> -> tensor<4x4xf32>
  %s = lazy.shrink %p begin [0, 1] end [4, 4] : tensor<4x4xf32> -> tensor<4x3xf32>
  return %s : tensor<4x3xf32>
}

// -----

// The shrink keeps a part of the padding.
// CHECK-LABEL: func.func @rmn_not_where_something_moves
func.func @rmn_not_where_something_moves(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: %[[N:.*]] = lazy.kernel @e_4_3
  // CHECK: lazy.view %[[N]] <[4, 3], offset = -1, mask
  %n = lazy.neg %x : tensor<4x3xf32>
  %p = lazy.pad %n low [0, 1] high [0, 0] : tensor<4x3xf32> -> tensor<4x4xf32>
  %s = lazy.shrink %p begin [0, 0] end [4, 3] : tensor<4x4xf32> -> tensor<4x3xf32>
  return %s : tensor<4x3xf32>
}

// -----

// With the chain gone, the sum is the only reader of the negation.
// CHECK-LABEL: func.func @rmn_before_reduce
func.func @rmn_before_reduce(%x: tensor<4x3xf32>) -> tensor<4x1xf32> {
  // ON-NOT: lazy.kernel @e
  // ON: lazy.kernel @r_4_3
  // OFF: lazy.kernel @e_4_3
  // OFF: lazy.kernel @r_4_3
  %n = lazy.neg %x : tensor<4x3xf32>
  %p = lazy.pad %n low [0, 1] high [0, 0] : tensor<4x3xf32> -> tensor<4x4xf32>
  %s = lazy.shrink %p begin [0, 1] end [4, 4] : tensor<4x4xf32> -> tensor<4x3xf32>
  %r = lazy.reduce_sum %s : tensor<4x3xf32> -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}
