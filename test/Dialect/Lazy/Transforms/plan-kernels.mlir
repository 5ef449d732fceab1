// RUN: tinygrad-opt %s --lazy-plan-kernels=vector-bits=512 | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: tinygrad-opt %s --lazy-plan-kernels=vector-bits=256 | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: not tinygrad-opt %s --lazy-plan-kernels=vector-bits=100 2>&1 | FileCheck %s --check-prefix=BITS

// BITS: error: expects option `vector-bits` to be a power of two from 64 to 4096, got 100

// Work for one thread stays one task.
// WIDE: lazy.kernel @e_4096 {{.*}} plan <vector = 0 : 16, unroll = 4>
// NARROW: lazy.kernel @e_4096 {{.*}} plan <vector = 0 : 8, unroll = 4>
func.func @elementwise(%x: memref<4096xf32>, %y: memref<4096xf32>) {
  lazy.kernel @e_4096 ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%in: memref<4096xf32>, %out: memref<4096xf32>):
    %0 = lazy.load %in <[4096]> : memref<4096xf32> -> tensor<4096xf32>
    %1 = lazy.neg %0 : tensor<4096xf32>
    lazy.store %1, %out <[4096]> : tensor<4096xf32>, memref<4096xf32>
  }
  return
}

// Rows are summed along vectors, columns across them.
// WIDE: lazy.kernel @rows {{.*}} plan <parallel = [0], tile = [{{.*}}], vector = 1 : 16, unroll = 4>
// NARROW: lazy.kernel @rows {{.*}} plan <parallel = [0], tile = [{{.*}}], vector = 1 : 8, unroll = 4>
func.func @rows(%x: memref<262144xf32>, %y: memref<512xf32>) {
  lazy.kernel @rows ins(%x : memref<262144xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%in: memref<262144xf32>, %out: memref<512xf32>):
    %0 = lazy.load %in <[512, 512]> : memref<262144xf32> -> tensor<512x512xf32>
    %1 = lazy.reduce_sum %0 : tensor<512x512xf32> -> tensor<512x1xf32>
    lazy.store %1, %out <[512, 1]> : tensor<512x1xf32>, memref<512xf32>
  }
  return
}

// WIDE: lazy.kernel @columns {{.*}} plan <parallel = [1], tile = [{{.*}}], vector = 1 : 16, unroll = 4>
func.func @columns(%x: memref<262144xf32>, %y: memref<512xf32>) {
  lazy.kernel @columns ins(%x : memref<262144xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%in: memref<262144xf32>, %out: memref<512xf32>):
    %0 = lazy.load %in <[512, 512]> : memref<262144xf32> -> tensor<512x512xf32>
    %1 = lazy.reduce_sum %0 : tensor<512x512xf32> -> tensor<1x512xf32>
    lazy.store %1, %out <[1, 512]> : tensor<1x512xf32>, memref<512xf32>
  }
  return
}

// WIDE: lazy.kernel @matmul {{.*}} plan <contract = [0] x [1] x [2], width = 16, register = [{{[0-9]+}}, 32], block = [{{.*}}]>
// NARROW: lazy.kernel @matmul {{.*}} plan <contract = [0] x [1] x [2], width = 8, register = [6, 16], block = [{{.*}}]>
func.func @matmul(%a: memref<262144xf32>, %b: memref<262144xf32>, %c: memref<262144xf32>) {
  lazy.kernel @matmul ins(%a, %b : memref<262144xf32>, memref<262144xf32>) outs(%c : memref<262144xf32>) {
  ^bb0(%x: memref<262144xf32>, %y: memref<262144xf32>, %z: memref<262144xf32>):
    %0 = lazy.load %x <[512, 512, 512], strides = [512, 0, 1]> : memref<262144xf32> -> tensor<512x512x512xf32>
    %1 = lazy.load %y <[512, 512, 512], strides = [0, 1, 512]> : memref<262144xf32> -> tensor<512x512x512xf32>
    %2 = lazy.mul %0, %1 : tensor<512x512x512xf32>
    %3 = lazy.reduce_sum %2 : tensor<512x512x512xf32> -> tensor<512x512x1xf32>
    lazy.store %3, %z <[512, 512, 1]> : tensor<512x512x1xf32>, memref<262144xf32>
  }
  return
}

// A matrix and a vector: no tile of registers, a sum along vectors.
// CHECK: lazy.kernel @matvec {{.*}} plan <{{.*}}vector = 1
// CHECK-NOT: contract
func.func @matvec(%a: memref<262144xf32>, %b: memref<512xf32>, %c: memref<512xf32>) {
  lazy.kernel @matvec ins(%a, %b : memref<262144xf32>, memref<512xf32>) outs(%c : memref<512xf32>) {
  ^bb0(%x: memref<262144xf32>, %y: memref<512xf32>, %z: memref<512xf32>):
    %0 = lazy.load %x <[512, 512]> : memref<262144xf32> -> tensor<512x512xf32>
    %1 = lazy.load %y <[512, 512], strides = [0, 1]> : memref<512xf32> -> tensor<512x512xf32>
    %2 = lazy.mul %0, %1 : tensor<512x512xf32>
    %3 = lazy.reduce_sum %2 : tensor<512x512xf32> -> tensor<512x1xf32>
    lazy.store %3, %z <[512, 1]> : tensor<512x1xf32>, memref<512xf32>
  }
  return
}

// A plan that is there stays.
// CHECK: lazy.kernel @planned {{.*}} plan <vector = 0 : 2>
func.func @planned(%x: memref<4096xf32>, %y: memref<4096xf32>) {
  lazy.kernel @planned ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) plan <vector = 0 : 2> {
  ^bb0(%in: memref<4096xf32>, %out: memref<4096xf32>):
    %0 = lazy.load %in <[4096]> : memref<4096xf32> -> tensor<4096xf32>
    lazy.store %0, %out <[4096]> : tensor<4096xf32>, memref<4096xf32>
  }
  return
}

// Axes beside one without elements may be as long as 63 bits allow.
// CHECK: lazy.kernel @no_elements {{.*}} plan <parallel = [1, 2], tile = [1, {{[0-9]+}}], vector = 2 : {{[0-9]+}}, unroll = 4>
func.func @no_elements(%x: memref<0xf32>, %y: memref<0xf32>) {
  lazy.kernel @no_elements ins(%x : memref<0xf32>) outs(%y : memref<0xf32>) {
  ^bb0(%in: memref<0xf32>, %out: memref<0xf32>):
    %0 = lazy.load %in <[0, 3, 9223372036854775807]> : memref<0xf32> -> tensor<0x3x9223372036854775807xf32>
    lazy.store %0, %out <[0, 3, 9223372036854775807]> : tensor<0x3x9223372036854775807xf32>, memref<0xf32>
  }
  return
}
