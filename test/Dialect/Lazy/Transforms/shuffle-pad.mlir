// RUN: tinygrad-opt %s --lazy-shuffle-pad --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @spo_safe_operation
// CHECK-SAME:    (%[[X:.*]]: tensor<3xf32>, %[[Y:.*]]: tensor<4xf32>)
func.func @spo_safe_operation(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[N:.*]] = lazy.kernel @e_4 ins(%[[X]] : tensor<3xf32>)
  // CHECK: lazy.load %{{.*}} <[4], offset = -1, mask = {{\[\[}}1, 4]]> : tensor<3xf32> -> tensor<4xf32>
  // CHECK: lazy.kernel @e_4n1 ins(%[[N]], %[[Y]] :
  %n = lazy.neg %x : tensor<3xf32>
  %p = lazy.pad %n low [1] high [0] : tensor<3xf32> -> tensor<4xf32>
  %a = lazy.add %p, %y : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// A constant is padded like any source: it is read through the mask.
// CHECK-LABEL: func.func @spo_constant
func.func @spo_constant(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[C:.*]] = lazy.const dense<2.000000e+00> : tensor<f32>
  // CHECK: lazy.kernel @e_4 ins(%{{.*}}, %[[C]] : tensor<3xf32>, tensor<f32>)
  // CHECK: lazy.load %{{.*}} <[4], strides = [0], mask = {{\[\[}}1, 4]]> : tensor<f32> -> tensor<4xf32>
  %c = lazy.const dense<2.0> : tensor<3xf32>
  %n = lazy.add %x, %c : tensor<3xf32>
  %p = lazy.pad %n low [1] high [0] : tensor<3xf32> -> tensor<4xf32>
  %a = lazy.add %p, %y : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// 2^0 is 1: the padding must stay outside.
// CHECK-LABEL: func.func @spo_not_unsafe_operation
func.func @spo_not_unsafe_operation(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[N:.*]] = lazy.kernel @e_3
  // CHECK: lazy.kernel @e_4 ins(%[[N]],
  // CHECK: mask
  %n = lazy.exp2 %x : tensor<3xf32>
  %p = lazy.pad %n low [1] high [0] : tensor<3xf32> -> tensor<4xf32>
  %a = lazy.add %p, %y : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// lazy.py forgot mod; the negation of a bool is true on false.
// CHECK-LABEL: func.func @spo_not_mod_nor_bool_neg
func.func @spo_not_mod_nor_bool_neg(%x: tensor<3xi32>, %b: tensor<3xi1>, %y: tensor<4xi32>, %c: tensor<4xi1>) -> (tensor<4xi32>, tensor<4xi1>) {
  // CHECK: lazy.kernel @e_3 ins
  // CHECK: lazy.kernel @e_4 ins
  // CHECK: lazy.kernel @e_3n1 ins
  // CHECK: lazy.kernel @e_4n1 ins
  %m = lazy.mod %x, %x : tensor<3xi32>
  %p = lazy.pad %m low [1] high [0] : tensor<3xi32> -> tensor<4xi32>
  %a = lazy.add %p, %y : tensor<4xi32>
  %n = lazy.neg %b : tensor<3xi1>
  %q = lazy.pad %n low [1] high [0] : tensor<3xi1> -> tensor<4xi1>
  %d = lazy.add %q, %c : tensor<4xi1>
  return %a, %d : tensor<4xi32>, tensor<4xi1>
}
