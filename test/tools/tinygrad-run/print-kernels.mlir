// REQUIRES: numpy, device-cpu
// RUN: %python %S/Inputs/npy.py make %t.npy "np.ones((4, 8), 'f4')"
// RUN: tinygrad-run %s --device %device --input %t.npy --print-kernels | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: tinygrad-run %s --device %device --input %t.npy --print-kernels --opt-level 0 | FileCheck %s --check-prefixes=CHECK,APART

// A product that feeds a sum counts two operations per element; each buffer
// counts its own elements once.
// FUSED: kernel 0: {{[a-z0-9_]+}}, 64 flops, 144 bytes, {{[0-9.]+}} ms
// APART: kernel 0: {{[a-z0-9_]+}}, 32 flops, 256 bytes, {{[0-9.]+}} ms
// APART-NEXT: kernel 1: {{[a-z0-9_]+}}, 32 flops, 144 bytes, {{[0-9.]+}} ms
// CHECK-NEXT: result 0: float32 [4, 1]
// CHECK-NEXT: {{\[\[}}8.]
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %y = lazy.mul %x, %x : tensor<4x8xf32>
  %s = lazy.reduce_sum %y : tensor<4x8xf32> -> tensor<4x1xf32>
  return %s : tensor<4x1xf32>
}
