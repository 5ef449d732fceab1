// RUN: tinygrad-translate --kernel-to-plan %s | FileCheck %s --check-prefix=ALL
// RUN: tinygrad-translate --kernel-to-plan --kernel=r_8_16 %s | FileCheck %s --check-prefix=SUM --implicit-check-not=@e_4
// RUN: tinygrad-translate --kernel-to-plan --kernel=e_4 %s | FileCheck %s --check-prefix=ROOT --implicit-check-not=@r_8_16
// RUN: tinygrad-translate --kernel-to-asm --kernel=e_4 %s | FileCheck %s --check-prefix=ASM --implicit-check-not=r_8_16
// RUN: tinygrad-translate --kernel-to-plan --opt-level=2 %s | FileCheck %s --check-prefix=ALL
// RUN: tinygrad-translate --kernel-to-plan --opt-level=0 %s | FileCheck %s --check-prefix=LEVEL
// RUN: not tinygrad-translate --kernel-to-plan --kernel=e_5 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=lazy.kernel
// RUN: not tinygrad-translate --kernel-to-plan --kernel=main %s 2>&1 | FileCheck %s --check-prefix=HOST

// All kernels are printed, or the one that --kernel names.
// ALL-COUNT-2: lazy.kernel @
// ALL-NOT:     lazy.kernel @
// SUM:         lazy.kernel @r_8_16
// ROOT:        lazy.kernel @e_4
// ASM:         e_4:

// At level 0 each operation is a kernel.
// LEVEL-COUNT-3: lazy.kernel @
// LEVEL-NOT:     lazy.kernel @

// The function that calls the kernels is none.
// UNKNOWN: error: expects the name of a kernel, got `e_5`; there is `
// HOST:    error: expects the name of a kernel, got `main`; there is `

func.func @main(%x: tensor<8x16xf32>, %y: tensor<4xf32>) -> (tensor<8x1xf32>, tensor<4xf32>) {
  %n = lazy.neg %x : tensor<8x16xf32>
  %s = lazy.reduce_sum %n : tensor<8x16xf32> -> tensor<8x1xf32>
  %r = lazy.sqrt %y : tensor<4xf32>
  return %s, %r : tensor<8x1xf32>, tensor<4xf32>
}
