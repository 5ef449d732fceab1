// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "np.array([1, -2, np.inf, -0.0], 'f4')"
// RUN: tinygrad-run %s --device %device --input %t/x.npy --output %t/0.npy --output %t/1.npy
// RUN: %{npy} check %t/0.npy "x" x=%t/x.npy
// RUN: %{npy} check %t/1.npy "np.negative(x)" x=%t/x.npy

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = lazy.fromcpu %x : tensor<4xf32> -> tensor<4xf32>
  %1 = lazy.neg %0 : tensor<4xf32>
  %2 = lazy.copy %1 : tensor<4xf32> -> tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}
