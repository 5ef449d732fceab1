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

// expected-error@+1 {{'llvm.func' op expects one pointer per buffer and a range of tasks, got '!llvm.func<void (ptr, f32, i64)>'}}
llvm.func @wrong(%x: !llvm.ptr, %y: f32, %end: i64) attributes {tinygrad.kernel} {
  llvm.return
}
