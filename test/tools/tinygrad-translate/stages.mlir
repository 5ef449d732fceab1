// RUN: tinygrad-translate --kernel-to-plan %s | FileCheck %s --check-prefix=PLAN --implicit-check-not=@main
// RUN: tinygrad-translate --kernel-to-loops %s | FileCheck %s --check-prefix=LOOPS --implicit-check-not=@main --implicit-check-not=lazy.
// RUN: tinygrad-translate --kernel-to-llvmir %s | FileCheck %s --check-prefix=LLVMIR --implicit-check-not=@main
// RUN: tinygrad-translate --kernel-to-asm %s | FileCheck %s --check-prefix=ASM --implicit-check-not=main
// RUN: tinygrad-translate --kernel-to-plan - < %s | FileCheck %s --check-prefix=PLAN

// Each translation takes a graph and prints its kernels alone, down to the stage
// that it is named after. How wide vectors are depends on the machine.
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %p = lazy.permute %y [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %0 = lazy.add %x, %p : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// PLAN-COUNT-1: lazy.kernel @e_64_64 {{.*}} plan <{{.*}}vector = {{[01]}} : {{[0-9]+}}
// PLAN:         lazy.load {{.*}} <[64, 64], strides = [1, 64]>
// PLAN-NOT:     lazy.kernel

// LOOPS:     func.func private @e_64_64
// LOOPS:       scf.for
// LOOPS:         arith.addf {{.*}} : vector<{{[0-9]+}}xf32>
// LOOPS-NOT: func.func

// The interface of the runtime: the buffers, and the range of tasks.
// LLVMIR: define void @e_64_64(ptr {{.*}}, i64 {{.*}}, i64 {{.*}})
// LLVMIR: fadd <{{[0-9]+}} x float>

// ASM: .globl{{.*}}e_64_64
// ASM: e_64_64:
// ASM: ret
