// RUN: tinygrad-opt %s --lazy-compose-views | FileCheck %s --check-prefix=COMPOSE
// RUN: tinygrad-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: tinygrad-opt %s --lazy-simplify-views | FileCheck %s --check-prefix=SIMPLIFY
// RUN: tinygrad-opt %s --lazy-compose-views --lazy-expand-views | FileCheck %s --check-prefix=EXPAND
// RUN: tinygrad-opt %s --lazy-compose-views --lazy-expand-views --lazy-compose-views | FileCheck %s --check-prefix=COMPOSE
// RUN: tinygrad-opt %s --lazy-compose-views --lazy-check-bounds="report=true" --verify-diagnostics -o /dev/null

// Views of sizes that are expressions.

#i = #lazy.variable<i, 1, 10>
#j = #lazy.variable<j, 2, 5>

// COMPOSE-LABEL: func.func @transpose
// FOLD-LABEL: func.func @transpose
func.func @transpose(%x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>) -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>> {
  // COMPOSE: lazy.view %{{.*}} <[3, #i], strides = [1, 3]>
  // EXPAND: lazy.as_strided %{{.*}} [1, 3] offset 0
  // FOLD: lazy.permute
  // FOLD-NOT: lazy.permute
  // expected-remark @below {{proves indices from 0 to i * 3 - 1 of i * 3 elements: (d0, d1)[s0] -> (d0 + d1 * 3)}}
  %0 = lazy.permute %x [1, 0] : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  return %0 : tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
}

// What is undone leaves nothing.
// COMPOSE-LABEL: func.func @there_and_back
// COMPOSE-NEXT: return %arg0
// FOLD-LABEL: func.func @there_and_back
// FOLD-NEXT: return %arg0
func.func @there_and_back(%x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>) -> tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> {
  %0 = lazy.reshape %x : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<?xf32, #lazy.type<dims = [#i * 3]>>
  %1 = lazy.reshape %0 : tensor<?xf32, #lazy.type<dims = [#i * 3]>> -> tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
  return %1 : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
}

// Two shrinks are one: their beginnings add.
// COMPOSE-LABEL: func.func @windows
// FOLD-LABEL: func.func @windows
func.func @windows(%x: tensor<100xf32>) -> tensor<2xf32> {
  // COMPOSE: lazy.view %{{.*}} <[2], offset = #i + #j> : tensor<100xf32> -> tensor<2xf32>
  // FOLD: lazy.shrink %{{.*}} begin [#i + #j] end [#i + #j + 2] : tensor<100xf32> -> tensor<2xf32>
  // FOLD-NEXT: return
  %0 = lazy.shrink %x begin [#i] end [100] : tensor<100xf32> -> tensor<?xf32, #lazy.type<dims = [100 - #i]>>
  // expected-remark @below {{proves indices from i + j to i + j + 1 of 100 elements}}
  %1 = lazy.shrink %0 begin [#j] end [#j + 2] : tensor<?xf32, #lazy.type<dims = [100 - #i]>> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// The two halves of a concatenation, as tinygrad writes it.
// COMPOSE-LABEL: func.func @concatenate
// EXPAND-LABEL: func.func @concatenate
func.func @concatenate(%x: tensor<3x?xf32, #lazy.type<dims = [3, #i]>>, %y: tensor<3x?xf32, #lazy.type<dims = [3, #j]>>)
    -> tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>> {
  // EXPAND: lazy.pad %arg0 low [0, 0] high [0, #j]
  // COMPOSE: lazy.view %arg0 <[3, #i + #j], strides = [#i, 1], mask = {{\[\[}}0, 3], [0, #i]]>
  // expected-remark @below {{proves indices from 0 to i * 3 - 1 of i * 3 elements: (d0, d1)[s0, s1] -> (d1 + d0 * s0) where (d0, d1)[s0, s1] : (-d1 + s0 - 1 >= 0)}}
  %0 = lazy.pad %x low [0, 0] high [0, #j] : tensor<3x?xf32, #lazy.type<dims = [3, #i]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
  // COMPOSE: lazy.view %arg1 <[3, #i + #j], strides = [#j, 1], offset = {{.*}}, mask = {{\[\[}}0, 3], [#i, #i + #j]]>
  // expected-remark @below {{proves indices from 0 to j * 3 - 1 of j * 3 elements}}
  %1 = lazy.pad %y low [0, #i] high [0, 0] : tensor<3x?xf32, #lazy.type<dims = [3, #j]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
  %2 = lazy.add %0, %1 : tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
  return %2 : tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
}

// Neighbouring views merge; a view that moves nothing goes.
// SIMPLIFY-LABEL: func.func @written_views
// SIMPLIFY-NEXT: %[[V:.*]] = lazy.view %arg0 <[3, #i], strides = [1, 3]>
// SIMPLIFY-NEXT: return %[[V]]
func.func @written_views(%x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>) -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>> {
  %0 = lazy.view %x <[#i * 3], then [#i, 3]> : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
  // expected-remark @below {{proves indices from 0 to i * 3 - 1 of i * 3 elements}}
  %1 = lazy.view %0 <[3, #i], strides = [1, 3], then [3, #i]> : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  return %1 : tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
}
