// RUN: tinygrad-opt %s | FileCheck %s
// RUN: tinygrad-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

#i = #lazy.variable<i, 1, 10>

// CHECK-LABEL: func.func @copies
// FOLD-LABEL: func.func @copies
// FOLD-SAME:    (%[[X:.*]]: tensor<4xf32>)
func.func @copies(%x: tensor<4xf32>) -> tensor<4xf32, #lazy.type<device = "CUDA:1">> {
  // CHECK: lazy.copy %{{.*}} : tensor<4xf32> -> tensor<4xf32, #lazy.type<device = "CUDA">>
  %0 = lazy.copy %x : tensor<4xf32> -> tensor<4xf32, #lazy.type<device = "CUDA">>
  // CHECK: lazy.copy %{{.*}} -> tensor<4xf32, #lazy.type<device = "CUDA:1">>
  // FOLD: %[[Y:.*]] = lazy.copy %[[X]] : tensor<4xf32> -> tensor<4xf32, #lazy.type<device = "CUDA:1">>
  // FOLD-NEXT: return %[[Y]]
  %1 = lazy.copy %0 : tensor<4xf32, #lazy.type<device = "CUDA">> -> tensor<4xf32, #lazy.type<device = "CUDA:1">>
  return %1 : tensor<4xf32, #lazy.type<device = "CUDA:1">>
}

// A file: what is after the colon is the device's matter.
// CHECK-LABEL: func.func @from_a_file
func.func @from_a_file(%x: tensor<4xf32, #lazy.type<device = "DISK:/tmp/a \"b\".bin">>) -> tensor<4xf32> {
  // CHECK: lazy.copy %{{.*}} : tensor<4xf32, #lazy.type<device = "DISK:/tmp/a \22b\22.bin">> -> tensor<4xf32>
  %0 = lazy.copy %x : tensor<4xf32, #lazy.type<device = "DISK:/tmp/a \"b\".bin">> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @from_the_host
func.func @from_the_host(%x: tensor<?xf32, #lazy.type<device = "HOST", dims = [#i]>>) -> tensor<?xf32, #lazy.type<dims = [#i]>> {
  // CHECK: lazy.fromcpu %{{.*}} : tensor<?xf32, #lazy.type<device = "HOST", dims = [#i]>> -> tensor<?xf32, #lazy.type<dims = [#i]>>
  %0 = lazy.fromcpu %x : tensor<?xf32, #lazy.type<device = "HOST", dims = [#i]>> -> tensor<?xf32, #lazy.type<dims = [#i]>>
  return %0 : tensor<?xf32, #lazy.type<dims = [#i]>>
}
