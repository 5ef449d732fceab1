// RUN: tinygrad-opt %s --split-input-file --verify-diagnostics

func.func @kernel_c1_results(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects a result of type 'tensor<4x3xf32>', got 'tensor<12xf32>'}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<12xf32>
  return
}

// -----

func.func @kernel_c1_count(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects 1 results, got 0}}
  lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    }
  return
}

// -----

func.func @kernel_c1_mixed(%m: memref<12xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects operands that are all tensors or all memrefs}}
  lazy.kernel @k ins(%m : memref<12xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: memref<12xf32>, %out: tensor<4x3xf32>):
    }
  return
}

// -----

func.func @kernel_c2(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects block arguments with the types of the operands}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<12xf32>, %out: tensor<4x3xf32>):
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel_c3(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects elementwise, reduce, const, load and store operations in its body, and expands of constants, got `lazy.reshape`}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-note@+1 {{the operation is here}}
      %1 = lazy.reshape %0 : tensor<4x3xf32> -> tensor<12xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel_c4_none(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects one store into init 0, got 0}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel_c4_twice(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects one store into init 0, got 2}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel_c5(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects values of one rank whose extents are equal or 1, got 'tensor<2x3xf32>'}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-note@+1 {{the value is made or stored here}}
      %1 = lazy.load %in <[2, 3]> : tensor<4x3xf32> -> tensor<2x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel_c6(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects `parallel` to name axes below 2, got 2}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) plan <parallel = [2], tile = [1]> {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel_c6_vector(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects `vector` to name axes below 2, got 2}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) plan <vector = 2 : 4> {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @load_c1(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-error@+1 {{'lazy.load' op expects an argument of the kernel's body}}
      %1 = lazy.load %0 <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %1, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @load_c2(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
  // expected-error@+1 {{'lazy.load' op expects a value of shape [3, 4], got 'tensor<4x3xf32>'}}
      %0 = lazy.load %in <[3, 4]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @load_c2_type(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
  // expected-error@+1 {{'lazy.load' op expects elements of 'tensor<4x3xi32>' to lie in 'tensor<4x3xf32>'}}
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xi32>
      %1 = lazy.cast %0 : tensor<4x3xi32> -> tensor<4x3xf32>
      lazy.store %1, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @load_c3(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
  // expected-error@+1 {{'lazy.load' op expects a view of no more than the 12 elements of 'tensor<4x3xf32>', got one of 13}}
      %0 = lazy.load %in <[4, 3], offset = 1> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @store_c1(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-error@+1 {{'lazy.store' op expects an argument of the kernel's body that stands for an init}}
      lazy.store %0, %in <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @store_c2(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-error@+1 {{'lazy.store' op expects a value of shape [3, 4], got 'tensor<4x3xf32>'}}
      lazy.store %0, %out <[3, 4]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @store_c3(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-error@+1 {{'lazy.store' op expects one view without a mask that reaches each element once}}
      lazy.store %0, %out <[4, 3], strides = [1, 1]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @store_c3_mask(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-error@+1 {{'lazy.store' op expects one view without a mask that reaches each element once}}
      lazy.store %0, %out <[4, 3], mask = [[0, 4], [0, 2]]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel_c3_argument(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects its arguments to be read by loads alone, got `lazy.neg`}}
  %r = lazy.kernel @k ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
      // expected-note@+1 {{the operation is here}}
      %0 = lazy.neg %in : tensor<4xf32>
      lazy.store %0, %out <[4]> : tensor<4xf32>, tensor<4xf32>
    } -> tensor<4xf32>
  return
}

// -----

func.func @kernel_c3_stored_argument(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects its arguments to be read by loads alone, got `lazy.store`}}
  %r = lazy.kernel @k ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
      // expected-note@+1 {{the operation is here}}
      lazy.store %in, %out <[4]> : tensor<4xf32>, tensor<4xf32>
    } -> tensor<4xf32>
  return
}

// -----

func.func @kernel_c7(%x: memref<4xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects init 0 to be memory that no other operand names}}
  lazy.kernel @k ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4], strides = [-1], offset = 3> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}
