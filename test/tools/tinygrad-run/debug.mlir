// REQUIRES: numpy, device-cpu
// RUN: %python %S/Inputs/npy.py make %t.npy "np.ones((4, 8), 'f4')"
// RUN: env TINYGRAD_DEBUG=2 tinygrad-run %s --device %device --input %t.npy 2>&1 >%t.out | FileCheck %s --match-full-lines --implicit-check-not=kernel
// RUN: tinygrad-run %s --device %device --input %t.npy --debug 4 2>&1 >%t.out | FileCheck %s --check-prefix=CODE
// RUN: tinygrad-run %s --device INTERP --input %t.npy --debug 2 2>&1 >%t.out | FileCheck %s --check-prefix=INTERP --match-full-lines --implicit-check-not=kernel
// RUN: env TINYGRAD_DEBUG=1 tinygrad-run %s --device %device --input %t.npy 2>%t.err >%t.out
// RUN: count 0 < %t.err
// RUN: not env TINYGRAD_DEBUG=2x tinygrad-run %s --device %device --input %t.npy 2>&1 | FileCheck %s --check-prefix=BAD --match-full-lines
// RUN: not env TINYGRAD_DEBUG=10 tinygrad-run %s --device %device --input %t.npy 2>&1 | FileCheck %s --check-prefix=HIGH --match-full-lines
// RUN: env TINYGRAD_DEBUG=2x tinygrad-run %s --device %device --input %t.npy --debug 0 >%t.out

// BAD: error: expects TINYGRAD_DEBUG to be an integer from 0 to 9, got `2x`
// HIGH: error: expects TINYGRAD_DEBUG to be an integer from 0 to 9, got `10`

// The two sums are different kernels, and no escape codes go to a file.
// CHECK: run 1: {{[0-9.]+ (us|ms|s)}}
// CHECK-NEXT: # kernel device time GFLOP/s GB/s bytes code
// CHECK-NEXT: 0 r_4_8 CPU {{[0-9.]+ (us|ms|s)}} {{[0-9.-]+}} {{[0-9.-]+}} 144 B compiled
// CHECK-NEXT: 1 r_4_1 CPU {{[0-9.]+ (us|ms|s)}} {{[0-9.-]+}} {{[0-9.-]+}} 20 B compiled
// CHECK-NEXT: total of 2 {{[0-9.]+ (us|ms|s)}} {{[0-9.-]+}} {{[0-9.-]+}} 164 B
// CHECK-NOT: {{.}}

// CODE-DAG: kernel r_4_8, loops:
// CODE-DAG: scf.for
// CODE-DAG: kernel r_4_8, llvm:
// CODE-DAG: define {{.*}}void @kernel(
// CODE-DAG: kernel r_4_1, llvm:
// CODE: run 1:

// INTERP: run 1: {{[0-9.]+ (us|ms|s)}}
// INTERP-NOT: {{.}}
func.func @main(%x: tensor<4x8xf32>) -> tensor<1x1xf32> {
  %0 = lazy.reduce_sum %x : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = lazy.reduce_sum %0 : tensor<4x1xf32> -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}
