// RUN: tinygrad-opt %s --lazy-plan-memory --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @chain
// CHECK-SAME:    (%[[X:.*]]: memref<12xi8>, %[[Y:.*]]: memref<4xi32>)
func.func @chain(%x: tensor<4x3xi1>) -> tensor<4xui32> {
  %e0 = lazy.empty : tensor<4x3xui32>
  // CHECK: %[[A:.*]] = memref.alloc() : memref<12xi32>
  // CHECK: lazy.kernel @widen ins(%[[X]] : memref<12xi8>) outs(%[[A]] : memref<12xi32>) attributes {lazy.versions = array<i64: 0, 2>} {
  // CHECK: lazy.load %{{.*}} <[4, 3]> : memref<12xi8> -> tensor<4x3xi1>
  %a = lazy.kernel @widen ins(%x : tensor<4x3xi1>) outs(%e0 : tensor<4x3xui32>) {
  ^bb0(%in: tensor<4x3xi1>, %out: tensor<4x3xui32>):
    %0 = lazy.load %in <[4, 3]> : tensor<4x3xi1> -> tensor<4x3xi1>
    %1 = lazy.cast %0 : tensor<4x3xi1> -> tensor<4x3xui32>
    lazy.store %1, %out <[4, 3]> : tensor<4x3xui32>, tensor<4x3xui32>
  } -> tensor<4x3xui32>
  %e1 = lazy.empty : tensor<4xui32>
  // CHECK: lazy.kernel @sum ins(%[[A]] : memref<12xi32>) outs(%[[Y]] : memref<4xi32>) attributes {lazy.versions = array<i64: 2, 3>}
  // CHECK: memref.dealloc %[[A]] {lazy.versions = array<i64: 2>}
  // CHECK: return {lazy.versions = array<i64: 0, 3>}
  // CHECK-NOT: tensor
  %s = lazy.kernel @sum ins(%a : tensor<4x3xui32>) outs(%e1 : tensor<4xui32>) {
  ^bb0(%in: tensor<4x3xui32>, %out: tensor<4xui32>):
    %0 = lazy.load %in <[4, 3]> : tensor<4x3xui32> -> tensor<4x3xui32>
    %1 = lazy.reduce_sum %0 : tensor<4x3xui32> -> tensor<4x1xui32>
    lazy.store %1, %out <[4, 1]> : tensor<4x1xui32>, tensor<4xui32>
  } -> tensor<4xui32>
  return %s : tensor<4xui32>
}

// -----

// CHECK-LABEL: func.func @custom_writes_its_last_operand
// CHECK-SAME:    (%[[S:.*]]: memref<1xi64>, %[[Y:.*]]: memref<6xf32>)
func.func @custom_writes_its_last_operand(%seed: tensor<i64>) -> tensor<2x3xf32> {
  // CHECK: lazy.custom "rand"(%[[S]], %[[Y]]) {lazy.versions = array<i64: 0, 2>} : (memref<1xi64>, memref<6xf32>) -> ()
  %r = lazy.custom "rand"(%seed) : (tensor<i64>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @without_tensors
func.func @without_tensors(%x: memref<4xf32>) {
  return
}

// -----

func.func @not_scheduled(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'lazy.neg' op expects kernels, custom, copy and empty operations in a schedule; run `lazy-schedule` and `lazy-materialize-buffers` before}}
  %n = lazy.neg %x : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func @result_without_buffer(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'func.return' op expects each result to have a buffer of its own; run `lazy-materialize-buffers` before}}
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{'func.func' op expects arguments that are tensors of the lazy dialect or bind a variable, got 'index'}}
func.func @argument_type(%i: index) -> tensor<4xf32> {
  %e = lazy.empty : tensor<4xf32>
  return %e : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @sum
// CHECK-SAME:    (%[[X:.*]]: memref<12xf32>, %[[S:.*]]: memref<4xf32>)
func.func @sum(%x: tensor<4x3xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: lazy.kernel @sum ins(%[[X]] : memref<12xf32>) outs(%[[S]] : memref<4xf32>)
  %e = lazy.empty : tensor<4xf32>
  %s = lazy.kernel @sum ins(%x : tensor<4x3xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: tensor<4x3xf32>, %out: tensor<4xf32>):
    %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
    %1 = lazy.reduce_sum %0 : tensor<4x3xf32> -> tensor<4x1xf32>
    lazy.store %1, %out <[4, 1]> : tensor<4x1xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// expected-error@+1 {{'func.func' op expects a schedule of kernels to return}}
func.func @without_return(%x: tensor<4xf32>) -> tensor<4xf32> {
  llvm.unreachable
}
