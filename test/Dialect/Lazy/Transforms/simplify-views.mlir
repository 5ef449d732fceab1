// RUN: tinygrad-opt %s --lazy-simplify-views | FileCheck %s

// CHECK-LABEL: func.func @view
func.func @view(%x: tensor<4x3xf32>) -> tensor<2x4xf32> {
  // CHECK-NEXT: lazy.view %{{.*}} <[2, 4], strides = [1, 3], offset = 1> : tensor<4x3xf32> -> tensor<2x4xf32>
  %v = lazy.view %x <[3, 4], strides = [1, 3], then [2, 4], strides = [4, 1], offset = 4> : tensor<4x3xf32> -> tensor<2x4xf32>
  return %v : tensor<2x4xf32>
}

// Two transposes, and a view that was contiguous from the start.
// CHECK-LABEL: func.func @contiguous_goes_away
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @contiguous_goes_away(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  // CHECK-NEXT: return %[[X]], %[[X]]
  %a = lazy.view %x <[3, 4], strides = [1, 3], then [4, 3], strides = [1, 4]> : tensor<4x3xf32> -> tensor<4x3xf32>
  %b = lazy.view %x <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  return %a, %b : tensor<4x3xf32>, tensor<4x3xf32>
}

// A contiguous view of another shape is still a view.
// CHECK-LABEL: func.func @contiguous_reshape
func.func @contiguous_reshape(%x: tensor<4x3xf32>) -> tensor<12xf32> {
  // CHECK-NEXT: lazy.view %{{.*}} <[12]> : tensor<4x3xf32> -> tensor<12xf32>
  %a = lazy.view %x <[3, 4], strides = [1, 3], then [4, 3], strides = [1, 4], then [12]> : tensor<4x3xf32> -> tensor<12xf32>
  return %a : tensor<12xf32>
}

// Nothing merges: an axis of extent 1 stays, too, and so do views of views and
// movement operations.
// CHECK-LABEL: func.func @nothing_merges
func.func @nothing_merges(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: %[[A:.*]] = lazy.view %{{.*}} <[3, 1, 2], strides = [1, 0, 3], then [6]>
  // CHECK-NEXT: %[[B:.*]] = lazy.view %[[A]] <[3, 2]>
  // CHECK-NEXT: %[[C:.*]] = lazy.view %[[B]] <[2, 3], strides = [1, 2]>
  // CHECK-NEXT: %[[D:.*]] = lazy.permute %[[C]] [1, 0]
  // CHECK-NEXT: %[[E:.*]] = lazy.permute %[[D]] [1, 0]
  // CHECK-NEXT: return %[[E]]
  %a = lazy.view %x <[3, 1, 2], strides = [1, 0, 3], then [6]> : tensor<2x3xf32> -> tensor<6xf32>
  %b = lazy.view %a <[3, 2]> : tensor<6xf32> -> tensor<3x2xf32>
  %c = lazy.view %b <[2, 3], strides = [1, 2]> : tensor<3x2xf32> -> tensor<2x3xf32>
  %d = lazy.permute %c [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %e = lazy.permute %d [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  return %e : tensor<2x3xf32>
}

// Where a mask is cut away, two views become one.
// CHECK-LABEL: func.func @kernel_on_tensors
func.func @kernel_on_tensors(%x: tensor<12xf32>) -> tensor<12xf32> {
  // CHECK: lazy.load %{{.*}} <[3, 4]> : tensor<12xf32> -> tensor<3x4xf32>
  // CHECK: lazy.load %{{.*}} <[4, 3], strides = [1, 4], then [3, 4]> : tensor<12xf32> -> tensor<3x4xf32>
  %e = lazy.empty : tensor<12xf32>
  %k = lazy.kernel @add ins(%x : tensor<12xf32>) outs(%e : tensor<12xf32>) {
  ^bb0(%in: tensor<12xf32>, %out: tensor<12xf32>):
    %0 = lazy.load %in <[15], strides = [1], offset = -1, mask = [[1, 13]], then [3, 4], strides = [4, 1], offset = 1> : tensor<12xf32> -> tensor<3x4xf32>
    %1 = lazy.load %in <[4, 3], strides = [1, 4], then [12], then [3, 4]> : tensor<12xf32> -> tensor<3x4xf32>
    %2 = lazy.add %0, %1 : tensor<3x4xf32>
    lazy.store %2, %out <[3, 4]> : tensor<3x4xf32>, tensor<12xf32>
  } -> tensor<12xf32>
  return %k : tensor<12xf32>
}

// A store of nothing may have several views.
// CHECK-LABEL: func.func @kernel_on_memrefs
func.func @kernel_on_memrefs(%x: memref<12xf32>, %y: memref<12xf32>) {
  // CHECK: lazy.load %{{.*}} <[0, 3]{{.*}}> : memref<12xf32> -> tensor<0x3xf32>
  // CHECK: lazy.store %{{.*}}, %{{.*}} <[0, 3]{{.*}}> : tensor<0x3xf32>, memref<12xf32>
  // CHECK-NOT: then
  lazy.kernel @none ins(%x : memref<12xf32>) outs(%y : memref<12xf32>) {
  ^bb0(%in: memref<12xf32>, %out: memref<12xf32>):
    %0 = lazy.load %in <[3, 4], then [0, 3]> : memref<12xf32> -> tensor<0x3xf32>
    lazy.store %0, %out <[12], then [0, 3]> : tensor<0x3xf32>, memref<12xf32>
  }
  return
}

// Code that is never reached may use its own result.
// CHECK-LABEL: func.func @cycles
func.func @cycles(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
^bb1:
  // CHECK: %[[A:.*]] = lazy.view %[[A]] <[4, 4]>
  %a = lazy.view %a <[16], then [4, 4]> : tensor<4x4xf32> -> tensor<4x4xf32>
  cf.br ^bb1
}
