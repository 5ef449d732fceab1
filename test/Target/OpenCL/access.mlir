// REQUIRES: opencl, numpy
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "np.arange(1, 301, dtype='f4')"
// RUN: tinygrad-translate --kernel-to-spirv --kernel=e_310 %s -o %t/pad.spv
// RUN: %{run} %t/pad.spv e_310 --input %t/x.npy --output %t/pad.npy=310xfloat32
// RUN: %{npy} check %t/pad.npy "np.pad(x[::-1], (3, 7)) + 0.5" x=%t/x.npy
// RUN: %{npy} make %t/y.npy "np.arange(63, dtype='i4').reshape(9, 7)"
// RUN: %{npy} make %t/z.npy "np.arange(35, dtype='i4').reshape(5, 7) ** 2"
// RUN: tinygrad-translate --kernel-to-spirv --kernel=e_7_3 %s -o %t/part.spv
// RUN: %{run} %t/part.spv e_7_3 --input %t/y.npy --input %t/z.npy --output %t/part.npy=7x3xint32
// RUN: %{npy} check %t/part.npy "y.T[:, ::4] * z.T[:, 1:4]" y=%t/y.npy z=%t/z.npy

// 310 work items in blocks of 256: the second block is not full. Elements that
// are masked off are 0, and do not lie in the buffer.
func.func @pad(%x: tensor<300xf32>) -> tensor<310xf32> {
  %f = lazy.stride %x [-1] : tensor<300xf32> -> tensor<300xf32>
  %p = lazy.pad %f low [3] high [7] : tensor<300xf32> -> tensor<310xf32>
  %c = lazy.const dense<0.5> : tensor<310xf32>
  %0 = lazy.add %p, %c : tensor<310xf32>
  return %0 : tensor<310xf32>
}

// Steps, parts and exchanged axes in one kernel.
func.func @part(%y: tensor<9x7xi32>, %z: tensor<5x7xi32>) -> tensor<7x3xi32> {
  %0 = lazy.permute %y [1, 0] : tensor<9x7xi32> -> tensor<7x9xi32>
  %1 = lazy.stride %0 [1, 4] : tensor<7x9xi32> -> tensor<7x3xi32>
  %2 = lazy.permute %z [1, 0] : tensor<5x7xi32> -> tensor<7x5xi32>
  %3 = lazy.shrink %2 begin [0, 1] end [7, 4] : tensor<7x5xi32> -> tensor<7x3xi32>
  %4 = lazy.mul %1, %3 : tensor<7x3xi32>
  return %4 : tensor<7x3xi32>
}
