// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "np.array([1, -2, np.inf, -0.0], 'f4')"
// RUN: tinygrad-run %s --device %device --input %t/x.npy --input %t/x.npy --output %t/0.npy --output %t/1.npy --output %t/2.npy
// RUN: %{npy} check %t/0.npy "x" x=%t/x.npy
// RUN: %{npy} check %t/1.npy "np.negative(x)" x=%t/x.npy
// RUN: %{npy} check %t/2.npy "x[2:] + x[1:3]" x=%t/x.npy

// From the host and back, and a part of what is there.
!host = tensor<4xf32, #lazy.type<device = "HOST">>
!part = tensor<2xf32, #lazy.type<device = "HOST">>

func.func @main(%x: !host, %y: tensor<4xf32>) -> (tensor<4xf32>, !host, tensor<2xf32>) {
  %0 = lazy.fromcpu %x : !host -> tensor<4xf32>
  %1 = lazy.neg %0 : tensor<4xf32>
  %2 = lazy.copy %1 : tensor<4xf32> -> !host
  %3 = lazy.shrink %x begin [2] end [4] : !host -> !part
  %4 = lazy.copy %3 : !part -> tensor<2xf32>
  %5 = lazy.shrink %y begin [1] end [3] : tensor<4xf32> -> tensor<2xf32>
  %6 = lazy.add %4, %5 : tensor<2xf32>
  return %0, %2, %6 : tensor<4xf32>, !host, tensor<2xf32>
}
