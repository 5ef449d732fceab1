// RUN: tinygrad-opt %s --lazy-materialize-buffers --lazy-plan-memory --lazy-verify-schedule --split-input-file --verify-diagnostics | FileCheck %s

// A kernel that writes a part of its init, or reads it, works in the memory of
// the argument; the result of the function is a copy of that.
// CHECK-LABEL: func.func @partial_store
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<8xf32>, %[[R:.*]]: memref<8xf32>)
func.func @partial_store(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: lazy.kernel @k ins(%[[X]] : memref<4xf32>) outs(%[[Y]] : memref<8xf32>) attributes {lazy.versions = array<i64: 0, 1, 3>}
  // CHECK: lazy.kernel @copy_8 ins(%[[Y]] : memref<8xf32>) outs(%[[R]] : memref<8xf32>) attributes {lazy.versions = array<i64: 3, 4>}
  // CHECK-NOT: lazy.kernel
  %r = lazy.kernel @k ins(%x : tensor<4xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<8xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4], strides = [2]> : tensor<4xf32>, tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @init_is_read
// CHECK-SAME:    (%[[Y:.*]]: memref<8xf32>, %[[R:.*]]: memref<8xf32>)
func.func @init_is_read(%y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: lazy.kernel @k outs(%[[Y]] : memref<8xf32>) attributes {lazy.versions = array<i64: 0, 2>}
  // CHECK-NEXT: ^bb0(%[[OUT:.*]]: memref<8xf32>):
  // CHECK-NEXT: lazy.load %[[OUT]] <[8]>
  // CHECK: lazy.kernel @copy_8 ins(%[[Y]] : memref<8xf32>) outs(%[[R]]
  // CHECK-NOT: lazy.kernel
  %r = lazy.kernel @k outs(%y : tensor<8xf32>) {
  ^bb0(%out: tensor<8xf32>):
    %0 = lazy.load %out <[8]> : tensor<8xf32> -> tensor<8xf32>
    %1 = lazy.neg %0 : tensor<8xf32>
    lazy.store %1, %out <[8]> : tensor<8xf32>, tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Two parts of one tensor, one after the other.
// CHECK-LABEL: func.func @two_parts
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<8xf32>, %[[R:.*]]: memref<8xf32>)
func.func @two_parts(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: lazy.kernel @even {{.*}} outs(%[[Y]] : memref<8xf32>) attributes {lazy.versions = array<i64: 0, 1, 3>}
  // CHECK: lazy.kernel @odd {{.*}} outs(%[[Y]] : memref<8xf32>) attributes {lazy.versions = array<i64: 0, 3, 4>}
  %a = lazy.kernel @even ins(%x : tensor<4xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<8xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4], strides = [2]> : tensor<4xf32>, tensor<8xf32>
  } -> tensor<8xf32>
  %b = lazy.kernel @odd ins(%x : tensor<4xf32>) outs(%a : tensor<8xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<8xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4], strides = [2], offset = 1> : tensor<4xf32>, tensor<8xf32>
  } -> tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

func.func @old_parts(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note@+1 {{the last write is here}}
  %a = lazy.kernel @even ins(%x : tensor<4xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<8xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4], strides = [2]> : tensor<4xf32>, tensor<8xf32>
  } -> tensor<8xf32>
  // expected-error@+1 {{'lazy.kernel' op expects init 0, which is not wholly stored, to be the last that was written into its memory}}
  %b = lazy.kernel @odd ins(%x : tensor<4xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<8xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4], strides = [2], offset = 1> : tensor<4xf32>, tensor<8xf32>
  } -> tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

func.func @same_memory(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'lazy.kernel' op expects inits 0 and 1 to lie in different memory}}
  %a:2 = lazy.kernel @k ins(%x : tensor<4xf32>) outs(%y, %y : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out0: tensor<4xf32>, %out1: tensor<4xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out0 <[4]> : tensor<4xf32>, tensor<4xf32>
    lazy.store %0, %out1 <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %a#0 : tensor<4xf32>
}
