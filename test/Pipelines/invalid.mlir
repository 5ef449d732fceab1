// RUN: not tinygrad-opt %s --tinygrad-schedule 2>&1 | FileCheck %s
// RUN: not tinygrad-opt %s --tinygrad-to-loops 2>&1 | FileCheck %s

// What the scheduler does not know is an error at its place, and nothing is
// printed.
func.func @not_of_the_graph(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = lazy.neg %x : tensor<4xf32>
  // CHECK: invalid.mlir:[[@LINE+1]]:8: error: 'math.exp' op expects an operation of the graph; this one cannot be scheduled
  %y = math.exp %n : tensor<4xf32>
  return %y : tensor<4xf32>
}
// CHECK-NOT: func.func
