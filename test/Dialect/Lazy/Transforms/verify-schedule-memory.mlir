// RUN: tinygrad-opt %s --lazy-verify-schedule --split-input-file --verify-diagnostics | FileCheck %s

func.func @freed_too_early(%x: memref<4xf32>, %y: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  // expected-note @+1 {{it is freed here}}
  memref.dealloc %t {lazy.versions = array<i64: 2>} : memref<4xf32>
  // expected-error @+1 {{'lazy.copy' op uses the memory of operand 0 after it was freed}}
  lazy.copy %t into %y {lazy.versions = array<i64: 2, 3>} : memref<4xf32>, memref<4xf32>
  return {lazy.versions = array<i64: 0, 3>}
}

// -----

func.func @written_after_free(%x: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 1>} : memref<4xf32>, memref<4xf32>
  // expected-note @+1 {{it is freed here}}
  memref.dealloc %t {lazy.versions = array<i64: 1>} : memref<4xf32>
  // expected-error @+1 {{'lazy.copy' op uses the memory of operand 1 after it was freed}}
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  return {lazy.versions = array<i64: 0>}
}

// -----

func.func @freed_twice(%x: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 1>} : memref<4xf32>, memref<4xf32>
  // expected-note @+1 {{it is freed here}}
  memref.dealloc %t {lazy.versions = array<i64: 1>} : memref<4xf32>
  // expected-error @+1 {{'memref.dealloc' op frees memory that was freed before}}
  memref.dealloc %t {lazy.versions = array<i64: 1>} : memref<4xf32>
  return {lazy.versions = array<i64: 0>}
}

// -----

// expected-note @+1 {{the argument is here}}
func.func @frees_an_argument(%x: memref<4xf32>, %y: memref<4xf32>) {
  lazy.copy %x into %y {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'memref.dealloc' op frees memory that belongs to the caller}}
  memref.dealloc %x {lazy.versions = array<i64: 0>} : memref<4xf32>
  return {lazy.versions = array<i64: 0, 2>}
}

// -----

// Nothing reads the second version, but the file that it may be is written.
func.func @freed_before_the_write(%x: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 1>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'memref.dealloc' op frees version 2, but its memory holds version 1}}
  memref.dealloc %t {lazy.versions = array<i64: 2>} : memref<4xf32>
  // expected-note @+1 {{version 2 is made here}}
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  return {lazy.versions = array<i64: 0>}
}

// -----

func.func @freed_without_versions(%x: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 1>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'memref.dealloc' op expects `lazy.versions` with the version that its memory holds}}
  memref.dealloc %t : memref<4xf32>
  return {lazy.versions = array<i64: 0>}
}

// -----

func.func @never_freed(%x: memref<4xf32>) {
  // expected-error @+1 {{'memref.alloc' op allocates memory that is never freed}}
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 1>} : memref<4xf32>, memref<4xf32>
  return {lazy.versions = array<i64: 0>}
}

// -----

func.func @not_written(%y: memref<4xf32>) {
  // expected-note @+1 {{this memory has not been written}}
  %t = memref.alloc() : memref<4xf32>
  // expected-error @+1 {{'lazy.copy' op reads version 0 of operand 0, but nothing has written its memory}}
  lazy.copy %t into %y {lazy.versions = array<i64: 0, 1>} : memref<4xf32>, memref<4xf32>
  memref.dealloc %t {lazy.versions = array<i64: 0>} : memref<4xf32>
  return {lazy.versions = array<i64: 1>}
}

// -----

// A store into a part leaves the rest as it was.
func.func @part_of_nothing(%v: memref<4xf32>, %y: memref<4xf32>) {
  // expected-note @+1 {{nothing makes version 7 of this memory}}
  %t = memref.alloc() : memref<4xf32>
  // expected-error @+1 {{'lazy.kernel' op keeps version 7 of operand 1, but nothing has written its memory}}
  lazy.kernel @even ins(%v : memref<4xf32>) outs(%t : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 7, 2>} {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[2]> : memref<4xf32> -> tensor<2xf32>
    lazy.store %0, %out <[2], strides = [2]> : tensor<2xf32>, memref<4xf32>
  }
  memref.dealloc %t {lazy.versions = array<i64: 2>} : memref<4xf32>
  return {lazy.versions = array<i64: 0, 1>}
}

// -----

// The program reads a `lazy.empty`.
// CHECK-LABEL: func.func @begins_with_a_version
func.func @begins_with_a_version(%y: memref<4xf32>) {
  %t = memref.alloc() {lazy.versions = array<i64: 1>} : memref<4xf32>
  lazy.copy %t into %y {lazy.versions = array<i64: 1, 2>} : memref<4xf32>, memref<4xf32>
  memref.dealloc %t {lazy.versions = array<i64: 1>} : memref<4xf32>
  return {lazy.versions = array<i64: 2>}
}

// -----

func.func @begins_with_two_versions(%y: memref<4xf32>) {
  // expected-error @+1 {{'memref.alloc' op expects `lazy.versions` with the version that its memory begins with}}
  %t = memref.alloc() {lazy.versions = array<i64: 1, 2>} : memref<4xf32>
  lazy.copy %t into %y {lazy.versions = array<i64: 1, 2>} : memref<4xf32>, memref<4xf32>
  memref.dealloc %t {lazy.versions = array<i64: 1>} : memref<4xf32>
  return {lazy.versions = array<i64: 2>}
}

// -----

// expected-note @+1 {{version 0 is what this memory begins with}}
func.func @begins_with_another(%x: memref<4xf32>) {
  // expected-error @+1 {{'memref.alloc' op begins with version 0, but there is a version of this number}}
  %t = memref.alloc() {lazy.versions = array<i64: 0>} : memref<4xf32>
  memref.dealloc %t {lazy.versions = array<i64: 0>} : memref<4xf32>
  return {lazy.versions = array<i64: 0>}
}

// -----

// Two values share memory: the reader of the first one comes too late.
func.func @shared_too_early(%x: memref<4xf32>, %y: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  // expected-note @+1 {{version 3 is written here}}
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 3>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'lazy.copy' op reads version 2 of operand 0, but its memory holds version 3}}
  lazy.copy %t into %y {lazy.versions = array<i64: 2, 4>} : memref<4xf32>, memref<4xf32>
  memref.dealloc %t {lazy.versions = array<i64: 3>} : memref<4xf32>
  return {lazy.versions = array<i64: 0, 4>}
}

// -----

func.func @return_without_versions(%x: memref<4xf32>, %y: memref<4xf32>) {
  lazy.copy %x into %y {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'func.return' op expects `lazy.versions` with the version that each of 2 arguments holds in the end}}
  return
}

// -----

// What is returned would be one piece of memory under two names.
func.func @returns_memory(%x: memref<4xf32>, %y: memref<4xf32>) -> memref<4xf32> {
  lazy.copy %x into %y {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'func.return' op expects a schedule to return without operands: results are arguments}}
  return {lazy.versions = array<i64: 0, 2>} %y : memref<4xf32>
}

// -----

func.func @returns_freed_memory(%x: memref<4xf32>) -> memref<4xf32> {
  %t = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 1>} : memref<4xf32>, memref<4xf32>
  memref.dealloc %t {lazy.versions = array<i64: 1>} : memref<4xf32>
  // expected-error @+1 {{'func.return' op expects a schedule to return without operands: results are arguments}}
  return {lazy.versions = array<i64: 0>} %t : memref<4xf32>
}

// -----

// A schedule has one block, whose order is the order of the run.
// expected-error @+1 {{'func.func' op expects one block for a schedule of kernels}}
func.func @two_blocks(%x: memref<4xf32>, %y: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  cf.br ^next
^next:
  // expected-note @+1 {{another block begins here}}
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  memref.dealloc %t {lazy.versions = array<i64: 2>} : memref<4xf32>
  return {lazy.versions = array<i64: 0, 2>}
}

// -----

// Nothing is noted outside of the loop.
func.func @in_a_loop(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.for' op expects kernels, custom operations, copies, allocations and deallocations of memory in a schedule}}
  scf.for %i = %c0 to %c1 step %c1 {
    lazy.copy %x into %y {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  }
  return
}

// -----

func.func @memref_copy(%x: memref<4xf32>, %y: memref<4xf32>) {
  lazy.copy %x into %y {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'memref.copy' op expects kernels, custom operations, copies, allocations and deallocations of memory in a schedule}}
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return {lazy.versions = array<i64: 0, 2>}
}

// -----

// A view would be other memory that overlaps.
func.func @subview(%x: memref<4xf32>, %y: memref<4xf32>) {
  lazy.copy %x into %y {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'memref.subview' op expects kernels, custom operations, copies, allocations and deallocations of memory in a schedule}}
  %p = memref.subview %x[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  return {lazy.versions = array<i64: 0, 2>}
}

// -----

func.func private @callee(memref<4xf32>)
func.func @call(%x: memref<4xf32>, %y: memref<4xf32>) {
  lazy.copy %x into %y {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'func.call' op expects kernels, custom operations, copies, allocations and deallocations of memory in a schedule}}
  call @callee(%x) : (memref<4xf32>) -> ()
  return {lazy.versions = array<i64: 0, 2>}
}

// -----

func.func @on_tensors(%x: memref<4xf32>, %y: memref<4xf32>) {
  lazy.copy %x into %y {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  // expected-error @+1 {{'lazy.empty' op expects kernels, custom operations, copies, allocations and deallocations of memory in a schedule}}
  %e = lazy.empty : tensor<4xf32>
  return {lazy.versions = array<i64: 0, 2>}
}

// -----

// expected-error @+1 {{'func.func' op expects arguments that are memory or bind a variable in a schedule, got 'i32'}}
func.func @argument_type(%x: memref<4xf32>, %i: i32) {
  lazy.custom "f"(%x) {lazy.versions = array<i64: 1>} : (memref<4xf32>) -> ()
  return {lazy.versions = array<i64: 1>}
}

// -----

// expected-error @+1 {{'func.func' op notes a peak of 16 bytes, but its schedule allocates 32 at once}}
func.func @another_peak(%x: memref<4xf32>) attributes {tinygrad.peak_bytes = 16 : i64} {
  %t = memref.alloc() : memref<4xf32>
  %u = memref.alloc() : memref<4xf32>
  lazy.copy %x into %t {lazy.versions = array<i64: 0, 1>} : memref<4xf32>, memref<4xf32>
  lazy.copy %x into %u {lazy.versions = array<i64: 0, 2>} : memref<4xf32>, memref<4xf32>
  memref.dealloc %t {lazy.versions = array<i64: 1>} : memref<4xf32>
  memref.dealloc %u {lazy.versions = array<i64: 2>} : memref<4xf32>
  return {lazy.versions = array<i64: 0>}
}

// -----

// There is nothing in it that could be in a wrong order.
// CHECK: func.func private @declared
func.func private @declared(memref<4xf32>) attributes {lazy.versions = array<i64: 1>}

// -----

func.func @does_not_return(%x: memref<4xf32>) {
  lazy.custom "f"(%x) {lazy.versions = array<i64: 1>} : (memref<4xf32>) -> ()
  // expected-error @+1 {{'llvm.unreachable' op expects a schedule to return without operands: results are arguments}}
  llvm.unreachable
}
