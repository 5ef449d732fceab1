// REQUIRES: device-cpu
// Kernels are kept where the environment says, and only there. Damage costs
// nothing but time.

// RUN: rm -rf %t && mkdir %t
// RUN: env TINYGRAD_CACHE_DIR=%t/off tinygrad-run %s | FileCheck %s
// RUN: not ls %t/off
// RUN: env TINYGRAD_CACHE=1 TINYGRAD_CACHE_DIR=%t/on tinygrad-run %s | FileCheck %s
// RUN: ls %t/on/v1 | count 2
// RUN: env TINYGRAD_CACHE=1 -u TINYGRAD_CACHE_DIR XDG_CACHE_HOME=%t/xdg tinygrad-run %s | FileCheck %s
// RUN: diff -r %t/on %t/xdg/tinygrad-mlir
// RUN: %python -c "import sys; [open(f, 'wb').write(b'nothing') for f in sys.argv[1:]]" %t/on/v1/*.entry
// RUN: env TINYGRAD_CACHE=1 TINYGRAD_CACHE_DIR=%t/on tinygrad-run %s | FileCheck %s
// RUN: diff -r %t/on %t/xdg/tinygrad-mlir

// CHECK: result 0: float32 [2]
// CHECK-NEXT: [9. 9.]
func.func @main() -> tensor<2xf32> {
  %x = lazy.const dense<3.0> : tensor<2xf32>
  %r = lazy.mul %x, %x : tensor<2xf32>
  return %r : tensor<2xf32>
}
