// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "np.arange(12, dtype='f4').reshape(4, 3) - 5"
// RUN: %{npy} make %t/z.npy "np.zeros((4, 0), 'f4')"
// RUN: tinygrad-opt %s --lazy-schedule="opt-level=4 disabled-rules=COL,SPL,ZER,CSE,CTG,CPY,OUT,CST" -o %t/all.mlir
// RUN: tinygrad-run %t/all.mlir --device %device --input %t/x.npy --input %t/z.npy --output %t/0.npy --output %t/1.npy --output %t/2.npy --output %t/3.npy --output %t/4.npy --output %t/5.npy
// RUN: %{npy} check %t/0.npy "x + 2" x=%t/x.npy
// RUN: %{npy} check %t/1.npy "np.zeros((4, 1), 'f4')"
// RUN: %{npy} check %t/2.npy "x[::2][::-1]" x=%t/x.npy
// RUN: %{npy} check %t/3.npy "x * x" x=%t/x.npy
// RUN: %{npy} check %t/4.npy "np.pad(np.full(3, 3, 'f4'), 1)"
// RUN: %{npy} check %t/5.npy "z" z=%t/z.npy

// Values are the same without the rules that are always on.
func.func @main(%x: tensor<4x3xf32>, %z: tensor<4x0xf32>)
    -> (tensor<4x3xf32>, tensor<4x1xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<5xf32>, tensor<4x0xf32>) {
  %two = lazy.const dense<2.0> : tensor<4x3xf32>
  %g = lazy.contiguous %x : tensor<4x3xf32>
  %a = lazy.add %g, %two : tensor<4x3xf32>
  %s = lazy.reduce_sum %z : tensor<4x0xf32> -> tensor<4x1xf32>
  %t = lazy.stride %x [2, 1] : tensor<4x3xf32> -> tensor<2x3xf32>
  %u = lazy.stride %t [-1, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %n = lazy.neg %x : tensor<4x3xf32>
  %o = lazy.neg %x : tensor<4x3xf32>
  %m = lazy.mul %n, %o : tensor<4x3xf32>
  %h = lazy.copy %m : tensor<4x3xf32> -> tensor<4x3xf32, #lazy.type<device = "HOST">>
  %d = lazy.copy %h : tensor<4x3xf32, #lazy.type<device = "HOST">> -> tensor<4x3xf32>
  %w = lazy.assign %x, %d : tensor<4x3xf32>
  %three = lazy.const dense<3.0> : tensor<3xf32>
  %p = lazy.pad %three low [1] high [1] : tensor<3xf32> -> tensor<5xf32>
  %e = lazy.neg %z : tensor<4x0xf32>
  return %a, %s, %u, %w, %p, %e : tensor<4x3xf32>, tensor<4x1xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<5xf32>, tensor<4x0xf32>
}
