// RUN: tinygrad-opt %s --convert-lazy-to-loops --canonicalize --cse --split-input-file | FileCheck %s

// A matmul: 3 rows of tasks by 2 columns of tasks; both factors are packed; the
// tile of 12 x 32 sums is 24 vectors that the loop over products carries.
// CHECK-LABEL: func.func @matmul
// CHECK: scf.parallel (%{{.*}}) = (%c0{{.*}}) to (%c6{{.*}}) step
// CHECK-DAG: %[[LEFT:.*]] = memref.alloca() {alignment = 64 : i64} : memref<73728xf32>
// CHECK-DAG: %[[RIGHT:.*]] = memref.alloca() {alignment = 64 : i64} : memref<98304xf32>
// CHECK: vector.store %{{.*}}, %[[RIGHT]]
// CHECK: vector.store %{{.*}}, %[[LEFT]]
// CHECK: %{{.*}}:24 = scf.for %{{.*}} iter_args(
// CHECK-SAME: (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-2: vector.load %[[RIGHT]]
// CHECK-COUNT-24: math.fma %{{.*}} : vector<16xf32>
// CHECK-NOT: math.fma
func.func @matmul(%a: memref<262144xf32>, %b: memref<262144xf32>, %c: memref<262144xf32>) {
  lazy.kernel @matmul ins(%a, %b : memref<262144xf32>, memref<262144xf32>) outs(%c : memref<262144xf32>) plan <contract = [0] x [1] x [2], width = 16, register = [12, 32], block = [192, 256, 384]> {
  ^bb0(%x: memref<262144xf32>, %y: memref<262144xf32>, %z: memref<262144xf32>):
    %0 = lazy.load %x <[512, 512, 512], strides = [512, 0, 1]> : memref<262144xf32> -> tensor<512x512x512xf32>
    %1 = lazy.load %y <[512, 512, 512], strides = [0, 1, 512]> : memref<262144xf32> -> tensor<512x512x512xf32>
    %2 = lazy.mul %0, %1 : tensor<512x512x512xf32>
    %3 = lazy.reduce_sum %2 : tensor<512x512x512xf32> -> tensor<512x512x1xf32>
    lazy.store %3, %z <[512, 512, 1]> : tensor<512x512x1xf32>, memref<262144xf32>
  }
  return
}

// -----

// Another register tile in the plan's text: other loops.
// CHECK-LABEL: func.func @small_tile
// CHECK: %{{.*}}:4 = scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// What follows the sum is computed on the sums.
// CHECK: arith.maximumf %{{.*}} : vector<8xf32>
// CHECK: vector.store
func.func @small_tile(%a: memref<4096xf32>, %b: memref<4096xf32>, %c: memref<4096xf32>) {
  lazy.kernel @matmul ins(%a, %b : memref<4096xf32>, memref<4096xf32>) outs(%c : memref<4096xf32>) plan <contract = [0] x [1] x [2], width = 8, register = [4, 8], block = [64, 64, 64]> {
  ^bb0(%x: memref<4096xf32>, %y: memref<4096xf32>, %z: memref<4096xf32>):
    %0 = lazy.load %x <[64, 64, 64], strides = [64, 0, 1]> : memref<4096xf32> -> tensor<64x64x64xf32>
    %1 = lazy.load %y <[64, 64, 64], strides = [0, 1, 64]> : memref<4096xf32> -> tensor<64x64x64xf32>
    %2 = lazy.mul %0, %1 : tensor<64x64x64xf32>
    %3 = lazy.reduce_sum %2 : tensor<64x64x64xf32> -> tensor<64x64x1xf32>
    %4 = lazy.const dense<0.0> : tensor<64x64x1xf32>
    %5 = lazy.max %3, %4 : tensor<64x64x1xf32>
    lazy.store %5, %z <[64, 64, 1]> : tensor<64x64x1xf32>, memref<4096xf32>
  }
  return
}

// -----

// Rows and columns past the end are neither read nor written.
// CHECK-LABEL: func.func @ragged
// CHECK: vector.maskedload
// CHECK: scf.if
// CHECK: vector.maskedstore
func.func @ragged(%a: memref<45xf32>, %b: memref<99xf32>, %c: memref<55xf32>) {
  lazy.kernel @matmul ins(%a, %b : memref<45xf32>, memref<99xf32>) outs(%c : memref<55xf32>) plan <contract = [0] x [1] x [2], width = 8, register = [4, 8], block = [8, 16, 16]> {
  ^bb0(%x: memref<45xf32>, %y: memref<99xf32>, %z: memref<55xf32>):
    %0 = lazy.load %x <[5, 11, 9], strides = [9, 0, 1]> : memref<45xf32> -> tensor<5x11x9xf32>
    %1 = lazy.load %y <[5, 11, 9], strides = [0, 1, 11]> : memref<99xf32> -> tensor<5x11x9xf32>
    %2 = lazy.mul %0, %1 : tensor<5x11x9xf32>
    %3 = lazy.reduce_sum %2 : tensor<5x11x9xf32> -> tensor<5x11x1xf32>
    lazy.store %3, %z <[5, 11, 1]> : tensor<5x11x1xf32>, memref<55xf32>
  }
  return
}

// -----

// A convolution through views: the image is the right factor, gathered while
// it is packed; the batch is an axis of tasks.
// CHECK-LABEL: func.func @convolution
// CHECK: scf.parallel (%{{.*}}) = (%c0{{.*}}) to (%c2{{.*}}) step
// CHECK: arith.divui %{{.*}} : vector<8xi32>
// CHECK: vector.gather
// CHECK: scf.for {{.*}} iter_args(
// CHECK: math.fma %{{.*}} : vector<8xf32>
func.func @convolution(%image: memref<128xf32>, %weight: memref<36xf32>, %result: memref<288xf32>) {
  lazy.kernel @conv ins(%image, %weight : memref<128xf32>, memref<36xf32>) outs(%result : memref<288xf32>) plan <contract = [1] x [2, 3] x [4, 5], width = 8, register = [4, 8], block = [4, 40, 16]> {
  ^bb0(%x: memref<128xf32>, %w: memref<36xf32>, %y: memref<288xf32>):
    %0 = lazy.load %x <[2, 4, 6, 6, 3, 3], strides = [64, 0, 8, 1, 8, 1]> : memref<128xf32> -> tensor<2x4x6x6x3x3xf32>
    %1 = lazy.load %w <[2, 4, 6, 6, 3, 3], strides = [0, 9, 0, 0, 3, 1]> : memref<36xf32> -> tensor<2x4x6x6x3x3xf32>
    %2 = lazy.mul %0, %1 : tensor<2x4x6x6x3x3xf32>
    %3 = lazy.reduce_sum %2 : tensor<2x4x6x6x3x3xf32> -> tensor<2x4x6x6x1x1xf32>
    lazy.store %3, %y <[2, 4, 6, 6, 1, 1]> : tensor<2x4x6x6x1x1xf32>, memref<288xf32>
  }
  return
}
