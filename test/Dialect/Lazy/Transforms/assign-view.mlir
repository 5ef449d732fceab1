// RUN: tinygrad-opt %s --lazy-schedule --split-input-file | FileCheck %s
// RUN: tinygrad-opt %s --lazy-schedule --lazy-materialize-buffers --lazy-plan-memory --lazy-verify-schedule --split-input-file | FileCheck %s --check-prefix=MEM

// The kernel of a value that nothing else needs stores through the view.
// CHECK-LABEL: func.func @part
// CHECK-SAME:    (%[[X:.*]]: tensor<3x4xf32>, %[[V:.*]]: tensor<2x2xf32>)
// MEM-LABEL: func.func @part
// MEM-SAME:    (%[[X:.*]]: memref<12xf32>, %[[V:.*]]: memref<4xf32>) attributes {tinygrad.peak_bytes = 0 : i64}
func.func @part(%x: tensor<3x4xf32>, %v: tensor<2x2xf32>) {
  // CHECK: %[[N:.*]] = lazy.kernel @e_2_2 ins(%[[V]] :
  // CHECK: %[[P:.*]] = lazy.view %[[X]] <[2, 2], strides = [4, 1], offset = 6>
  // CHECK: lazy.assign %[[P]], %[[N]] : tensor<2x2xf32>
  // MEM: lazy.kernel @e_2_2 ins(%[[V]] : {{.*}}) outs(%[[X]] : memref<12xf32>) attributes {lazy.versions = array<i64: 1, 0, 2>}
  // MEM: lazy.store {{.*}} <[2, 2], strides = [4, 1], offset = 6>
  // MEM-NOT: lazy.kernel
  %n = lazy.neg %v : tensor<2x2xf32>
  %s = lazy.shrink %x begin [1, 2] end [3, 4] : tensor<3x4xf32> -> tensor<2x2xf32>
  %r = lazy.assign %s, %n : tensor<2x2xf32>
  return
}

// -----

// It reads only what it overwrites, through the same view: in place.
// MEM-LABEL: func.func @part_in_place
// MEM-SAME:    (%[[X:.*]]: memref<8xf32>)
func.func @part_in_place(%x: tensor<8xf32>) {
  // MEM-NOT: memref.alloc
  // MEM: lazy.kernel @e_4 outs(%[[X]] : memref<8xf32>) attributes {lazy.versions = array<i64: 0, 1>}
  // MEM-DAG: lazy.load {{.*}} <[4], strides = [2]>
  // MEM-DAG: lazy.store {{.*}} <[4], strides = [2]>
  // MEM-NOT: lazy.kernel
  %s = lazy.stride %x [2] : tensor<8xf32> -> tensor<4xf32>
  %n = lazy.neg %s : tensor<4xf32>
  %r = lazy.assign %s, %n : tensor<4xf32>
  return
}

// -----

// x[1:] := -x[:-1] is not: the value is computed first.
// MEM-LABEL: func.func @part_overlaps
// MEM-SAME:    (%[[X:.*]]: memref<8xf32>)
func.func @part_overlaps(%x: tensor<8xf32>) {
  // MEM: %[[T:.*]] = memref.alloc() : memref<7xf32>
  // MEM: lazy.kernel @e_7 ins(%[[X]] : {{.*}}) outs(%[[T]] : memref<7xf32>) attributes {lazy.versions = array<i64: 0, 1>}
  // MEM: lazy.kernel @copy_7 ins(%[[T]] : {{.*}}) outs(%[[X]] : memref<8xf32>) attributes {lazy.versions = array<i64: 1, 0, 2>}
  %b = lazy.shrink %x begin [0] end [7] : tensor<8xf32> -> tensor<7xf32>
  %e = lazy.shrink %x begin [1] end [8] : tensor<8xf32> -> tensor<7xf32>
  %n = lazy.neg %b : tensor<7xf32>
  %r = lazy.assign %e, %n : tensor<7xf32>
  return
}

// -----

// Without a kernel of its own the old contents are copied before.
// MEM-LABEL: func.func @flip
// MEM-SAME:    (%[[X:.*]]: memref<8xf32>)
func.func @flip(%x: tensor<8xf32>) {
  // MEM: %[[T:.*]] = memref.alloc() : memref<8xf32>
  // MEM: lazy.kernel @copy_8 ins(%[[X]] : {{.*}}) outs(%[[T]] : memref<8xf32>)
  // MEM: lazy.kernel @copy_8 ins(%[[T]] : {{.*}}) outs(%[[X]] : memref<8xf32>)
  // MEM: lazy.store {{.*}} <[8], strides = [-1], offset = 7>
  %f = lazy.stride %x [-1] : tensor<8xf32> -> tensor<8xf32>
  %r = lazy.assign %f, %x : tensor<8xf32>
  return
}

// -----

// Two parts of one argument, each a version of its memory. A reader of the old
// contents goes first, and all of it is written last.
// MEM-LABEL: func.func @parts_in_order
// MEM-SAME:    (%[[X:.*]]: memref<4xf32>, %[[V:.*]]: memref<2xf32>, %[[S:.*]]: memref<4xf32>)
func.func @parts_in_order(%x: tensor<4xf32>, %v: tensor<2xf32>) -> tensor<4xf32> {
  // MEM: lazy.kernel @{{.*}} ins(%[[X]] : {{.*}}) outs(%[[S]] : {{.*}}) attributes {lazy.versions = array<i64: 0, 3>}
  // MEM: lazy.kernel @{{.*}} ins(%[[V]] : {{.*}}) outs(%[[X]] : {{.*}}) attributes {lazy.versions = array<i64: 1, 0, 4>}
  // MEM: lazy.store {{.*}} <[2]>
  // MEM: lazy.kernel @{{.*}} ins(%[[V]] : {{.*}}) outs(%[[X]] : {{.*}}) attributes {lazy.versions = array<i64: 1, 4, 5>}
  // MEM: lazy.store {{.*}} <[2], offset = 1>
  // MEM-NOT: lazy.kernel
  %a = lazy.shrink %x begin [0] end [2] : tensor<4xf32> -> tensor<2xf32>
  %b = lazy.shrink %x begin [1] end [3] : tensor<4xf32> -> tensor<2xf32>
  %n = lazy.neg %v : tensor<2xf32>
  %r = lazy.assign %a, %n : tensor<2xf32>
  %m = lazy.sin %v : tensor<2xf32>
  %s = lazy.assign %b, %m : tensor<2xf32>
  %o = lazy.neg %x : tensor<4xf32>
  return %o : tensor<4xf32>
}

// -----

// What is written whole later needs no part; a part after that stays.
// MEM-LABEL: func.func @whole_between_parts
// MEM-SAME:    (%[[X:.*]]: memref<4xf32>, %[[V:.*]]: memref<2xf32>, %[[W:.*]]: memref<4xf32>)
func.func @whole_between_parts(%x: tensor<4xf32>, %v: tensor<2xf32>, %w: tensor<4xf32>) {
  // MEM: lazy.kernel @e_4 ins(%[[W]] : {{.*}}) outs(%[[X]] : {{.*}}) attributes {lazy.versions = array<i64: 2, 3>}
  // MEM: lazy.kernel @copy_2 ins(%[[V]] : {{.*}}) outs(%[[X]] : {{.*}}) attributes {lazy.versions = array<i64: 1, 3, 4>}
  // MEM-NOT: lazy.kernel
  %a = lazy.shrink %x begin [0] end [2] : tensor<4xf32> -> tensor<2xf32>
  %r = lazy.assign %a, %v : tensor<2xf32>
  %n = lazy.neg %w : tensor<4xf32>
  %s = lazy.assign %x, %n : tensor<4xf32>
  %t = lazy.assign %a, %v : tensor<2xf32>
  return
}

// -----

// All of an argument in another shape.
// MEM-LABEL: func.func @reshaped
// MEM-SAME:    (%[[X:.*]]: memref<6xf32>, %[[V:.*]]: memref<6xf32>)
func.func @reshaped(%x: tensor<2x3xf32>, %v: tensor<6xf32>) {
  // MEM-NOT: memref.alloc
  // MEM: lazy.kernel @e_6 ins(%[[V]] : {{.*}}) outs(%[[X]] : {{.*}})
  // MEM-NOT: lazy.kernel
  %r = lazy.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  %n = lazy.neg %v : tensor<6xf32>
  %s = lazy.assign %r, %n : tensor<6xf32>
  return
}
