// RUN: tinygrad-opt %s --lazy-schedule --lazy-print-schedule -o /dev/null | FileCheck %s --match-full-lines
// RUN: tinygrad-opt %s --tinygrad-schedule --lazy-print-schedule -o /dev/null | FileCheck %s --match-full-lines
// RUN: tinygrad-opt %s --lazy-schedule --lazy-print-schedule="format=dot output=%t.dot" -o /dev/null
// RUN: FileCheck %s --check-prefix=DOT < %t.dot

// Copies are items, no kernels, before and after planning memory.
// CHECK:      @main: 1 kernel, 16 bytes read, 16 bytes written, 4 operations{{.*}}
// CHECK-NEXT: # name shape inputs read written operations rules
// CHECK-NEXT: 0 copy to CPU - arg0
// In memory the kernel reads what it overwrites.
// CHECK-NEXT: 1 e_4 4 {{(0 )?}}16 16 4
// CHECK-NEXT: 2 copy to CUDA:1 - 1

// DOT: [label="copy to CPU", shape=box]

!host = tensor<4xf32, #lazy.type<device = "HOST">>
!device = tensor<4xf32, #lazy.type<device = "CUDA:1">>
func.func @main(%x: !host) -> !device {
  %0 = lazy.copy %x : !host -> tensor<4xf32>
  %1 = lazy.neg %0 : tensor<4xf32>
  %2 = lazy.copy %1 : tensor<4xf32> -> !device
  return %2 : !device
}
