// RUN: tinygrad-opt %s --tinygrad-to-cuda | FileCheck %s
// RUN: not tinygrad-opt %s --tinygrad-to-spirv 2>&1 | FileCheck %s --check-prefix=OPENCL

// CUDA's functions are computed in such integers; no device of OpenCL has them.
gpu.module @module {
  // CHECK: llvm.func @wide(%{{.*}}: i128)
  // OPENCL: error: 'gpu.func' op on i128 is not supported by the target `opencl`
  gpu.func @wide(%x: i128) kernel {
    gpu.return
  }
}
