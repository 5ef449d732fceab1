// REQUIRES: opencl, numpy
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "bf16(np.array([1, 1.0078125, 3e38, np.nan, -np.inf, 1e-40, -0.0], 'f4'))"
// RUN: %{npy} make %t/y.npy "bf16(np.array([0.00390625, 0.00390625, 3e38, 1, 1, 1e-40, 0.0], 'f4'))"
// RUN: tinygrad-translate --kernel-to-spirv --kernel=e_7 %s -o %t/bf16.spv
// RUN: %{run} %t/bf16.spv e_7 --input %t/x.npy --input %t/y.npy --output %t/bf16.npy=7xV2
// RUN: %{npy} check %t/bf16.npy "bf16(f32(x) + f32(y))" x=%t/x.npy y=%t/y.npy
// RUN: %{npy} make %t/d.npy "np.array([1 + 2**-8, 1 + 2**-8 + 2**-40, 1 + 2**-8 - 2**-40, 1 + 3 * 2**-8 - 2**-40, np.nan, 1e300, -1e-300, 2.0**-134])"
// RUN: tinygrad-translate --kernel-to-spirv --kernel=e_8 %s -o %t/narrow.spv
// RUN: %{run} %t/narrow.spv e_8 --input %t/d.npy --output %t/narrow.npy=8xV2
// RUN: %{npy} check %t/narrow.npy "bf16(np.array([1, 1.0078125, 1, 1.0078125, np.nan, np.inf, -0.0, 0], 'f4'))"
// RUN: %{npy} make %t/n.npy "np.array([0, 257, -259, 2**62 + 2**54, 2**62 + 2**54 + 1, -2**63, 2**63 - 1, -1, 258])"
// RUN: tinygrad-translate --kernel-to-spirv --kernel=e_9 %s -o %t/whole.spv
// RUN: %{run} %t/whole.spv e_9 --input %t/n.npy --output %t/whole.npy=9xV2
// RUN: %{npy} check %t/whole.npy "bf16(np.array([0, 256, -260, 2.0**62, 2.0**62 * 1.0078125, -2.0**63, 2.0**63, -1, 258], 'f4'))"
// RUN: %{npy} make %t/p.npy "np.array([True, False, True, False, True, False])"
// RUN: %{npy} make %t/i.npy "np.array([-128, 7, -7, 100, -128, 5], 'i1')"
// RUN: %{npy} make %t/j.npy "np.array([-1, 0, 2, 7, 3, -5], 'i1')"
// RUN: tinygrad-translate --kernel-to-spirv --kernel=e_6 %s -o %t/div.spv
// RUN: %{run} %t/div.spv e_6 --input %t/p.npy --input %t/i.npy --input %t/j.npy --output %t/div.npy=6xint8
// RUN: %{npy} check %t/div.npy "np.array([-128, 0, -3, 2, -42, 0], 'i1')"
// RUN: %{npy} make %t/u.npy "np.array([2**63 + 5, 7, 2**64 - 1], 'u8')"
// RUN: %{npy} make %t/v.npy "np.array([3, 0, 2**63], 'u8')"
// RUN: tinygrad-translate --kernel-to-spirv --kernel=e_3 %s -o %t/less.spv
// RUN: %{run} %t/less.spv e_3 --input %t/u.npy --input %t/v.npy --output %t/less.npy=3xbool
// RUN: %{npy} check %t/less.npy "np.array([False, False, True])"

// Each sum is rounded to the nearest bf16, ties to even.
func.func @bf16(%x: tensor<7xbf16>, %y: tensor<7xbf16>) -> tensor<7xbf16> {
  %0 = lazy.add %x, %y : tensor<7xbf16>
  return %0 : tensor<7xbf16>
}

// From f64 there is one rounding, not one to f32 and another.
func.func @narrow(%x: tensor<8xf64>) -> tensor<8xbf16> {
  %0 = lazy.cast %x : tensor<8xf64> -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// So are integers, of any size.
func.func @whole(%x: tensor<9xi64>) -> tensor<9xbf16> {
  %0 = lazy.cast %x : tensor<9xi64> -> tensor<9xbf16>
  return %0 : tensor<9xbf16>
}

// Division by 0 is 0, MIN / -1 is MIN; a bool is a byte in memory.
func.func @div(%p: tensor<6xi1>, %x: tensor<6xi8>, %y: tensor<6xi8>) -> tensor<6xi8> {
  %d = lazy.div %x, %y : tensor<6xi8>
  %m = lazy.mod %x, %y : tensor<6xi8>
  %0 = lazy.where %p, %d, %m : tensor<6xi1>, tensor<6xi8>
  return %0 : tensor<6xi8>
}

// Unsigned numbers of 64 bits are divided and compared as such.
func.func @less(%x: tensor<3xui64>, %y: tensor<3xui64>) -> tensor<3xi1> {
  %d = lazy.div %x, %y : tensor<3xui64>
  %0 = lazy.cmplt %d, %y : tensor<3xui64> -> tensor<3xi1>
  return %0 : tensor<3xi1>
}
