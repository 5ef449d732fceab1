// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "np.array([[0.25, 1, 2.5, 0], [-1.5, -0.0, 700, np.inf], [np.nan, -np.inf, 1e-6, 3]], 'f4')"
// RUN: tinygrad-run %s --device %device --entry floats --input %t/x.npy --output %t/0.npy --output %t/1.npy --output %t/2.npy --output %t/3.npy --output %t/4.npy --output %t/5.npy --output %t/6.npy --output %t/7.npy --output %t/8.npy
// RUN: %{npy} check %t/0.npy "np.exp2(x)" x=%t/x.npy --rtol 3e-7
// RUN: %{npy} check %t/1.npy "np.log2(x)" x=%t/x.npy --rtol 3e-7
// RUN: %{npy} check %t/2.npy "np.exp(x)" x=%t/x.npy --rtol 3e-7
// RUN: %{npy} check %t/3.npy "np.log(x)" x=%t/x.npy --rtol 3e-7
// RUN: %{npy} check %t/4.npy "np.sin(x)" x=%t/x.npy --rtol 3e-7
// RUN: %{npy} check %t/5.npy "np.sqrt(x)" x=%t/x.npy
// RUN: %{npy} check %t/6.npy "np.float32(1) / x" x=%t/x.npy
// RUN: %{npy} check %t/7.npy "(-x)" x=%t/x.npy
// RUN: %{npy} check %t/8.npy "x" x=%t/x.npy
// RUN: %{npy} make %t/i.npy "np.array([-128, -1, 0, 127], 'i1')"
// RUN: tinygrad-run %s --device %device --entry integers --input %t/i.npy --output %t/0.npy --output %t/1.npy --output %t/2.npy
// RUN: %{npy} check %t/0.npy "np.array([-128, 1, 0, -127], 'i1')"
// RUN: %{npy} check %t/1.npy "np.array([128, 255, 0, 127], 'u1')"
// RUN: %{npy} check %t/2.npy "np.array([False, False, True, False])"

func.func @floats(%x: tensor<3x4xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>,
        tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = lazy.exp2 %x : tensor<3x4xf32>
  %1 = lazy.log2 %x : tensor<3x4xf32>
  %2 = lazy.exp %x : tensor<3x4xf32>
  %3 = lazy.log %x : tensor<3x4xf32>
  %4 = lazy.sin %x : tensor<3x4xf32>
  %5 = lazy.sqrt %x : tensor<3x4xf32>
  %6 = lazy.recip %x : tensor<3x4xf32>
  %7 = lazy.neg %x : tensor<3x4xf32>
  %8 = lazy.noop %x : tensor<3x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
      : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>,
        tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// MIN stays MIN; a bitcast keeps the bits; not of a bool.
func.func @integers(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xui8>, tensor<4xi1>) {
  %0 = lazy.neg %x : tensor<4xi8>
  %1 = lazy.bitcast %x : tensor<4xi8> -> tensor<4xui8>
  %2 = lazy.cast %x : tensor<4xi8> -> tensor<4xi1>
  %3 = lazy.not %2 : tensor<4xi1>
  return %0, %1, %3 : tensor<4xi8>, tensor<4xui8>, tensor<4xi1>
}
