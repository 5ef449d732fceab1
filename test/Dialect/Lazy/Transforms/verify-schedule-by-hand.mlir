// RUN: tinygrad-opt %s --lazy-verify-schedule --split-input-file --verify-diagnostics

// Without notes of versions: what is wrong whatever the operations mean.

func.func @right(%x: memref<4xf32>, %y: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t : memref<4xf32>, memref<4xf32>
  lazy.copy %y into %x : memref<4xf32>, memref<4xf32>
  lazy.copy %t into %y : memref<4xf32>, memref<4xf32>
  memref.dealloc %t : memref<4xf32>
  return
}

// -----

func.func @not_written(%y: memref<4xf32>) {
  // expected-note @+1 {{this is the memory}}
  %t = memref.alloc() : memref<4xf32>
  // expected-error @+1 {{'lazy.copy' op reads operand 0, but nothing has written its memory}}
  lazy.copy %t into %y : memref<4xf32>, memref<4xf32>
  memref.dealloc %t : memref<4xf32>
  return
}

// -----

// Half of it is written, and the copy keeps the rest.
func.func @half_written(%x: memref<2xf32>, %y: memref<4xf32>) {
  // expected-note @+1 {{this is the memory}}
  %t = memref.alloc() : memref<4xf32>
  // expected-error @+1 {{'lazy.copy' op reads operand 1, but nothing has written its memory}}
  lazy.copy %x into %t at 2 size 2 : memref<2xf32>, memref<4xf32>
  lazy.copy %t into %y : memref<4xf32>, memref<4xf32>
  memref.dealloc %t : memref<4xf32>
  return
}

// -----

func.func @after_free(%x: memref<4xf32>, %y: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t : memref<4xf32>, memref<4xf32>
  // expected-note @+1 {{it is freed here}}
  memref.dealloc %t : memref<4xf32>
  // expected-error @+1 {{'lazy.copy' op uses the memory of operand 0 after it was freed}}
  lazy.copy %t into %y : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @freed_twice(%x: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t : memref<4xf32>, memref<4xf32>
  // expected-note @+1 {{it is freed here}}
  memref.dealloc %t : memref<4xf32>
  // expected-error @+1 {{'memref.dealloc' op frees memory that was freed before}}
  memref.dealloc %t : memref<4xf32>
  return
}

// -----

func.func @never_freed(%x: memref<4xf32>) {
  // expected-error @+1 {{'memref.alloc' op allocates memory that is never freed}}
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t : memref<4xf32>, memref<4xf32>
  return
}

// -----

// The flip overwrites what later elements load.
func.func @flip_in_place(%x: memref<4xf32>) {
  // expected-error @+1 {{'lazy.kernel' op overwrites elements of operand 0 that it loads for other elements}}
  lazy.kernel @flip outs(%x : memref<4xf32>) {
  ^bb0(%out: memref<4xf32>):
    // expected-note @+1 {{they are loaded here}}
    %0 = lazy.load %out <[4], strides = [-1], offset = 3> : memref<4xf32> -> tensor<4xf32>
    // expected-note @+1 {{they are overwritten here}}
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

// Who calls other functions may write the memory there.
func.func private @fill(memref<4xf32>)
func.func @with_a_call(%y: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  func.call @fill(%t) : (memref<4xf32>) -> ()
  lazy.copy %t into %y : memref<4xf32>, memref<4xf32>
  return
}
