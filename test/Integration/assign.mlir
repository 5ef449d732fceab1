// REQUIRES: numpy, device-interp
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "np.array([1, 2], 'i4')"
// RUN: %{npy} make %t/y.npy "np.array([3, 4], 'i4')"
// RUN: tinygrad-run %s --device %device --input %t/x.npy --input %t/y.npy --output %t/0.npy --output %t/1.npy
// RUN: %{npy} check %t/0.npy "y" y=%t/y.npy
// RUN: %{npy} check %t/1.npy "x + y" x=%t/x.npy y=%t/y.npy

// What reads the target itself reads the value from before.
func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %0 = lazy.assign %x, %y : tensor<2xi32>
  %1 = lazy.add %x, %0 : tensor<2xi32>
  return %0, %1 : tensor<2xi32>, tensor<2xi32>
}
