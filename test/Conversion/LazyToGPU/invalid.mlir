// RUN: tinygrad-opt %s --convert-lazy-to-gpu --split-input-file --verify-diagnostics
// RUN: not tinygrad-opt %s --convert-lazy-to-gpu=block-size=0 --split-input-file 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not tinygrad-opt %s --convert-lazy-to-gpu=block-size=1025 --split-input-file 2>&1 | FileCheck %s --check-prefix=BLOCK

// BLOCK: error: expects option `block-size` from 1 to 1024, got {{0|1025}}

func.func @tensors(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'lazy.kernel' op expects operands on memrefs for its lowering; run `lazy-plan-memory` before}}
  %0 = lazy.kernel @k ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %1 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %1, %out <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @plan(%x: memref<64xf32>, %y: memref<64xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects no plan: this lowering makes one work item per stored element}}
  lazy.kernel @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) plan <parallel = [0], tile = [8]> {
  ^bb0(%in: memref<64xf32>, %out: memref<64xf32>):
    %0 = lazy.load %in <[64]> : memref<64xf32> -> tensor<64xf32>
    lazy.store %0, %out <[64]> : tensor<64xf32>, memref<64xf32>
  }
  return
}

// -----

func.func @name(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects a name of letters, digits and `_`, got `a b`}}
  lazy.kernel @"a b" ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

func.func @shapes(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<2xf32>) {
  lazy.kernel @k ins(%x : memref<8xf32>) outs(%y, %z : memref<8xf32>, memref<2xf32>) {
  ^bb0(%in: memref<8xf32>, %out: memref<8xf32>, %other: memref<2xf32>):
    %0 = lazy.load %in <[2, 4]> : memref<8xf32> -> tensor<2x4xf32>
    %1 = lazy.reduce_sum %0 : tensor<2x4xf32> -> tensor<2x1xf32>
    // expected-note@+1 {{the first store has 'tensor<2x4xf32>'}}
    lazy.store %0, %out <[2, 4]> : tensor<2x4xf32>, memref<8xf32>
    // expected-error@+1 {{'lazy.store' op expects the shape of the kernel's first store, got 'tensor<2x1xf32>'}}
    lazy.store %1, %other <[2, 1]> : tensor<2x1xf32>, memref<2xf32>
  }
  return
}

// -----

func.func @blocks(%x: memref<1xf32>, %y: memref<1099511627776xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects at most 2147483647 blocks of 256 work items, got 4294967296}}
  lazy.kernel @k ins(%x : memref<1xf32>) outs(%y : memref<1099511627776xf32>) {
  ^bb0(%in: memref<1xf32>, %out: memref<1099511627776xf32>):
    %0 = lazy.load %in <[1099511627776], strides = [0]> : memref<1xf32> -> tensor<1099511627776xf32>
    lazy.store %0, %out <[1099511627776]> : tensor<1099511627776xf32>, memref<1099511627776xf32>
  }
  return
}

// -----

module {
  module {
    func.func @inner(%x: memref<4xf32>, %y: memref<4xf32>) {
      // expected-error@+1 {{'lazy.kernel' op expects to be in the module that is lowered, not in one inside of it}}
      lazy.kernel @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
      ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
        %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
        lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
      }
      return
    }
  }
}
