// RUN: tinygrad-opt %s --lazy-bind-variables=values=i=4 --split-input-file | FileCheck %s

#i = #lazy.variable<i, 1, 10>
#j = #lazy.variable<j, 2, 5>

// The argument goes away, and the number stands everywhere.
// CHECK-LABEL: func.func @types_and_sizes
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>) -> tensor<8x3xf32>
func.func @types_and_sizes(%n: index {lazy.variable = #i}, %x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>)
    -> tensor<?x3xf32, #lazy.type<dims = [#i * 2, 3]>> {
  // CHECK: lazy.pad %[[X]] low [4, 0] high [0, 0] : tensor<4x3xf32> -> tensor<8x3xf32>
  %0 = lazy.pad %x low [#i, 0] high [0, 0] : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<?x3xf32, #lazy.type<dims = [#i * 2, 3]>>
  return %0 : tensor<?x3xf32, #lazy.type<dims = [#i * 2, 3]>>
}

// Variables that get no number stay.
// CHECK-LABEL: func.func @another_variable
// CHECK-SAME:    (%{{.*}}: index {lazy.variable = #j}, %[[X:.*]]: tensor<4x?xf32, #lazy.type<dims = [4, #j]>>)
func.func @another_variable(%n: index {lazy.variable = #i}, %m: index {lazy.variable = #j},
                            %x: tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>) -> tensor<?xf32, #lazy.type<dims = [#i * #j]>> {
  // CHECK: lazy.reshape %[[X]] : {{.*}} -> tensor<?xf32, #lazy.type<dims = [#j * 4]>>
  %0 = lazy.reshape %x : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>> -> tensor<?xf32, #lazy.type<dims = [#i * #j]>>
  return %0 : tensor<?xf32, #lazy.type<dims = [#i * #j]>>
}

// CHECK-LABEL: func.func @views
func.func @views(%x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>) -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>> {
  // CHECK: lazy.view %{{.*}} <[3, 4], strides = [1, 3]> : tensor<4x3xf32> -> tensor<3x4xf32>
  %0 = lazy.view %x <[3, #i], strides = [1, 3]> : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  return %0 : tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
}

// The number is a value too, and a device stays.
// CHECK-LABEL: func.func @used_argument
// CHECK-SAME:    (%{{.*}}: tensor<4xf32, #lazy.type<device = "CUDA">>) -> index
func.func @used_argument(%n: index {lazy.variable = #i}, %x: tensor<?xf32, #lazy.type<device = "CUDA", dims = [#i]>>) -> index {
  // CHECK: %[[C:.*]] = arith.constant 4 : index
  // CHECK: return %[[C]]
  return %n : index
}

// A declaration has arguments too.
// CHECK-LABEL: func.func private @declaration(tensor<4x3xf32>)
func.func private @declaration(index {lazy.variable = #i}, tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>)
