// RUN: tinygrad-opt %s --lazy-schedule=opt-level=0 --lazy-materialize-buffers --lazy-plan-memory --lazy-verify-schedule --split-input-file | FileCheck %s

// Each kernel reads the last one's result for the last time, and overwrites it:
// all lie in the memory of the result.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    (%[[X:.*]]: memref<8xf32>, %[[R:.*]]: memref<8xf32>) attributes {tinygrad.peak_bytes = 0 : i64}
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NOT: memref.alloc
  // CHECK: lazy.kernel @e_8 ins(%[[X]] : {{.*}}) outs(%[[R]] : {{.*}}) attributes {lazy.versions = array<i64: 0, 2>}
  // CHECK: lazy.kernel @e_8n1 outs(%[[R]] : {{.*}}) attributes {lazy.versions = array<i64: 2, 3>}
  // CHECK-NEXT: ^bb0(%[[OUT:.*]]: memref<8xf32>):
  // CHECK-NEXT: lazy.load %[[OUT]]
  // CHECK: lazy.kernel @e_8n2 ins(%[[X]] : {{.*}}) outs(%[[R]] : {{.*}}) attributes {lazy.versions = array<i64: 0, 3, 4>}
  %a = lazy.neg %x : tensor<8xf32>
  %b = lazy.sin %a : tensor<8xf32>
  %c = lazy.mul %b, %x : tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

// What is read again later stays; what is read permuted, too.
// CHECK-LABEL: func.func @not_in_place
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[R:.*]]: memref<4xf32>) attributes {tinygrad.peak_bytes = 16 : i64}
func.func @not_in_place(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // CHECK: lazy.kernel @e_2_2 ins(%[[X]] : {{.*}}) outs(%[[R]] :
  // CHECK: %[[A:.*]] = memref.alloc()
  // CHECK: lazy.kernel @e_2_2n1 ins(%[[R]] : {{.*}}) outs(%[[A]] :
  // CHECK: lazy.kernel @e_2_2n2 ins(%[[A]] : {{.*}}) outs(%[[R]] : {{.*}}) attributes {lazy.versions = array<i64: 3, 2, 4>}
  // CHECK: memref.dealloc %[[A]]
  %a = lazy.neg %x : tensor<2x2xf32>
  %b = lazy.sin %a : tensor<2x2xf32>
  %p = lazy.permute %b [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  %c = lazy.add %a, %p : tensor<2x2xf32>
  return %c : tensor<2x2xf32>
}

// -----

// Another type is other memory; two values that do not live at once share one
// allocation.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK-SAME:    (%[[X:.*]]: memref<8xf32>, %[[R:.*]]: memref<1xf32>) attributes {tinygrad.peak_bytes = 32 : i64}
func.func @one_after_the_other(%x: tensor<8xf32>) -> tensor<1xf32> {
  // CHECK: %[[A:.*]] = memref.alloc() : memref<8xf32>
  // CHECK: lazy.kernel @e_8 ins(%[[X]] : {{.*}}) outs(%[[A]] : {{.*}}) attributes {lazy.versions = array<i64: 0, 2>}
  // CHECK: lazy.kernel @r_8 ins(%[[A]] : {{.*}}) outs(%[[R]] : {{.*}}) attributes {lazy.versions = array<i64: 2, 3>}
  // CHECK-NOT: memref.{{alloc|dealloc}}
  // CHECK: lazy.kernel @e_8n1 ins(%[[X]], %[[R]] : {{.*}}) outs(%[[A]] : {{.*}}) attributes {lazy.versions = array<i64: 0, 3, 4>}
  // CHECK: lazy.kernel @r_8n1 ins(%[[A]] : {{.*}}) outs(%[[R]] : {{.*}}) attributes {lazy.versions = array<i64: 4, 5>}
  // CHECK: memref.dealloc %[[A]]
  // CHECK-NOT: memref.dealloc
  %a = lazy.neg %x : tensor<8xf32>
  %s = lazy.reduce_max %a : tensor<8xf32> -> tensor<1xf32>
  %e = lazy.expand %s : tensor<1xf32> -> tensor<8xf32>
  %b = lazy.sub %x, %e : tensor<8xf32>
  %t = lazy.reduce_sum %b : tensor<8xf32> -> tensor<1xf32>
  return %t : tensor<1xf32>
}

// -----

// Memory is not kept where that would lift the peak: 8 elements are given back
// before 16 are needed. They live beside one element at the worst time.
// CHECK-LABEL: func.func @gives_up
// CHECK-SAME:    (%[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<16xf32>, %[[R:.*]]: memref<2xf32>) attributes {tinygrad.peak_bytes = 68 : i64}
func.func @gives_up(%x: tensor<8xf32>, %y: tensor<16xf32>) -> tensor<2xf32> {
  // CHECK: %[[A:.*]] = memref.alloc() : memref<8xf32>
  // CHECK: memref.dealloc %[[A]]
  // CHECK: %[[B:.*]] = memref.alloc() : memref<16xf32>
  // CHECK: memref.dealloc %[[B]]
  // CHECK: %[[C:.*]] = memref.alloc() : memref<8xf32>
  // CHECK: memref.dealloc %[[C]]
  %a = lazy.neg %x : tensor<8xf32>
  %s = lazy.reduce_max %a : tensor<8xf32> -> tensor<1xf32>
  %se = lazy.expand %s : tensor<1xf32> -> tensor<16xf32>
  %b = lazy.sub %y, %se : tensor<16xf32>
  %t = lazy.reduce_max %b : tensor<16xf32> -> tensor<1xf32>
  %te = lazy.expand %t : tensor<1xf32> -> tensor<8xf32>
  %c = lazy.sub %x, %te : tensor<8xf32>
  %c2 = lazy.reshape %c : tensor<8xf32> -> tensor<2x4xf32>
  %r = lazy.reduce_sum %c2 : tensor<2x4xf32> -> tensor<2x1xf32>
  %r1 = lazy.reshape %r : tensor<2x1xf32> -> tensor<2xf32>
  return %r1 : tensor<2xf32>
}
