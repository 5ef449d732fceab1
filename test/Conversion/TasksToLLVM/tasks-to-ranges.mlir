// RUN: tinygrad-opt %s --convert-tasks-to-ranges --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[ALL:.*]] = arith.constant 7 : index
// CHECK: call @kernel(%{{.*}}, %[[ZERO]], %[[ALL]])
func.func @main(%x: memref<7xf32>) {
  call @kernel(%x) : (memref<7xf32>) -> ()
  return
}

// Memory on the stack is allocated once, before the loop.
// CHECK-LABEL: func.func private @kernel
// CHECK-SAME:    (%{{.*}}: memref<7xf32> {llvm.noalias}, %[[BEGIN:.*]]: index, %[[END:.*]]: index) attributes {tinygrad.kernel, tinygrad.tasks = 7 : i64}
// CHECK: memref.alloca
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK-NOT: memref.alloca
func.func private @kernel(%x: memref<7xf32>) attributes {tinygrad.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %cst = arith.constant 1.0 : f32
  scf.parallel (%i) = (%c0) to (%c7) step (%c1) {
    %m = memref.alloca() : memref<4xf32>
    memref.store %cst, %m[%c0] : memref<4xf32>
    %v = memref.load %m[%c0] : memref<4xf32>
    memref.store %v, %x[%i] : memref<7xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @one_task
// CHECK-SAME:    tinygrad.tasks = 1
// CHECK-NOT: scf.for
func.func @one_task(%x: memref<1xf32>) attributes {tinygrad.kernel} {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 1.0 : f32
  memref.store %cst, %x[%c0] : memref<1xf32>
  return
}

// -----

func.func @steps(%x: memref<8xf32>) attributes {tinygrad.kernel} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  // expected-error@+1 {{'scf.parallel' op expects one loop from 0 to a number of tasks that is constant or an expression of variables}}
  scf.parallel (%i) = (%c0) to (%c8) step (%c2) {
  }
  return
}

// -----

// expected-error@+1 {{'func.func' op expects one `scf.parallel` at the top of a kernel function, got 2}}
func.func @two_loops(%x: memref<8xf32>) attributes {tinygrad.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
  }
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
  }
  return
}

// -----

// expected-error@+1 {{'func.func' op expects one block for a kernel function}}
func.func @two_blocks(%x: memref<8xf32>) attributes {tinygrad.kernel} {
  cf.br ^bb1
^bb1:
  return
}

// -----

// expected-error@+1 {{'func.func' op expects a kernel function without results, got 1}}
func.func @result(%x: memref<7xf32>) -> f32 attributes {tinygrad.kernel} {
  %cst = arith.constant 1.0 : f32
  return %cst : f32
}
func.func @caller_of_result(%x: memref<7xf32>) -> f32 {
  %r = call @result(%x) : (memref<7xf32>) -> f32
  return %r : f32
}

// -----

// A name of a module inside means something else.
// CHECK-LABEL: func.func @nested
// CHECK-NEXT: call @kernel() : () -> ()
module {
  func.func private @kernel()
  func.func @nested() {
    call @kernel() : () -> ()
    return
  }
}
func.func @kernel() attributes {tinygrad.kernel} {
  return
}

// -----

// A layout that depends on the task stays in the loop.
// CHECK-LABEL: func.func @layout
// CHECK: scf.for
// CHECK: memref.alloca()[
func.func @layout(%x: memref<7xf32>) attributes {tinygrad.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.parallel (%i) = (%c0) to (%c7) step (%c1) {
    %m = memref.alloca()[%i] : memref<4xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
    %v = memref.load %m[%c0] : memref<4xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
    memref.store %v, %x[%i] : memref<7xf32>
  }
  return
}
