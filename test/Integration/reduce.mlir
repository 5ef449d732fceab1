// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "np.sin(np.arange(2 * 33 * 70)).astype('f4').reshape(2, 33, 70)"
// RUN: tinygrad-run %s --device %device --entry floats --input %t/x.npy --output %t/0.npy --output %t/1.npy --output %t/2.npy --output %t/3.npy
// RUN: %{npy} check %t/0.npy "x.sum((0, 2), keepdims=True)" x=%t/x.npy --rtol 1e-5 --atol 1e-5
// RUN: %{npy} check %t/1.npy "x.sum(1, keepdims=True)" x=%t/x.npy --rtol 1e-5 --atol 1e-5
// RUN: %{npy} check %t/2.npy "x.max(keepdims=True)" x=%t/x.npy
// RUN: %{npy} check %t/3.npy "x.max((1, 2), keepdims=True)" x=%t/x.npy
// RUN: %{npy} make %t/i.npy "np.arange(1000, dtype='i2').reshape(4, 250) * 7"
// RUN: tinygrad-run %s --device %device --entry integers --input %t/i.npy --output %t/0.npy --output %t/1.npy
// RUN: %{npy} check %t/0.npy "i.sum(1, dtype='i2', keepdims=True)" i=%t/i.npy
// RUN: %{npy} check %t/1.npy "i.max(0, keepdims=True)" i=%t/i.npy
// RUN: %{npy} make %t/h.npy "np.full((3, 4097), 0.75, 'f2')"
// RUN: tinygrad-run %s --device %device --entry halves --input %t/h.npy --output %t/0.npy
// RUN: %{npy} check %t/0.npy "np.full((3, 1), 4097 * 0.75, 'f2')"
// RUN: %{npy} make %t/n.npy "np.array([[1, np.nan, 3], [-np.inf, -np.inf, -np.inf]], 'f4')"
// RUN: tinygrad-run %s --device %device --entry special --input %t/n.npy --output %t/0.npy --output %t/1.npy
// RUN: %{npy} check %t/0.npy "np.array([[np.nan], [-np.inf]], 'f4')"
// RUN: %{npy} check %t/1.npy "np.array([[np.nan], [-np.inf]], 'f4')"

func.func @floats(%x: tensor<2x33x70xf32>)
    -> (tensor<1x33x1xf32>, tensor<2x1x70xf32>, tensor<1x1x1xf32>, tensor<2x1x1xf32>) {
  %0 = lazy.reduce_sum %x : tensor<2x33x70xf32> -> tensor<1x33x1xf32>
  %1 = lazy.reduce_sum %x : tensor<2x33x70xf32> -> tensor<2x1x70xf32>
  %2 = lazy.reduce_max %x : tensor<2x33x70xf32> -> tensor<1x1x1xf32>
  %3 = lazy.reduce_max %x : tensor<2x33x70xf32> -> tensor<2x1x1xf32>
  return %0, %1, %2, %3
      : tensor<1x33x1xf32>, tensor<2x1x70xf32>, tensor<1x1x1xf32>, tensor<2x1x1xf32>
}

// Sums of integers wrap in their own type.
func.func @integers(%x: tensor<4x250xi16>) -> (tensor<4x1xi16>, tensor<1x250xi16>) {
  %0 = lazy.reduce_sum %x : tensor<4x250xi16> -> tensor<4x1xi16>
  %1 = lazy.reduce_max %x : tensor<4x250xi16> -> tensor<1x250xi16>
  return %0, %1 : tensor<4x1xi16>, tensor<1x250xi16>
}

// Sums of halves are kept in f32: in f16 this one would stop growing at 1536.
func.func @halves(%x: tensor<3x4097xf16>) -> tensor<3x1xf16> {
  %0 = lazy.reduce_sum %x : tensor<3x4097xf16> -> tensor<3x1xf16>
  return %0 : tensor<3x1xf16>
}

func.func @special(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %0 = lazy.reduce_max %x : tensor<2x3xf32> -> tensor<2x1xf32>
  %1 = lazy.reduce_sum %x : tensor<2x3xf32> -> tensor<2x1xf32>
  return %0, %1 : tensor<2x1xf32>, tensor<2x1xf32>
}
