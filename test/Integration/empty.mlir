// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "np.zeros((2, 0), 'f4')"
// RUN: tinygrad-run %s --device %device --input %t/x.npy --output %t/0.npy --output %t/1.npy --output %t/2.npy
// RUN: %{npy} check %t/0.npy "np.zeros((2, 0), 'f4')"
// RUN: %{npy} check %t/1.npy "np.zeros((2, 1), 'f4')"
// RUN: %{npy} check %t/2.npy "np.full((2, 1), -np.inf, 'f4')"

// Tensors without elements, and reduces of nothing.
func.func @main(%x: tensor<2x0xf32>) -> (tensor<2x0xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %0 = lazy.exp2 %x : tensor<2x0xf32>
  %1 = lazy.reduce_sum %x : tensor<2x0xf32> -> tensor<2x1xf32>
  %2 = lazy.reduce_max %x : tensor<2x0xf32> -> tensor<2x1xf32>
  return %0, %1, %2 : tensor<2x0xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}
