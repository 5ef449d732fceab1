// RUN: not tinygrad-opt %s --tinygrad-to-gpu --tinygrad-to-cuda --split-input-file 2>&1 | FileCheck %s --check-prefix=CUDA
// RUN: tinygrad-opt %s --tinygrad-to-gpu --tinygrad-to-spirv --split-input-file -o %t
// RUN: not tinygrad-opt %s --tinygrad-to-gpu --tinygrad-to-spirv='f64=false f16=false i64-division=false' --split-input-file 2>&1 | FileCheck %s --check-prefix=OPENCL

// What a target lacks is refused by name, at the place of the operation. CUDA has no functions of
// f64 without NVIDIA's library.
// CUDA:     gpu-support.mlir:[[@LINE+4]]:{{.*}}: error: 'math.sin' op on f64 is not supported by the target `cuda`
// CUDA-NOT: error:
// OPENCL: gpu-support.mlir:[[@LINE+2]]:{{.*}}: error: 'memref.load' op on f64 is not supported by the target `opencl`
func.func @f64(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = lazy.sin %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

// OPENCL: gpu-support.mlir:[[@LINE+2]]:{{.*}}: error: 'memref.load' op on f16 is not supported by the target `opencl`
func.func @f16(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = lazy.neg %x : tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// OPENCL: gpu-support.mlir:[[@LINE+2]]:{{.*}}: error: 'arith.divsi' op on i64 is not supported by the target `opencl`
func.func @i64(%x: tensor<4xi64>) -> tensor<4xi64> {
  %0 = lazy.div %x, %x : tensor<4xi64>
  return %0 : tensor<4xi64>
}
