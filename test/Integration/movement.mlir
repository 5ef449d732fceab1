// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "np.arange(24, dtype='i4').reshape(2, 3, 4)"
// RUN: tinygrad-run %s --device %device --input %t/x.npy --output %t/0.npy --output %t/1.npy --output %t/2.npy --output %t/3.npy --output %t/4.npy --output %t/5.npy --output %t/6.npy --output %t/7.npy
// RUN: %{npy} check %t/0.npy "x.reshape(4, 6)" x=%t/x.npy
// RUN: %{npy} check %t/1.npy "x.transpose(2, 0, 1)" x=%t/x.npy
// RUN: %{npy} check %t/2.npy "np.pad(x, ((0, 1), (2, 0), (1, 1)))" x=%t/x.npy
// RUN: %{npy} check %t/3.npy "x[1:2, 0:2, 1:4]" x=%t/x.npy
// RUN: %{npy} check %t/4.npy "x[::-1, ::2, ::-3]" x=%t/x.npy
// RUN: %{npy} check %t/5.npy "np.broadcast_to(x[:, :1], (2, 5, 4))" x=%t/x.npy
// RUN: %{npy} check %t/6.npy "np.lib.stride_tricks.as_strided(x.ravel()[3:], (3, 4), (20, 8))" x=%t/x.npy
// RUN: %{npy} check %t/7.npy "np.pad(x.transpose(2, 1, 0)[::-1], ((1, 0), (0, 0), (0, 2))).reshape(15, 4)[1:14:3, ::-1]" x=%t/x.npy

func.func @main(%x: tensor<2x3x4xi32>)
    -> (tensor<4x6xi32>, tensor<4x2x3xi32>, tensor<3x5x6xi32>, tensor<1x2x3xi32>,
        tensor<2x2x2xi32>, tensor<2x5x4xi32>, tensor<3x4xi32>, tensor<5x4xi32>) {
  %0 = lazy.reshape %x : tensor<2x3x4xi32> -> tensor<4x6xi32>
  %1 = lazy.permute %x [2, 0, 1] : tensor<2x3x4xi32> -> tensor<4x2x3xi32>
  %2 = lazy.pad %x low [0, 2, 1] high [1, 0, 1] : tensor<2x3x4xi32> -> tensor<3x5x6xi32>
  %3 = lazy.shrink %x begin [1, 0, 1] end [2, 2, 4] : tensor<2x3x4xi32> -> tensor<1x2x3xi32>
  %4 = lazy.stride %x [-1, 2, -3] : tensor<2x3x4xi32> -> tensor<2x2x2xi32>
  %s = lazy.shrink %x begin [0, 0, 0] end [2, 1, 4] : tensor<2x3x4xi32> -> tensor<2x1x4xi32>
  %5 = lazy.expand %s : tensor<2x1x4xi32> -> tensor<2x5x4xi32>
  %6 = lazy.as_strided %x [5, 2] offset 3 : tensor<2x3x4xi32> -> tensor<3x4xi32>
  // A chain that no single view can express.
  %a = lazy.permute %x [2, 1, 0] : tensor<2x3x4xi32> -> tensor<4x3x2xi32>
  %b = lazy.stride %a [-1, 1, 1] : tensor<4x3x2xi32> -> tensor<4x3x2xi32>
  %c = lazy.pad %b low [1, 0, 0] high [0, 0, 2] : tensor<4x3x2xi32> -> tensor<5x3x4xi32>
  %d = lazy.reshape %c : tensor<5x3x4xi32> -> tensor<15x4xi32>
  %e = lazy.shrink %d begin [1, 0] end [14, 4] : tensor<15x4xi32> -> tensor<13x4xi32>
  %7 = lazy.stride %e [3, -1] : tensor<13x4xi32> -> tensor<5x4xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<4x6xi32>, tensor<4x2x3xi32>, tensor<3x5x6xi32>, tensor<1x2x3xi32>,
        tensor<2x2x2xi32>, tensor<2x5x4xi32>, tensor<3x4xi32>, tensor<5x4xi32>
}
