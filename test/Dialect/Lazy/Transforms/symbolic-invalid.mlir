// RUN: tinygrad-opt %s --split-input-file --verify-diagnostics --lazy-check-bounds
// RUN: not tinygrad-opt %s --split-input-file --lazy-schedule 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: not tinygrad-opt %s --split-input-file --lazy-autodiff=function=symbolic 2>&1 | FileCheck %s --check-prefix=AUTODIFF

#i = #lazy.variable<i, 1, 10>
func.func @negative_for_some(%x: tensor<20xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{expects indices that are not negative, but cannot prove it of index -i + 2}}
  %0 = lazy.view %x <[2], offset = 2 - #i> : tensor<20xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

#i = #lazy.variable<i, 1, 10>
// SCHEDULE: expects sizes that are numbers, and the default device, to be scheduled; `lazy-bind-variables` gives variables numbers
// AUTODIFF: expects sizes that are numbers, and the default device, to be differentiated
func.func @symbolic(%x: tensor<?xf32, #lazy.type<dims = [#i]>>) -> tensor<?xf32, #lazy.type<dims = [#i]>> {
  %0 = lazy.neg %x : tensor<?xf32, #lazy.type<dims = [#i]>>
  return %0 : tensor<?xf32, #lazy.type<dims = [#i]>>
}
