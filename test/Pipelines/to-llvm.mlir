// RUN: tinygrad-opt %s --tinygrad-to-loops --tinygrad-to-llvm | FileCheck %s --implicit-check-not=builtin.unrealized
// RUN: tinygrad-opt %s --tinygrad-to-loops | tinygrad-opt --tinygrad-to-llvm | FileCheck %s
// RUN: tinygrad-opt %s --tinygrad-to-loops --tinygrad-to-llvm | tinygrad-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVMIR

// The kernel has the interface of the runtime, and the host function hands it
// with all of its tasks to the thread pool.
// CHECK:       llvm.func @tg_parallel_for(i64, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: llvm.func @matmul_relu
// CHECK-DAG:     %[[TASKS:.*]] = llvm.mlir.constant(8 : index) : i64
// CHECK-DAG:     %[[BUFFERS:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK-DAG:     %[[KERNEL:.*]] = llvm.mlir.addressof @r_256_128_512
// CHECK:         llvm.call @tg_parallel_for(%[[TASKS]], %[[KERNEL]], %[[BUFFERS]])
// CHECK:       llvm.func @r_256_128_512(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-SAME:    tinygrad.kernel, tinygrad.tasks = 8
// CHECK:         llvm.call @r_256_128_512.body
// CHECK:       llvm.func internal @r_256_128_512.body

// LLVMIR: declare void @tg_parallel_for(i64, ptr, ptr)
// LLVMIR: define void @matmul_relu(ptr %{{.*}}, ptr %{{.*}}, ptr %{{.*}})
// LLVMIR: define void @r_256_128_512(ptr %{{.*}}, i64 %{{.*}}, i64 %{{.*}})
// LLVMIR: call <8 x float> @llvm.fma.v8f32
func.func @matmul_relu(%a: tensor<256x512xf32>, %b: tensor<512x128xf32>) -> tensor<256x128xf32> {
  %a1 = lazy.reshape %a : tensor<256x512xf32> -> tensor<256x1x512xf32>
  %a2 = lazy.expand %a1 : tensor<256x1x512xf32> -> tensor<256x128x512xf32>
  %b1 = lazy.permute %b [1, 0] : tensor<512x128xf32> -> tensor<128x512xf32>
  %b2 = lazy.reshape %b1 : tensor<128x512xf32> -> tensor<1x128x512xf32>
  %b3 = lazy.expand %b2 : tensor<1x128x512xf32> -> tensor<256x128x512xf32>
  %p = lazy.mul %a2, %b3 : tensor<256x128x512xf32>
  %s = lazy.reduce_sum %p : tensor<256x128x512xf32> -> tensor<256x128x1xf32>
  %m = lazy.reshape %s : tensor<256x128x1xf32> -> tensor<256x128xf32>
  %zero = lazy.const dense<0.0> : tensor<256x128xf32>
  %r = lazy.max %m, %zero : tensor<256x128xf32>
  return %r : tensor<256x128xf32>
}
