// REQUIRES: opencl, numpy
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/a.npy "np.random.default_rng(0).standard_normal((20, 30)).astype('f4')"
// RUN: %{npy} make %t/b.npy "np.random.default_rng(1).standard_normal((30, 17)).astype('f4')"
// RUN: tinygrad-translate --kernel-to-spirv --kernel=r_20_17_30 %s -o %t/matmul.spv
// RUN: %{run} %t/matmul.spv r_20_17_30 --input %t/a.npy --input %t/b.npy --output %t/matmul.npy=20x17xfloat32
// RUN: %{npy} check %t/matmul.npy "np.maximum(a.astype('f8') @ b, 0).astype('f4')" a=%t/a.npy b=%t/b.npy --rtol 1e-5 --atol 1e-5
// RUN: %{npy} make %t/m.npy "np.array([[-0.0, 0, -1], [0, -0.0, -2], [np.nan, 1, 2], [1, 2, np.nan], [-3, -np.inf, -5]], 'f4')"
// RUN: tinygrad-translate --kernel-to-spirv --kernel=r_5_3 %s -o %t/max.spv
// RUN: %{run} %t/max.spv r_5_3 --input %t/m.npy --output %t/max.npy=5x1xfloat32
// RUN: %{npy} check %t/max.npy "np.array([[np.inf], [np.inf], [np.nan], [np.nan], [-1/3]], 'f4')"
// RUN: %{npy} make %t/h.npy "np.full((2, 4096), 1.5, 'f2')"
// RUN: tinygrad-translate --kernel-to-spirv --kernel=r_2_4096 %s -o %t/half.spv
// RUN: %{run} %t/half.spv r_2_4096 --input %t/h.npy --output %t/half.npy=2x1xfloat16
// RUN: %{npy} check %t/half.npy "np.array([[6144], [6144]], 'f2')"

// A product that is summed, and what follows the sum.
func.func @matmul(%a: tensor<20x30xf32>, %b: tensor<30x17xf32>) -> tensor<20x17x1xf32> {
  %a1 = lazy.reshape %a : tensor<20x30xf32> -> tensor<20x1x30xf32>
  %a2 = lazy.expand %a1 : tensor<20x1x30xf32> -> tensor<20x17x30xf32>
  %b1 = lazy.permute %b [1, 0] : tensor<30x17xf32> -> tensor<17x30xf32>
  %b2 = lazy.reshape %b1 : tensor<17x30xf32> -> tensor<1x17x30xf32>
  %b3 = lazy.expand %b2 : tensor<1x17x30xf32> -> tensor<20x17x30xf32>
  %p = lazy.mul %a2, %b3 : tensor<20x17x30xf32>
  %s = lazy.reduce_sum %p : tensor<20x17x30xf32> -> tensor<20x17x1xf32>
  %zero = lazy.const dense<0.0> : tensor<20x17x1xf32>
  %r = lazy.max %s, %zero : tensor<20x17x1xf32>
  return %r : tensor<20x17x1xf32>
}

// NaN wins wherever it stands, and +0 is above -0: the reciprocal shows it.
func.func @max(%x: tensor<5x3xf32>) -> tensor<5x1xf32> {
  %m = lazy.reduce_max %x : tensor<5x3xf32> -> tensor<5x1xf32>
  %r = lazy.recip %m : tensor<5x1xf32>
  return %r : tensor<5x1xf32>
}

// Summed in f32: in f16 it would stop at 4096.
func.func @half(%x: tensor<2x4096xf16>) -> tensor<2x1xf16> {
  %s = lazy.reduce_sum %x : tensor<2x4096xf16> -> tensor<2x1xf16>
  return %s : tensor<2x1xf16>
}
