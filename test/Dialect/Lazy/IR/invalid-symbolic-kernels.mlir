// RUN: tinygrad-opt %s --split-input-file --verify-diagnostics

#i = #lazy.variable<i, 1, 10>
func.func @kernel_c9(%n: index, %x: memref<?xf32>) {
  // expected-error @+1 {{'lazy.kernel' op expects one value for variable 'i', got two}}
  lazy.kernel @k outs(%x : memref<?xf32>) variables(#i = %n, #i = %n) {
  ^bb0(%out: memref<?xf32>, %a: index, %b: index):
    %c = lazy.const dense<1.0> : tensor<1xf32>
    lazy.store %c, %out <[1]> : tensor<1xf32>, memref<?xf32>
  }
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
func.func @kernel_c10(%x: tensor<12xf32>) {
  %e = lazy.empty : tensor<2xf32>
  // expected-error @+1 {{'lazy.kernel' op expects a value for variable 'i'}}
  %0 = lazy.kernel @k ins(%x : tensor<12xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%in: tensor<12xf32>, %out: tensor<2xf32>):
    // expected-note @+1 {{the variable is used here}}
    %1 = lazy.load %in <[2], offset = #i> : tensor<12xf32> -> tensor<2xf32>
    lazy.store %1, %out <[2]> : tensor<2xf32>, tensor<2xf32>
  } -> tensor<2xf32>
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
#other = #lazy.variable<i, 1, 20>
func.func @kernel_c10_bounds(%n: index, %x: tensor<12xf32>) {
  %e = lazy.empty : tensor<2xf32>
  // expected-error @+1 {{'lazy.kernel' op expects variable 'i' in [1, 20], got [1, 10]}}
  %0 = lazy.kernel @k ins(%x : tensor<12xf32>) outs(%e : tensor<2xf32>) variables(#other = %n) {
  ^bb0(%in: tensor<12xf32>, %out: tensor<2xf32>, %i: index):
    // expected-note @+1 {{the variable is used here}}
    %1 = lazy.load %in <[2], offset = #i> : tensor<12xf32> -> tensor<2xf32>
    lazy.store %1, %out <[2]> : tensor<2xf32>, tensor<2xf32>
  } -> tensor<2xf32>
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
func.func @load_c3(%n: index, %x: memref<11xf32>, %y: memref<2xf32>) {
  lazy.kernel @k ins(%x : memref<11xf32>) outs(%y : memref<2xf32>) variables(#i = %n) {
  ^bb0(%in: memref<11xf32>, %out: memref<2xf32>, %i: index):
    // expected-error @+1 {{'lazy.load' op expects a view that reads no more than the 11 elements of 'memref<11xf32>', got one that reads 12 where i = 10}}
    %1 = lazy.load %in <[2], offset = #i> : memref<11xf32> -> tensor<2xf32>
    lazy.store %1, %out <[2]> : tensor<2xf32>, memref<2xf32>
  }
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
func.func @load_c2(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  lazy.kernel @k ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) variables(#i = %n) {
  ^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
    // expected-error @+1 {{'lazy.load' op expects a value of shape [i + 1], got}}
    %1 = lazy.load %in <[#i + 1]> : memref<?xf32> -> tensor<?xf32, #lazy.type<dims = [#i]>>
    lazy.store %1, %out <[#i]> : tensor<?xf32, #lazy.type<dims = [#i]>>, memref<?xf32>
  }
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
func.func @store_c3(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  lazy.kernel @k ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) variables(#i = %n) {
  ^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
    %1 = lazy.load %in <[4, #i]> : memref<?xf32> -> tensor<4x?xf32, #lazy.type<dims = [4, #i]>>
    // expected-error @+1 {{'lazy.store' op expects one view without a mask that reaches each element once}}
    lazy.store %1, %out <[4, #i], strides = [3, 1]> : tensor<4x?xf32, #lazy.type<dims = [4, #i]>>, memref<?xf32>
  }
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
#j = #lazy.variable<j, 1, 10>
func.func @kernel_c5(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'lazy.kernel' op expects values of one rank whose extents are equal or 1}}
  lazy.kernel @k ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) variables(#i = %n, #j = %n) {
  ^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index, %k: index):
    %0 = lazy.load %in <[#i]> : memref<?xf32> -> tensor<?xf32, #lazy.type<dims = [#i]>>
    // expected-note @+1 {{the value is made or stored here}}
    %1 = lazy.load %in <[#j]> : memref<?xf32> -> tensor<?xf32, #lazy.type<dims = [#j]>>
    lazy.store %1, %out <[#j]> : tensor<?xf32, #lazy.type<dims = [#j]>>, memref<?xf32>
  }
  return
}
