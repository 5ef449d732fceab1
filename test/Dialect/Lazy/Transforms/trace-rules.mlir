// RUN: tinygrad-opt %s --lazy-schedule="opt-level=4 max-kernel-buffers=4 reduce-split-threshold=64 trace-rules" --split-input-file | FileCheck %s
// RUN: tinygrad-opt %s --lazy-schedule="opt-level=0 trace-rules" --split-input-file | FileCheck %s --check-prefix=NONE
// RUN: tinygrad-opt %s --lazy-schedule="opt-level=4" --split-input-file | FileCheck %s --check-prefix=OFF

// Without the option nothing is noted, and at level 0 no rule with a flag is.
// OFF-NOT: lazy.rules
// NONE-NOT: lazy.rules = [{{.*}}"{{RMN|MER|SMO|MEO|MRE|SPO|PPE|PCO|PRE}}

// CHECK-LABEL: func.func @merges
func.func @merges(%x: tensor<4x3xf32>) -> tensor<4x1xf32> {
  // CHECK: lazy.rules = ["MEO", "MER", "MRE"]
  // NONE: lazy.rules = []
  %n = lazy.neg %x : tensor<4x3xf32>
  %m = lazy.sin %n : tensor<4x3xf32>
  %s = lazy.reduce_sum %m : tensor<4x3xf32> -> tensor<4x1xf32>
  %q = lazy.sqrt %s : tensor<4x1xf32>
  return %q : tensor<4x1xf32>
}

// -----

// CHECK-LABEL: func.func @smo1_permute_of_expand
func.func @smo1_permute_of_expand(%x: tensor<1x3xf32>) -> tensor<2x1xf32> {
  // CHECK: lazy.rules = ["PPE1"]
  // CHECK: lazy.rules = ["SMO1"]
  %s = lazy.reduce_sum %x : tensor<1x3xf32> -> tensor<1x1xf32>
  %e = lazy.expand %s : tensor<1x1xf32> -> tensor<1x2xf32>
  %p = lazy.permute %e [1, 0] : tensor<1x2xf32> -> tensor<2x1xf32>
  %n = lazy.neg %p : tensor<2x1xf32>
  return %n : tensor<2x1xf32>
}

// -----

// CHECK-LABEL: func.func @smo2_permute_of_neg
func.func @smo2_permute_of_neg(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  // CHECK: lazy.rules = ["SMO2"]
  %n = lazy.neg %x : tensor<4x3xf32>
  %p = lazy.permute %n [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  return %p : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @spo_pad_of_neg
func.func @spo_pad_of_neg(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: lazy.rules = ["MEO", "SMO3", "SPO"]
  %n = lazy.neg %x : tensor<3xf32>
  %p = lazy.pad %n low [1] high [0] : tensor<3xf32> -> tensor<4xf32>
  %a = lazy.add %p, %y : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @ppe1_permute_of_reduce
func.func @ppe1_permute_of_reduce(%x: tensor<4x3xf32>) -> tensor<1x4xf32> {
  // CHECK: lazy.rules = ["PPE1"]
  %s = lazy.reduce_sum %x : tensor<4x3xf32> -> tensor<4x1xf32>
  %p = lazy.permute %s [1, 0] : tensor<4x1xf32> -> tensor<1x4xf32>
  return %p : tensor<1x4xf32>
}

// -----

// CHECK-LABEL: func.func @ppe2_permute_of_reshape
func.func @ppe2_permute_of_reshape(%x: tensor<2x3x4x5xf32>) -> tensor<4x6xf32> {
  // CHECK: lazy.rules = [{{.*}}"PPE1", "PPE2"{{.*}}]
  %m = lazy.reduce_max %x : tensor<2x3x4x5xf32> -> tensor<2x3x4x1xf32>
  %r = lazy.reshape %m : tensor<2x3x4x1xf32> -> tensor<6x4xf32>
  %p = lazy.permute %r [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %n = lazy.neg %p : tensor<4x6xf32>
  return %n : tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func.func @pco_neg_of_contiguous
func.func @pco_neg_of_contiguous(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  // CHECK: lazy.rules = ["PCO"]
  %p = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  %c = lazy.contiguous %p : tensor<3x4xf32>
  %n = lazy.neg %c : tensor<3x4xf32>
  return %n : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @pre_reshape_of_add
func.func @pre_reshape_of_add(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<12xf32> {
  // CHECK: lazy.rules = ["PRE", "SMO2"]
  %a = lazy.add %x, %y : tensor<4x3xf32>
  %r = lazy.reshape %a : tensor<4x3xf32> -> tensor<12xf32>
  return %r : tensor<12xf32>
}

// -----

// CHECK-LABEL: func.func @rmn_pad_then_shrink
func.func @rmn_pad_then_shrink(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x1xf32> {
  // CHECK: lazy.rules = [{{.*}}"RMN"{{.*}}]
  %n = lazy.reduce_sum %x : tensor<4x3xf32> -> tensor<4x1xf32>
  %p = lazy.pad %n low [0, 1] high [0, 0] : tensor<4x1xf32> -> tensor<4x2xf32>
  %s = lazy.shrink %p begin [0, 1] end [4, 2] : tensor<4x2xf32> -> tensor<4x1xf32>
  %r = lazy.neg %s : tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// -----

// CHECK-LABEL: func.func @col4_cst_and_lim
func.func @col4_cst_and_lim(%x: tensor<3x4x2x5xf32>, %y: tensor<2x3x4x1xf32>, %z: tensor<2x3x4x1xf32>, %w: tensor<2x3x4x1xf32>) -> tensor<2x3x4x1xf32> {
  // CHECK: lazy.rules = []
  // CHECK: lazy.rules = ["COL4", "CST", "CTG", "LIM", "MEO"]
  // CHECK: lazy.rules = ["LIM", "MEO"]
  %r = lazy.reduce_sum %x : tensor<3x4x2x5xf32> -> tensor<3x4x2x1xf32>
  %c1 = lazy.contiguous %r : tensor<3x4x2x1xf32>
  %p = lazy.permute %c1 [1, 2, 0, 3] : tensor<3x4x2x1xf32> -> tensor<4x2x3x1xf32>
  %q = lazy.permute %p [1, 2, 0, 3] : tensor<4x2x3x1xf32> -> tensor<2x3x4x1xf32>
  %c = lazy.const dense<3.0> : tensor<2x3x4x1xf32>
  %0 = lazy.mul %q, %c : tensor<2x3x4x1xf32>
  %1 = lazy.add %0, %y : tensor<2x3x4x1xf32>
  %2 = lazy.add %1, %z : tensor<2x3x4x1xf32>
  %3 = lazy.add %2, %w : tensor<2x3x4x1xf32>
  return %3 : tensor<2x3x4x1xf32>
}

// -----

// CHECK-LABEL: func.func @spl_and_cse
func.func @spl_and_cse(%x: tensor<1024xf32>) -> tensor<1xf32> {
  // CHECK: lazy.rules = ["CSE", "SPL"]
  // CHECK: lazy.rules = ["CSE", "MRE", "SPL"]
  %s = lazy.reduce_sum %x : tensor<1024xf32> -> tensor<1xf32>
  %t = lazy.reduce_sum %x : tensor<1024xf32> -> tensor<1xf32>
  %a = lazy.mul %s, %t : tensor<1xf32>
  return %a : tensor<1xf32>
}
