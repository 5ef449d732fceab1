// RUN: tinygrad-opt %s --convert-math-to-arith=ops=math.sin,math.exp2,arith.maximumf | FileCheck %s
// RUN: not tinygrad-opt %s --convert-math-to-arith=ops=math.tan 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: expects option `ops` to name operations that can be expanded, got `math.tan`

// How exact the functions are is tested by TinygradConversionTests.

// Computed in f64 and rounded once.
// CHECK-LABEL: func.func @exp2
// CHECK-SAME:    (%[[X:.*]]: f32)
// CHECK:         arith.extf %[[X]] : f32 to f64
// CHECK-COUNT-11: math.fma {{.*}} : f64
// CHECK:         %[[R:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK:         return %[[R]]
func.func @exp2(%x: f32) -> f32 {
  %0 = math.exp2 %x : f32
  return %0 : f32
}

// Large numbers are reduced by the bits of 2 / pi.
// CHECK-LABEL: func.func @sin
// CHECK-NOT:     math.sin
// CHECK:         arith.muli {{.*}} : i128
// CHECK-NOT:     math.sin
// CHECK:         arith.truncf
func.func @sin(%x: f32) -> f32 {
  %0 = math.sin %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @maximum
// CHECK-SAME:    (%[[X:.*]]: f64, %[[Y:.*]]: f64)
// CHECK-NOT:     arith.maximumf
// CHECK:         %[[LARGER:.*]] = arith.cmpf ogt, %[[X]], %[[Y]]
// CHECK:         arith.select %[[LARGER]], %[[X]], %[[Y]]
// CHECK:         %[[IS_NUMBER:.*]] = arith.cmpf ord, %[[X]], %[[Y]]
// CHECK:         %[[NAN:.*]] = arith.addf %[[X]], %[[Y]]
// CHECK:         arith.select %[[IS_NUMBER]], %{{.*}}, %[[NAN]]
func.func @maximum(%x: f64, %y: f64) -> f64 {
  %0 = arith.maximumf %x, %y : f64
  return %0 : f64
}

// Functions of f64 are left alone, vectors, and what is not named.
// CHECK-LABEL: func.func @left
// CHECK:         math.exp2 %{{.*}} : f64
// CHECK:         math.exp2 %{{.*}} : vector<4xf32>
// CHECK:         math.log2 %{{.*}} : f32
func.func @left(%x: f64, %y: vector<4xf32>, %z: f32) -> (f64, vector<4xf32>, f32) {
  %0 = math.exp2 %x : f64
  %1 = math.exp2 %y : vector<4xf32>
  %2 = math.log2 %z : f32
  return %0, %1, %2 : f64, vector<4xf32>, f32
}
