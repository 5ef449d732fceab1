// RUN: tinygrad-opt %s --pass-pipeline='builtin.module(gpu.module(convert-gpu-to-cuda))' --split-input-file --verify-diagnostics
// RUN: tinygrad-opt %s --pass-pipeline='builtin.module(gpu.module(convert-gpu-to-opencl))' --split-input-file --verify-diagnostics

// expected-error@+1 {{'gpu.module' op expects a data layout with an index of 32 or 64 bits, got 0}}
gpu.module @zero attributes {dlti.dl_spec = #dlti.dl_spec<index = 0 : i64>} {
  gpu.func @zero(%i: index) kernel {
    gpu.return
  }
}

// -----

// expected-error@+1 {{'gpu.module' op expects a data layout with an index of 32 or 64 bits, got 128}}
gpu.module @wide attributes {dlti.dl_spec = #dlti.dl_spec<index = 128 : i64>} {
  gpu.func @wide(%i: index) kernel {
    gpu.return
  }
}
