// RUN: tinygrad-opt %s --lazy-schedule=reduce-split-threshold=64 | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: tinygrad-opt %s --lazy-schedule="reduce-split-threshold=64 max-split-results=3" | FileCheck %s --check-prefixes=CHECK,FEW
// RUN: tinygrad-opt %s --lazy-schedule="reduce-split-threshold=64 max-split-results=4" | FileCheck %s --check-prefixes=CHECK,ALL

// A long reduce becomes two, but not where it has more results than the bound.

// CHECK-LABEL: func.func @rows
// ALL: lazy.kernel @r_4_2_256
// ALL: lazy.kernel @r_4_2
// FEW: lazy.kernel @r_4_512
// CHECK-NOT: lazy.kernel
func.func @rows(%x: tensor<4x512xf32>) -> tensor<4x1xf32> {
  %0 = lazy.reduce_sum %x : tensor<4x512xf32> -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}
