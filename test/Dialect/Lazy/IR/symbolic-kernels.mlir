// RUN: tinygrad-opt %s | tinygrad-opt | FileCheck %s
// RUN: tinygrad-opt %s --lazy-check-bounds

// Kernels whose sizes are expressions of variables, which they are told.

// CHECK-DAG: #i = #lazy.variable<i, 1, 10>
// CHECK-DAG: #j = #lazy.variable<j, 2, 5>
#i = #lazy.variable<i, 1, 10>
#j = #lazy.variable<j, 2, 5>

// CHECK-LABEL: func.func @on_tensors
// CHECK-SAME: %[[N:.*]]: index {lazy.variable = #i}, %[[M:.*]]: index {lazy.variable = #j}
func.func @on_tensors(%n: index {lazy.variable = #i}, %m: index {lazy.variable = #j},
                      %x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>) -> tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>> {
  %e = lazy.empty : tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
  // CHECK: lazy.kernel @pad ins({{.*}}) outs({{.*}}) variables(#i = %[[N]], #j = %[[M]]) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<{{.*}}>, %{{.*}}: tensor<{{.*}}>, %{{.*}}: index, %{{.*}}: index):
  %0 = lazy.kernel @pad ins(%x : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>) outs(%e : tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>) variables(#i = %n, #j = %m) {
  ^bb0(%in: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>, %out: tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>, %i: index, %j: index):
    %1 = lazy.load %in <[3, #i + #j], strides = [1, 3], mask = [[0, 3], [0, #i]]> : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
    %c = lazy.const dense<1.0> : tensor<1x1xf32>
    // CHECK: lazy.expand
    %d = lazy.expand %c : tensor<1x1xf32> -> tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
    %2 = lazy.add %1, %d : tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
    lazy.store %2, %out <[3, #i + #j]> : tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>, tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
  } -> tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
  return %0 : tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
}

// CHECK-LABEL: func.func @on_memory
func.func @on_memory(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  // CHECK: lazy.kernel @neg ins(%{{.*}} : memref<?xf32>) outs(%{{.*}} : memref<?xf32>) variables(#i = %{{.*}}) {
  lazy.kernel @neg ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) variables(#i = %n) {
  ^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index):
    %0 = lazy.load %in <[#i]> : memref<?xf32> -> tensor<?xf32, #lazy.type<dims = [#i]>>
    %1 = lazy.neg %0 : tensor<?xf32, #lazy.type<dims = [#i]>>
    lazy.store %1, %out <[#i]> : tensor<?xf32, #lazy.type<dims = [#i]>>, memref<?xf32>
  }
  return
}

// A store may be in any order of the axes.
// CHECK-LABEL: func.func @transposed_store
func.func @transposed_store(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  // CHECK: lazy.store %{{.*}} <[#i, #j], strides = [1, #i]>
  lazy.kernel @t ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) variables(#i = %n, #j = %n) {
  ^bb0(%in: memref<?xf32>, %out: memref<?xf32>, %i: index, %j: index):
    %0 = lazy.load %in <[#i, #j]> : memref<?xf32> -> tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
    lazy.store %0, %out <[#i, #j], strides = [1, #i]> : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>, memref<?xf32>
  }
  return
}
