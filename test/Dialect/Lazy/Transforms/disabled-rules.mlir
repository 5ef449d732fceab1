// Each rule that has no flag in lazy.py, on and switched off. What is computed
// is the same: test/Integration/disabled-rules.mlir.

// RUN: tinygrad-opt %s --lazy-schedule=trace-rules | FileCheck %s --check-prefixes=CHECK,ON
// RUN: tinygrad-opt %s --lazy-schedule="disabled-rules=COL,SPL,ZER,CSE,CTG,CPY,OUT,CST trace-rules" | FileCheck %s --check-prefixes=CHECK,OFF
// RUN: tinygrad-opt %s --lazy-schedule="disabled-rules=LIM max-kernel-buffers=4" | FileCheck %s --check-prefix=NOLIM
// RUN: tinygrad-opt %s --lazy-schedule="max-kernel-buffers=4 trace-rules" | FileCheck %s --check-prefix=LIM
// RUN: tinygrad-opt %s --lazy-schedule="disabled-rules=MEO" | FileCheck %s --check-prefix=NOMEO
// RUN: not tinygrad-opt %s --lazy-schedule="disabled-rules=COL,ABC" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tinygrad-opt %s --lazy-schedule="disabled-rules=COL2" 2>&1 | FileCheck %s --check-prefix=NUMBER

// UNKNOWN: error: expects option `disabled-rules` to hold labels of rules, got `ABC`
// NUMBER: error: expects option `disabled-rules` to hold labels of rules, got `COL2`

// Without COL the views are the same: they are simplified when a kernel is formed.
// CHECK-LABEL: func.func @col
func.func @col(%x: tensor<4x4x2xf32>) -> tensor<4xf32> {
  // CHECK: lazy.kernel @r_4_4_2
  // ON: lazy.kernel {{.*}}lazy.rules = ["COL5"
  // OFF: lazy.kernel {{.*}}lazy.rules = []
  // CHECK: lazy.load %{{.*}} <[4], strides = [4], offset = 1>
  %s = lazy.reduce_sum %x : tensor<4x4x2xf32> -> tensor<4x4x1xf32>
  %a = lazy.shrink %s begin [0, 0, 0] end [4, 3, 1] : tensor<4x4x1xf32> -> tensor<4x3x1xf32>
  %b = lazy.shrink %a begin [0, 1, 0] end [4, 2, 1] : tensor<4x3x1xf32> -> tensor<4x1x1xf32>
  %c = lazy.reshape %b : tensor<4x1x1xf32> -> tensor<4xf32>
  %n = lazy.sin %c : tensor<4xf32>
  return %n : tensor<4xf32>
}

// CHECK-LABEL: func.func @spl
func.func @spl(%x: tensor<65536xf32>) -> tensor<1xf32> {
  // ON-COUNT-2: lazy.kernel @r_
  // OFF-COUNT-1: lazy.kernel @r_65536
  // CHECK-NOT: lazy.kernel
  %s = lazy.reduce_sum %x : tensor<65536xf32> -> tensor<1xf32>
  return %s : tensor<1xf32>
}

// CHECK-LABEL: func.func @zer
func.func @zer(%x: tensor<4x0xf32>) -> tensor<4x0xf32> {
  // ON-NOT: lazy.kernel
  // ON: lazy.const
  // OFF: lazy.kernel @e_4_0 ins(%{{.*}} : tensor<4x0xf32>)
  %n = lazy.neg %x : tensor<4x0xf32>
  return %n : tensor<4x0xf32>
}

// CHECK-LABEL: func.func @cse
func.func @cse(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // ON-COUNT-1: lazy.kernel
  // OFF-COUNT-2: lazy.kernel
  // CHECK-NOT: lazy.kernel
  %a = lazy.neg %x : tensor<4xf32>
  %b = lazy.neg %x : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @ctg
func.func @ctg(%x: tensor<4xf32>) -> tensor<4xf32> {
  // ON-NOT: lazy.kernel
  // OFF: lazy.kernel @e_4
  // CHECK: return
  %c = lazy.contiguous %x : tensor<4xf32>
  return %c : tensor<4xf32>
}

// CHECK-LABEL: func.func @cpy
func.func @cpy(%x: tensor<4xf32>) -> tensor<4xf32> {
  // ON-NOT: lazy.copy
  // OFF-COUNT-2: lazy.copy
  // CHECK: return
  %h = lazy.copy %x : tensor<4xf32> -> tensor<4xf32, #lazy.type<device = "HOST">>
  %d = lazy.copy %h : tensor<4xf32, #lazy.type<device = "HOST">> -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// CHECK-LABEL: func.func @out
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @out(%x: tensor<4xf32>) -> tensor<4xf32> {
  // ON: lazy.kernel {{.*}}outs(%[[X]] :
  // ON-NOT: lazy.assign
  // OFF: %[[E:.*]] = lazy.empty
  // OFF: %[[N:.*]] = lazy.kernel {{.*}}outs(%[[E]] :
  // OFF: lazy.assign %[[X]], %[[N]]
  // CHECK: return
  %n = lazy.neg %x : tensor<4xf32>
  %a = lazy.assign %x, %n : tensor<4xf32>
  return %a : tensor<4xf32>
}

// Without CST a constant is a tensor of one element that the kernel reads.
// CHECK-LABEL: func.func @cst
func.func @cst(%x: tensor<4xf32>) -> tensor<4xf32> {
  // ON: lazy.kernel {{.*}}ins(%{{.*}} : tensor<4xf32>)
  // ON: lazy.const
  // OFF: %[[C:.*]] = lazy.const dense<2.000000e+00> : tensor<f32>
  // OFF: lazy.kernel {{.*}}ins(%{{.*}}, %[[C]] : tensor<4xf32>, tensor<f32>)
  // OFF: lazy.load %{{.*}} <[4], strides = [0]> : tensor<f32>
  // CHECK: return
  %c = lazy.const dense<2.0> : tensor<4xf32>
  %a = lazy.add %x, %c : tensor<4xf32>
  return %a : tensor<4xf32>
}

// LIM-LABEL: func.func @lim
// LIM-COUNT-2: lazy.kernel
// NOLIM-LABEL: func.func @lim
// NOLIM-COUNT-1: lazy.kernel
// NOLIM-NOT: lazy.kernel
// NOMEO-LABEL: func.func @lim
// NOMEO-COUNT-3: lazy.kernel
func.func @lim(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.add %a, %b : tensor<4xf32>
  %1 = lazy.add %0, %c : tensor<4xf32>
  %2 = lazy.add %1, %d : tensor<4xf32>
  return %2 : tensor<4xf32>
}
