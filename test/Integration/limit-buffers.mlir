// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/a.npy "np.arange(12, dtype='f4').reshape(4, 3) - 5"
// RUN: tinygrad-opt %s --lazy-schedule=max-kernel-buffers=4 | tinygrad-run - --device %device --input %t/a.npy --input %t/a.npy --input %t/a.npy --input %t/a.npy --input %t/a.npy --output %t/0.npy
// RUN: %{npy} check %t/0.npy "((2 * a + a[::-1]) * a[::-1] + (2 * a + a[::-1]) * a).sum(1, keepdims=True)" a=%t/a.npy

func.func @main(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>, %c: tensor<4x3xf32>, %d: tensor<4x3xf32>, %e: tensor<4x3xf32>) -> tensor<4x1xf32> {
  %0 = lazy.add %a, %b : tensor<4x3xf32>
  %f = lazy.stride %c [-1, 1] : tensor<4x3xf32> -> tensor<4x3xf32>
  %1 = lazy.add %0, %f : tensor<4x3xf32>
  %g = lazy.stride %d [-1, 1] : tensor<4x3xf32> -> tensor<4x3xf32>
  %2 = lazy.mul %1, %g : tensor<4x3xf32>
  %3 = lazy.mul %1, %e : tensor<4x3xf32>
  %4 = lazy.add %2, %3 : tensor<4x3xf32>
  %s = lazy.reduce_sum %4 : tensor<4x3xf32> -> tensor<4x1xf32>
  return %s : tensor<4x1xf32>
}
