// Upstream's algebra of affine maps, on which nothing of ours relies: index
// expressions of views have only positive constant divisors.
// RUN: tinygrad-opt %s --split-input-file --canonicalize | FileCheck %s
// RUN: tinygrad-opt %s --split-input-file --affine-simplify-structures --canonicalize | FileCheck %s
// RUN: tinygrad-opt %s --split-input-file --lower-affine --canonicalize --verify-diagnostics | FileCheck %s --check-prefix=LOWER

// R015: (-2) floordiv 8 is -1, and -1 mod 8 is 7.
// CHECK-LABEL: func.func @r015_at_one_one
// LOWER-LABEL: func.func @r015_at_one_one
func.func @r015_at_one_one() -> (index, index) {
  // CHECK-DAG: %[[MOD:.*]] = arith.constant 7 : index
  // CHECK-DAG: %[[DIV:.*]] = arith.constant -1 : index
  // CHECK: return %[[MOD]], %[[DIV]]
  // LOWER-DAG: %[[MOD:.*]] = arith.constant 7 : index
  // LOWER-DAG: %[[DIV:.*]] = arith.constant -1 : index
  // LOWER: return %[[MOD]], %[[DIV]]
  %c1 = arith.constant 1 : index
  %0 = affine.apply affine_map<(d0, d1) -> (((d1 - (d1 + 2)) floordiv 8) mod 8)>(%c1, %c1)
  %1 = affine.apply affine_map<(d0, d1) -> ((d1 - (d1 + 2)) floordiv 8)>(%c1, %c1)
  return %0, %1 : index, index
}

// It is that everywhere.
// CHECK-LABEL: func.func @r015_everywhere
func.func @r015_everywhere(%d0: index, %d1: index) -> index {
  // CHECK: %[[MOD:.*]] = arith.constant 7 : index
  // CHECK: return %[[MOD]]
  %0 = affine.apply affine_map<(d0, d1) -> (((d1 - (d1 + 2)) floordiv 8) mod 8)>(%d0, %d1)
  return %0 : index
}

// -----

// R020: folding makes poison of a division by 0, without a word (see
// docs/Upstream.md); the lowering refuses it.
// CHECK-LABEL: func.func @r020_of_a_constant
func.func @r020_of_a_constant() -> (index, index) {
  // CHECK: ub.poison
  %c5 = arith.constant 5 : index
  // expected-error@+1 {{division by non-positive value is not supported}}
  %0 = affine.apply affine_map<(d0) -> (d0 floordiv 0)>(%c5)
  // expected-error@+1 {{modulo by non-positive value is not supported}}
  %1 = affine.apply affine_map<(d0) -> (d0 mod 0)>(%c5)
  return %0, %1 : index, index
}

// -----

// R020 for elements: a division by 0 is no error, since it gives 0, and that is
// what it folds to.
// CHECK-LABEL: func.func @r020_of_elements
// LOWER-LABEL: func.func @r020_of_elements
func.func @r020_of_elements(%x: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  // CHECK: %[[ZERO:.*]] = lazy.const dense<0>
  // CHECK: return %[[ZERO]], %[[ZERO]]
  // LOWER: %[[ZERO:.*]] = lazy.const dense<0>
  // LOWER: return %[[ZERO]], %[[ZERO]]
  %zero = lazy.const dense<0> : tensor<3xi32>
  %0 = lazy.div %x, %zero : tensor<3xi32>
  %1 = lazy.mod %x, %zero : tensor<3xi32>
  return %0, %1 : tensor<3xi32>, tensor<3xi32>
}
