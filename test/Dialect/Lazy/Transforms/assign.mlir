// RUN: tinygrad-opt %s --lazy-schedule=trace-rules --split-input-file | FileCheck %s
// RUN: tinygrad-opt %s --lazy-schedule --lazy-materialize-buffers --lazy-plan-memory --lazy-verify-schedule --split-input-file | FileCheck %s --check-prefix=MEM

// OUT: the kernel of an assigned value writes into the target. In memory it
// reads through its init what it overwrites.
// CHECK-LABEL: func.func @out_in_place
// CHECK-SAME:    (%[[T:.*]]: tensor<8xf32>, %[[G:.*]]: tensor<8xf32>)
// MEM-LABEL: func.func @out_in_place
// MEM-SAME:    (%[[T:.*]]: memref<8xf32>, %[[G:.*]]: memref<8xf32>)
func.func @out_in_place(%t: tensor<8xf32>, %g: tensor<8xf32>) {
  // CHECK: lazy.kernel @e_8 ins(%[[T]], %[[G]] : {{.*}}) outs(%[[T]] : tensor<8xf32>) attributes {lazy.rules = ["OUT"]}
  // CHECK-NOT: lazy.assign
  // MEM: lazy.kernel @e_8 ins(%[[G]] : memref<8xf32>) outs(%[[T]] : memref<8xf32>) attributes {lazy.versions = array<i64: 1, 0, 2>}
  // MEM-NEXT: ^bb0(%[[IN:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32>):
  // MEM-DAG: lazy.load %[[OUT]] <[8]>
  // MEM-DAG: lazy.load %[[IN]] <[8]>
  // MEM: lazy.store {{.*}}, %[[OUT]]
  // MEM-NOT: lazy.kernel
  %v = lazy.sub %t, %g : tensor<8xf32>
  %r = lazy.assign %t, %v : tensor<8xf32>
  return
}

// -----

// OUT does not apply where the kernel reads the target through a permute: the
// value gets a buffer, which is copied in the end.
// CHECK-LABEL: func.func @out_not_permuted_alias
// CHECK-SAME:    (%[[T:.*]]: tensor<4x4xf32>)
// MEM-LABEL: func.func @out_not_permuted_alias
// MEM-SAME:    (%[[T:.*]]: memref<16xf32>, %[[R:.*]]: memref<16xf32>)
func.func @out_not_permuted_alias(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[E:.*]] = lazy.empty
  // CHECK: %[[V:.*]] = lazy.kernel @e_4_4 ins(%[[T]] : {{.*}}) outs(%[[E]] : tensor<4x4xf32>) attributes {lazy.rules = []}
  // CHECK: lazy.assign %[[T]], %[[V]]
  // CHECK: return %[[V]]
  // MEM: lazy.kernel @e_4_4 ins(%[[T]] : {{.*}}) outs(%[[R]] : memref<16xf32>)
  // MEM: lazy.kernel @copy_4_4 ins(%[[R]] : {{.*}}) outs(%[[T]] : memref<16xf32>) attributes {lazy.versions = array<i64: 2, 3>}
  // MEM-NOT: lazy.kernel
  %p = lazy.permute %t [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %v = lazy.add %t, %p : tensor<4x4xf32>
  %r = lazy.assign %t, %v : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// x := x + reverse(x).
// MEM-LABEL: func.func @reverse
// MEM-SAME:    (%[[X:.*]]: memref<5000xf32>)
func.func @reverse(%x: tensor<5000xf32>) {
  // MEM: %[[A:.*]] = memref.alloc() : memref<5000xf32>
  // MEM: lazy.kernel @e_5000 ins(%[[X]] : {{.*}}) outs(%[[A]] : memref<5000xf32>)
  // MEM: lazy.kernel @copy_5000 ins(%[[A]] : {{.*}}) outs(%[[X]] : memref<5000xf32>)
  // MEM: memref.dealloc %[[A]]
  %f = lazy.stride %x [-1] : tensor<5000xf32> -> tensor<5000xf32>
  %v = lazy.add %x, %f : tensor<5000xf32>
  %r = lazy.assign %x, %v : tensor<5000xf32>
  return
}

// -----

// A value from before the assignment keeps the old contents, wherever it is
// read: its kernel goes first, also where the text has it last.
// MEM-LABEL: func.func @reader_of_the_old_value
// MEM-SAME:    (%[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<4xf32>, %[[S:.*]]: memref<4xf32>, %[[T:.*]]: memref<4xf32>)
func.func @reader_of_the_old_value(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // MEM: lazy.kernel @[[TWICE:.*]] ins(%[[A]] : {{.*}}) outs(%[[T]] : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 4>}
  // MEM: lazy.kernel @{{.*}} ins(%[[B]] : {{.*}}) outs(%[[A]] : memref<4xf32>) attributes {lazy.versions = array<i64: 1, 5>}
  // MEM: lazy.kernel @{{.*}} ins(%[[A]] : {{.*}}) outs(%[[S]] : memref<4xf32>) attributes {lazy.versions = array<i64: 5, 6>}
  // MEM-NOT: lazy.kernel
  %v = lazy.neg %b : tensor<4xf32>
  %r = lazy.assign %a, %v : tensor<4xf32>
  %s = lazy.reduce_sum %r : tensor<4xf32> -> tensor<1xf32>
  %e = lazy.expand %s : tensor<1xf32> -> tensor<4xf32>
  %n = lazy.add %r, %e : tensor<4xf32>
  %t = lazy.add %a, %a : tensor<4xf32>
  return %r, %t : tensor<4xf32>, tensor<4xf32>
}

// -----

// A kernel that needs the new and the old value: the old one is copied, to
// where the kernel writes its result.
// MEM-LABEL: func.func @old_and_new
// MEM-SAME:    (%[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<4xf32>, %[[S:.*]]: memref<4xf32>)
func.func @old_and_new(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // MEM-NOT: memref.alloc
  // MEM: lazy.kernel @copy_4 ins(%[[A]] : {{.*}}) outs(%[[S]] : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 3>}
  // MEM: lazy.kernel @[[W:.*]] ins(%[[B]] : {{.*}}) outs(%[[A]] : memref<4xf32>) attributes {lazy.versions = array<i64: 1, 4>}
  // MEM: lazy.kernel @{{.*}} ins(%[[A]] : {{.*}}) outs(%[[S]] : memref<4xf32>) attributes {lazy.versions = array<i64: 4, 3, 5>}
  // MEM-NOT: lazy.kernel
  %v = lazy.neg %b : tensor<4xf32>
  %c = lazy.contiguous %v : tensor<4xf32>
  %r = lazy.assign %a, %c : tensor<4xf32>
  %s = lazy.add %r, %a : tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// Two arguments change places: one of them is copied.
// MEM-LABEL: func.func @swap
// MEM-SAME:    (%[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<4xf32>)
func.func @swap(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // MEM: %[[OLD:.*]] = memref.alloc() : memref<4xf32>
  // MEM: lazy.kernel @copy_4 ins(%[[A]] : {{.*}}) outs(%[[OLD]] : memref<4xf32>) attributes {lazy.versions = array<i64: 0, 2>}
  // MEM: lazy.kernel @{{.*}} ins(%[[B]] : {{.*}}) outs(%[[A]] : memref<4xf32>) attributes {lazy.versions = array<i64: 1, 3>}
  // MEM: lazy.kernel @{{.*}} ins(%[[OLD]] : {{.*}}) outs(%[[B]] : memref<4xf32>) attributes {lazy.versions = array<i64: 2, 4>}
  // MEM-NOT: lazy.kernel
  %r = lazy.assign %a, %b : tensor<4xf32>
  %s = lazy.assign %b, %a : tensor<4xf32>
  return
}

// -----

// An optimizer step: the momentum is read by the weights' kernel after it was
// written, and both are in place.
// MEM-LABEL: func.func @momentum
// MEM-SAME:    (%[[W:.*]]: memref<8xf32>, %[[M:.*]]: memref<8xf32>, %[[G:.*]]: memref<8xf32>)
func.func @momentum(%w: tensor<8xf32>, %m: tensor<8xf32>, %g: tensor<8xf32>) {
  // MEM: lazy.kernel @{{.*}} ins(%[[G]] : {{.*}}) outs(%[[M]] : memref<8xf32>) attributes {lazy.versions = array<i64: 2, 1, 3>}
  // MEM: lazy.kernel @{{.*}} ins(%[[M]] : {{.*}}) outs(%[[W]] : memref<8xf32>) attributes {lazy.versions = array<i64: 3, 0, 4>}
  // MEM-NOT: lazy.kernel
  %n = lazy.add %m, %g : tensor<8xf32>
  %c = lazy.contiguous %n : tensor<8xf32>
  %r = lazy.assign %m, %c : tensor<8xf32>
  %v = lazy.sub %w, %r : tensor<8xf32>
  %s = lazy.assign %w, %v : tensor<8xf32>
  return
}

// -----

// Only the last of several values is written; what the first is needed for is
// computed from it.
// MEM-LABEL: func.func @assigned_twice
// MEM-SAME:    (%[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<4xf32>)
func.func @assigned_twice(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // MEM: lazy.kernel @e_4 ins(%[[B]] : {{.*}}) outs(%[[A]] : memref<4xf32>) attributes {lazy.versions = array<i64: 1, 2>}
  // MEM: lazy.neg
  // MEM: lazy.sin
  // MEM-NOT: lazy.kernel
  %v = lazy.neg %b : tensor<4xf32>
  %r = lazy.assign %a, %v : tensor<4xf32>
  %w = lazy.sin %r : tensor<4xf32>
  %s = lazy.assign %r, %w : tensor<4xf32>
  return
}

// -----

// Where a computed value lies nobody can see.
// CHECK-LABEL: func.func @computed_target
// MEM-LABEL: func.func @computed_target
func.func @computed_target(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: lazy.kernel @e_4 ins(%{{.*}}, %{{.*}} :
  // CHECK-NOT: lazy.assign
  %t = lazy.neg %a : tensor<4xf32>
  %v = lazy.add %a, %b : tensor<4xf32>
  %r = lazy.assign %t, %v : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// An overlapping shrink of the target is read elsewhere than it is written.
// CHECK-LABEL: func.func @overlapping_shrink
// CHECK-SAME:    (%[[T:.*]]: tensor<8xf32>)
// MEM-LABEL: func.func @overlapping_shrink
func.func @overlapping_shrink(%t: tensor<8xf32>) {
  // CHECK: %[[V:.*]] = lazy.kernel
  // CHECK: lazy.assign %[[T]], %[[V]]
  %s = lazy.shrink %t begin [0] end [7] : tensor<8xf32> -> tensor<7xf32>
  %p = lazy.pad %s low [1] high [0] : tensor<7xf32> -> tensor<8xf32>
  %v = lazy.add %t, %p : tensor<8xf32>
  %r = lazy.assign %t, %v : tensor<8xf32>
  return
}

// -----

// A constant, an argument and a view of one are copied.
// CHECK-LABEL: func.func @without_kernel
// CHECK-SAME:    (%[[A:.*]]: tensor<2x2xf32>, %[[B:.*]]: tensor<2x2xf32>, %[[C:.*]]: tensor<2x2xf32>)
// MEM-LABEL: func.func @without_kernel
func.func @without_kernel(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2x2xf32>) {
  // CHECK-NOT: lazy.kernel
  // CHECK: %[[ONE:.*]] = lazy.const
  // CHECK: lazy.assign %[[A]], %[[ONE]]
  // CHECK: %[[P:.*]] = lazy.view %[[C]]
  // CHECK: lazy.assign %[[B]], %[[P]]
  // CHECK-NOT: lazy.assign
  // MEM-COUNT-2: lazy.kernel @copy
  // MEM-NOT: lazy.kernel
  %one = lazy.const dense<1.0> : tensor<2x2xf32>
  %r = lazy.assign %a, %one : tensor<2x2xf32>
  %p = lazy.permute %c [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  %s = lazy.assign %b, %p : tensor<2x2xf32>
  %u = lazy.assign %c, %c : tensor<2x2xf32>
  return
}
