// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/x.npy "np.array([1, 2], 'i4')"
// RUN: %{npy} make %t/y.npy "np.array([3, 4], 'i4')"
// RUN: tinygrad-run %s --device %device --input %t/x.npy --input %t/y.npy --output %t/0.npy --output %t/1.npy
// RUN: %{npy} check %t/0.npy "y" y=%t/y.npy
// RUN: %{npy} check %t/1.npy "x + y" x=%t/x.npy y=%t/y.npy

// RUN: %{npy} make %t/v.npy "np.arange(5000, dtype='f4')"
// RUN: tinygrad-run %s --device %device --entry reverse --input %t/v.npy --output %t/2.npy
// RUN: %{npy} check %t/2.npy "v + v[::-1]" v=%t/v.npy

// RUN: %{npy} make %t/a.npy "np.arange(4, dtype='f4') + 1"
// RUN: tinygrad-run %s --device %device --entry reader_before --input %t/a.npy --output %t/3.npy --output %t/4.npy
// RUN: %{npy} check %t/3.npy "2 + (a * 3 - 1)" a=%t/a.npy
// RUN: %{npy} check %t/4.npy "a * 0 + 2" a=%t/a.npy

// RUN: %{npy} make %t/m.npy "np.sin(np.arange(40 * 40)).astype('f4').reshape(40, 40)"
// RUN: tinygrad-run %s --device %device --entry product --input %t/m.npy --input %t/m.npy --output %t/5.npy
// RUN: %{npy} check %t/5.npy "m + m @ m" m=%t/m.npy --rtol 1e-4 --atol 1e-4
// RUN: tinygrad-run %s --device %device --entry own_product --input %t/m.npy --output %t/6.npy
// RUN: %{npy} check %t/6.npy "m + m @ m" m=%t/m.npy --rtol 1e-4 --atol 1e-4
// RUN: tinygrad-run %s --device %device --entry swap --input %t/x.npy --input %t/y.npy --output %t/7.npy --output %t/8.npy --output %t/9.npy
// RUN: %{npy} check %t/7.npy "y" y=%t/y.npy
// RUN: %{npy} check %t/8.npy "x" x=%t/x.npy
// RUN: %{npy} check %t/9.npy "x" x=%t/x.npy

// RUN: %{npy} make %t/p.npy "np.arange(6, dtype='i4').reshape(2, 3)"
// RUN: %{npy} make %t/q.npy "np.arange(10, 14, dtype='i4').reshape(2, 2)"
// RUN: tinygrad-run %s --device %device --entry part --input %t/p.npy --input %t/q.npy --output %t/10.npy --output %t/11.npy --output %t/12.npy
// RUN: %{npy} check %t/10.npy "q + q" q=%t/q.npy
// RUN: %{npy} check %t/11.npy "q + p[:, :2]" p=%t/p.npy q=%t/q.npy
// RUN: %{npy} check %t/12.npy "p" p=%t/p.npy

// What reads the target itself reads the value from before.
func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %0 = lazy.assign %x, %y : tensor<2xi32>
  %1 = lazy.add %x, %0 : tensor<2xi32>
  return %0, %1 : tensor<2xi32>, tensor<2xi32>
}

func.func @reverse(%x: tensor<5000xf32>) -> tensor<5000xf32> {
  %f = lazy.stride %x [-1] : tensor<5000xf32> -> tensor<5000xf32>
  %v = lazy.add %x, %f : tensor<5000xf32>
  %r = lazy.assign %x, %v : tensor<5000xf32>
  return %r : tensor<5000xf32>
}

// t = a * 3; a := 2; a + (t - 1).
func.func @reader_before(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %three = lazy.const dense<3.0> : tensor<4xf32>
  %two = lazy.const dense<2.0> : tensor<4xf32>
  %one = lazy.const dense<1.0> : tensor<4xf32>
  %t = lazy.mul %a, %three : tensor<4xf32>
  %b = lazy.assign %a, %two : tensor<4xf32>
  %s = lazy.sub %t, %one : tensor<4xf32>
  %r = lazy.add %b, %s : tensor<4xf32>
  return %r, %b : tensor<4xf32>, tensor<4xf32>
}

// t := t + a @ a is in place.
func.func @product(%t: tensor<40x40xf32>, %a: tensor<40x40xf32>) -> tensor<40x40xf32> {
  %a0 = lazy.reshape %a : tensor<40x40xf32> -> tensor<40x1x40xf32>
  %a1 = lazy.expand %a0 : tensor<40x1x40xf32> -> tensor<40x40x40xf32>
  %b0 = lazy.permute %a [1, 0] : tensor<40x40xf32> -> tensor<40x40xf32>
  %b1 = lazy.reshape %b0 : tensor<40x40xf32> -> tensor<1x40x40xf32>
  %b2 = lazy.expand %b1 : tensor<1x40x40xf32> -> tensor<40x40x40xf32>
  %m = lazy.mul %a1, %b2 : tensor<40x40x40xf32>
  %s = lazy.reduce_sum %m : tensor<40x40x40xf32> -> tensor<40x40x1xf32>
  %p = lazy.reshape %s : tensor<40x40x1xf32> -> tensor<40x40xf32>
  %v = lazy.add %t, %p : tensor<40x40xf32>
  %r = lazy.assign %t, %v : tensor<40x40xf32>
  return %r : tensor<40x40xf32>
}

// t := t + t @ t is not.
func.func @own_product(%t: tensor<40x40xf32>) -> tensor<40x40xf32> {
  %a0 = lazy.reshape %t : tensor<40x40xf32> -> tensor<40x1x40xf32>
  %a1 = lazy.expand %a0 : tensor<40x1x40xf32> -> tensor<40x40x40xf32>
  %b0 = lazy.permute %t [1, 0] : tensor<40x40xf32> -> tensor<40x40xf32>
  %b1 = lazy.reshape %b0 : tensor<40x40xf32> -> tensor<1x40x40xf32>
  %b2 = lazy.expand %b1 : tensor<1x40x40xf32> -> tensor<40x40x40xf32>
  %m = lazy.mul %a1, %b2 : tensor<40x40x40xf32>
  %s = lazy.reduce_sum %m : tensor<40x40x40xf32> -> tensor<40x40x1xf32>
  %p = lazy.reshape %s : tensor<40x40x1xf32> -> tensor<40x40xf32>
  %v = lazy.add %t, %p : tensor<40x40xf32>
  %r = lazy.assign %t, %v : tensor<40x40xf32>
  return %r : tensor<40x40xf32>
}

// An argument that is returned is the old value, too.
func.func @swap(%x: tensor<2xi32>, %y: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %r = lazy.assign %x, %y : tensor<2xi32>
  %s = lazy.assign %y, %x : tensor<2xi32>
  return %r, %s, %x : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}

// Two parts of an argument that overlap, the second one flipped.
func.func @part(%x: tensor<2x3xi32>, %v: tensor<2x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x3xi32>) {
  %a = lazy.shrink %x begin [0, 0] end [2, 2] : tensor<2x3xi32> -> tensor<2x2xi32>
  %b = lazy.shrink %x begin [0, 1] end [2, 3] : tensor<2x3xi32> -> tensor<2x2xi32>
  %f = lazy.stride %b [1, -1] : tensor<2x2xi32> -> tensor<2x2xi32>
  %v2 = lazy.add %v, %v : tensor<2x2xi32>
  %r = lazy.assign %a, %v2 : tensor<2x2xi32>
  %sum = lazy.add %v, %a : tensor<2x2xi32>
  %s = lazy.assign %f, %sum : tensor<2x2xi32>
  return %r, %s, %x : tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x3xi32>
}
