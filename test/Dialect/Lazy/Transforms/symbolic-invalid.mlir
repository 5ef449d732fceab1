// RUN: tinygrad-opt %s --split-input-file --verify-diagnostics --lazy-check-bounds
// RUN: not tinygrad-opt %s --split-input-file --lazy-schedule 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: not tinygrad-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(lazy-materialize-buffers))" 2>&1 | FileCheck %s --check-prefix=MATERIALIZE
// RUN: not tinygrad-opt %s --split-input-file --lazy-autodiff=function=negative_for_some 2>&1 | FileCheck %s --check-prefix=AUTODIFF

#i = #lazy.variable<i, 1, 10>
// AUTODIFF: error: 'lazy.view' op expects sizes that are numbers, and the default device; run `lazy-bind-variables` first to give variables numbers
func.func @negative_for_some(%x: tensor<90xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{expects indices that are not negative, but cannot prove it of index}}
  %0 = lazy.view %x <[2], offset = (#i - 4) * (#i - 4) - 4> : tensor<90xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Negative also where something is read.
#k = #lazy.variable<k, 0, 5>
func.func @not_only_where_empty(%x: tensor<?xf32, #lazy.type<dims = [#k]>>) -> tensor<?xf32, #lazy.type<dims = [#k]>> {
  // expected-error @+1 {{expects indices that are not negative, but cannot prove it of index -k * 6 + k * k + 7}}
  %0 = lazy.view %x <[#k], strides = [0], offset = (#k - 3) * (#k - 3) - 2> : tensor<?xf32, #lazy.type<dims = [#k]>> -> tensor<?xf32, #lazy.type<dims = [#k]>>
  return %0 : tensor<?xf32, #lazy.type<dims = [#k]>>
}

// -----

#i = #lazy.variable<i, 1, 10>
// SCHEDULE: 'lazy.neg' op expects an `index` argument of its function for variable 'i' in [1, 10]
func.func @symbolic(%x: tensor<?xf32, #lazy.type<dims = [#i]>>) -> tensor<?xf32, #lazy.type<dims = [#i]>> {
  %0 = lazy.neg %x : tensor<?xf32, #lazy.type<dims = [#i]>>
  return %0 : tensor<?xf32, #lazy.type<dims = [#i]>>
}

// -----

// MATERIALIZE: 'lazy.copy' op expects an `index` argument of its function for variable 'i' in [1, 10]
#i = #lazy.variable<i, 1, 10>
func.func @symbolic_copy(%x: tensor<?xf32, #lazy.type<device = "CUDA", dims = [#i]>>) -> tensor<?xf32, #lazy.type<dims = [#i]>> {
  %0 = lazy.copy %x : tensor<?xf32, #lazy.type<device = "CUDA", dims = [#i]>> -> tensor<?xf32, #lazy.type<dims = [#i]>>
  return %0 : tensor<?xf32, #lazy.type<dims = [#i]>>
}
