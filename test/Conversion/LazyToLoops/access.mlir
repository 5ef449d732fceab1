// RUN: tinygrad-opt %s --convert-lazy-to-loops --canonicalize --cse --split-input-file | FileCheck %s

// Padding becomes a mask, not a branch.
// CHECK-LABEL: func.func @pad
// CHECK: vector.maskedload %{{.*}} : memref<32xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
// CHECK-NOT: scf.if
func.func @pad(%x: memref<32xf32>, %y: memref<64xf32>) {
  lazy.kernel @k ins(%x : memref<32xf32>) outs(%y : memref<64xf32>) plan <vector = 0 : 8> {
  ^bb0(%in: memref<32xf32>, %out: memref<64xf32>):
    %0 = lazy.load %in <[64], strides = [1], offset = -3, mask = [[3, 35]]> : memref<32xf32> -> tensor<64xf32>
    lazy.store %0, %out <[64]> : tensor<64xf32>, memref<64xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @broadcast
// CHECK: %[[S:.*]] = memref.load %{{.*}} : memref<8xf32>
// CHECK: vector.broadcast %[[S]] : f32 to vector<8xf32>
// CHECK-NOT: vector.gather
func.func @broadcast(%x: memref<8xf32>, %y: memref<64xf32>) {
  lazy.kernel @k ins(%x : memref<8xf32>) outs(%y : memref<64xf32>) plan <vector = 1 : 8> {
  ^bb0(%in: memref<8xf32>, %out: memref<64xf32>):
    %0 = lazy.load %in <[8, 8], strides = [1, 0]> : memref<8xf32> -> tensor<8x8xf32>
    lazy.store %0, %out <[8, 8]> : tensor<8x8xf32>, memref<64xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @strided
// CHECK: vector.gather %{{.*}} : memref<64xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
func.func @strided(%x: memref<64xf32>, %y: memref<64xf32>) {
  lazy.kernel @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) plan <vector = 1 : 8> {
  ^bb0(%in: memref<64xf32>, %out: memref<64xf32>):
    %0 = lazy.load %in <[8, 8], strides = [1, 8]> : memref<64xf32> -> tensor<8x8xf32>
    lazy.store %0, %out <[8, 8]> : tensor<8x8xf32>, memref<64xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @scatter
// CHECK: vector.scatter
func.func @scatter(%x: memref<64xf32>, %y: memref<64xf32>) {
  lazy.kernel @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) plan <vector = 0 : 8> {
  ^bb0(%in: memref<64xf32>, %out: memref<64xf32>):
    %0 = lazy.load %in <[8, 8], strides = [1, 8]> : memref<64xf32> -> tensor<8x8xf32>
    lazy.store %0, %out <[8, 8]> : tensor<8x8xf32>, memref<64xf32>
  }
  return
}

// -----

// Two views: the position goes through a division, all lanes at once.
// CHECK-LABEL: func.func @two_views
// CHECK: arith.divui %{{.*}} : vector<4xi32>
// CHECK: vector.gather
func.func @two_views(%x: memref<12xf32>, %y: memref<12xf32>) {
  lazy.kernel @k ins(%x : memref<12xf32>) outs(%y : memref<12xf32>) plan <vector = 0 : 4> {
  ^bb0(%in: memref<12xf32>, %out: memref<12xf32>):
    %0 = lazy.load %in <[3, 4], strides = [1, 3], then [12]> : memref<12xf32> -> tensor<12xf32>
    lazy.store %0, %out <[12]> : tensor<12xf32>, memref<12xf32>
  }
  return
}

// -----

// A bool is a byte in memory.
// CHECK-LABEL: func.func @bool
// CHECK: vector.load %{{.*}} : memref<16xi8>, vector<8xi8>
// CHECK: arith.cmpi ne, %{{.*}} : vector<8xi8>
// CHECK: arith.extui %{{.*}} : vector<8xi1> to vector<8xi8>
// CHECK: vector.store %{{.*}} : memref<16xi8>, vector<8xi8>
func.func @bool(%x: memref<16xi8>, %y: memref<16xi8>) {
  lazy.kernel @k ins(%x : memref<16xi8>) outs(%y : memref<16xi8>) plan <vector = 0 : 8> {
  ^bb0(%in: memref<16xi8>, %out: memref<16xi8>):
    %0 = lazy.load %in <[16]> : memref<16xi8> -> tensor<16xi1>
    %1 = lazy.not %0 : tensor<16xi1>
    lazy.store %1, %out <[16]> : tensor<16xi1>, memref<16xi8>
  }
  return
}

// -----

// A view of which every element is masked reads no memory.
// CHECK-LABEL: func.func @all_masked
// CHECK-NOT: memref.load
// CHECK: memref.store %cst
func.func @all_masked(%x: memref<0xf32>, %y: memref<4xf32>) {
  lazy.kernel @k ins(%x : memref<0xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: memref<0xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4], strides = [0], mask = [[0, 0]]> : memref<0xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}
