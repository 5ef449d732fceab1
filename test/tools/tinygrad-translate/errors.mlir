// RUN: rm -rf %t && mkdir %t
// RUN: not tinygrad-translate --kernel-to-plan %s -o %t/plan 2>&1 | FileCheck %s
// RUN: not tinygrad-translate --kernel-to-loops %s -o %t/loops 2>&1 | FileCheck %s
// RUN: not tinygrad-translate --kernel-to-llvmir %s -o %t/llvmir 2>&1 | FileCheck %s
// RUN: not tinygrad-translate --kernel-to-asm %s -o %t/asm 2>&1 | FileCheck %s
// RUN: not tinygrad-translate --kernel-to-asm --opt-level=5 %s -o %t/level 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not tinygrad-translate --kernel-to-asm %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: ls %t | count 0

// LEVEL: error: expects option `opt-level` from 0 to 4, got 5
// NOFILE: none.mlir': No such file or directory

// What cannot be scheduled is an error at its place, and nothing is written.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: errors.mlir:[[@LINE+1]]:8: error: 'math.exp' op expects
  %y = math.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
