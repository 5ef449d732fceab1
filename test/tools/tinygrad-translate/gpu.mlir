// RUN: tinygrad-translate --kernel-to-gpu %s | FileCheck %s --check-prefix=GPU --implicit-check-not=@main --implicit-check-not=lazy.
// RUN: tinygrad-translate --kernel-to-ptx %s | FileCheck %s --check-prefix=PTX --implicit-check-not=.extern --implicit-check-not="add.f32" --implicit-check-not="mul.f32"
// RUN: tinygrad-translate --kernel-to-ptx --kernel=e_64 %s | FileCheck %s --check-prefix=ONE --implicit-check-not=r_8_16
// RUN: tinygrad-translate --kernel-to-spirv-text %s | FileCheck %s --check-prefix=SPIRV
// RUN: tinygrad-translate --kernel-to-spirv %s -o %t.spv
// RUN: od -A n -N 4 -t x4 %t.spv | FileCheck %s --check-prefix=BINARY
// RUN: not tinygrad-translate --kernel-to-ptx --opt-level=5 %s -o %t.none 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not ls %t.none

// LEVEL: error: expects option `opt-level` from 0 to 4, got 5

// All kernels become one module of the target, whose entries have their names.
func.func @main(%x: tensor<8x16xf32>, %y: tensor<64xf32>) -> (tensor<8x1xf32>, tensor<64xf32>) {
  %s = lazy.reduce_sum %x : tensor<8x16xf32> -> tensor<8x1xf32>
  %p = lazy.mul %y, %y : tensor<64xf32>
  %q = lazy.add %p, %y : tensor<64xf32>
  %r = lazy.exp2 %q : tensor<64xf32>
  return %s, %r : tensor<8x1xf32>, tensor<64xf32>
}

// GPU: gpu.launch_func @r_8_16_module::@r_8_16
// GPU: gpu.launch_func @e_64_module::@e_64
// GPU: gpu.func @r_8_16
// GPU: gpu.func @e_64

// Rounding is said, so that the assembler contracts no product and sum.
// PTX:     .target sm_90a
// PTX:     .entry r_8_16(
// PTX:     ld.global.b32
// PTX:     add.rn.f32
// PTX:     .entry e_64(
// PTX:     mul.rn.f32
// PTX:     add.rn.f32
// PTX:     fma.rn.f64
// PTX:     cvt.rn.f32.f64

// ONE: .entry e_64(

// SPIRV: OpMemoryModel Physical64 OpenCL
// SPIRV: OpEntryPoint Kernel %{{.*}} "r_8_16"
// SPIRV: OpEntryPoint Kernel %[[E:.*]] "e_64"
// SPIRV: OpExecutionMode %[[E]] LocalSize 64 1 1
// SPIRV: OpExecutionMode %[[E]] ContractionOff
// SPIRV: OpExtInst %{{.*}} %{{.*}} exp2

// BINARY: 07230203
