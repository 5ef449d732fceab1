// REQUIRES: numpy
// RUN: rm -rf %t && mkdir -p %t
// RUN: %python %S/Inputs/npy.py make %t/x.npy "np.arange(6, dtype='f4').reshape(2, 3)"
// RUN: tinygrad-run %s --input %t/x.npy --bind i=2 | FileCheck %s
// RUN: not tinygrad-run %s --input %t/x.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tinygrad-run %s --input %t/x.npy --bind i=11 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tinygrad-run %s --input %t/x.npy --bind i=2 --bind k=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tinygrad-run %s --input %t/x.npy --bind i=2 --bind i=3 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tinygrad-run %s --input %t/x.npy --bind i=two 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tinygrad-run %s --input %t/x.npy --bind i=3 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not tinygrad-run %s --entry unbound --input %t/x.npy 2>&1 | FileCheck %s --check-prefix=UNBOUND

// CHECK: result 0: float32 [3, 2]
// MISSING: error: expects a value for variable 'i'
// OUTSIDE: error: expects variable 'i' in [1, 10], got 11
// UNKNOWN: error: expects values for variables of the program, got one for 'k'
// TWICE: error: expects one --bind for variable 'i', got two
// NUMBER: error: expects --bind as in i=4, got `i=two`
// SHAPE: x.npy: expects float32 [3, 3] for argument 0 of function `main`, got float32 [2, 3]
// UNBOUND: error: 'lazy.neg' op expects an `index` argument of its function for variable 'i' in [1, 10]

#i = #lazy.variable<i, 1, 10>

func.func @main(%n: index {lazy.variable = #i}, %x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>) -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>> {
  %0 = lazy.permute %x [1, 0] : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  return %0 : tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
}

func.func @unbound(%x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>) -> tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> {
  %0 = lazy.neg %x : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
  return %0 : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
}
