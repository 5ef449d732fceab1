// RUN: tinygrad-opt %s --lazy-schedule="max-kernel-buffers=4 report" --split-input-file 2>/dev/null | FileCheck %s --check-prefixes=CHECK,FOUR
// RUN: tinygrad-opt %s --lazy-schedule=max-kernel-buffers=5 --split-input-file | FileCheck %s --check-prefixes=CHECK,FIVE

// LIM, and programs that would be kernels of 301 and 601 buffers:
// RUN: %python %S/Inputs/make_graph.py inputs 300 | tinygrad-opt --lazy-schedule="max-kernel-buffers=31 report" -o %t 2>&1 | FileCheck %s --check-prefix=SUM300
// RUN: FileCheck %s --check-prefix=ATMOST31 < %t
// RUN: %python %S/Inputs/make_graph.py inputs 600 | tinygrad-opt --lazy-schedule="max-kernel-buffers=128 report" -o %t 2>&1 | FileCheck %s --check-prefix=SUM600
// RUN: %python %S/Inputs/make_graph.py inputs 10000 | tinygrad-opt --lazy-schedule="max-kernel-buffers=4 report" -o %t 2>&1 | FileCheck %s --check-prefix=MANY
// SUM300: remark: 300 steps, 11 kernels
// ATMOST31-NOT: lazy.kernel {{.*}} ins({{(%[^:, ]+, ){30}.*}}
// SUM600: remark: 600 steps, 5 kernels
// MANY: remark: 10000 steps, 5000 kernels

// A limit that no operation could keep is a mistake.
// RUN: not tinygrad-opt %s --lazy-schedule=max-kernel-buffers=3 --split-input-file 2>&1 | FileCheck %s --check-prefix=SMALL
// SMALL: error: expects option `max-kernel-buffers` to be 0 or at least 4, got 3

// Four inputs and an output: at a limit of five one kernel, at four two.
// CHECK-LABEL: func.func @lim_sum
// CHECK-SAME:    (%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>, %[[C:.*]]: tensor<8xf32>, %[[D:.*]]: tensor<8xf32>)
func.func @lim_sum(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  // FIVE: lazy.kernel @e_8 ins(%[[A]], %[[B]], %[[C]], %[[D]] :
  // FIVE-NOT: lazy.kernel
  // FOUR: %[[S:.*]] = lazy.kernel @e_8 ins(%[[A]], %[[B]], %[[C]] :
  // FOUR: lazy.kernel @e_8n1 ins(%[[S]], %[[D]] :
  // FOUR-NOT: lazy.kernel
  %0 = lazy.add %a, %b : tensor<8xf32>
  %1 = lazy.add %0, %c : tensor<8xf32>
  %2 = lazy.add %1, %d : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// Two views of one input are one buffer, and a constant is none.
// CHECK-LABEL: func.func @lim_views_and_constants
func.func @lim_views_and_constants(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-COUNT-1: lazy.kernel
  // CHECK-NOT: lazy.kernel
  %p = lazy.permute %a [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %two = lazy.const dense<2.0> : tensor<4x4xf32>
  %0 = lazy.add %a, %p : tensor<4x4xf32>
  %1 = lazy.add %0, %b : tensor<4x4xf32>
  %2 = lazy.mul %1, %two : tensor<4x4xf32>
  %3 = lazy.add %2, %c : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// A reduce that would be the fourth input stays a kernel of its own; so does
// the product that it reads where that needs the room.
// CHECK-LABEL: func.func @lim_reduce
func.func @lim_reduce(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %c: tensor<8x1xf32>, %d: tensor<8x1xf32>) -> tensor<8x1xf32> {
  // FIVE: lazy.kernel @r_8_4
  // FIVE-NOT: lazy.kernel
  // FOUR: %[[S:.*]] = lazy.kernel @r_8_4
  // FOUR: lazy.kernel @e_8_1 ins(%[[S]],
  // FOUR-NOT: lazy.kernel
  %m = lazy.mul %a, %b : tensor<8x4xf32>
  %s = lazy.reduce_sum %m : tensor<8x4xf32> -> tensor<8x1xf32>
  %0 = lazy.add %s, %c : tensor<8x1xf32>
  %1 = lazy.add %0, %d : tensor<8x1xf32>
  return %1 : tensor<8x1xf32>
}

// -----

// CHECK-LABEL: func.func @lim_reduced_expression
func.func @lim_reduced_expression(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %c: tensor<8x4xf32>, %d: tensor<8x4xf32>) -> tensor<8x1xf32> {
  // FIVE: lazy.kernel @r_8_4
  // FIVE-NOT: lazy.kernel
  // FOUR: %[[S:.*]] = lazy.kernel @e_8_4
  // FOUR: %[[E:.*]] = lazy.kernel @e_8_4n1 ins(%[[S]],
  // FOUR: lazy.kernel @r_8_4 ins(%[[E]] :
  // FOUR-NOT: lazy.kernel
  %0 = lazy.add %a, %b : tensor<8x4xf32>
  %1 = lazy.add %0, %c : tensor<8x4xf32>
  %2 = lazy.add %1, %d : tensor<8x4xf32>
  %s = lazy.reduce_sum %2 : tensor<8x4xf32> -> tensor<8x1xf32>
  return %s : tensor<8x1xf32>
}

// -----

// A part that two operations read is computed once.
// CHECK-LABEL: func.func @lim_shared_part
func.func @lim_shared_part(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  // FOUR: %[[S:.*]] = lazy.kernel @e_8 ins(%{{.*}}, %{{.*}}, %{{.*}} :
  // FOUR: lazy.kernel @e_8n1 ins(%[[S]], %{{[a-z0-9]+}}, %{{[a-z0-9]+}} :
  // FOUR-NOT: lazy.kernel
  %0 = lazy.add %a, %b : tensor<8xf32>
  %1 = lazy.add %0, %c : tensor<8xf32>
  %2 = lazy.mul %1, %d : tensor<8xf32>
  %3 = lazy.mul %1, %e : tensor<8xf32>
  %4 = lazy.add %2, %3 : tensor<8xf32>
  return %4 : tensor<8xf32>
}
