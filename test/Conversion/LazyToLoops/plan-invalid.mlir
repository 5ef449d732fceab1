// RUN: tinygrad-opt %s --convert-lazy-to-loops --split-input-file --verify-diagnostics

func.func @parallel_reduced(%x: memref<512xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{'lazy.kernel' op cannot obey the field `parallel` of its plan: axis 1 is reduced}}
  lazy.kernel @k ins(%x : memref<512xf32>) outs(%y : memref<8xf32>) plan <parallel = [1], tile = [8]> {
  ^bb0(%in: memref<512xf32>, %out: memref<8xf32>):
    %0 = lazy.load %in <[8, 64]> : memref<512xf32> -> tensor<8x64xf32>
    %1 = lazy.reduce_sum %0 : tensor<8x64xf32> -> tensor<8x1xf32>
    lazy.store %1, %out <[8, 1]> : tensor<8x1xf32>, memref<8xf32>
  }
  return
}

// -----

func.func @contract_no_product(%x: memref<512xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{'lazy.kernel' op cannot obey the field `contract` of its plan: the kernel sums no product}}
  lazy.kernel @k ins(%x : memref<512xf32>) outs(%y : memref<8xf32>) plan <contract = [0] x [] x [1], width = 8, register = [4, 8], block = [8, 8, 64]> {
  ^bb0(%in: memref<512xf32>, %out: memref<8xf32>):
    %0 = lazy.load %in <[8, 64]> : memref<512xf32> -> tensor<8x64xf32>
    %1 = lazy.reduce_sum %0 : tensor<8x64xf32> -> tensor<8x1xf32>
    lazy.store %1, %out <[8, 1]> : tensor<8x1xf32>, memref<8xf32>
  }
  return
}

// -----

func.func @contract_not_reduced(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  // expected-error@+1 {{'lazy.kernel' op cannot obey the field `contract` of its plan: axis 1 is not reduced}}
  lazy.kernel @k ins(%x, %y : memref<64xf32>, memref<64xf32>) outs(%z : memref<64xf32>) plan <contract = [0] x [2] x [1], width = 8, register = [4, 8], block = [8, 8, 8]> {
  ^bb0(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>):
    %0 = lazy.load %a <[8, 8, 8], strides = [8, 0, 1]> : memref<64xf32> -> tensor<8x8x8xf32>
    %1 = lazy.load %b <[8, 8, 8], strides = [0, 1, 8]> : memref<64xf32> -> tensor<8x8x8xf32>
    %2 = lazy.mul %0, %1 : tensor<8x8x8xf32>
    %3 = lazy.reduce_sum %2 : tensor<8x8x8xf32> -> tensor<8x8x1xf32>
    lazy.store %3, %c <[8, 8, 1]> : tensor<8x8x1xf32>, memref<64xf32>
  }
  return
}

// -----

func.func @contract_wrong_axes(%x: memref<64xf32>, %y: memref<512xf32>, %z: memref<64xf32>) {
  // expected-error@+1 {{'lazy.kernel' op cannot obey the field `contract` of its plan: no factor varies along the rows alone and the other along the columns alone}}
  lazy.kernel @k ins(%x, %y : memref<64xf32>, memref<512xf32>) outs(%z : memref<64xf32>) plan <contract = [0] x [1] x [2], width = 8, register = [4, 8], block = [8, 8, 8]> {
  ^bb0(%a: memref<64xf32>, %b: memref<512xf32>, %c: memref<64xf32>):
    %0 = lazy.load %a <[8, 8, 8], strides = [8, 0, 1]> : memref<64xf32> -> tensor<8x8x8xf32>
    %1 = lazy.load %b <[8, 8, 8]> : memref<512xf32> -> tensor<8x8x8xf32>
    %2 = lazy.mul %0, %1 : tensor<8x8x8xf32>
    %3 = lazy.reduce_sum %2 : tensor<8x8x8xf32> -> tensor<8x8x1xf32>
    lazy.store %3, %c <[8, 8, 1]> : tensor<8x8x1xf32>, memref<64xf32>
  }
  return
}

// -----

func.func @block_width(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  // expected-error@+1 {{'lazy.kernel' op cannot obey the field `block` of its plan: its 12 products are no multiple of the vector width 8}}
  lazy.kernel @k ins(%x, %y : memref<64xf32>, memref<64xf32>) outs(%z : memref<64xf32>) plan <contract = [0] x [1] x [2], width = 8, register = [4, 8], block = [8, 8, 12]> {
  ^bb0(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>):
    %0 = lazy.load %a <[8, 8, 8], strides = [8, 0, 1]> : memref<64xf32> -> tensor<8x8x8xf32>
    %1 = lazy.load %b <[8, 8, 8], strides = [0, 1, 8]> : memref<64xf32> -> tensor<8x8x8xf32>
    %2 = lazy.mul %0, %1 : tensor<8x8x8xf32>
    %3 = lazy.reduce_sum %2 : tensor<8x8x8xf32> -> tensor<8x8x1xf32>
    lazy.store %3, %c <[8, 8, 1]> : tensor<8x8x1xf32>, memref<64xf32>
  }
  return
}

// -----

func.func @block_too_large(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  // expected-error@+1 {{'lazy.kernel' op cannot obey the field `block` of its plan: it packs 131072000 bytes, more than 4194304}}
  lazy.kernel @k ins(%x, %y : memref<64xf32>, memref<64xf32>) outs(%z : memref<64xf32>) plan <contract = [0] x [1] x [2], width = 8, register = [4, 8], block = [4000, 4000, 4096]> {
  ^bb0(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>):
    %0 = lazy.load %a <[8, 8, 8], strides = [8, 0, 1]> : memref<64xf32> -> tensor<8x8x8xf32>
    %1 = lazy.load %b <[8, 8, 8], strides = [0, 1, 8]> : memref<64xf32> -> tensor<8x8x8xf32>
    %2 = lazy.mul %0, %1 : tensor<8x8x8xf32>
    %3 = lazy.reduce_sum %2 : tensor<8x8x8xf32> -> tensor<8x8x1xf32>
    lazy.store %3, %c <[8, 8, 1]> : tensor<8x8x1xf32>, memref<64xf32>
  }
  return
}

// -----

func.func @parallel_contraction(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  // expected-error@+1 {{'lazy.kernel' op cannot obey the field `parallel` of its plan: the blocks of a contraction are its tasks already}}
  lazy.kernel @k ins(%x, %y : memref<64xf32>, memref<64xf32>) outs(%z : memref<64xf32>) plan <parallel = [0], tile = [1], contract = [0] x [1] x [2], width = 8, register = [4, 8], block = [8, 8, 8]> {
  ^bb0(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>):
    %0 = lazy.load %a <[8, 8, 8], strides = [8, 0, 1]> : memref<64xf32> -> tensor<8x8x8xf32>
    %1 = lazy.load %b <[8, 8, 8], strides = [0, 1, 8]> : memref<64xf32> -> tensor<8x8x8xf32>
    %2 = lazy.mul %0, %1 : tensor<8x8x8xf32>
    %3 = lazy.reduce_sum %2 : tensor<8x8x8xf32> -> tensor<8x8x1xf32>
    lazy.store %3, %c <[8, 8, 1]> : tensor<8x8x1xf32>, memref<64xf32>
  }
  return
}

// -----

func.func @two_reduces(%x: memref<64xf32>, %y: memref<1xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects one reduce for this lowering, got two}}
  lazy.kernel @k ins(%x : memref<64xf32>) outs(%y : memref<1xf32>) {
  ^bb0(%in: memref<64xf32>, %out: memref<1xf32>):
    %0 = lazy.load %in <[8, 8]> : memref<64xf32> -> tensor<8x8xf32>
    %1 = lazy.reduce_sum %0 : tensor<8x8xf32> -> tensor<8x1xf32>
    // expected-note@+1 {{the second is here}}
    %2 = lazy.reduce_max %1 : tensor<8x1xf32> -> tensor<1x1xf32>
    lazy.store %2, %out <[1, 1]> : tensor<1x1xf32>, memref<1xf32>
  }
  return
}

// -----

func.func @narrow_store(%x: memref<64xf32>, %y: memref<1xf32>, %z: memref<64xf32>) {
  lazy.kernel @k ins(%x : memref<64xf32>) outs(%y, %z : memref<1xf32>, memref<64xf32>) {
  ^bb0(%in: memref<64xf32>, %one: memref<1xf32>, %out: memref<64xf32>):
    %0 = lazy.load %in <[64]> : memref<64xf32> -> tensor<64xf32>
    %1 = lazy.const dense<1.0> : tensor<1xf32>
    // expected-error@+1 {{'lazy.store' op expects extent 64 along axis 0, which is not reduced, got 1}}
    lazy.store %1, %one <[1]> : tensor<1xf32>, memref<1xf32>
    lazy.store %0, %out <[64]> : tensor<64xf32>, memref<64xf32>
  }
  return
}

// -----

func.func @on_tensors(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'lazy.kernel' op expects operands on memrefs for its lowering; run `lazy-plan-memory` before}}
  %r = lazy.kernel @k ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @store_along_reduced(%x: memref<12xf32>, %y: memref<12xf32>, %z: memref<4xf32>) {
  lazy.kernel @k ins(%x : memref<12xf32>) outs(%y, %z : memref<12xf32>, memref<4xf32>) {
  ^bb0(%in: memref<12xf32>, %all: memref<12xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4, 3]> : memref<12xf32> -> tensor<4x3xf32>
    %1 = lazy.reduce_sum %0 : tensor<4x3xf32> -> tensor<4x1xf32>
    // expected-error@+1 {{'lazy.store' op expects extent 1 along axis 1, which is reduced, got 3}}
    lazy.store %0, %all <[4, 3]> : tensor<4x3xf32>, memref<12xf32>
    lazy.store %1, %out <[4, 1]> : tensor<4x1xf32>, memref<4xf32>
  }
  return
}

// -----

func.func @contraction_stores_a_factor(%x: memref<64xf32>, %y: memref<512xf32>, %z: memref<64xf32>) {
  lazy.kernel @k ins(%x : memref<64xf32>) outs(%y, %z : memref<512xf32>, memref<64xf32>) plan <contract = [0] x [1] x [2], width = 8, register = [4, 8], block = [8, 8, 8]> {
  ^bb0(%in: memref<64xf32>, %all: memref<512xf32>, %out: memref<64xf32>):
    %0 = lazy.load %in <[8, 8, 8], strides = [8, 0, 1]> : memref<64xf32> -> tensor<8x8x8xf32>
    %1 = lazy.load %in <[8, 8, 8], strides = [0, 1, 8]> : memref<64xf32> -> tensor<8x8x8xf32>
    %2 = lazy.mul %0, %1 : tensor<8x8x8xf32>
    %3 = lazy.reduce_sum %2 : tensor<8x8x8xf32> -> tensor<8x8x1xf32>
    // expected-error@+1 {{'lazy.store' op expects extent 1 along axis 2, which is reduced, got 8}}
    lazy.store %0, %all <[8, 8, 8]> : tensor<8x8x8xf32>, memref<512xf32>
    lazy.store %3, %out <[8, 8, 1]> : tensor<8x8x1xf32>, memref<64xf32>
  }
  return
}

// -----

func.func @contract_bool(%x: memref<64xi8>, %y: memref<64xi8>, %z: memref<64xi8>) {
  // expected-error@+1 {{'lazy.kernel' op cannot obey the field `contract` of its plan: products of bools are not packed}}
  lazy.kernel @k ins(%x, %y : memref<64xi8>, memref<64xi8>) outs(%z : memref<64xi8>) plan <contract = [0] x [1] x [2], width = 8, register = [4, 8], block = [8, 8, 8]> {
  ^bb0(%a: memref<64xi8>, %b: memref<64xi8>, %c: memref<64xi8>):
    %0 = lazy.load %a <[8, 8, 8], strides = [8, 0, 1]> : memref<64xi8> -> tensor<8x8x8xi1>
    %1 = lazy.load %b <[8, 8, 8], strides = [0, 1, 8]> : memref<64xi8> -> tensor<8x8x8xi1>
    %2 = lazy.mul %0, %1 : tensor<8x8x8xi1>
    %3 = lazy.reduce_sum %2 : tensor<8x8x8xi1> -> tensor<8x8x1xi1>
    lazy.store %3, %c <[8, 8, 1]> : tensor<8x8x1xi1>, memref<64xi8>
  }
  return
}
