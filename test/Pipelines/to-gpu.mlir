// RUN: tinygrad-opt %s --tinygrad-to-gpu | FileCheck %s --implicit-check-not=lazy.
// RUN: tinygrad-opt %s --tinygrad-to-gpu=opt-level=0 | FileCheck %s --check-prefix=LEVEL0 --implicit-check-not=lazy.
// RUN: tinygrad-opt %s --tinygrad-to-gpu --tinygrad-to-cuda | FileCheck %s --check-prefix=CUDA --implicit-check-not=math.
// RUN: tinygrad-opt %s --tinygrad-to-gpu --tinygrad-to-spirv | FileCheck %s --check-prefix=SPIRV --implicit-check-not=insertvalue

// The host calls the kernel, which is launched; axes are merged before.
// CHECK:       func.func @main
// CHECK:         call @[[NAME:e_[0-9_]+]](
// CHECK:       func.func private @[[NAME]]
// CHECK:         gpu.launch_func @[[NAME]]_module::@[[NAME]]
// CHECK:       gpu.module @[[NAME]]_module
// CHECK:         gpu.func @[[NAME]](
// CHECK-NOT:       arith.divui
// CHECK:           math.sin
// CHECK:           arith.addf {{.*}} : bf16
// CHECK-NOT:   gpu.module

// LEVEL0-COUNT-3: gpu.module
// LEVEL0-NOT:     gpu.module

// The sine is arithmetic; what the processor has stays.
// CUDA:       gpu.module
// CUDA:         nvvm.read.ptx.sreg.ctaid.x
// CUDA:         llvm.mul {{.*}} : i128
// CUDA:         llvm.fadd {{.*}} : bf16

// OpenCL has a sine, and no bf16.
// SPIRV:      gpu.module
// SPIRV-NOT:    bf16
// SPIRV:        llvm.call spir_funccc @_Z13get_global_idj
// SPIRV:        llvm.intr.sin{{.*}} : (f32) -> f32
// SPIRV:        llvm.fadd {{.*}} : f32
// SPIRV-NOT:    bf16
// SPIRV:        llvm.store %{{.*}} : i16
func.func @main(%x: tensor<6x7xbf16>, %y: tensor<6x7xbf16>) -> tensor<6x7xbf16> {
  %0 = lazy.sin %x : tensor<6x7xbf16>
  %1 = lazy.add %0, %y : tensor<6x7xbf16>
  %2 = lazy.max %1, %x : tensor<6x7xbf16>
  return %2 : tensor<6x7xbf16>
}
