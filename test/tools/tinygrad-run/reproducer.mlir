// REQUIRES: device-cpu
// A pipeline that fails can be kept, and fails again where it is replayed.

// RUN: rm -rf %t && mkdir %t
// RUN: not tinygrad-run %s 2>&1 | FileCheck %s --implicit-check-not=note
// RUN: not tinygrad-run --reproducers=%t/flag %s 2>&1 | FileCheck %s --check-prefixes=CHECK,NOTE -DFOLDER=%t/flag
// RUN: env TINYGRAD_REPRODUCER_DIR=%t/variable not tinygrad-run %s 2>&1 | FileCheck %s --check-prefixes=CHECK,NOTE -DFOLDER=%t/variable
// RUN: not tinygrad-opt --run-reproducer %t/flag/tinygrad-*.mlir 2>&1 | FileCheck %s --check-prefix=REPLAY
// RUN: diff -r %t/flag %t/variable

// CHECK: reproducer.mlir:[[@LINE+6]]:8: error: 'lazy.kernel' op cannot obey the field `parallel` of its plan: axis 1 is reduced
// NOTE-NEXT: note: `tinygrad-opt --run-reproducer [[FOLDER]]/tinygrad-{{[0-9a-f]+}}.mlir` shows this again
// REPLAY: error: 'lazy.kernel' op cannot obey the field `parallel` of its plan: axis 1 is reduced

func.func @main(%x: tensor<8x64xf32>) -> tensor<8x1xf32> {
  %e = lazy.empty : tensor<8x1xf32>
  %r = lazy.kernel @k ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x1xf32>) plan <parallel = [1], tile = [8]> {
  ^bb0(%in: tensor<8x64xf32>, %out: tensor<8x1xf32>):
    %0 = lazy.load %in <[8, 64]> : tensor<8x64xf32> -> tensor<8x64xf32>
    %1 = lazy.reduce_sum %0 : tensor<8x64xf32> -> tensor<8x1xf32>
    lazy.store %1, %out <[8, 1]> : tensor<8x1xf32>, tensor<8x1xf32>
  } -> tensor<8x1xf32>
  return %r : tensor<8x1xf32>
}
