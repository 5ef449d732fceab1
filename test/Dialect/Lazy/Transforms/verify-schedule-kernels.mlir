// RUN: tinygrad-opt %s --lazy-verify-schedule --split-input-file --verify-diagnostics | FileCheck %s

// The same view, index by index.
// CHECK-LABEL: func.func @in_place
func.func @in_place(%x: memref<4xf32>) {
  lazy.kernel @k outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%out: memref<4xf32>):
    %0 = lazy.load %out <[4]> : memref<4xf32> -> tensor<4xf32>
    %1 = lazy.neg %0 : tensor<4xf32>
    lazy.store %1, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 1>}
}

// -----

// A part of the memory, with the same elements on both sides.
// CHECK-LABEL: func.func @part_in_place
func.func @part_in_place(%x: memref<4xf32>) {
  lazy.kernel @k outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%out: memref<4xf32>):
    %0 = lazy.load %out <[2], strides = [2], offset = 1> : memref<4xf32> -> tensor<2xf32>
    %1 = lazy.neg %0 : tensor<2xf32>
    lazy.store %1, %out <[2], strides = [2], offset = 1> : tensor<2xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 1>}
}

// -----

// An iteration overwrites what another one reads.
func.func @flipped(%x: memref<4xf32>) {
  // expected-error @+1 {{'lazy.kernel' op overwrites elements of operand 0 that it loads for other elements}}
  lazy.kernel @k outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%out: memref<4xf32>):
    // expected-note @+1 {{they are loaded here}}
    %0 = lazy.load %out <[4], strides = [-1], offset = 3> : memref<4xf32> -> tensor<4xf32>
    %1 = lazy.neg %0 : tensor<4xf32>
    // expected-note @+1 {{they are overwritten here}}
    lazy.store %1, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 1>}
}

// -----

func.func @overlapping_parts(%x: memref<4xf32>) {
  // expected-error @+1 {{'lazy.kernel' op overwrites elements of operand 0 that it loads for other elements}}
  lazy.kernel @k outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%out: memref<4xf32>):
    // expected-note @+1 {{they are loaded here}}
    %0 = lazy.load %out <[3], strides = [1]> : memref<4xf32> -> tensor<3xf32>
    %1 = lazy.neg %0 : tensor<3xf32>
    // expected-note @+1 {{they are overwritten here}}
    lazy.store %1, %out <[3], strides = [1], offset = 1> : tensor<3xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 1>}
}

// -----

// One load is in place; the other broadcasts an element.
func.func @one_of_two_loads(%x: memref<4xf32>) {
  // expected-error @+1 {{'lazy.kernel' op overwrites elements of operand 0 that it loads for other elements}}
  lazy.kernel @k outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%out: memref<4xf32>):
    %0 = lazy.load %out <[4]> : memref<4xf32> -> tensor<4xf32>
    // expected-note @+1 {{they are loaded here}}
    %1 = lazy.load %out <[4], strides = [0]> : memref<4xf32> -> tensor<4xf32>
    %2 = lazy.add %0, %1 : tensor<4xf32>
    // expected-note @+1 {{they are overwritten here}}
    lazy.store %2, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 1>}
}

// -----

func.func @transposed(%x: memref<4xf32>) {
  // expected-error @+1 {{'lazy.kernel' op overwrites elements of operand 0 that it loads for other elements}}
  lazy.kernel @k outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%out: memref<4xf32>):
    // expected-note @+1 {{they are loaded here}}
    %0 = lazy.load %out <[2, 2], strides = [1, 2]> : memref<4xf32> -> tensor<2x2xf32>
    // expected-note @+1 {{they are overwritten here}}
    lazy.store %0, %out <[2, 2]> : tensor<2x2xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 1>}
}

// -----

// The sum goes where one of its elements lies.
func.func @reduced_into_itself(%x: memref<4xf32>) {
  // expected-error @+1 {{'lazy.kernel' op overwrites elements of operand 0 that it loads for other elements}}
  lazy.kernel @k outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%out: memref<4xf32>):
    // expected-note @+1 {{they are loaded here}}
    %0 = lazy.load %out <[4]> : memref<4xf32> -> tensor<4xf32>
    %1 = lazy.reduce_sum %0 : tensor<4xf32> -> tensor<1xf32>
    // expected-note @+1 {{they are overwritten here}}
    lazy.store %1, %out <[1]> : tensor<1xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 1>}
}

// -----

func.func @two_stores(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'lazy.kernel' op loads what it overwrites of operand 0, but has 2 stores, which may run one after the other}}
  lazy.kernel @k outs(%x, %y : memref<4xf32>, memref<4xf32>) attributes {lazy.versions = array<i64: 0, 2, 3>} {
  ^bb0(%out: memref<4xf32>, %other: memref<4xf32>):
    %0 = lazy.load %out <[4]> : memref<4xf32> -> tensor<4xf32>
    %1 = lazy.neg %0 : tensor<4xf32>
    // expected-note @+1 {{the elements are overwritten here}}
    lazy.store %1, %out <[4]> : tensor<4xf32>, memref<4xf32>
    lazy.store %1, %other <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 2, 3>}
}

// -----

// expected-note @+1 {{this is the memory}}
func.func @copy_into_itself(%x: memref<4xf32>) {
  // expected-error @+1 {{'lazy.copy' op writes operand 1, which is the memory of operand 0 too}}
  lazy.copy %x into %x {lazy.versions = array<i64: 0, 1>} : memref<4xf32>, memref<4xf32>
  return {lazy.versions = array<i64: 1>}
}

// -----

// expected-note @+1 {{this is the memory}}
func.func @custom_into_itself(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'lazy.custom' op writes operand 2, which is the memory of operand 1 too}}
  lazy.custom "f"(%y, %x, %x) {lazy.versions = array<i64: 1, 0, 2>} : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return {lazy.versions = array<i64: 2, 1>}
}

// -----

// What is only read may be there twice.
// CHECK-LABEL: func.func @custom_reads_twice
func.func @custom_reads_twice(%x: memref<4xf32>, %y: memref<4xf32>) {
  lazy.custom "f"(%x, %x, %y) {lazy.versions = array<i64: 0, 0, 2>} : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return {lazy.versions = array<i64: 0, 2>}
}

// -----

// Two variables have each the value of the other.
#i = #lazy.variable<i, 1, 8>
#j = #lazy.variable<j, 1, 8>
// expected-note @+1 {{the argument is here}}
func.func @exchanged_variables(%n: index {lazy.variable = #i}, %m: index {lazy.variable = #j}, %x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'lazy.kernel' op expects the argument of its function that binds variable 'i', got another value}}
  lazy.kernel @k ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) variables(#i = %m, #j = %n) attributes {lazy.versions = array<i64: 0, 2>} {
  ^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %0: index, %1: index):
    %2 = lazy.load %in <[#i, #j]> : memref<?xf32> -> tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
    lazy.store %2, %out <[#i, #j]> : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>, memref<?xf32>
  }
  return {lazy.versions = array<i64: 0, 2>}
}

// -----

#i = #lazy.variable<i, 1, 8>
func.func @computed_variable(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-note @+1 {{the value is here}}
  %n = arith.constant 4 : index
  // expected-error @+1 {{'lazy.kernel' op expects the argument of its function that binds variable 'i', got another value}}
  lazy.kernel @k ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) variables(#i = %n) attributes {lazy.versions = array<i64: 0, 2>} {
  ^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %0: index):
    %1 = lazy.load %in <[#i]> : memref<?xf32> -> tensor<?xf32, #lazy.type<dims = [#i]>>
    lazy.store %1, %out <[#i]> : tensor<?xf32, #lazy.type<dims = [#i]>>, memref<?xf32>
  }
  return {lazy.versions = array<i64: 0, 2>}
}

// -----

// An allocation of another size than what is stored keeps, or lacks, elements.
#i = #lazy.variable<i, 1, 8>
func.func @another_size(%n: index {lazy.variable = #i}, %x: memref<?xf32>) {
  %c2 = arith.constant 2 : index
  %size = arith.muli %n, %c2 : index
  %t = memref.alloc(%size) : memref<?xf32>
  // expected-error @+1 {{'lazy.kernel' op expects `lazy.versions` with 3 numbers, which `lazy-plan-memory` writes}}
  lazy.kernel @k ins(%x : memref<?xf32>) outs(%t : memref<?xf32>) variables(#i = %n) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %0: index):
    %1 = lazy.load %in <[#i]> : memref<?xf32> -> tensor<?xf32, #lazy.type<dims = [#i]>>
    lazy.store %1, %out <[#i]> : tensor<?xf32, #lazy.type<dims = [#i]>>, memref<?xf32>
  }
  memref.dealloc %t {lazy.versions = array<i64: 1>} : memref<?xf32>
  return {lazy.versions = array<i64: 0>}
}
