// RUN: tinygrad-opt %s --lazy-verify-schedule --split-input-file --verify-diagnostics | FileCheck %s

// As planned: the reader of the old contents comes before the writer.
// CHECK-LABEL: func.func @in_order
func.func @in_order(%x: memref<4xf32>, %y: memref<4xf32>) {
  lazy.kernel @read ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 2>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  lazy.kernel @write outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 3>} {
  ^bb0(%out: memref<4xf32>):
    %0 = lazy.load %out <[4]> : memref<4xf32> -> tensor<4xf32>
    %1 = lazy.neg %0 : tensor<4xf32>
    lazy.store %1, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 3, 2>}
}

// -----

// A schedule by hand, without versions: see verify-schedule-by-hand.mlir.
// CHECK-LABEL: func.func @not_planned
func.func @not_planned(%x: memref<4xf32>, %y: memref<4xf32>) {
  lazy.kernel @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

// The numbers say nothing but which version it is.
// CHECK-LABEL: func.func @other_numbers
func.func @other_numbers(%x: memref<4xf32>, %y: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 70>} : memref<4xf32>, memref<4xf32>
  lazy.copy %t into %y {lazy.versions = array<i64: 70, -3>} : memref<4xf32>, memref<4xf32>
  memref.dealloc %t {lazy.versions = array<i64: 70>} : memref<4xf32>
  return {lazy.versions = array<i64: 0, -3>}
}

// -----

// Two kernels swapped: the reader finds what was written too early.
func.func @swapped(%x: memref<4xf32>, %v: memref<4xf32>, %y: memref<4xf32>) {
  // expected-note @+1 {{version 3 is written here}}
  lazy.kernel @write ins(%v : memref<4xf32>) outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 1, 3>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-error @+1 {{'lazy.kernel' op reads version 0 of operand 0, but its memory holds version 3}}
  lazy.kernel @read ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 4>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 3, 1, 4>}
}

// -----

// A reader before the kernel that makes what it reads.
func.func @too_early(%x: memref<4xf32>, %v: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'lazy.kernel' op reads version 3 of operand 0, but its memory holds version 0}}
  lazy.kernel @read ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 3, 4>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-note @+1 {{version 3 is made here}}
  lazy.kernel @write ins(%v : memref<4xf32>) outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 1, 3>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 3, 1, 4>}
}

// -----

// What is to be read was never written: its kernel is gone.
// expected-note @+1 {{nothing makes version 2 of this memory}}
func.func @lost(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'lazy.kernel' op reads version 2 of operand 0, but its memory holds version 0}}
  lazy.kernel @read ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 2, 3>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 0, 3>}
}

// -----

// The same of a result: there is no kernel left.
// expected-note @+1 {{nothing makes version 2 of this memory}}
func.func @result_is_lost(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'func.return' op expects version 2 in argument 1, but its memory holds version 1}}
  return {lazy.versions = array<i64: 0, 2>}
}

// -----

// The caller finds a result in another argument.
// expected-note @+1 {{version 0 is what this memory begins with}}
func.func @wrong_argument(%x: memref<4xf32>, %y: memref<4xf32>) {
  lazy.copy %x into %y {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'func.return' op expects version 2 in argument 0, but its memory holds version 0}}
  return {lazy.versions = array<i64: 2, 1>}
}

// -----

// Two operands have changed places. Neither of them was written here.
// expected-note @+1 {{version 1 is what this memory begins with}}
func.func @exchanged_inputs(%x: memref<4xf32>, %v: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'lazy.custom' op reads version 0 of operand 0, but its memory holds version 1}}
  lazy.custom "sub"(%v, %x, %y) {lazy.versions = array<i64: 0, 1, 3>} : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return {lazy.versions = array<i64: 0, 1, 3>}
}

// -----

// Two steps write each into the memory of the other.
func.func @exchanged_buffers(%x: memref<4xf32>, %v: memref<4xf32>, %y: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  %u = memref.alloc() : memref<4xf32>
  lazy.copy %x into %u {lazy.versions = array<i64: 0, 3>} : memref<4xf32>, memref<4xf32>
  // expected-note @+1 {{version 4 is written here}}
  lazy.copy %v into %t {lazy.versions = array<i64: 1, 4>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'lazy.copy' op reads version 3 of operand 0, but its memory holds version 4}}
  lazy.copy %t into %y {lazy.versions = array<i64: 3, 5>} : memref<4xf32>, memref<4xf32>
  memref.dealloc %t {lazy.versions = array<i64: 3>} : memref<4xf32>
  memref.dealloc %u {lazy.versions = array<i64: 4>} : memref<4xf32>
  return {lazy.versions = array<i64: 0, 1, 5>}
}

// -----

// A write into a buffer that is still to be read, by a step put in between.
func.func @overwritten(%x: memref<4xf32>, %v: memref<4xf32>, %y: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 3>} : memref<4xf32>, memref<4xf32>
  // expected-note @+1 {{version 4 is written here}}
  lazy.copy %v into %t {lazy.versions = array<i64: 1, 4>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'lazy.copy' op reads version 3 of operand 0, but its memory holds version 4}}
  lazy.copy %t into %y {lazy.versions = array<i64: 3, 5>} : memref<4xf32>, memref<4xf32>
  memref.dealloc %t {lazy.versions = array<i64: 4>} : memref<4xf32>
  return {lazy.versions = array<i64: 0, 1, 5>}
}

// -----

// What a store into a part keeps is read, too.
func.func @parts_swapped(%x: memref<4xf32>, %v: memref<4xf32>) {
  // expected-error @+1 {{'lazy.kernel' op keeps version 2 of operand 1, but its memory holds version 0}}
  lazy.kernel @odd ins(%v : memref<4xf32>) outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 1, 2, 3>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[2]> : memref<4xf32> -> tensor<2xf32>
    lazy.store %0, %out <[2], strides = [2], offset = 1> : tensor<2xf32>, memref<4xf32>
  }
  // expected-note @+1 {{version 2 is made here}}
  lazy.kernel @even ins(%v : memref<4xf32>) outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 1, 0, 2>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[2]> : memref<4xf32> -> tensor<2xf32>
    lazy.store %0, %out <[2], strides = [2]> : tensor<2xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 3, 1>}
}

// -----

// The same write twice.
func.func @written_twice(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-note @+1 {{version 2 is written here}}
  lazy.copy %x into %y {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'lazy.copy' op makes version 2 of operand 1, but there is a version of this number}}
  lazy.copy %x into %y {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  return {lazy.versions = array<i64: 0, 2>}
}

// -----

// expected-note @+1 {{version 0 is what this memory begins with}}
func.func @version_of_an_argument(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'lazy.copy' op makes version 0 of operand 1, but there is a version of this number}}
  lazy.copy %x into %y {lazy.versions = array<i64: 0, 0>} : memref<4xf32>, memref<4xf32>
  return {lazy.versions = array<i64: 0, 0>}
}

// -----

// A callback may remember what was called before.
func.func @customs_swapped(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  // expected-note @+1 {{version 4 is made here}}
  lazy.custom "f"(%x, %z) {lazy.versions = array<i64: 0, 4>} : (memref<4xf32>, memref<4xf32>) -> ()
  // expected-error @+1 {{'lazy.custom' op makes version 3 after version 4, but custom operations keep their order}}
  lazy.custom "f"(%x, %y) {lazy.versions = array<i64: 0, 3>} : (memref<4xf32>, memref<4xf32>) -> ()
  return {lazy.versions = array<i64: 0, 3, 4>}
}

// -----

func.func @without_versions(%x: memref<4xf32>, %v: memref<4xf32>, %y: memref<4xf32>) {
  lazy.kernel @noted ins(%v : memref<4xf32>) outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 1, 3>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-error @+1 {{'lazy.kernel' op expects `lazy.versions` with 2 numbers, which `lazy-plan-memory` writes}}
  lazy.kernel @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 3, 1, 4>}
}

// -----

// A kernel that loads what it overwrites notes both.
func.func @too_few_versions(%x: memref<4xf32>) {
  // expected-error @+1 {{'lazy.kernel' op expects `lazy.versions` with 2 numbers, which `lazy-plan-memory` writes}}
  lazy.kernel @write outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 1>} {
  ^bb0(%out: memref<4xf32>):
    %0 = lazy.load %out <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return {lazy.versions = array<i64: 1>}
}

// -----

// CHECK-LABEL: func.func @copy_between_devices
func.func @copy_between_devices(%x: memref<4xf32> {lazy.device = "HOST"}, %y: memref<2xf32>) {
  lazy.copy %x offset 2 into %y {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<2xf32>
  return {lazy.versions = array<i64: 0, 2>}
}

// -----

func.func @mixed_devices(%x: memref<4xf32>) {
  // expected-note @+1 {{operand 1 is this memory}}
  %m = memref.alloc() {lazy.device = "CUDA:1"} : memref<4xf32>
  // expected-error @+1 {{'lazy.kernel' op expects memory of one device, got 'CPU' and 'CUDA:1'}}
  lazy.kernel @copy ins(%x : memref<4xf32>) outs(%m : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  memref.dealloc %m {lazy.versions = array<i64: 1>} : memref<4xf32>
  return {lazy.versions = array<i64: 0>}
}

// -----

// No number is special.
// expected-note @+1 {{nothing makes version 9223372036854775807 of this memory}}
func.func @largest_numbers(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'lazy.copy' op reads version 9223372036854775807 of operand 0, but its memory holds version 0}}
  lazy.copy %x into %y {lazy.versions = array<i64: 9223372036854775807, -9223372036854775808>} : memref<4xf32>, memref<4xf32>
  return {lazy.versions = array<i64: 0, -9223372036854775808>}
}
