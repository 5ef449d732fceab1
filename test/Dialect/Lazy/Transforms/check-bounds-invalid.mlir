// Programs that do not verify: the verifiers refuse the same accesses.
// RUN: tinygrad-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --verify-each=false --lazy-check-bounds --split-input-file --verify-diagnostics

func.func @load(%x: memref<12xf32>, %y: memref<13xf32>) {
  lazy.kernel @copy ins(%x : memref<12xf32>) outs(%y : memref<13xf32>) {
  ^bb0(%in: memref<12xf32>, %out: memref<13xf32>):
    // expected-error@+1 {{'lazy.load' op expects indices inside of the 12 elements of 'memref<12xf32>', but cannot exclude index 12}}
    %0 = lazy.load %in <[13]> : memref<12xf32> -> tensor<13xf32>
    lazy.store %0, %out <[13]> : tensor<13xf32>, memref<13xf32>
  }
  return
}

// -----

func.func @store(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = lazy.empty : tensor<4xf32>
  %k = lazy.kernel @spread ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    // expected-error@+1 {{'lazy.store' op expects indices inside of the 4 elements of 'tensor<4xf32>', but cannot exclude index 6}}
    lazy.store %0, %out <[4], strides = [2]> : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  return %k : tensor<4xf32>
}

// -----

func.func @view(%x: tensor<4x3xf32>) -> tensor<6xf32> {
  // The pad reaches one element more than there are.
  // expected-error@+1 {{'lazy.view' op expects indices inside of the 12 elements of 'tensor<4x3xf32>', but cannot exclude index 12}}
  %v = lazy.view %x <[3, 5], strides = [1, 3], offset = -2, mask = [[2, 3], [0, 5]], then [6], strides = [1], offset = 9> : tensor<4x3xf32> -> tensor<6xf32>
  return %v : tensor<6xf32>
}

// -----

func.func @as_strided(%x: tensor<12xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // expected-error@+1 {{'lazy.as_strided' op expects indices inside of the 12 elements of 'tensor<12xf32>', but cannot exclude index -1}}
  %a = lazy.as_strided %x [-2] offset 3 : tensor<12xf32> -> tensor<3xf32>
  // expected-error@+1 {{'lazy.as_strided' op expects indices inside of the 12 elements of 'tensor<12xf32>', but cannot exclude index 13}}
  %b = lazy.as_strided %x [5] offset 3 : tensor<12xf32> -> tensor<3xf32>
  return %a, %b : tensor<3xf32>, tensor<3xf32>
}

// -----

// The index expression shows what the first view by itself does not: the view
// stays inside, though the verifier, which judges each view, refuses it.
func.func @by_the_index(%x: tensor<6xf32>) -> tensor<5xf32> {
  %v = lazy.view %x <[12], then [5], strides = [1], offset = 1> : tensor<6xf32> -> tensor<5xf32>
  return %v : tensor<5xf32>
}
