// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "np.array([-1.9, 2.5, 300, -1e10, 1e20, np.nan, np.inf, 0.1], 'f4')"
// RUN: tinygrad-run %s --device %device --entry floats --input %t/x.npy --output %t/0.npy --output %t/1.npy --output %t/2.npy --output %t/3.npy --output %t/4.npy --output %t/5.npy
// RUN: %{npy} check %t/0.npy "np.array([-1, 2, 127, -128, 127, 0, 127, 0], 'i1')"
// RUN: %{npy} check %t/1.npy "np.array([0, 2, 300, 0, 2**64 - 1, 0, 2**64 - 1, 0], 'u8')"
// RUN: %{npy} check %t/2.npy "np.array([1, 1, 1, 1, 1, 1, 1, 1], bool)"
// RUN: %{npy} check %t/3.npy "x.astype('f2')" x=%t/x.npy
// RUN: %{npy} check %t/4.npy "bf16(x)" x=%t/x.npy
// RUN: %{npy} check %t/5.npy "x.astype('f8')" x=%t/x.npy
// RUN: %{npy} make %t/i.npy "np.array([-1, 300, -2**63, 2**63 - 1, 2**24 + 1], 'i8')"
// RUN: tinygrad-run %s --device %device --entry integers --input %t/i.npy --output %t/0.npy --output %t/1.npy --output %t/2.npy
// RUN: %{npy} check %t/0.npy "i.astype('u1')" i=%t/i.npy
// RUN: %{npy} check %t/1.npy "i.astype('f4')" i=%t/i.npy
// RUN: %{npy} check %t/2.npy "i.astype('i4')" i=%t/i.npy

// Floats become integers by truncation; what does not fit saturates, NaN is 0.
func.func @floats(%x: tensor<8xf32>)
    -> (tensor<8xi8>, tensor<8xui64>, tensor<8xi1>, tensor<8xf16>, tensor<8xbf16>, tensor<8xf64>) {
  %0 = lazy.cast %x : tensor<8xf32> -> tensor<8xi8>
  %1 = lazy.cast %x : tensor<8xf32> -> tensor<8xui64>
  %2 = lazy.cast %x : tensor<8xf32> -> tensor<8xi1>
  %3 = lazy.cast %x : tensor<8xf32> -> tensor<8xf16>
  %4 = lazy.cast %x : tensor<8xf32> -> tensor<8xbf16>
  %5 = lazy.cast %x : tensor<8xf32> -> tensor<8xf64>
  return %0, %1, %2, %3, %4, %5
      : tensor<8xi8>, tensor<8xui64>, tensor<8xi1>, tensor<8xf16>, tensor<8xbf16>, tensor<8xf64>
}

// Integers wrap.
func.func @integers(%x: tensor<5xi64>) -> (tensor<5xui8>, tensor<5xf32>, tensor<5xi32>) {
  %0 = lazy.cast %x : tensor<5xi64> -> tensor<5xui8>
  %1 = lazy.cast %x : tensor<5xi64> -> tensor<5xf32>
  %2 = lazy.cast %x : tensor<5xi64> -> tensor<5xi32>
  return %0, %1, %2 : tensor<5xui8>, tensor<5xf32>, tensor<5xi32>
}
