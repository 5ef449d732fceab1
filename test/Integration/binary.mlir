// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "np.array([5.5, -7, 0.0, np.nan, 3, -0.0], 'f4')"
// RUN: %{npy} make %t/y.npy "np.array([2, 2.5, 0.0, 1, np.nan, 0.0], 'f4')"
// RUN: tinygrad-run %s --device %device --entry floats --input %t/x.npy --input %t/y.npy --output %t/0.npy --output %t/1.npy --output %t/2.npy --output %t/3.npy --output %t/4.npy --output %t/5.npy --output %t/6.npy --output %t/7.npy --output %t/8.npy
// RUN: %{npy} check %t/0.npy "x + y" x=%t/x.npy y=%t/y.npy
// RUN: %{npy} check %t/1.npy "x - y" x=%t/x.npy y=%t/y.npy
// RUN: %{npy} check %t/2.npy "x * y" x=%t/x.npy y=%t/y.npy
// RUN: %{npy} check %t/3.npy "x / y" x=%t/x.npy y=%t/y.npy
// RUN: %{npy} check %t/4.npy "np.maximum(x, y)" x=%t/x.npy y=%t/y.npy
// RUN: %{npy} check %t/5.npy "np.fmod(x, y)" x=%t/x.npy y=%t/y.npy
// RUN: %{npy} check %t/6.npy "np.power(x, y)" x=%t/x.npy y=%t/y.npy --rtol 3e-7
// RUN: %{npy} check %t/7.npy "x < y" x=%t/x.npy y=%t/y.npy
// RUN: %{npy} check %t/8.npy "np.where(x == y, 1, 0).astype('f4')" x=%t/x.npy y=%t/y.npy
// RUN: %{npy} make %t/i.npy "np.array([7, -7, -2147483648, 5, 2147483647], 'i4')"
// RUN: %{npy} make %t/j.npy "np.array([-2, 2, -1, 0, 1], 'i4')"
// RUN: tinygrad-run %s --device %device --entry integers --input %t/i.npy --input %t/j.npy --output %t/0.npy --output %t/1.npy --output %t/2.npy --output %t/3.npy
// RUN: %{npy} check %t/0.npy "np.array([-3, -3, -2147483648, 0, 2147483647], 'i4')"
// RUN: %{npy} check %t/1.npy "np.array([1, -1, 0, 0, 0], 'i4')"
// RUN: %{npy} check %t/2.npy "i ^ j" i=%t/i.npy j=%t/j.npy
// RUN: %{npy} check %t/3.npy "i + j" i=%t/i.npy j=%t/j.npy
// RUN: %{npy} make %t/u.npy "np.array([200, 3, 255], 'u1')"
// RUN: %{npy} make %t/v.npy "np.array([7, 250, 0], 'u1')"
// RUN: tinygrad-run %s --device %device --entry unsigned --input %t/u.npy --input %t/v.npy --output %t/0.npy --output %t/1.npy --output %t/2.npy
// RUN: %{npy} check %t/0.npy "np.array([28, 0, 0], 'u1')"
// RUN: %{npy} check %t/1.npy "np.maximum(u, v)" u=%t/u.npy v=%t/v.npy
// RUN: %{npy} check %t/2.npy "u < v" u=%t/u.npy v=%t/v.npy

func.func @floats(%x: tensor<6xf32>, %y: tensor<6xf32>)
    -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>,
        tensor<6xf32>, tensor<6xf32>, tensor<6xi1>, tensor<6xf32>) {
  %0 = lazy.add %x, %y : tensor<6xf32>
  %1 = lazy.sub %x, %y : tensor<6xf32>
  %2 = lazy.mul %x, %y : tensor<6xf32>
  %3 = lazy.div %x, %y : tensor<6xf32>
  %4 = lazy.max %x, %y : tensor<6xf32>
  %5 = lazy.mod %x, %y : tensor<6xf32>
  %6 = lazy.pow %x, %y : tensor<6xf32>
  %7 = lazy.cmplt %x, %y : tensor<6xf32> -> tensor<6xi1>
  %8 = lazy.cmpeq %x, %y : tensor<6xf32> -> tensor<6xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
      : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>,
        tensor<6xf32>, tensor<6xf32>, tensor<6xi1>, tensor<6xf32>
}

// Division is total: x / 0 and x mod 0 are 0, MIN / -1 is MIN.
func.func @integers(%x: tensor<5xi32>, %y: tensor<5xi32>)
    -> (tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>) {
  %0 = lazy.div %x, %y : tensor<5xi32>
  %1 = lazy.mod %x, %y : tensor<5xi32>
  %2 = lazy.xor %x, %y : tensor<5xi32>
  %3 = lazy.add %x, %y : tensor<5xi32>
  return %0, %1, %2, %3 : tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>
}

func.func @unsigned(%x: tensor<3xui8>, %y: tensor<3xui8>)
    -> (tensor<3xui8>, tensor<3xui8>, tensor<3xi1>) {
  %0 = lazy.div %x, %y : tensor<3xui8>
  %1 = lazy.max %x, %y : tensor<3xui8>
  %2 = lazy.cmplt %x, %y : tensor<3xui8> -> tensor<3xi1>
  return %0, %1, %2 : tensor<3xui8>, tensor<3xui8>, tensor<3xi1>
}
