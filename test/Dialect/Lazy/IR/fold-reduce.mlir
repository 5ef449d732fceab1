// RUN: tinygrad-opt %s --canonicalize | FileCheck %s

// A reduce that combines nothing is its source, -0 too.
// CHECK-LABEL: func.func @nothing_reduced
// CHECK-SAME:    (%[[X:.*]]: tensor<4x1xf32>)
func.func @nothing_reduced(%x: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  // CHECK-NEXT: return %[[X]], %[[X]]
  %0 = lazy.reduce_sum %x : tensor<4x1xf32> -> tensor<4x1xf32>
  %1 = lazy.reduce_max %x : tensor<4x1xf32> -> tensor<4x1xf32>
  return %0, %1 : tensor<4x1xf32>, tensor<4x1xf32>
}

// The sum of nothing is 0, the maximum the lowest value.
// CHECK-LABEL: func.func @nothing_to_reduce
func.func @nothing_to_reduce(%x: tensor<2x0xf16>, %i: tensor<0xi16>, %u: tensor<0xui8>, %b: tensor<0xi1>)
    -> (tensor<2x1xf16>, tensor<2x1xf16>, tensor<1xi16>, tensor<1xui8>, tensor<1xi1>, tensor<1x0xf16>) {
  // CHECK-DAG: %[[A:.*]] = lazy.const dense<0.000000e+00> : tensor<2x1xf16>
  // CHECK-DAG: %[[B:.*]] = lazy.const dense<0xFC00> : tensor<2x1xf16>
  // CHECK-DAG: %[[C:.*]] = lazy.const dense<-32768> : tensor<1xi16>
  // CHECK-DAG: %[[D:.*]] = lazy.const dense<0> : tensor<1xui8>
  // CHECK-DAG: %[[E:.*]] = lazy.const dense<false> : tensor<1xi1>
  // CHECK-DAG: %[[F:.*]] = lazy.const dense<0.000000e+00> : tensor<1x0xf16>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]]
  %0 = lazy.reduce_sum %x : tensor<2x0xf16> -> tensor<2x1xf16>
  %1 = lazy.reduce_max %x : tensor<2x0xf16> -> tensor<2x1xf16>
  %2 = lazy.reduce_max %i : tensor<0xi16> -> tensor<1xi16>
  %3 = lazy.reduce_max %u : tensor<0xui8> -> tensor<1xui8>
  %4 = lazy.reduce_max %b : tensor<0xi1> -> tensor<1xi1>
  %5 = lazy.reduce_sum %x : tensor<2x0xf16> -> tensor<1x0xf16>
  return %0, %1, %2, %3, %4, %5
      : tensor<2x1xf16>, tensor<2x1xf16>, tensor<1xi16>, tensor<1xui8>, tensor<1xi1>, tensor<1x0xf16>
}

// CHECK-LABEL: func.func @max_of_splat
func.func @max_of_splat() -> (tensor<1x3xf32>, tensor<1x1xi8>) {
  %x = lazy.const dense<-0.1> : tensor<4x3xf32>
  %i = lazy.const dense<-7> : tensor<4x3xi8>
  // CHECK-DAG: %[[A:.*]] = lazy.const dense<-1.000000e-01> : tensor<1x3xf32>
  // CHECK-DAG: %[[B:.*]] = lazy.const dense<-7> : tensor<1x1xi8>
  // CHECK: return %[[A]], %[[B]]
  %0 = lazy.reduce_max %x : tensor<4x3xf32> -> tensor<1x3xf32>
  %1 = lazy.reduce_max %i : tensor<4x3xi8> -> tensor<1x1xi8>
  return %0, %1 : tensor<1x3xf32>, tensor<1x1xi8>
}

// Integers wrap; bools are summed by or.
// CHECK-LABEL: func.func @sum_of_integers
func.func @sum_of_integers() -> (tensor<1xi8>, tensor<1xui16>, tensor<1x3xi1>) {
  %i = lazy.const dense<100> : tensor<3xi8>
  %u = lazy.const dense<65535> : tensor<65537xui16>
  %b = lazy.const dense<true> : tensor<2x3xi1>
  // CHECK-DAG: %[[A:.*]] = lazy.const dense<44> : tensor<1xi8>
  // CHECK-DAG: %[[B:.*]] = lazy.const dense<65535> : tensor<1xui16>
  // CHECK-DAG: %[[C:.*]] = lazy.const dense<true> : tensor<1x3xi1>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %0 = lazy.reduce_sum %i : tensor<3xi8> -> tensor<1xi8>
  %1 = lazy.reduce_sum %u : tensor<65537xui16> -> tensor<1xui16>
  %2 = lazy.reduce_sum %b : tensor<2x3xi1> -> tensor<1x3xi1>
  return %0, %1, %2 : tensor<1xi8>, tensor<1xui16>, tensor<1x3xi1>
}

// Where every order of the additions gives the same: 1.5 needs two digits, and
// 24 are there. The f16 sum passes 65504 in f32 and is rounded once. A sum
// begins with 0, and 0 + -0 is 0.
// CHECK-LABEL: func.func @sum_of_floats
func.func @sum_of_floats() -> (tensor<1xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<1xf32>, tensor<1xf32>) {
  %x = lazy.const dense<1.5> : tensor<4194304xf32>
  %h = lazy.const dense<40000.0> : tensor<2xf16>
  %b = lazy.const dense<1.0> : tensor<257xbf16>
  %z = lazy.const dense<-0.0> : tensor<4xf32>
  %i = lazy.const dense<0xFF800000> : tensor<4xf32>
  // CHECK-DAG: %[[X:.*]] = lazy.const dense<0x4AC00000> : tensor<1xf32>
  // CHECK-DAG: %[[H:.*]] = lazy.const dense<0x7C00> : tensor<1xf16>
  // CHECK-DAG: %[[B:.*]] = lazy.const dense<2.560000e+02> : tensor<1xbf16>
  // CHECK-DAG: %[[Z:.*]] = lazy.const dense<0.000000e+00> : tensor<1xf32>
  // CHECK-DAG: %[[I:.*]] = lazy.const dense<0xFF800000> : tensor<1xf32>
  // CHECK: return %[[X]], %[[H]], %[[B]], %[[Z]], %[[I]]
  %0 = lazy.reduce_sum %x : tensor<4194304xf32> -> tensor<1xf32>
  %1 = lazy.reduce_sum %h : tensor<2xf16> -> tensor<1xf16>
  %2 = lazy.reduce_sum %b : tensor<257xbf16> -> tensor<1xbf16>
  %3 = lazy.reduce_sum %z : tensor<4xf32> -> tensor<1xf32>
  %4 = lazy.reduce_sum %i : tensor<4xf32> -> tensor<1xf32>
  return %0, %1, %2, %3, %4 : tensor<1xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<1xf32>, tensor<1xf32>
}

// 0.1 has all of its digits set, two digits and 2^23 elements have one digit too
// many, and twice the largest number overflows. Known values alone fold.
// CHECK-LABEL: func.func @sums_that_stay
func.func @sums_that_stay(%y: tensor<4xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %x = lazy.const dense<0.1> : tensor<4xf32>
  %l = lazy.const dense<1.5> : tensor<8388608xf32>
  %m = lazy.const dense<0x7F000000> : tensor<2xf32>
  // CHECK-COUNT-4: lazy.reduce_sum
  %0 = lazy.reduce_sum %x : tensor<4xf32> -> tensor<1xf32>
  %1 = lazy.reduce_sum %l : tensor<8388608xf32> -> tensor<1xf32>
  %2 = lazy.reduce_sum %m : tensor<2xf32> -> tensor<1xf32>
  %3 = lazy.reduce_sum %y : tensor<4xf32> -> tensor<1xf32>
  return %0, %1, %2, %3 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}
