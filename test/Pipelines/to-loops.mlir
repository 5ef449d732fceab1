// RUN: tinygrad-opt %s --tinygrad-to-loops | FileCheck %s --check-prefixes=CHECK,BITS256 --implicit-check-not=lazy.
// RUN: tinygrad-opt %s --tinygrad-to-loops=vector-bits=512 | FileCheck %s --check-prefixes=CHECK,BITS512 --implicit-check-not=lazy.
// RUN: tinygrad-opt %s --tinygrad-to-loops=opt-level=0 | FileCheck %s --check-prefix=LEVEL0 --implicit-check-not=lazy.
// RUN: not tinygrad-opt %s --tinygrad-to-loops=vector-bits=100 2>&1 | FileCheck %s --check-prefix=BITS

// BITS: error: {{.*}}expects option `vector-bits` to be a power of two from 64 to 4096, got 100

// One loop over tasks; the innermost loop carries a tile of sums, and relu runs
// on the sums before they are stored.
// CHECK-LABEL: func.func @matmul_relu
// CHECK:         call @r_256_128_512
// CHECK:       func.func private @r_256_128_512
// CHECK:         scf.parallel
// CHECK:           %[[TILE:.*]]:{{[0-9]+}} = scf.for {{.*}} iter_args
// BITS256:           math.fma {{.*}} : vector<8xf32>
// BITS512:           math.fma {{.*}} : vector<16xf32>
// CHECK:           %[[RELU:.*]] = arith.maximumf %[[TILE]]#0
// CHECK:             vector.store %[[RELU]]
// CHECK-NOT:     scf.parallel

// LEVEL0-COUNT-3: func.func private
// LEVEL0-NOT:     func.func private
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
