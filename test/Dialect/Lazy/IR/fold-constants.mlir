// RUN: tinygrad-opt %s --canonicalize | FileCheck %s

// A constant is what the scalar semantics say, in the type of the result.
// unittests/Engine/FoldGoldenTest.cpp compares every golden row.

// CHECK-LABEL: func.func @integers
func.func @integers() -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xui8>, tensor<4xi8>) {
  %min = lazy.const dense<-128> : tensor<4xi8>
  %minus = lazy.const dense<-1> : tensor<4xi8>
  %three = lazy.const dense<3> : tensor<4xi8>
  %zero = lazy.const dense<0> : tensor<4xui8>
  %one = lazy.const dense<1> : tensor<4xui8>
  // CHECK-DAG: %[[MIN:.*]] = lazy.const dense<-128> : tensor<4xi8>
  // CHECK-DAG: %[[REM:.*]] = lazy.const dense<-2> : tensor<4xi8>
  // CHECK-DAG: %[[QUOT:.*]] = lazy.const dense<-42> : tensor<4xi8>
  // CHECK-DAG: %[[MAX:.*]] = lazy.const dense<255> : tensor<4xui8>
  // CHECK-DAG: %[[ZERO:.*]] = lazy.const dense<0> : tensor<4xi8>
  // CHECK: return %[[MIN]], %[[REM]], %[[QUOT]], %[[MAX]], %[[ZERO]]
  %0 = lazy.div %min, %minus : tensor<4xi8>
  %1 = lazy.mod %min, %three : tensor<4xi8>
  %2 = lazy.div %min, %three : tensor<4xi8>
  %3 = lazy.sub %zero, %one : tensor<4xui8>
  %4 = lazy.pow %three, %minus : tensor<4xi8>
  return %0, %1, %2, %3, %4 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xui8>, tensor<4xi8>
}

// CHECK-LABEL: func.func @floats
func.func @floats() -> (tensor<f32>, tensor<f16>, tensor<bf16>, tensor<f64>, tensor<f32>) {
  %0 = lazy.const dense<4.0> : tensor<f32>
  %1 = lazy.const dense<65504.0> : tensor<f16>
  %2 = lazy.const dense<1.0> : tensor<bf16>
  %3 = lazy.const dense<0.0> : tensor<f64>
  %4 = lazy.const dense<-0.0> : tensor<f32>
  %small = lazy.const dense<0.00390625> : tensor<bf16>
  // CHECK-DAG: %[[A:.*]] = lazy.const dense<2.000000e+00> : tensor<f32>
  // Rounded beyond the largest finite value.
  // CHECK-DAG: %[[B:.*]] = lazy.const dense<0x7C00> : tensor<f16>
  // A tie goes to the even neighbor.
  // CHECK-DAG: %[[C:.*]] = lazy.const dense<1.000000e+00> : tensor<bf16>
  // CHECK-DAG: %[[D:.*]] = lazy.const dense<0x7FF0000000000000> : tensor<f64>
  // CHECK-DAG: %[[E:.*]] = lazy.const dense<-0.000000e+00> : tensor<f32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  %a = lazy.sqrt %0 : tensor<f32>
  %b = lazy.add %1, %1 : tensor<f16>
  %c = lazy.add %2, %small : tensor<bf16>
  %d = lazy.recip %3 : tensor<f64>
  %e = lazy.sqrt %4 : tensor<f32>
  return %a, %b, %c, %d, %e : tensor<f32>, tensor<f16>, tensor<bf16>, tensor<f64>, tensor<f32>
}

// CHECK-LABEL: func.func @bools
func.func @bools() -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi32>) {
  %t = lazy.const dense<true> : tensor<2xi1>
  %f = lazy.const dense<false> : tensor<2xi1>
  // CHECK-DAG: %[[T:.*]] = lazy.const dense<true> : tensor<2xi1>
  // CHECK-DAG: %[[F:.*]] = lazy.const dense<false> : tensor<2xi1>
  // CHECK-DAG: %[[ONE:.*]] = lazy.const dense<1> : tensor<2xi32>
  // CHECK: return %[[T]], %[[F]], %[[F]], %[[T]], %[[ONE]]
  %0 = lazy.add %t, %t : tensor<2xi1>
  %1 = lazy.sub %t, %t : tensor<2xi1>
  %2 = lazy.neg %t : tensor<2xi1>
  %3 = lazy.pow %f, %f : tensor<2xi1>
  %4 = lazy.cast %t : tensor<2xi1> -> tensor<2xi32>
  return %0, %1, %2, %3, %4 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi32>
}

// A comparison has the type that it says; a bitcast keeps a signaling NaN.
// CHECK-LABEL: func.func @types
func.func @types() -> (tensor<2xi1>, tensor<2xf32>, tensor<2xi8>, tensor<2xui32>, tensor<2xf32>, tensor<2xf32>) {
  %nan = lazy.const dense<0x7FC00000> : tensor<2xf32>
  %inf = lazy.const dense<0x7F800000> : tensor<2xf32>
  %bits = lazy.const dense<0x7FA00001> : tensor<2xui32>
  %two = lazy.const dense<2.0> : tensor<2xf32>
  // CHECK-DAG: %[[F:.*]] = lazy.const dense<false> : tensor<2xi1>
  // CHECK-DAG: %[[ONE:.*]] = lazy.const dense<1.000000e+00> : tensor<2xf32>
  // CHECK-DAG: %[[MAX:.*]] = lazy.const dense<127> : tensor<2xi8>
  // CHECK-DAG: %[[ZERO:.*]] = lazy.const dense<0> : tensor<2xui32>
  // CHECK-DAG: %[[QUIET:.*]] = lazy.const dense<0x7FA00001> : tensor<2xf32>
  // CHECK-DAG: %[[FIVE:.*]] = lazy.const dense<5.000000e+00> : tensor<2xf32>
  // CHECK: return %[[F]], %[[ONE]], %[[MAX]], %[[ZERO]], %[[QUIET]], %[[FIVE]]
  %0 = lazy.cmpeq %nan, %nan : tensor<2xf32> -> tensor<2xi1>
  %1 = lazy.cmplt %two, %inf : tensor<2xf32> -> tensor<2xf32>
  %2 = lazy.cast %inf : tensor<2xf32> -> tensor<2xi8>
  %3 = lazy.cast %nan : tensor<2xf32> -> tensor<2xui32>
  %4 = lazy.bitcast %bits : tensor<2xui32> -> tensor<2xf32>
  %5 = lazy.mulacc %two, %two, %1 : tensor<2xf32>
  return %0, %1, %2, %3, %4, %5
      : tensor<2xi1>, tensor<2xf32>, tensor<2xi8>, tensor<2xui32>, tensor<2xf32>, tensor<2xf32>
}

// Nothing is computed, so nothing needs to be known.
// CHECK-LABEL: func.func @no_elements
func.func @no_elements(%x: tensor<0x3xf32>, %y: tensor<3x0xi1>) -> (tensor<0x3xf32>, tensor<3x0xi1>, tensor<3x0xi1>) {
  // CHECK-DAG: %[[X:.*]] = lazy.const dense<0.000000e+00> : tensor<0x3xf32>
  // CHECK-DAG: %[[Y:.*]] = lazy.const dense<false> : tensor<3x0xi1>
  // CHECK: return %[[X]], %[[Y]], %[[Y]]
  %0 = lazy.exp2 %x : tensor<0x3xf32>
  %1 = lazy.not %y : tensor<3x0xi1>
  %none = lazy.const dense<> : tensor<3x0xi1>
  %2 = lazy.xor %none, %y : tensor<3x0xi1>
  return %0, %1, %2 : tensor<0x3xf32>, tensor<3x0xi1>, tensor<3x0xi1>
}

// Constants with several values are not the dialect's, and stay.
// CHECK-LABEL: func.func @several_values
func.func @several_values() -> tensor<2xf32> {
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: lazy.neg
  %r = lazy.neg %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// In the body of a kernel as well.
// CHECK-LABEL: func.func @in_kernel
func.func @in_kernel(%e: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: lazy.kernel
  // CHECK: %[[SIX:.*]] = lazy.const dense<6.000000e+00> : tensor<4xf32>
  // CHECK-NEXT: lazy.store %[[SIX]]
  %r = lazy.kernel @k outs(%e : tensor<4xf32>) {
  ^bb0(%out: tensor<4xf32>):
    %0 = lazy.const dense<2.0> : tensor<4xf32>
    %1 = lazy.const dense<3.0> : tensor<4xf32>
    %2 = lazy.mul %0, %1 : tensor<4xf32>
    lazy.store %2, %out <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
