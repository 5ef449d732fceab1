// RUN: tinygrad-opt %s --lazy-plan-memory --lazy-verify-schedule --split-input-file | FileCheck %s

// A maximum reads all of what would be overwritten: not in place, although the
// difference reads each element for its own position.
// CHECK-LABEL: func.func @read_by_a_reduce
// CHECK-SAME:    (%[[X:.*]]: memref<12xf32>, %[[R:.*]]: memref<12xf32>)
func.func @read_by_a_reduce(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: %[[A:.*]] = memref.alloc() : memref<12xf32>
  // CHECK: lazy.kernel @copy ins(%[[X]] : {{.*}}) outs(%[[A]] :
  // CHECK: lazy.kernel @shift ins(%[[A]] : {{.*}}) outs(%[[R]] :
  %e = lazy.empty : tensor<4x3xf32>
  %a = lazy.kernel @copy ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
    %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
    lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
  } -> tensor<4x3xf32>
  %r = lazy.kernel @shift ins(%a : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
    %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
    %1 = lazy.reduce_max %0 : tensor<4x3xf32> -> tensor<4x1xf32>
    %2 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
    %3 = lazy.neg %2 : tensor<4x3xf32>
    lazy.store %3, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
  } -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// -----

// Two results of one kernel: it may load again after the first store.
// CHECK-LABEL: func.func @two_results
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[R:.*]]: memref<4xf32>, %[[S:.*]]: memref<4xf32>)
func.func @two_results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
  // CHECK: lazy.kernel @two ins(%[[A]] : {{.*}}) outs(%[[R]], %[[S]] :
  %e = lazy.empty : tensor<4xf32>
  %a = lazy.kernel @copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  %r:2 = lazy.kernel @two ins(%a : tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>, %out1: tensor<4xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, tensor<4xf32>
    %1 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %1, %out1 <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Two operands that are the same memory become the init. A custom writes where
// it does not read.
// CHECK-LABEL: func.func @twice_and_custom
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[R:.*]]: memref<4xf32>) attributes {tinygrad.peak_bytes = 16 : i64}
func.func @twice_and_custom(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
  // CHECK: lazy.custom "f"(%[[X]], %[[A]]) {lazy.versions = array<i64: 0, 2>}
  // CHECK: lazy.kernel @square outs(%[[A]] : {{.*}}) attributes {lazy.versions = array<i64: 2, 3>}
  // CHECK: lazy.custom "f"(%[[A]], %[[R]]) {lazy.versions = array<i64: 3, 4>}
  // CHECK: memref.dealloc %[[A]]
  %a = lazy.custom "f"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %e = lazy.empty : tensor<4xf32>
  %b = lazy.kernel @square ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %in1: tensor<4xf32>, %out: tensor<4xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    %1 = lazy.load %in1 <[4]> : tensor<4xf32> -> tensor<4xf32>
    %2 = lazy.mul %0, %1 : tensor<4xf32>
    lazy.store %2, %out <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  %r = lazy.custom "f"(%b) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
