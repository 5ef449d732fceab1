// RUN: tinygrad-opt %s --lazy-print-schedule -o /dev/null | FileCheck %s

// What a file notes of rules is not verified: what is no label is left out.
// CHECK: 0  k     4      arg0      16       16           0  MEO
func.func @main(%x: memref<4xf32>, %y: memref<4xf32>) {
  lazy.kernel @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.rules = [1, "MEO"]} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}
