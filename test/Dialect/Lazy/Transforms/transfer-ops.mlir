// RUN: tinygrad-opt %s --lazy-schedule=trace-rules --split-input-file | FileCheck %s
// RUN: tinygrad-opt %s --lazy-schedule --lazy-materialize-buffers --lazy-plan-memory --lazy-verify-schedule --split-input-file | FileCheck %s --check-prefix=PLAN

!host = tensor<4xf32, #lazy.type<device = "HOST">>
!device = tensor<2xf32, #lazy.type<device = "CUDA:1">>

// A copy is an item of the schedule, of a contiguous source. Equal copies are
// one. It stays one in memory; what is not on the default device says where it
// is.
// CHECK-LABEL: func.func @copies
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32, #lazy.type<device = "HOST">>)
// PLAN-LABEL: func.func @copies
// PLAN-SAME:    (%[[X:.*]]: memref<4xf32> {lazy.device = "HOST"}, %[[R:.*]]: memref<2xf32> {lazy.device = "CUDA:1"})
func.func @copies(%x: !host) -> !device {
  // CHECK: %[[C:.*]] = lazy.copy %[[X]] : {{.*}} -> tensor<4xf32>
  // CHECK: %[[N:.*]] = lazy.kernel @e_2 ins(%[[C]] :
  // CHECK: %[[R:.*]] = lazy.copy %[[N]] : tensor<2xf32> -> tensor<2xf32, #lazy.type<device = "CUDA:1">>
  // CHECK-NOT: lazy.copy
  // CHECK: return %[[R]]
  // PLAN: %[[C:.*]] = memref.alloc() : memref<4xf32>
  // PLAN: lazy.copy %[[X]] into %[[C]] {lazy.versions = array<i64: 0, 2>}
  // PLAN: lazy.kernel @e_2 ins(%[[C]] :
  // PLAN: lazy.copy %{{.*}} into %[[R]] {lazy.versions = array<i64: 3, 4>}
  // PLAN-NOT: lazy.kernel
  %0 = lazy.fromcpu %x : !host -> tensor<4xf32>
  %1 = lazy.fromcpu %x : !host -> tensor<4xf32>
  %2 = lazy.add %0, %1 : tensor<4xf32>
  %3 = lazy.shrink %2 begin [0] end [2] : tensor<4xf32> -> tensor<2xf32>
  %4 = lazy.copy %3 : tensor<2xf32> -> !device
  return %4 : !device
}

// -----

!device = tensor<4xf32, #lazy.type<device = "CUDA">>
!other = tensor<4xf32, #lazy.type<device = "CUDA:1">>

// Copies of one value to two devices are two.
// CHECK-LABEL: func.func @two_devices
// CHECK-COUNT-2: lazy.copy
// CHECK-NOT: lazy.copy
// PLAN-LABEL: func.func @two_devices
func.func @two_devices(%x: tensor<4xf32>) -> (!device, !other) {
  %0 = lazy.copy %x : tensor<4xf32> -> !device
  %1 = lazy.copy %x : tensor<4xf32> -> !other
  return %0, %1 : !device, !other
}

// -----

!source = tensor<4x2xf32, #lazy.type<device = "CUDA">>
!view = tensor<2x4xf32, #lazy.type<device = "CUDA">>

// The source of a copy is made contiguous by a kernel where it is a view: on
// its device.
// CHECK-LABEL: func.func @copy_of_view
// PLAN-LABEL: func.func @copy_of_view
func.func @copy_of_view(%x: !source) -> tensor<2x4xf32> {
  // CHECK: %[[P:.*]] = lazy.kernel @e_2_4 {{.*}} outs(%{{.*}} : tensor<2x4xf32, #lazy.type<device = "CUDA">>)
  // CHECK: lazy.load %{{.*}} : tensor<4x2xf32, #lazy.type<device = "CUDA">> -> tensor<2x4xf32>
  // CHECK: lazy.copy %[[P]] : {{.*}} -> tensor<2x4xf32>
  // PLAN: memref.alloc() {lazy.device = "CUDA"}
  %p = lazy.permute %x [1, 0] : !source -> !view
  %c = lazy.copy %p : !view -> tensor<2x4xf32>
  return %c : tensor<2x4xf32>
}

// -----

!host = tensor<8x2xf32, #lazy.type<device = "HOST">>
!rows = tensor<3x2xf32, #lazy.type<device = "HOST">>
!columns = tensor<2x3xf32, #lazy.type<device = "HOST">>

// Where there are no kernels, what is read is copied as it lies there: a part
// whose elements lie side by side alone, what lies between the elements of
// another one too, and the view comes after it.
// CHECK-LABEL: func.func @copy_of_data
// CHECK-SAME:    (%[[X:.*]]: tensor<8x2xf32
// PLAN-LABEL: func.func @copy_of_data
// PLAN-SAME:    (%[[X:.*]]: memref<16xf32> {lazy.device = "HOST"}, %[[R0:.*]]: memref<6xf32>, %[[R1:.*]]: memref<6xf32>)
func.func @copy_of_data(%x: !host) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  // CHECK: %[[V:.*]] = lazy.view %[[X]] <[3, 2], offset = 8>
  // CHECK: %[[R0:.*]] = lazy.copy %[[V]] : {{.*}} -> tensor<3x2xf32>
  // CHECK: %[[V:.*]] = lazy.view %[[X]] <[6], offset = 2>
  // CHECK: %[[C:.*]] = lazy.copy %[[V]] : {{.*}} -> tensor<6xf32>
  // CHECK: %[[R1:.*]] = lazy.view %[[C]] <[2, 3], strides = [1, 2]>
  // CHECK: return %[[R0]], %[[R1]]
  // PLAN: lazy.copy %[[X]] offset 8 into %[[R0]]
  // PLAN: lazy.copy %[[X]] offset 2 into %[[C:.*]] {
  // PLAN: lazy.kernel @{{.*}} ins(%[[C]] :
  %0 = lazy.shrink %x begin [4, 0] end [7, 2] : !host -> !rows
  %1 = lazy.copy %0 : !rows -> tensor<3x2xf32>
  %2 = lazy.shrink %x begin [1, 0] end [4, 2] : !host -> !rows
  %3 = lazy.permute %2 [1, 0] : !rows -> !columns
  %4 = lazy.copy %3 : !columns -> tensor<2x3xf32>
  return %1, %4 : tensor<3x2xf32>, tensor<2x3xf32>
}

// -----

!host = tensor<4xf32, #lazy.type<device = "HOST">>
!padded = tensor<6xf32, #lazy.type<device = "HOST">>

// The padding is made on the other device; a constant is not copied.
// CHECK-LABEL: func.func @copy_of_padded
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32
// PLAN-LABEL: func.func @copy_of_padded
func.func @copy_of_padded(%x: !host) -> tensor<6xf32> {
  // CHECK: %[[C:.*]] = lazy.copy %[[X]] : {{.*}} -> tensor<4xf32>
  // CHECK-NOT: lazy.copy
  // CHECK: lazy.kernel @e_6 ins(%[[C]] :
  // CHECK: lazy.const dense<2.000000e+00> : tensor<6xf32>
  %0 = lazy.pad %x low [1] high [1] : !host -> !padded
  %1 = lazy.copy %0 : !padded -> tensor<6xf32>
  %2 = lazy.const dense<2.0> : !padded
  %3 = lazy.copy %2 : !padded -> tensor<6xf32>
  %4 = lazy.add %1, %3 : tensor<6xf32>
  return %4 : tensor<6xf32>
}

// -----

!host = tensor<4xf32, #lazy.type<device = "HOST">>

// CPY2: there and back is nowhere.
// CHECK-LABEL: func.func @cpy_there_and_back
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
func.func @cpy_there_and_back(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: lazy.copy
  // CHECK: lazy.kernel @e_4 ins(%[[X]] : {{.*}} attributes {lazy.rules = ["CPY", "CTG"]}
  %0 = lazy.copy %x : tensor<4xf32> -> !host
  %1 = lazy.copy %0 : !host -> tensor<4xf32>
  %2 = lazy.neg %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

!host = tensor<4xf32, #lazy.type<device = "HOST">>
!other = tensor<4xf32, #lazy.type<device = "CUDA">>

// CPY2 does not apply where the value was on a third device, nor where
// something was computed on the way.
// CHECK-LABEL: func.func @cpy_not_back
func.func @cpy_not_back(%x: !other) -> (tensor<4xf32>, !other) {
  // CHECK: lazy.copy
  // CHECK: lazy.copy
  // CHECK: lazy.kernel
  // CHECK: lazy.copy
  %0 = lazy.copy %x : !other -> !host
  %1 = lazy.copy %0 : !host -> tensor<4xf32>
  %2 = lazy.neg %1 : tensor<4xf32>
  %3 = lazy.copy %2 : tensor<4xf32> -> !other
  return %1, %3 : tensor<4xf32>, !other
}

// -----

// CPY1: a copy to where the value is does nothing.
// CHECK-LABEL: func.func @cpy_nowhere
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
func.func @cpy_nowhere(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: lazy.copy
  // CHECK: lazy.kernel @e_4 ins(%[[X]] :
  %0 = lazy.copy %x : tensor<4xf32> -> tensor<4xf32>
  %1 = lazy.neg %0 : tensor<4xf32>
  %2 = lazy.fromcpu %1 : tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

!device = tensor<4xf32, #lazy.type<device = "CUDA:1">>

// What is computed on another device is a kernel there: its constants are in
// the kernel, and what makes no kernel is there too.
// CHECK-LABEL: func.func @on_a_device
// PLAN-LABEL: func.func @on_a_device
// PLAN-SAME:    (%[[X:.*]]: memref<4xf32>, %[[R:.*]]: memref<4xf32> {lazy.device = "CUDA:1"})
func.func @on_a_device(%x: tensor<4xf32>) -> !device {
  // CHECK: %[[C:.*]] = lazy.custom "fill"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32, #lazy.type<device = "CUDA:1">>
  // CHECK: %[[E:.*]] = lazy.empty : tensor<4xf32, #lazy.type<device = "CUDA:1">>
  // CHECK: lazy.kernel @e_4 ins(%[[C]], %[[E]] :
  // CHECK: lazy.const dense<2.000000e+00> : tensor<4xf32>
  // PLAN: lazy.custom "fill"(%[[X]], %[[R]])
  // PLAN: %[[M:.*]] = memref.alloc() {lazy.device = "CUDA:1", lazy.versions = array<i64: 3>} : memref<4xf32>
  // PLAN: lazy.kernel @e_4 ins(%[[M]] : memref<4xf32>) outs(%[[R]] : memref<4xf32>)
  %e = lazy.empty : !device
  %c = lazy.custom "fill"(%x) : (tensor<4xf32>) -> !device
  %k = lazy.const dense<2.0> : !device
  %0 = lazy.mul %c, %k : !device
  %1 = lazy.add %0, %e : !device
  return %1 : !device
}

// -----

// The rules of lazy.py see the program as it is written: nothing is folded
// before them.
// CHECK-LABEL: func.func @as_written
// CHECK: lazy.noop
// CHECK: lazy.neg
// CHECK: lazy.neg
func.func @as_written(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.noop %x : tensor<4xf32>
  %1 = lazy.neg %0 : tensor<4xf32>
  %2 = lazy.neg %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
