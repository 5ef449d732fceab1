// REQUIRES: numpy
// DEFINE: %{npy} = %python %tinygrad_src_root/test/tools/tinygrad-run/Inputs/npy.py
// DEFINE: %{i} = 1
// DEFINE: %{run} = tinygrad-opt %s --lazy-autodiff=function=scaled_sums -o %t/grad.mlir && tinygrad-run %t/grad.mlir --device %device --entry scaled_sums_grad

// The gradient of a function whose sizes are expressions has the values that it
// has with numbers, at the smallest and the largest ones.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %{npy} make %t/w.npy "np.cos(np.arange(3)).astype('f4').reshape(1, 3)"
// REDEFINE: %{i} = 1
// RUN: %{npy} make %t/x.npy "np.sin(np.arange(%{i} * 3)).astype('f4').reshape(%{i}, 3)"
// RUN: %{npy} make %t/g.npy "np.cos(np.arange(%{i}) * 2).astype('f4').reshape(%{i}, 1)"
// RUN: %{run} --bind i=%{i} --input %t/x.npy --input %t/w.npy --input %t/g.npy --output %t/dx.npy --output %t/dw.npy
// RUN: %{npy} check %t/dx.npy "g * w" g=%t/g.npy w=%t/w.npy --rtol 1e-5
// RUN: %{npy} check %t/dw.npy "(g * x).sum(0, keepdims=True)" g=%t/g.npy x=%t/x.npy --rtol 1e-5
// REDEFINE: %{i} = 10
// RUN: %{npy} make %t/x.npy "np.sin(np.arange(%{i} * 3)).astype('f4').reshape(%{i}, 3)"
// RUN: %{npy} make %t/g.npy "np.cos(np.arange(%{i}) * 2).astype('f4').reshape(%{i}, 1)"
// RUN: %{run} --bind i=%{i} --input %t/x.npy --input %t/w.npy --input %t/g.npy --output %t/dx.npy --output %t/dw.npy
// RUN: %{npy} check %t/dx.npy "g * w" g=%t/g.npy w=%t/w.npy --rtol 1e-5
// RUN: %{npy} check %t/dw.npy "(g * x).sum(0, keepdims=True)" g=%t/g.npy x=%t/x.npy --rtol 1e-5 --atol 1e-6

#i = #lazy.variable<i, 1, 10>
func.func @scaled_sums(%i: index {lazy.variable = #i}, %x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>, %w: tensor<1x3xf32>) -> tensor<?x1xf32, #lazy.type<dims = [#i, 1]>> {
  %0 = lazy.expand %w : tensor<1x3xf32> -> tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
  %1 = lazy.mul %x, %0 : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
  %2 = lazy.reduce_sum %1 : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<?x1xf32, #lazy.type<dims = [#i, 1]>>
  return %2 : tensor<?x1xf32, #lazy.type<dims = [#i, 1]>>
}
