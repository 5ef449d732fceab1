// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "(np.sin(np.arange(19 * 130)) * 9).astype('f4').reshape(19, 130)"
// RUN: tinygrad-run %s --device %device --input %t/x.npy --output %t/0.npy --opt-level 0
// RUN: tinygrad-run %s --device %device --input %t/x.npy --output %t/1.npy --opt-level 4
// RUN: %{npy} check %t/0.npy "(lambda e: e / e.sum(1, keepdims=True))(np.exp(x - x.max(1, keepdims=True)))" x=%t/x.npy --rtol 1e-5
// RUN: %{npy} check %t/1.npy "y" y=%t/0.npy --rtol 1e-6

func.func @main(%x: tensor<19x130xf32>) -> tensor<19x130xf32> {
  %m = lazy.reduce_max %x : tensor<19x130xf32> -> tensor<19x1xf32>
  %m1 = lazy.expand %m : tensor<19x1xf32> -> tensor<19x130xf32>
  %d = lazy.sub %x, %m1 : tensor<19x130xf32>
  %k = lazy.const dense<1.4426950408889634> : tensor<19x130xf32>
  %t = lazy.mul %d, %k : tensor<19x130xf32>
  %e = lazy.exp2 %t : tensor<19x130xf32>
  %s = lazy.reduce_sum %e : tensor<19x130xf32> -> tensor<19x1xf32>
  %i = lazy.recip %s : tensor<19x1xf32>
  %i1 = lazy.expand %i : tensor<19x1xf32> -> tensor<19x130xf32>
  %r = lazy.mul %e, %i1 : tensor<19x130xf32>
  return %r : tensor<19x130xf32>
}
