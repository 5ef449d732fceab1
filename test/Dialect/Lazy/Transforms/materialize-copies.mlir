// RUN: tinygrad-opt %s --lazy-materialize-buffers --split-input-file | FileCheck %s

!device = tensor<4x2xf32, #lazy.type<device = "CUDA">>
!view = tensor<2x4xf32, #lazy.type<device = "CUDA">>

// A copy takes elements that lie side by side: another view and a constant are
// made by a kernel before it.
// CHECK-LABEL: func.func @sources
// CHECK-SAME:    (%[[X:.*]]: tensor<4x2xf32
func.func @sources(%x: !device) -> (tensor<2x4xf32>, tensor<2xf32>, !device) {
  // CHECK: %[[K:.*]] = lazy.kernel @copy_2_4 ins(%[[X]] :
  // CHECK: lazy.load %{{.*}} <[2, 4], strides = [1, 2]> : {{.*}} -> tensor<2x4xf32>
  // CHECK: %[[R0:.*]] = lazy.copy %[[K]] : {{.*}} -> tensor<2x4xf32>
  // CHECK: %[[V:.*]] = lazy.view %[[X]] <[2], offset = 4>
  // CHECK: %[[R1:.*]] = lazy.copy %[[V]] : {{.*}} -> tensor<2xf32>
  // CHECK: %[[C:.*]] = lazy.kernel @copy_4_2 outs(
  // CHECK: lazy.const dense<1.000000e+00> : tensor<4x2xf32>
  // CHECK: %[[R2:.*]] = lazy.copy %[[C]] : tensor<4x2xf32> -> tensor<4x2xf32, #lazy.type<device = "CUDA">>
  // CHECK: return %[[R0]], %[[R1]], %[[R2]]
  %0 = lazy.view %x <[2, 4], strides = [1, 2]> : !device -> !view
  %1 = lazy.copy %0 : !view -> tensor<2x4xf32>
  %2 = lazy.view %x <[2], offset = 4> : !device -> tensor<2xf32, #lazy.type<device = "CUDA">>
  %3 = lazy.copy %2 : tensor<2xf32, #lazy.type<device = "CUDA">> -> tensor<2xf32>
  %4 = lazy.const dense<1.0> : tensor<4x2xf32>
  %5 = lazy.copy %4 : tensor<4x2xf32> -> !device
  return %1, %3, %5 : tensor<2x4xf32>, tensor<2xf32>, !device
}

// -----

!host = tensor<4xf32, #lazy.type<device = "HOST">>
!part = tensor<2xf32, #lazy.type<device = "HOST">>

// A result on the host gets a buffer of its own by a copy there. A copy to
// where the value is goes away.
// CHECK-LABEL: func.func @results
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32, {{.*}}>, %[[Y:.*]]: tensor<4xf32>)
func.func @results(%x: !host, %y: tensor<4xf32>) -> (!host, !part, tensor<4xf32>) {
  // CHECK: %[[V:.*]] = lazy.view %[[X]] <[2], offset = 1>
  // CHECK: %[[R0:.*]] = lazy.copy %[[X]] : tensor<4xf32, #lazy.type<device = "HOST">> -> tensor<4xf32, #lazy.type<device = "HOST">>
  // CHECK: %[[R1:.*]] = lazy.copy %[[V]]
  // CHECK: %[[R2:.*]] = lazy.kernel @copy_4 ins(%[[Y]] :
  // CHECK: return %[[R0]], %[[R1]], %[[R2]]
  %0 = lazy.view %x <[2], offset = 1> : !host -> !part
  %1 = lazy.fromcpu %y : tensor<4xf32> -> tensor<4xf32>
  return %x, %0, %1 : !host, !part, tensor<4xf32>
}

// -----

!host = tensor<4xf32, #lazy.type<device = "HOST">>
!part = tensor<2xf32, #lazy.type<device = "HOST">>

// What a callback reads is a buffer too.
// CHECK-LABEL: func.func @callbacks
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32
func.func @callbacks(%x: tensor<4xf32>, %y: !host) -> tensor<4xf32> {
  // CHECK: %[[V:.*]] = lazy.view %[[Y]] <[2], offset = 2>
  // CHECK: %[[K:.*]] = lazy.kernel @copy_2_2 ins(%[[X]] :
  // CHECK: %[[C:.*]] = lazy.copy %[[V]]
  // CHECK: lazy.custom "fill"(%[[K]], %[[C]])
  %0 = lazy.view %x <[2, 2]> : tensor<4xf32> -> tensor<2x2xf32>
  %1 = lazy.view %y <[2], offset = 2> : !host -> !part
  %2 = lazy.custom "fill"(%0, %1) : (tensor<2x2xf32>, !part) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
