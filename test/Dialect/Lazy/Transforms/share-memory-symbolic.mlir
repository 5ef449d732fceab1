// RUN: tinygrad-opt %s --lazy-schedule=opt-level=0 --lazy-materialize-buffers --lazy-plan-memory --lazy-verify-schedule | FileCheck %s

// Memory of sizes that are expressions. The peak counts each at its largest.

#i = #lazy.variable<i, 1, 10>
#j = #lazy.variable<j, 1, 20>
!x = tensor<?xf32, #lazy.type<dims = [#i]>>
!y = tensor<?xf32, #lazy.type<dims = [#j]>>

// All lie in the memory of the result, which has their size for all values.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    index {lazy.variable = #i}, %[[X:.*]]: memref<?xf32>, %[[R:.*]]: memref<?xf32>) attributes {tinygrad.peak_bytes = 0 : i64}
func.func @chain(%n: index {lazy.variable = #i}, %x: !x) -> !x {
  // CHECK-NOT: memref.alloc
  // CHECK: lazy.kernel @e_i ins(%[[X]] : {{.*}}) outs(%[[R]] : {{.*}}) variables({{.*}}) attributes {lazy.versions = array<i64: 0, 2>}
  // CHECK: lazy.kernel @e_in1 outs(%[[R]] : {{.*}}) variables({{.*}}) attributes {lazy.versions = array<i64: 2, 3>}
  // CHECK: return
  %a = lazy.neg %x : !x
  %b = lazy.sin %a : !x
  return %b : !x
}

// Equal expressions: one allocation.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK-SAME:    %[[N:[^:]*]]: index {lazy.variable = #i}, %[[X:.*]]: memref<?xf32>, %[[R:.*]]: memref<1xf32>) attributes {tinygrad.peak_bytes = 40 : i64}
func.func @one_after_the_other(%n: index {lazy.variable = #i}, %x: !x) -> tensor<1xf32> {
  // CHECK: %[[A:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
  // CHECK: lazy.kernel @e_i ins(%[[X]] : {{.*}}) outs(%[[A]] :
  // CHECK-NOT: memref.{{alloc|dealloc}}
  // CHECK: lazy.kernel @e_in1 ins(%[[X]], %[[R]] : {{.*}}) outs(%[[A]] :
  // CHECK: memref.dealloc %[[A]]
  // CHECK-NOT: memref.dealloc
  %a = lazy.neg %x : !x
  %s = lazy.reduce_max %a : !x -> tensor<1xf32>
  %e = lazy.expand %s : tensor<1xf32> -> !x
  %b = lazy.sub %x, %e : !x
  %t = lazy.reduce_sum %b : !x -> tensor<1xf32>
  return %t : tensor<1xf32>
}

// Sizes of other variables are other memory.
// CHECK-LABEL: func.func @other_sizes
// CHECK-SAME:    %[[N:[^:]*]]: index {lazy.variable = #i}, %[[M:[^:]*]]: index {lazy.variable = #j}, {{.*}} attributes {tinygrad.peak_bytes = 80 : i64}
func.func @other_sizes(%n: index {lazy.variable = #i}, %m: index {lazy.variable = #j}, %x: !x, %y: !y) -> tensor<1xf32> {
  // CHECK: %[[A:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
  // CHECK: memref.dealloc %[[A]]
  // CHECK: %[[B:.*]] = memref.alloc(%[[M]]) : memref<?xf32>
  // CHECK: memref.dealloc %[[B]]
  %a = lazy.neg %x : !x
  %s = lazy.reduce_max %a : !x -> tensor<1xf32>
  %e = lazy.expand %s : tensor<1xf32> -> !y
  %b = lazy.sub %y, %e : !y
  %t = lazy.reduce_sum %b : !y -> tensor<1xf32>
  return %t : tensor<1xf32>
}
