// REQUIRES: numpy
// RUN: %python %S/Inputs/npy.py make %t.a.npy "np.arange(6, dtype='f4').reshape(2, 3) - 2"
// RUN: %python %S/Inputs/npy.py make %t.b.npy "np.arange(12, dtype='f4').reshape(3, 4) - 6"
// RUN: tinygrad-run %s --device %device --entry matmul_relu --input %t.a.npy --input %t.b.npy --output %t.out.npy --threads 2
// RUN: %python %S/Inputs/npy.py check %t.out.npy "np.maximum(a @ b, 0)" a=%t.a.npy b=%t.b.npy
// RUN: tinygrad-run %s --device %device --entry matmul_relu --input %t.a.npy --input %t.b.npy | FileCheck %s
// RUN: tinygrad-run %s --device %device --input %t.a.npy --output %t.0.npy --output %t.1.npy --output %t.2.npy --output %t.3.npy
// RUN: %python %S/Inputs/npy.py check %t.0.npy "a.sum(keepdims=True)" a=%t.a.npy
// RUN: %python %S/Inputs/npy.py check %t.1.npy "a" a=%t.a.npy
// RUN: %python %S/Inputs/npy.py check %t.2.npy "np.full((2, 3), 7, 'i2')"
// RUN: %python %S/Inputs/npy.py check %t.3.npy "a.sum(keepdims=True)" a=%t.a.npy
// RUN: tinygrad-run --device %device --input %t.a.npy - < %s | FileCheck %s --check-prefix=MAIN

// Matrix product and relu of the two inputs, in argument order.
// CHECK: result 0: float32 [2, 4]
// CHECK-NEXT: {{\[\[}}14. 11. 8. 5.]
// CHECK-NEXT: [ 0. 2. 8. 14.]]
func.func @matmul_relu(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %a0 = lazy.reshape %a : tensor<2x3xf32> -> tensor<2x1x3xf32>
  %a1 = lazy.expand %a0 : tensor<2x1x3xf32> -> tensor<2x4x3xf32>
  %b0 = lazy.permute %b [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  %b1 = lazy.reshape %b0 : tensor<4x3xf32> -> tensor<1x4x3xf32>
  %b2 = lazy.expand %b1 : tensor<1x4x3xf32> -> tensor<2x4x3xf32>
  %m = lazy.mul %a1, %b2 : tensor<2x4x3xf32>
  %s = lazy.reduce_sum %m : tensor<2x4x3xf32> -> tensor<2x4x1xf32>
  %r = lazy.reshape %s : tensor<2x4x1xf32> -> tensor<2x4xf32>
  %zero = lazy.const dense<0.0> : tensor<2x4xf32>
  %relu = lazy.max %r, %zero : tensor<2x4xf32>
  return %relu : tensor<2x4xf32>
}

// Several results: computed, passed on, constant, and computed once more.
// MAIN: result 0: float32 [1, 1]
// MAIN-NEXT: {{\[\[}}3.]]
// MAIN-NEXT: result 1: float32 [2, 3]
// MAIN-NEXT: {{\[\[}}-2. -1. 0.]
// MAIN-NEXT: [ 1. 2. 3.]]
// MAIN-NEXT: result 2: int16 [2, 3]
// MAIN-NEXT: {{\[\[}}7 7 7]
// MAIN-NEXT: [7 7 7]]
// MAIN-NEXT: result 3: float32 [1, 1]
func.func @main(%a: tensor<2x3xf32>)
    -> (tensor<1x1xf32>, tensor<2x3xf32>, tensor<2x3xi16>, tensor<1x1xf32>) {
  %s = lazy.reduce_sum %a : tensor<2x3xf32> -> tensor<1x1xf32>
  %c = lazy.const dense<7> : tensor<2x3xi16>
  return %s, %a, %c, %s : tensor<1x1xf32>, tensor<2x3xf32>, tensor<2x3xi16>, tensor<1x1xf32>
}
