// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/a.npy "np.sin(np.arange(61 * 83)).astype('f4').reshape(61, 83)"
// RUN: %{npy} make %t/b.npy "np.cos(np.arange(83 * 47)).astype('f4').reshape(83, 47)"
// RUN: %{npy} make %t/c.npy "np.arange(47, dtype='f4')"
// RUN: tinygrad-run %s --device %device --input %t/a.npy --input %t/b.npy --input %t/c.npy --output %t/0.npy
// RUN: %{npy} check %t/0.npy "np.maximum(a @ b + c, 0)" a=%t/a.npy b=%t/b.npy c=%t/c.npy --rtol 1e-5 --atol 1e-5
// RUN: tinygrad-run %s --device %device --input %t/a.npy --input %t/b.npy --input %t/c.npy --output %t/1.npy --threads 1
// RUN: cmp %t/0.npy %t/1.npy

// A layer: matrix product, bias and relu. Its bits do not depend on the number
// of threads.
func.func @main(%a: tensor<61x83xf32>, %b: tensor<83x47xf32>, %c: tensor<47xf32>)
    -> tensor<61x47xf32> {
  %a1 = lazy.reshape %a : tensor<61x83xf32> -> tensor<61x1x83xf32>
  %a2 = lazy.expand %a1 : tensor<61x1x83xf32> -> tensor<61x47x83xf32>
  %b1 = lazy.permute %b [1, 0] : tensor<83x47xf32> -> tensor<47x83xf32>
  %b2 = lazy.reshape %b1 : tensor<47x83xf32> -> tensor<1x47x83xf32>
  %b3 = lazy.expand %b2 : tensor<1x47x83xf32> -> tensor<61x47x83xf32>
  %m = lazy.mul %a2, %b3 : tensor<61x47x83xf32>
  %s = lazy.reduce_sum %m : tensor<61x47x83xf32> -> tensor<61x47x1xf32>
  %p = lazy.reshape %s : tensor<61x47x1xf32> -> tensor<61x47xf32>
  %c1 = lazy.reshape %c : tensor<47xf32> -> tensor<1x47xf32>
  %c2 = lazy.expand %c1 : tensor<1x47xf32> -> tensor<61x47xf32>
  %q = lazy.add %p, %c2 : tensor<61x47xf32>
  %z = lazy.const dense<0.0> : tensor<61x47xf32>
  %r = lazy.max %q, %z : tensor<61x47xf32>
  return %r : tensor<61x47xf32>
}
