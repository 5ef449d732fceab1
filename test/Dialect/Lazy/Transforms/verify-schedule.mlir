// RUN: tinygrad-opt %s --lazy-verify-schedule --split-input-file --verify-diagnostics | FileCheck %s

// As planned: the reader of the old contents comes before the writer.
// CHECK-LABEL: func.func @in_order
func.func @in_order(%x: memref<12xf32>, %y: memref<12xf32>) {
  lazy.kernel @read ins(%x : memref<12xf32>) outs(%y : memref<12xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<12xf32>, %out: memref<12xf32>):
    %0 = lazy.load %in <[12]> : memref<12xf32> -> tensor<12xf32>
    lazy.store %0, %out <[12]> : tensor<12xf32>, memref<12xf32>
  }
  lazy.kernel @write outs(%x : memref<12xf32>) attributes {lazy.versions = array<i64: 1>} {
  ^bb0(%out: memref<12xf32>):
    %0 = lazy.load %out <[12]> : memref<12xf32> -> tensor<12xf32>
    %1 = lazy.neg %0 : tensor<12xf32>
    lazy.store %1, %out <[12]> : tensor<12xf32>, memref<12xf32>
  }
  return
}

// -----

// A schedule by hand, without versions, is left alone.
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

// Two kernels swapped: the reader finds what was written too early.
func.func @swapped(%x: memref<4xf32>, %v: memref<4xf32>, %y: memref<4xf32>) {
  // expected-note@+1 {{version 1 is written here}}
  lazy.kernel @write ins(%v : memref<4xf32>) outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-error@+1 {{'lazy.kernel' op reads version 0 of operand 0, but its memory holds version 1}}
  lazy.kernel @read ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

// A reader before the kernel that makes what it reads.
func.func @too_early(%x: memref<4xf32>, %v: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error@+1 {{'lazy.kernel' op reads version 1 of operand 0, but its memory holds version 0}}
  lazy.kernel @read ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 1, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-note@+1 {{version 1 is made here}}
  lazy.kernel @write ins(%v : memref<4xf32>) outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

// What is to be read was never written: its kernel is gone.
// expected-note@+1 {{nothing makes version 1 of this memory}}
func.func @lost(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error@+1 {{'lazy.kernel' op reads version 1 of operand 0, but its memory holds version 0}}
  lazy.kernel @read ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 1, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

// A write into a buffer that is still to be read, by a kernel put in between.
func.func @overwritten(%x: memref<4xf32>, %v: memref<4xf32>, %y: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.kernel @make ins(%x : memref<4xf32>) outs(%t : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-note@+1 {{version 2 is written here}}
  lazy.kernel @other ins(%v : memref<4xf32>) outs(%t : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 2>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-error@+1 {{'lazy.kernel' op reads version 1 of operand 0, but its memory holds version 2}}
  lazy.kernel @read ins(%t : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 1, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  memref.dealloc %t : memref<4xf32>
  return
}

// -----

// Two writes in the wrong order.
func.func @writes_swapped(%x: memref<4xf32>, %v: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error@+1 {{'lazy.kernel' op makes version 2 of operand 1, but its memory holds version 0}}
  lazy.kernel @second ins(%v : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 2>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-note@+1 {{version 1 is made here}}
  lazy.kernel @first ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

// The same write twice.
func.func @written_twice(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-note@+1 {{version 1 is written here}}
  lazy.kernel @first ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-error@+1 {{'lazy.kernel' op makes version 1 of operand 1, but its memory holds version 1}}
  lazy.kernel @again ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

func.func @freed_too_early(%x: memref<4xf32>, %y: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.kernel @make ins(%x : memref<4xf32>) outs(%t : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-note@+1 {{it is freed here}}
  memref.dealloc %t : memref<4xf32>
  // expected-error@+1 {{'lazy.kernel' op uses the memory of operand 0 after it was freed}}
  lazy.kernel @read ins(%t : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 1, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

func.func @freed_twice(%x: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.kernel @make ins(%x : memref<4xf32>) outs(%t : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-note@+1 {{it is freed here}}
  memref.dealloc %t : memref<4xf32>
  // expected-error@+1 {{'memref.dealloc' op frees memory that was freed before}}
  memref.dealloc %t : memref<4xf32>
  return
}

// -----

func.func @custom_too_early(%x: memref<4xf32>, %v: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error@+1 {{'lazy.custom' op reads version 1 of operand 0, but its memory holds version 0}}
  lazy.custom "f"(%x, %y) {lazy.versions = array<i64: 1, 1>} : (memref<4xf32>, memref<4xf32>) -> ()
  // expected-note@+1 {{version 1 is made here}}
  lazy.kernel @write ins(%v : memref<4xf32>) outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

func.func @without_versions(%x: memref<4xf32>, %v: memref<4xf32>, %y: memref<4xf32>) {
  lazy.kernel @noted ins(%v : memref<4xf32>) outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-error@+1 {{'lazy.kernel' op expects `lazy.versions` with 2 numbers, which `lazy-plan-memory` writes}}
  lazy.kernel @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

func.func @other_operation(%x: memref<4xf32>, %v: memref<4xf32>) {
  lazy.kernel @noted ins(%v : memref<4xf32>) outs(%x : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-error@+1 {{'memref.copy' op expects kernels, custom operations, copies, allocations and deallocations in a schedule}}
  memref.copy %x, %v : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Versions count from 0, which is what memory holds at the start.
// expected-note @+1 {{version 0 is what this memory begins with}}
func.func @version_below_0(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{reads version -1 of operand 0, but its memory holds version 0}}
  lazy.kernel @copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: -1, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

// expected-note @+1 {{version 0 is what this memory begins with}}
func.func @version_is_not_new(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{makes version 0 of operand 1, but its memory holds version 0}}
  lazy.kernel @copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 0>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @copy_between_devices
func.func @copy_between_devices(%x: memref<4xf32> {lazy.device = "HOST"}, %y: memref<2xf32>) {
  lazy.copy %x offset 2 into %y {lazy.versions = array<i64: 0, 1>} : memref<4xf32>, memref<2xf32>
  return
}

// -----

func.func @copy_too_late(%x: memref<4xf32> {lazy.device = "HOST"}, %y: memref<4xf32>) {
  // expected-note@+1 {{version 1 is written here}}
  lazy.copy %y into %x {lazy.versions = array<i64: 0, 1>} : memref<4xf32>, memref<4xf32>
  // expected-error@+1 {{'lazy.copy' op reads version 0 of operand 0, but its memory holds version 1}}
  lazy.copy %x into %y {lazy.versions = array<i64: 0, 1>} : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @mixed_devices(%x: memref<4xf32>) {
  // expected-note@+1 {{operand 1 is this memory}}
  %m = memref.alloc() {lazy.device = "CUDA:1"} : memref<4xf32>
  // expected-error@+1 {{'lazy.kernel' op expects memory of one device, got 'CPU' and 'CUDA:1'}}
  lazy.kernel @copy ins(%x : memref<4xf32>) outs(%m : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  memref.dealloc %m : memref<4xf32>
  return
}

// -----

// Two values share memory: the reader of the first one comes too late.
func.func @shared_too_early(%x: memref<4xf32>, %y: memref<1xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.kernel @first ins(%x : memref<4xf32>) outs(%t : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-note@+1 {{version 2 is written here}}
  lazy.kernel @second ins(%x : memref<4xf32>) outs(%t : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 2>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  // expected-error@+1 {{'lazy.kernel' op reads version 1 of operand 0, but its memory holds version 2}}
  lazy.kernel @sum ins(%t : memref<4xf32>) outs(%y : memref<1xf32>) attributes {lazy.versions = array<i64: 1, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<1xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    %1 = lazy.reduce_sum %0 : tensor<4xf32> -> tensor<1xf32>
    lazy.store %1, %out <[1]> : tensor<1xf32>, memref<1xf32>
  }
  memref.dealloc %t : memref<4xf32>
  return
}

// -----

func.func @never_freed(%x: memref<4xf32>) {
  // expected-error@+1 {{'memref.alloc' op allocates memory that is never freed}}
  %t = memref.alloc() : memref<4xf32>
  lazy.kernel @k ins(%x : memref<4xf32>) outs(%t : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

// expected-error@+1 {{'func.func' op notes a peak of 16 bytes, but its schedule allocates 32 at once}}
func.func @another_peak(%x: memref<4xf32>, %y: memref<4xf32>) attributes {tinygrad.peak_bytes = 16 : i64} {
  %t = memref.alloc() : memref<4xf32>
  lazy.kernel @k ins(%x : memref<4xf32>) outs(%t : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 1>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  %u = memref.alloc() : memref<4xf32>
  memref.dealloc %t : memref<4xf32>
  memref.dealloc %u : memref<4xf32>
  return
}
