// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// DEFINE: %{i} = 1
// DEFINE: %{j} = 1
// DEFINE: %{run} = tinygrad-run %s --device %device --opt-level 4

// Programs whose sizes are known when they run, at several values: the smallest
// and largest ones, no elements at all, and ends of vectors and tasks.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/q.npy "np.sin(np.arange(64)).astype('f4').reshape(2, 1, 4, 8)"
// REDEFINE: %{i} = 1
// RUN: %{npy} make %t/k.npy "np.cos(np.arange(64 * %{i})).astype('f4').reshape(2, %{i}, 4, 8)"
// RUN: %{npy} make %t/v.npy "np.sin(np.arange(64 * %{i}) * 3).astype('f4').reshape(2, %{i}, 4, 8)"
// RUN: %{run} --entry attention --bind i=%{i} --input %t/q.npy --input %t/k.npy --input %t/v.npy --output %t/a.npy
// RUN: %{npy} check %t/a.npy "(lambda e: np.einsum('bhqk,bkhd->bhqd', e / e.sum(3, keepdims=True), v))(np.exp(np.einsum('bqhd,bkhd->bhqk', q, k) * np.float32(8 ** -0.5)))" q=%t/q.npy k=%t/k.npy v=%t/v.npy --rtol 1e-4 --atol 1e-6
// REDEFINE: %{i} = 7
// RUN: %{npy} make %t/k.npy "np.cos(np.arange(64 * %{i})).astype('f4').reshape(2, %{i}, 4, 8)"
// RUN: %{npy} make %t/v.npy "np.sin(np.arange(64 * %{i}) * 3).astype('f4').reshape(2, %{i}, 4, 8)"
// RUN: %{run} --entry attention --bind i=%{i} --input %t/q.npy --input %t/k.npy --input %t/v.npy --output %t/a.npy
// RUN: %{npy} check %t/a.npy "(lambda e: np.einsum('bhqk,bkhd->bhqd', e / e.sum(3, keepdims=True), v))(np.exp(np.einsum('bqhd,bkhd->bhqk', q, k) * np.float32(8 ** -0.5)))" q=%t/q.npy k=%t/k.npy v=%t/v.npy --rtol 1e-4 --atol 1e-6
// REDEFINE: %{i} = 10
// RUN: %{npy} make %t/k.npy "np.cos(np.arange(64 * %{i})).astype('f4').reshape(2, %{i}, 4, 8)"
// RUN: %{npy} make %t/v.npy "np.sin(np.arange(64 * %{i}) * 3).astype('f4').reshape(2, %{i}, 4, 8)"
// RUN: %{run} --entry attention --bind i=%{i} --input %t/q.npy --input %t/k.npy --input %t/v.npy --output %t/a.npy
// RUN: %{npy} check %t/a.npy "(lambda e: np.einsum('bhqk,bkhd->bhqd', e / e.sum(3, keepdims=True), v))(np.exp(np.einsum('bqhd,bkhd->bhqk', q, k) * np.float32(8 ** -0.5)))" q=%t/q.npy k=%t/k.npy v=%t/v.npy --rtol 1e-4 --atol 1e-6
// REDEFINE: %{i} = 0
// REDEFINE: %{j} = 3
// RUN: %{npy} make %t/x.npy "np.sin(np.arange(%{i} * %{j})).astype('f4').reshape(%{i}, %{j})"
// RUN: %{npy} make %t/y.npy "np.cos(np.arange(%{i} * %{j})).astype('f4').reshape(%{j}, %{i})"
// RUN: %{run} --entry large --bind i=%{i} --bind j=%{j} --input %t/x.npy --input %t/y.npy --output %t/s.npy --output %t/p.npy
// RUN: %{npy} check %t/p.npy "np.exp2(x + y.T)" x=%t/x.npy y=%t/y.npy --rtol 1e-5
// RUN: %{npy} check %t/s.npy "np.exp2(x + y.T).sum(1, keepdims=True)" x=%t/x.npy y=%t/y.npy --rtol 1e-5
// REDEFINE: %{i} = 1
// REDEFINE: %{j} = 1
// RUN: %{npy} make %t/x.npy "np.sin(np.arange(%{i} * %{j})).astype('f4').reshape(%{i}, %{j})"
// RUN: %{npy} make %t/y.npy "np.cos(np.arange(%{i} * %{j})).astype('f4').reshape(%{j}, %{i})"
// RUN: %{run} --entry large --bind i=%{i} --bind j=%{j} --input %t/x.npy --input %t/y.npy --output %t/s.npy --output %t/p.npy
// RUN: %{npy} check %t/p.npy "np.exp2(x + y.T)" x=%t/x.npy y=%t/y.npy --rtol 1e-5
// RUN: %{npy} check %t/s.npy "np.exp2(x + y.T).sum(1, keepdims=True)" x=%t/x.npy y=%t/y.npy --rtol 1e-5
// REDEFINE: %{i} = 17
// REDEFINE: %{j} = 33
// RUN: %{npy} make %t/x.npy "np.sin(np.arange(%{i} * %{j})).astype('f4').reshape(%{i}, %{j})"
// RUN: %{npy} make %t/y.npy "np.cos(np.arange(%{i} * %{j})).astype('f4').reshape(%{j}, %{i})"
// RUN: %{run} --entry large --bind i=%{i} --bind j=%{j} --input %t/x.npy --input %t/y.npy --output %t/s.npy --output %t/p.npy
// RUN: %{npy} check %t/p.npy "np.exp2(x + y.T)" x=%t/x.npy y=%t/y.npy --rtol 1e-5
// RUN: %{npy} check %t/s.npy "np.exp2(x + y.T).sum(1, keepdims=True)" x=%t/x.npy y=%t/y.npy --rtol 1e-5
// REDEFINE: %{i} = 300
// REDEFINE: %{j} = 600
// RUN: %{npy} make %t/x.npy "np.sin(np.arange(%{i} * %{j})).astype('f4').reshape(%{i}, %{j})"
// RUN: %{npy} make %t/y.npy "np.cos(np.arange(%{i} * %{j})).astype('f4').reshape(%{j}, %{i})"
// RUN: %{run} --entry large --bind i=%{i} --bind j=%{j} --input %t/x.npy --input %t/y.npy --output %t/s.npy --output %t/p.npy
// RUN: %{npy} check %t/p.npy "np.exp2(x + y.T)" x=%t/x.npy y=%t/y.npy --rtol 1e-5
// RUN: %{npy} check %t/s.npy "np.exp2(x + y.T).sum(1, keepdims=True)" x=%t/x.npy y=%t/y.npy --rtol 1e-5
// RUN: %{npy} make %t/h.npy "np.arange(5, dtype='f4')"
// RUN: %{run} --entry halves --bind i=5 --input %t/h.npy --output %t/g.npy
// RUN: %{npy} check %t/g.npy "h[::-2].sum() - h[::-2]" h=%t/h.npy
// RUN: %{npy} make %t/w.npy "np.sin(np.arange(2000)).astype('f4').reshape(40, 50)"
// REDEFINE: %{i} = 1
// RUN: %{npy} make %t/y.npy "np.cos(np.arange(50 * %{i})).astype('f4').reshape(%{i}, 50)"
// RUN: %{run} --entry window --bind i=%{i} --input %t/w.npy --input %t/y.npy --output %t/m.npy
// RUN: %{npy} check %t/m.npy "(w[%{i}:%{i} + 1] + y) @ y.T" w=%t/w.npy y=%t/y.npy --rtol 1e-4 --atol 1e-4
// REDEFINE: %{i} = 16
// RUN: %{npy} make %t/y.npy "np.cos(np.arange(50 * %{i})).astype('f4').reshape(%{i}, 50)"
// RUN: %{run} --entry window --bind i=%{i} --input %t/w.npy --input %t/y.npy --output %t/m.npy
// RUN: %{npy} check %t/m.npy "(w[%{i}:%{i} + 1] + y) @ y.T" w=%t/w.npy y=%t/y.npy --rtol 1e-4 --atol 1e-4
// REDEFINE: %{i} = 39
// RUN: %{npy} make %t/y.npy "np.cos(np.arange(50 * %{i})).astype('f4').reshape(%{i}, 50)"
// RUN: %{run} --entry window --bind i=%{i} --input %t/w.npy --input %t/y.npy --output %t/m.npy
// RUN: %{npy} check %t/m.npy "(w[%{i}:%{i} + 1] + y) @ y.T" w=%t/w.npy y=%t/y.npy --rtol 1e-4 --atol 1e-4

#few = #lazy.variable<i, 1, 10>
#i = #lazy.variable<i, 0, 400>
#j = #lazy.variable<j, 1, 600>
#row = #lazy.variable<i, 1, 39>

func.func @attention(%i: index {lazy.variable = #few}, %q: tensor<2x1x4x8xf32>, %k: tensor<2x?x4x8xf32, #lazy.type<dims = [2, #few, 4, 8]>>, %v: tensor<2x?x4x8xf32, #lazy.type<dims = [2, #few, 4, 8]>>) -> tensor<2x4x1x8xf32> {
  %0 = lazy.permute %q [0, 2, 1, 3] : tensor<2x1x4x8xf32> -> tensor<2x4x1x8xf32>
  %1 = lazy.permute %k [0, 2, 1, 3] : tensor<2x?x4x8xf32, #lazy.type<dims = [2, #few, 4, 8]>> -> tensor<2x4x?x8xf32, #lazy.type<dims = [2, 4, #few, 8]>>
  %2 = lazy.permute %v [0, 2, 1, 3] : tensor<2x?x4x8xf32, #lazy.type<dims = [2, #few, 4, 8]>> -> tensor<2x4x?x8xf32, #lazy.type<dims = [2, 4, #few, 8]>>
  %3 = lazy.permute %1 [0, 1, 3, 2] : tensor<2x4x?x8xf32, #lazy.type<dims = [2, 4, #few, 8]>> -> tensor<2x4x8x?xf32, #lazy.type<dims = [2, 4, 8, #few]>>
  %4 = lazy.reshape %0 : tensor<2x4x1x8xf32> -> tensor<2x4x1x1x8xf32>
  %5 = lazy.expand %4 : tensor<2x4x1x1x8xf32> -> tensor<2x4x1x?x8xf32, #lazy.type<dims = [2, 4, 1, #few, 8]>>
  %6 = lazy.reshape %3 : tensor<2x4x8x?xf32, #lazy.type<dims = [2, 4, 8, #few]>> -> tensor<2x4x1x8x?xf32, #lazy.type<dims = [2, 4, 1, 8, #few]>>
  %7 = lazy.permute %6 [0, 1, 2, 4, 3] : tensor<2x4x1x8x?xf32, #lazy.type<dims = [2, 4, 1, 8, #few]>> -> tensor<2x4x1x?x8xf32, #lazy.type<dims = [2, 4, 1, #few, 8]>>
  %8 = lazy.mul %5, %7 : tensor<2x4x1x?x8xf32, #lazy.type<dims = [2, 4, 1, #few, 8]>>
  %9 = lazy.reduce_sum %8 : tensor<2x4x1x?x8xf32, #lazy.type<dims = [2, 4, 1, #few, 8]>> -> tensor<2x4x1x?x1xf32, #lazy.type<dims = [2, 4, 1, #few, 1]>>
  %10 = lazy.reshape %9 : tensor<2x4x1x?x1xf32, #lazy.type<dims = [2, 4, 1, #few, 1]>> -> tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #few]>>
  %11 = lazy.const dense<0.353553391> : tensor<1x1x1x1xf32>
  %12 = lazy.expand %11 : tensor<1x1x1x1xf32> -> tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #few]>>
  %13 = lazy.mul %10, %12 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #few]>>
  %14 = lazy.reduce_max %13 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #few]>> -> tensor<2x4x1x1xf32>
  %15 = lazy.expand %14 : tensor<2x4x1x1xf32> -> tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #few]>>
  %16 = lazy.sub %13, %15 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #few]>>
  %17 = lazy.exp %16 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #few]>>
  %18 = lazy.reduce_sum %17 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #few]>> -> tensor<2x4x1x1xf32>
  %19 = lazy.recip %18 : tensor<2x4x1x1xf32>
  %20 = lazy.expand %19 : tensor<2x4x1x1xf32> -> tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #few]>>
  %21 = lazy.mul %17, %20 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #few]>>
  %22 = lazy.reshape %21 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #few]>> -> tensor<2x4x1x1x?xf32, #lazy.type<dims = [2, 4, 1, 1, #few]>>
  %23 = lazy.expand %22 : tensor<2x4x1x1x?xf32, #lazy.type<dims = [2, 4, 1, 1, #few]>> -> tensor<2x4x1x8x?xf32, #lazy.type<dims = [2, 4, 1, 8, #few]>>
  %24 = lazy.reshape %2 : tensor<2x4x?x8xf32, #lazy.type<dims = [2, 4, #few, 8]>> -> tensor<2x4x1x?x8xf32, #lazy.type<dims = [2, 4, 1, #few, 8]>>
  %25 = lazy.permute %24 [0, 1, 2, 4, 3] : tensor<2x4x1x?x8xf32, #lazy.type<dims = [2, 4, 1, #few, 8]>> -> tensor<2x4x1x8x?xf32, #lazy.type<dims = [2, 4, 1, 8, #few]>>
  %26 = lazy.mul %23, %25 : tensor<2x4x1x8x?xf32, #lazy.type<dims = [2, 4, 1, 8, #few]>>
  %27 = lazy.reduce_sum %26 : tensor<2x4x1x8x?xf32, #lazy.type<dims = [2, 4, 1, 8, #few]>> -> tensor<2x4x1x8x1xf32>
  %28 = lazy.reshape %27 : tensor<2x4x1x8x1xf32> -> tensor<2x4x1x8xf32>
  return %28 : tensor<2x4x1x8xf32>
}

func.func @large(%i: index {lazy.variable = #i}, %j: index {lazy.variable = #j}, %x: tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>, %y: tensor<?x?xf32, #lazy.type<dims = [#j, #i]>>) -> (tensor<?x1xf32, #lazy.type<dims = [#i, 1]>>, tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>) {
  %0 = lazy.permute %y [1, 0] : tensor<?x?xf32, #lazy.type<dims = [#j, #i]>> -> tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
  %1 = lazy.add %x, %0 : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
  %2 = lazy.exp2 %1 : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
  %3 = lazy.reduce_sum %2 : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>> -> tensor<?x1xf32, #lazy.type<dims = [#i, 1]>>
  return %3, %2 : tensor<?x1xf32, #lazy.type<dims = [#i, 1]>>, tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
}

func.func @window(%i: index {lazy.variable = #row}, %x: tensor<40x50xf32>, %y: tensor<?x50xf32, #lazy.type<dims = [#row, 50]>>) -> tensor<?x?xf32, #lazy.type<dims = [#row, #row]>> {
  %0 = lazy.shrink %x begin [#row, 0] end [#row + 1, 50] : tensor<40x50xf32> -> tensor<1x50xf32>
  %1 = lazy.expand %0 : tensor<1x50xf32> -> tensor<?x50xf32, #lazy.type<dims = [#row, 50]>>
  %2 = lazy.add %1, %y : tensor<?x50xf32, #lazy.type<dims = [#row, 50]>>
  %3 = lazy.permute %y [1, 0] : tensor<?x50xf32, #lazy.type<dims = [#row, 50]>> -> tensor<50x?xf32, #lazy.type<dims = [50, #row]>>
  %4 = lazy.reshape %2 : tensor<?x50xf32, #lazy.type<dims = [#row, 50]>> -> tensor<?x1x50xf32, #lazy.type<dims = [#row, 1, 50]>>
  %5 = lazy.expand %4 : tensor<?x1x50xf32, #lazy.type<dims = [#row, 1, 50]>> -> tensor<?x?x50xf32, #lazy.type<dims = [#row, #row, 50]>>
  %6 = lazy.reshape %3 : tensor<50x?xf32, #lazy.type<dims = [50, #row]>> -> tensor<1x50x?xf32, #lazy.type<dims = [1, 50, #row]>>
  %7 = lazy.permute %6 [0, 2, 1] : tensor<1x50x?xf32, #lazy.type<dims = [1, 50, #row]>> -> tensor<1x?x50xf32, #lazy.type<dims = [1, #row, 50]>>
  %8 = lazy.expand %7 : tensor<1x?x50xf32, #lazy.type<dims = [1, #row, 50]>> -> tensor<?x?x50xf32, #lazy.type<dims = [#row, #row, 50]>>
  %9 = lazy.mul %5, %8 : tensor<?x?x50xf32, #lazy.type<dims = [#row, #row, 50]>>
  %10 = lazy.reduce_sum %9 : tensor<?x?x50xf32, #lazy.type<dims = [#row, #row, 50]>> -> tensor<?x?x1xf32, #lazy.type<dims = [#row, #row, 1]>>
  %11 = lazy.reshape %10 : tensor<?x?x1xf32, #lazy.type<dims = [#row, #row, 1]>> -> tensor<?x?xf32, #lazy.type<dims = [#row, #row]>>
  return %11 : tensor<?x?xf32, #lazy.type<dims = [#row, #row]>>
}

// The size of what is between is rounded up.
func.func @halves(%n: index {lazy.variable = #few}, %x: tensor<?xf32, #lazy.type<dims = [#few]>>) -> tensor<?xf32, #lazy.type<dims = [(#few + 1) floordiv 2]>> {
  %0 = lazy.stride %x [-2] : tensor<?xf32, #lazy.type<dims = [#few]>> -> tensor<?xf32, #lazy.type<dims = [(#few + 1) floordiv 2]>>
  %1 = lazy.neg %0 : tensor<?xf32, #lazy.type<dims = [(#few + 1) floordiv 2]>>
  %2 = lazy.contiguous %1 : tensor<?xf32, #lazy.type<dims = [(#few + 1) floordiv 2]>>
  %3 = lazy.reduce_sum %2 : tensor<?xf32, #lazy.type<dims = [(#few + 1) floordiv 2]>> -> tensor<1xf32>
  %4 = lazy.expand %3 : tensor<1xf32> -> tensor<?xf32, #lazy.type<dims = [(#few + 1) floordiv 2]>>
  %5 = lazy.sub %2, %4 : tensor<?xf32, #lazy.type<dims = [(#few + 1) floordiv 2]>>
  return %5 : tensor<?xf32, #lazy.type<dims = [(#few + 1) floordiv 2]>>
}
