// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/c.npy "np.array([1, -0.0, np.nan, 0.5], 'f4')"
// RUN: %{npy} make %t/x.npy "np.array([1, 2, 3, np.nan], 'f4')"
// RUN: %{npy} make %t/y.npy "np.array([np.nan, 6, np.inf, 8], 'f4')"
// RUN: tinygrad-run %s --device %device --input %t/c.npy --input %t/x.npy --input %t/y.npy --output %t/0.npy --output %t/1.npy
// RUN: %{npy} check %t/0.npy "np.where(c, x, y)" c=%t/c.npy x=%t/x.npy y=%t/y.npy
// RUN: %{npy} check %t/1.npy "c * x + y" c=%t/c.npy x=%t/x.npy y=%t/y.npy --rtol 1e-6

func.func @main(%c: tensor<4xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = lazy.where %c, %x, %y : tensor<4xf32>, tensor<4xf32>
  %1 = lazy.mulacc %c, %x, %y : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
