// RUN: tinygrad-opt %s --lazy-outline-kernels --split-input-file --verify-diagnostics | FileCheck %s

// Equal kernels share a function; a name that is taken gets a number.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>)
func.func @main(%x: memref<4xf32>, %y: memref<4xf32>) {
  // CHECK: %[[A:.*]] = memref.alloc
  %a = memref.alloc() : memref<4xf32>
  // CHECK: call @neg(%[[X]], %[[A]])
  lazy.kernel @neg ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    %1 = lazy.neg %0 : tensor<4xf32>
    lazy.store %1, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // CHECK: call @neg(%[[A]], %[[Y]])
  lazy.kernel @other ins(%a : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    %1 = lazy.neg %0 : tensor<4xf32>
    lazy.store %1, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // CHECK: call @[[FLIPPED:neg_[0-9]+]](%[[A]], %[[Y]])
  lazy.kernel @neg ins(%a : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4], strides = [-1], offset = 3> : memref<4xf32> -> tensor<4xf32>
    %1 = lazy.neg %0 : tensor<4xf32>
    lazy.store %1, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  memref.dealloc %a : memref<4xf32>
  return
}
// CHECK-DAG: func.func private @neg(%{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32>) attributes {tinygrad.kernel}
// CHECK-DAG: func.func private @[[FLIPPED]](%{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32>) attributes {tinygrad.kernel}

// -----

func.func @on_tensors(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'lazy.kernel' op expects operands on memrefs to be outlined; run `lazy-plan-memory` before}}
  %r = lazy.kernel @k ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @caller
func.func @caller(%x: memref<12xf32>, %s: memref<4xf32>) {
  // CHECK: call @sum(%{{.*}}, %{{.*}}) : (memref<12xf32>, memref<4xf32>) -> ()
  lazy.kernel @sum ins(%x : memref<12xf32>) outs(%s : memref<4xf32>) {
  ^bb0(%in: memref<12xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4, 3]> : memref<12xf32> -> tensor<4x3xf32>
    %1 = lazy.reduce_sum %0 : tensor<4x3xf32> -> tensor<4x1xf32>
    lazy.store %1, %out <[4, 1]> : tensor<4x1xf32>, memref<4xf32>
  }
  return
}
