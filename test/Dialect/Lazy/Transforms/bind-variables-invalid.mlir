// RUN: tinygrad-opt %s --lazy-bind-variables=values=i=4 --split-input-file --verify-diagnostics
// RUN: not tinygrad-opt %s --split-input-file --lazy-bind-variables=values=i 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not tinygrad-opt %s --split-input-file --lazy-bind-variables=values=i=1,i=2 2>&1 | FileCheck %s --check-prefix=TWICE

// TEXT: expects `values` as in `i=4`, got `i`
// TWICE: expects one value for variable 'i', got two

// expected-error @+1 {{expects variable 'i' in [5, 9], got 4}}
module {
  func.func private @outside(tensor<?xf32, #lazy.type<dims = [#lazy.variable<i, 5, 9>]>>)
}

// -----

// expected-error @+1 {{expects `values` to name variables of the module, got 'i'}}
module {
  func.func private @no_such_variable(tensor<3xf32>)
}

// -----

#i = #lazy.variable<i, 1, 9>
func.func private @callee(%n: index {lazy.variable = #i})
func.func @called(%n: index) {
  // expected-error @+1 {{calls a function that binds a variable; `lazy-bind-variables` cannot change it}}
  call @callee(%n) : (index) -> ()
  return
}

// -----

#i = #lazy.variable<i, 1, 9>
// The index is only negative for sizes in between.
// expected-error @+1 {{expects no negative index, got -4}}
module {
  func.func @negative_index(%x: tensor<90xf32>) -> tensor<2xf32> {
    %0 = lazy.view %x <[2], strides = [1], offset = (#i - 4) * (#i - 4) - 4> : tensor<90xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// -----

// expected-error @+1 {{expects one range for variable 'i', got two}}
module {
  func.func private @two_ranges(tensor<?xf32, #lazy.type<dims = [#lazy.variable<i, 1, 9>]>>,
                                tensor<?xf32, #lazy.type<dims = [#lazy.variable<i, 1, 8>]>>)
}
