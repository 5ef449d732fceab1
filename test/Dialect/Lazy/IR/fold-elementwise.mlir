// RUN: tinygrad-opt %s --canonicalize | FileCheck %s

// What holds for every value of the operands.

// CHECK-LABEL: func.func @unary
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi8>, %[[B:.*]]: tensor<4xi1>)
func.func @unary(%x: tensor<4xf32>, %i: tensor<4xi8>, %b: tensor<4xi1>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK-NEXT: return %[[X]], %[[X]], %[[I]], %[[B]], %[[B]]
  %0 = lazy.noop %x : tensor<4xf32>
  %1 = lazy.neg %x : tensor<4xf32>
  %2 = lazy.neg %1 : tensor<4xf32>
  %3 = lazy.neg %i : tensor<4xi8>
  %4 = lazy.neg %3 : tensor<4xi8>
  %5 = lazy.neg %b : tensor<4xi1>
  %6 = lazy.neg %5 : tensor<4xi1>
  %7 = lazy.not %b : tensor<4xi1>
  %8 = lazy.not %7 : tensor<4xi1>
  return %0, %2, %4, %6, %8 : tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xi1>, tensor<4xi1>
}

// Two operations that are not the same one stay.
// CHECK-LABEL: func.func @unary_other
func.func @unary_other(%x: tensor<4xf32>, %b: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
  // CHECK: lazy.recip
  // CHECK: lazy.recip
  // CHECK: lazy.neg
  // CHECK: lazy.not
  %0 = lazy.recip %x : tensor<4xf32>
  %1 = lazy.recip %0 : tensor<4xf32>
  %2 = lazy.neg %b : tensor<4xi1>
  %3 = lazy.not %2 : tensor<4xi1>
  return %1, %3 : tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: func.func @cast
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf16>, %[[I:.*]]: tensor<4xi8>, %[[U:.*]]: tensor<4xui8>, %[[B:.*]]: tensor<4xi1>)
func.func @cast(%x: tensor<4xf16>, %i: tensor<4xi8>, %u: tensor<4xui8>, %b: tensor<4xi1>)
    -> (tensor<4xf16>, tensor<4xf16>, tensor<4xi8>, tensor<4xui8>, tensor<4xi1>, tensor<4xi32>) {
  // CHECK-NEXT: %[[R:.*]] = lazy.cast %[[X]] : tensor<4xf16> -> tensor<4xi32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[I]], %[[U]], %[[B]], %[[R]]
  %0 = lazy.cast %x : tensor<4xf16> -> tensor<4xf16>
  %1 = lazy.cast %x : tensor<4xf16> -> tensor<4xf32>
  %2 = lazy.cast %1 : tensor<4xf32> -> tensor<4xf16>
  %3 = lazy.cast %i : tensor<4xi8> -> tensor<4xbf16>
  %4 = lazy.cast %3 : tensor<4xbf16> -> tensor<4xi8>
  %5 = lazy.cast %u : tensor<4xui8> -> tensor<4xi16>
  %6 = lazy.cast %5 : tensor<4xi16> -> tensor<4xui8>
  %7 = lazy.cast %b : tensor<4xi1> -> tensor<4xui64>
  %8 = lazy.cast %7 : tensor<4xui64> -> tensor<4xi1>
  %9 = lazy.cast %1 : tensor<4xf32> -> tensor<4xi32>
  return %0, %2, %4, %6, %8, %9
      : tensor<4xf16>, tensor<4xf16>, tensor<4xi8>, tensor<4xui8>, tensor<4xi1>, tensor<4xi32>
}

// What a cast may lose is lost.
// CHECK-LABEL: func.func @cast_that_loses
func.func @cast_that_loses(%x: tensor<4xf32>, %h: tensor<4xf16>, %i: tensor<4xi32>, %j: tensor<4xi8>)
    -> (tensor<4xf32>, tensor<4xf16>, tensor<4xi32>, tensor<4xi8>) {
  // CHECK-COUNT-8: lazy.cast
  %0 = lazy.cast %x : tensor<4xf32> -> tensor<4xf16>
  %1 = lazy.cast %0 : tensor<4xf16> -> tensor<4xf32>
  %2 = lazy.cast %h : tensor<4xf16> -> tensor<4xbf16>
  %3 = lazy.cast %2 : tensor<4xbf16> -> tensor<4xf16>
  %4 = lazy.cast %i : tensor<4xi32> -> tensor<4xf32>
  %5 = lazy.cast %4 : tensor<4xf32> -> tensor<4xi32>
  %6 = lazy.cast %j : tensor<4xi8> -> tensor<4xui16>
  %7 = lazy.cast %6 : tensor<4xui16> -> tensor<4xi8>
  return %1, %3, %5, %7 : tensor<4xf32>, tensor<4xf16>, tensor<4xi32>, tensor<4xi8>
}

// CHECK-LABEL: func.func @bitcast
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
func.func @bitcast(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  // CHECK-NEXT: %[[R:.*]] = lazy.bitcast %[[X]] : tensor<4xf32> -> tensor<4xi32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[R]]
  %0 = lazy.bitcast %x : tensor<4xf32> -> tensor<4xf32>
  %1 = lazy.bitcast %x : tensor<4xf32> -> tensor<4xui32>
  %2 = lazy.bitcast %1 : tensor<4xui32> -> tensor<4xf32>
  %3 = lazy.bitcast %1 : tensor<4xui32> -> tensor<4xi32>
  return %0, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @neutral_integers
// CHECK-SAME:    (%[[X:.*]]: tensor<4xi32>)
func.func @neutral_integers(%x: tensor<4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = lazy.const dense<0> : tensor<4xi32>
  %one = lazy.const dense<1> : tensor<4xi32>
  %min = lazy.const dense<-2147483648> : tensor<4xi32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
  %0 = lazy.add %zero, %x : tensor<4xi32>
  %1 = lazy.sub %x, %zero : tensor<4xi32>
  %2 = lazy.mul %one, %x : tensor<4xi32>
  %3 = lazy.div %x, %one : tensor<4xi32>
  %4 = lazy.max %x, %min : tensor<4xi32>
  %5 = lazy.xor %x, %zero : tensor<4xi32>
  %6 = lazy.pow %x, %one : tensor<4xi32>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @neutral_bools
// CHECK-SAME:    (%[[X:.*]]: tensor<4xi1>)
func.func @neutral_bools(%x: tensor<4xi1>)
    -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %f = lazy.const dense<false> : tensor<4xi1>
  %t = lazy.const dense<true> : tensor<4xi1>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
  %0 = lazy.add %f, %x : tensor<4xi1>
  %1 = lazy.sub %x, %f : tensor<4xi1>
  %2 = lazy.mul %t, %x : tensor<4xi1>
  %3 = lazy.div %x, %t : tensor<4xi1>
  %4 = lazy.max %x, %f : tensor<4xi1>
  %5 = lazy.xor %x, %f : tensor<4xi1>
  %6 = lazy.pow %x, %t : tensor<4xi1>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// Also of NaN, the infinities and both zeros: x + -0 is x.
// CHECK-LABEL: func.func @neutral_floats
// CHECK-SAME:    (%[[X:.*]]: tensor<4xbf16>)
func.func @neutral_floats(%x: tensor<4xbf16>)
    -> (tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>) {
  %zero = lazy.const dense<0.0> : tensor<4xbf16>
  %minus = lazy.const dense<-0.0> : tensor<4xbf16>
  %one = lazy.const dense<1.0> : tensor<4xbf16>
  %low = lazy.const dense<0xFF80> : tensor<4xbf16>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
  %0 = lazy.add %x, %minus : tensor<4xbf16>
  %1 = lazy.sub %x, %zero : tensor<4xbf16>
  %2 = lazy.mul %x, %one : tensor<4xbf16>
  %3 = lazy.div %x, %one : tensor<4xbf16>
  %4 = lazy.max %x, %low : tensor<4xbf16>
  %5 = lazy.pow %x, %one : tensor<4xbf16>
  return %0, %1, %2, %3, %4, %5
      : tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>
}

// -0 + 0 is 0; 0 * NaN is NaN; inf - inf is NaN; 0 - x and 1 / x are not x.
// CHECK-LABEL: func.func @floats_that_stay
func.func @floats_that_stay(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = lazy.const dense<0.0> : tensor<4xf32>
  %minus = lazy.const dense<-0.0> : tensor<4xf32>
  %one = lazy.const dense<1.0> : tensor<4xf32>
  // CHECK: lazy.add
  // CHECK: lazy.mul
  // CHECK: lazy.sub %[[X:.*]], %[[X]]
  // CHECK: lazy.sub
  // CHECK: lazy.sub
  // CHECK: lazy.div
  %0 = lazy.add %x, %zero : tensor<4xf32>
  %1 = lazy.mul %x, %zero : tensor<4xf32>
  %2 = lazy.sub %x, %x : tensor<4xf32>
  %3 = lazy.sub %x, %minus : tensor<4xf32>
  %4 = lazy.sub %zero, %x : tensor<4xf32>
  %5 = lazy.div %one, %x : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @absorbed
func.func @absorbed(%x: tensor<4xi32>, %b: tensor<4xi1>, %f: tensor<4xf32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>, tensor<4xf32>) {
  %zero = lazy.const dense<0> : tensor<4xi32>
  %one = lazy.const dense<1> : tensor<4xi32>
  %minus = lazy.const dense<-0.0> : tensor<4xf32>
  // CHECK-DAG: %[[ZERO:.*]] = lazy.const dense<0> : tensor<4xi32>
  // CHECK-DAG: %[[ONE:.*]] = lazy.const dense<1> : tensor<4xi32>
  // CHECK-DAG: %[[FALSE:.*]] = lazy.const dense<false> : tensor<4xi1>
  // CHECK-DAG: %[[F:.*]] = lazy.const dense<1.000000e+00> : tensor<4xf32>
  // CHECK: return %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ONE]], %[[FALSE]], %[[F]]
  %0 = lazy.mul %zero, %x : tensor<4xi32>
  %1 = lazy.div %x, %zero : tensor<4xi32>
  %2 = lazy.mod %x, %zero : tensor<4xi32>
  %3 = lazy.mod %x, %one : tensor<4xi32>
  %4 = lazy.pow %x, %zero : tensor<4xi32>
  %5 = lazy.mod %b, %b : tensor<4xi1>
  %6 = lazy.pow %f, %minus : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>, tensor<4xf32>
}

// CHECK-LABEL: func.func @equal_operands
// CHECK-SAME:    (%[[X:.*]]: tensor<4xui32>, %[[F:.*]]: tensor<4xf32>)
func.func @equal_operands(%x: tensor<4xui32>, %f: tensor<4xf32>)
    -> (tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xi1>, tensor<4xf32>, tensor<4xi1>) {
  // CHECK-DAG: %[[ZERO:.*]] = lazy.const dense<0> : tensor<4xui32>
  // CHECK-DAG: %[[TRUE:.*]] = lazy.const dense<true> : tensor<4xi1>
  // CHECK-DAG: %[[FALSE:.*]] = lazy.const dense<false> : tensor<4xi1>
  // CHECK: return %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[X]], %[[TRUE]], %[[F]], %[[FALSE]]
  %0 = lazy.sub %x, %x : tensor<4xui32>
  %1 = lazy.xor %x, %x : tensor<4xui32>
  %2 = lazy.mod %x, %x : tensor<4xui32>
  %3 = lazy.max %x, %x : tensor<4xui32>
  %4 = lazy.cmpeq %x, %x : tensor<4xui32> -> tensor<4xi1>
  %5 = lazy.max %f, %f : tensor<4xf32>
  %6 = lazy.cmplt %f, %f : tensor<4xf32> -> tensor<4xi1>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xi1>, tensor<4xf32>, tensor<4xi1>
}

// 0 / 0 is 0 for integers and NaN for floats; NaN equals nothing.
// CHECK-LABEL: func.func @equal_operands_that_stay
func.func @equal_operands_that_stay(%x: tensor<4xi32>, %f: tensor<4xf32>)
    -> (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  // CHECK: lazy.div
  // CHECK: lazy.div
  // CHECK: lazy.mod
  // CHECK: lazy.cmpeq
  %0 = lazy.div %x, %x : tensor<4xi32>
  %1 = lazy.div %f, %f : tensor<4xf32>
  %2 = lazy.mod %f, %f : tensor<4xf32>
  %3 = lazy.cmpeq %f, %f : tensor<4xf32> -> tensor<4xi1>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: func.func @where
// CHECK-SAME:    (%[[C:.*]]: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
func.func @where(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %nan = lazy.const dense<0x7FC00000> : tensor<4xf32>
  %zero = lazy.const dense<-0.0> : tensor<4xf32>
  // CHECK-NEXT: %[[R:.*]] = lazy.where %[[C]], %[[X]], %[[Y]]
  // CHECK-NEXT: return %[[X]], %[[Y]], %[[X]], %[[R]]
  %0 = lazy.where %nan, %x, %y : tensor<4xf32>, tensor<4xf32>
  %1 = lazy.where %zero, %x, %y : tensor<4xf32>, tensor<4xf32>
  %2 = lazy.where %c, %x, %x : tensor<4xi1>, tensor<4xf32>
  %3 = lazy.where %c, %x, %y : tensor<4xi1>, tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The constant of a commutative operation moves to the right.
// CHECK-LABEL: func.func @constant_to_the_right
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
func.func @constant_to_the_right(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[TWO:.*]] = lazy.const dense<2.000000e+00>
  // CHECK: lazy.mul %[[X]], %[[TWO]]
  // CHECK: lazy.sub %[[TWO]], %[[X]]
  %two = lazy.const dense<2.0> : tensor<4xf32>
  %0 = lazy.mul %two, %x : tensor<4xf32>
  %1 = lazy.sub %two, %x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
