// RUN: tinygrad-opt %s --split-input-file --pass-pipeline="builtin.module(tinygrad-schedule)" | FileCheck %s --check-prefix=MEMORY
// RUN: tinygrad-opt %s --split-input-file --pass-pipeline="builtin.module(tinygrad-schedule,func.func(lazy-collapse-axes,lazy-plan-kernels))" | FileCheck %s --check-prefix=PLAN
// RUN: tinygrad-opt %s --split-input-file --pass-pipeline="builtin.module(tinygrad-to-loops,convert-tasks-to-ranges)" | FileCheck %s --check-prefix=RANGES
// RUN: tinygrad-opt %s --split-input-file --pass-pipeline="builtin.module(tinygrad-to-loops,tinygrad-to-llvm)" | FileCheck %s --check-prefix=LLVM

// One program for all values of a variable, through all stages.

#i = #lazy.variable<i, 1, 1000>

// The argument that binds the variable stays; memory is allocated as it says.
// MEMORY-LABEL: func.func @scaled_sums
// MEMORY-SAME: (%[[N:.*]]: index {lazy.variable = #i}, %[[X:.*]]: memref<?xf32>, %[[R:.*]]: memref<?xf32>)
// MEMORY-NEXT: %[[C:.*]] = arith.constant 600 : index
// MEMORY-NEXT: %[[SIZE:.*]] = arith.muli %[[N]], %[[C]]
// MEMORY-NEXT: %[[T:.*]] = memref.alloc(%[[SIZE]]) : memref<?xf32>
// MEMORY-NEXT: call @[[SCALE:.*]](%[[X]], %[[T]], %[[N]])
// MEMORY-NEXT: call @[[SUM:.*]](%[[T]], %[[R]], %[[N]])
// MEMORY-NEXT: memref.dealloc %[[T]]
// MEMORY: func.func private @[[SCALE]](%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>, %{{.*}}: index {lazy.variable = #i})

// Heuristics count with the largest extents. Axes merge where views do.
// PLAN: lazy.kernel @e_i_600 {{.*}} plan <parallel = [0], tile = [{{.*}}], vector = 0 : 8, unroll = 4> {
// PLAN: lazy.load %{{.*}} <[#i * 600]>
// PLAN: lazy.kernel @r_i_600 {{.*}} plan <parallel = [0], tile = [19], vector = 1 : 8, unroll = 4> {

// The number of tasks is an expression, and computed where the kernel is called.
// RANGES-LABEL: func.func @scaled_sums
// RANGES-SAME: %[[N:.*]]: index {lazy.variable = #i}, %{{.*}}: memref<1xf32>
// RANGES: %[[T:.*]] = memref.reinterpret_cast %{{.*}} : memref<?xf32> to memref<1xf32>
// RANGES: %[[TASKS:.*]] = arith.divui
// RANGES: call @e_i_600(%{{.*}}, %[[T]], %[[N]], %{{.*}}, %[[TASKS]])
// RANGES: func.func private @r_i_600(
// RANGES-SAME: memref<1xf32> {llvm.noalias}
// RANGES-SAME: %[[V:[a-z0-9]+]]: index {lazy.variable = #i}
// RANGES-SAME: tinygrad.tasks = #lazy.sizes<[(#i + 18) floordiv 19]>
// RANGES: arith.minui %{{.*}}, %[[V]]

// A variable's value lies in memory.
// LLVM: llvm.func @e_i_600(%[[BUFFERS:.*]]: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// LLVM: %[[P:.*]] = llvm.getelementptr %[[BUFFERS]][2]
// LLVM: %[[Q:.*]] = llvm.load %[[P]] : !llvm.ptr -> !llvm.ptr
// LLVM: %[[VALUE:.*]] = llvm.load %[[Q]] : !llvm.ptr -> i64
// LLVM: llvm.call @e_i_600.body(%{{.*}}, %{{.*}}, %[[VALUE]], %{{.*}}, %{{.*}})
func.func @scaled_sums(%n: index {lazy.variable = #i}, %x: tensor<?x600xf32, #lazy.type<dims = [#i, 600]>>) -> tensor<?xf32, #lazy.type<dims = [#i]>> {
  %c = lazy.const dense<2.0> : tensor<1x1xf32>
  %e = lazy.expand %c : tensor<1x1xf32> -> tensor<?x600xf32, #lazy.type<dims = [#i, 600]>>
  %m = lazy.mul %x, %e : tensor<?x600xf32, #lazy.type<dims = [#i, 600]>>
  %k = lazy.contiguous %m : tensor<?x600xf32, #lazy.type<dims = [#i, 600]>>
  %s = lazy.reduce_sum %k : tensor<?x600xf32, #lazy.type<dims = [#i, 600]>> -> tensor<?x1xf32, #lazy.type<dims = [#i, 1]>>
  %r = lazy.reshape %s : tensor<?x1xf32, #lazy.type<dims = [#i, 1]>> -> tensor<?xf32, #lazy.type<dims = [#i]>>
  return %r : tensor<?xf32, #lazy.type<dims = [#i]>>
}
