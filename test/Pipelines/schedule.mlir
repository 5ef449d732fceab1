// RUN: tinygrad-opt %s --tinygrad-schedule | FileCheck %s
// RUN: tinygrad-opt %s --tinygrad-schedule=opt-level=0 | FileCheck %s --check-prefix=LEVEL0
// RUN: not tinygrad-opt %s --tinygrad-schedule=opt-level=5 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not tinygrad-opt %s --tinygrad-schedule=max-kernel-buffers=1 2>&1 | FileCheck %s --check-prefix=LIMIT

// LIMIT: error: expects option `max-kernel-buffers` to be 0 or at least 4, got 1
// LEVEL: error: expects option `opt-level` from 0 to 4, got 5

// A matrix product and relu are one kernel, in a function of its own; the host
// function calls it on flat memory, with the result as its last argument.
// CHECK-LABEL: func.func @matmul_relu
// CHECK-SAME:    (%[[A:.*]]: memref<131072xf32>, %[[B:.*]]: memref<65536xf32>, %[[R:.*]]: memref<32768xf32>)
// CHECK-NOT:     memref.alloc
// CHECK:         call @r_256_128_512(%[[A]], %[[B]], %[[R]])
// CHECK-NEXT:    return
// CHECK:       func.func private @r_256_128_512({{.*}}) attributes {tinygrad.kernel}
// CHECK-COUNT-1: lazy.kernel @r_256_128_512
// CHECK:           lazy.load {{.*}} <[256, 128, 512], strides = [512, 0, 1]>
// CHECK:           lazy.load {{.*}} <[256, 128, 512], strides = [0, 1, 128]>
// CHECK:           lazy.max
// CHECK-NOT:     lazy.kernel

// Without merging there are three, and one buffer: the sum lies where the last
// kernel writes its result in place.
// LEVEL0-LABEL: func.func @matmul_relu
// LEVEL0-SAME:    (%{{.*}}: memref<131072xf32>, %{{.*}}: memref<65536xf32>, %[[R:.*]]: memref<32768xf32>)
// LEVEL0:         %[[P:.*]] = memref.alloc() : memref<16777216xf32>
// LEVEL0:         call @e_256_128_512({{.*}}, %[[P]])
// LEVEL0-NOT:     memref.alloc
// LEVEL0:         call @r_256_128_512(%[[P]], %[[R]])
// LEVEL0:         memref.dealloc %[[P]]
// LEVEL0:         call @e_256_128(%[[R]])
// LEVEL0-COUNT-3: lazy.kernel @
// LEVEL0-NOT:     lazy.kernel @
func.func @matmul_relu(%a: tensor<256x512xf32>, %b: tensor<512x128xf32>) -> tensor<256x128xf32> {
  %a1 = lazy.reshape %a : tensor<256x512xf32> -> tensor<256x1x512xf32>
  %a2 = lazy.expand %a1 : tensor<256x1x512xf32> -> tensor<256x128x512xf32>
  %b1 = lazy.permute %b [1, 0] : tensor<512x128xf32> -> tensor<128x512xf32>
  %b2 = lazy.reshape %b1 : tensor<128x512xf32> -> tensor<1x128x512xf32>
  %b3 = lazy.expand %b2 : tensor<1x128x512xf32> -> tensor<256x128x512xf32>
  %p = lazy.mul %a2, %b3 : tensor<256x128x512xf32>
  %s = lazy.reduce_sum %p : tensor<256x128x512xf32> -> tensor<256x128x1xf32>
  %m = lazy.reshape %s : tensor<256x128x1xf32> -> tensor<256x128xf32>
  %zero = lazy.const dense<0.0> : tensor<256x128xf32>
  %r = lazy.max %m, %zero : tensor<256x128xf32>
  return %r : tensor<256x128xf32>
}
