// RUN: tinygrad-opt %s --convert-kernels-to-c-abi --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: llvm.func @tg_parallel_for(i64, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: llvm.func @main
// CHECK: %[[ARRAY:.*]] = llvm.alloca
// CHECK: llvm.store %arg0
// CHECK: llvm.store %arg1
// CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @kernel : !llvm.ptr
// CHECK: llvm.call @tg_parallel_for(%{{.*}}, %[[KERNEL]], %[[ARRAY]])
llvm.func @main(%x: !llvm.ptr, %y: !llvm.ptr) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c7 = llvm.mlir.constant(7 : i64) : i64
  llvm.call @kernel(%x, %y, %c0, %c7) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
  llvm.return
}

// CHECK-LABEL: llvm.func @kernel
// CHECK-SAME:    (%[[BUFFERS:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64) attributes {tinygrad.kernel, tinygrad.tasks = 7 : i64}
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.call @kernel.body(%{{.*}}, %{{.*}}, %[[BEGIN]], %[[END]])
// CHECK: llvm.func internal @kernel.body
// CHECK-SAME:    attributes {{.*}}always_inline
llvm.func @kernel(%x: !llvm.ptr {llvm.noalias}, %y: !llvm.ptr {llvm.noalias}, %begin: i64, %end: i64) attributes {tinygrad.kernel, tinygrad.tasks = 7 : i64} {
  llvm.return
}

// -----

// expected-error@+1 {{'llvm.func' op expects one pointer per buffer, one i64 per variable and a range of tasks, got '!llvm.func<void (ptr, f32, i64)>'}}
llvm.func @wrong(%x: !llvm.ptr, %y: f32, %end: i64) attributes {tinygrad.kernel} {
  llvm.return
}

// -----

// expected-error@+1 {{'llvm.func' op expects one pointer per buffer, one i64 per variable and a range of tasks, got '!llvm.func<i32 (ptr, i64, i64)>'}}
llvm.func @result(%x: !llvm.ptr, %begin: i64, %end: i64) -> i32 attributes {tinygrad.kernel} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %c0 : i32
}
llvm.func @caller(%x: !llvm.ptr, %n: i64) -> i32 {
  %r = llvm.call @result(%x, %n, %n) : (!llvm.ptr, i64, i64) -> i32
  llvm.return %r : i32
}

// -----

func.func @caller_of_another_dialect(%x: !llvm.ptr, %n: i64) {
  // expected-error@+1 {{'llvm.call' op expects a kernel to be called by an `llvm.func`}}
  llvm.call @kernel(%x, %n, %n) : (!llvm.ptr, i64, i64) -> ()
  return
}
llvm.func @kernel(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {tinygrad.kernel} {
  llvm.return
}

// -----

// expected-error@+1 {{'llvm.mlir.global' op expects `tg_parallel_for` to be a function of type '!llvm.func<void (i64, ptr, ptr)>'}}
llvm.mlir.global internal @tg_parallel_for(1 : i32) : i32
llvm.func @main(%x: !llvm.ptr, %n: i64) {
  llvm.call @kernel(%x, %n, %n) : (!llvm.ptr, i64, i64) -> ()
  llvm.return
}
llvm.func @kernel(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {tinygrad.kernel} {
  llvm.return
}

// -----

// A name of a module inside means something else.
// CHECK-LABEL: llvm.func @nested
// CHECK-NEXT: llvm.call @kernel() : () -> ()
module {
  llvm.func @kernel()
  llvm.func @nested() {
    llvm.call @kernel() : () -> ()
    llvm.return
  }
}
llvm.func @kernel(%x: !llvm.ptr, %begin: i64, %end: i64) attributes {tinygrad.kernel} {
  llvm.return
}
