// RUN: tinygrad-opt %s --lazy-expand-views | FileCheck %s
// RUN: tinygrad-opt %s --lazy-expand-views --lazy-compose-views | FileCheck %s --check-prefix=BACK

// A part of a transposed tensor.
// CHECK-LABEL: func.func @cut_and_permute
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
// BACK-LABEL: func.func @cut_and_permute
func.func @cut_and_permute(%x: tensor<4x3xf32>) -> tensor<2x4xf32> {
  // CHECK-NEXT: %[[S:.*]] = lazy.shrink %[[X]] begin [0, 1] end [4, 3] : tensor<4x3xf32> -> tensor<4x2xf32>
  // CHECK-NEXT: %[[P:.*]] = lazy.permute %[[S]] [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  // CHECK-NEXT: return %[[P]]
  // BACK-NEXT: lazy.view %{{.*}} <[2, 4], strides = [1, 3], offset = 1> : tensor<4x3xf32> -> tensor<2x4xf32>
  %v = lazy.view %x <[2, 4], strides = [1, 3], offset = 1> : tensor<4x3xf32> -> tensor<2x4xf32>
  return %v : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @contiguous
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
// BACK-LABEL: func.func @contiguous
func.func @contiguous(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<2x6xf32>) {
  // CHECK-NEXT: %[[R:.*]] = lazy.reshape %[[X]] : tensor<4x3xf32> -> tensor<2x6xf32>
  // CHECK-NEXT: return %[[X]], %[[R]]
  // BACK-NEXT: lazy.view %{{.*}} <[2, 6]>
  %a = lazy.view %x <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  %b = lazy.view %x <[2, 6]> : tensor<4x3xf32> -> tensor<2x6xf32>
  return %a, %b : tensor<4x3xf32>, tensor<2x6xf32>
}

// CHECK-LABEL: func.func @mask_is_a_pad
// BACK-LABEL: func.func @mask_is_a_pad
func.func @mask_is_a_pad(%x: tensor<4x3xf32>) -> tensor<6x4xf32> {
  // CHECK-NEXT: lazy.pad %{{.*}} low [0, 1] high [2, 0] : tensor<4x3xf32> -> tensor<6x4xf32>
  // CHECK-NEXT: return
  // BACK-NEXT: lazy.view %{{.*}} <[6, 4], strides = [3, 1], offset = -1, mask = {{\[\[}}0, 4], [1, 4]]>
  %v = lazy.view %x <[6, 4], strides = [3, 1], offset = -1, mask = [[0, 4], [1, 4]]> : tensor<4x3xf32> -> tensor<6x4xf32>
  return %v : tensor<6x4xf32>
}

// Every second row from the last backwards, five times.
// CHECK-LABEL: func.func @flip_and_expand
// BACK-LABEL: func.func @flip_and_expand
func.func @flip_and_expand(%x: tensor<4x3xf32>) -> tensor<5x2x3xf32> {
  // CHECK-NEXT: %[[A:.*]] = lazy.reshape %{{.*}} -> tensor<2x6xf32>
  // CHECK-NEXT: %[[S:.*]] = lazy.shrink %[[A]] begin [0, 3] end [2, 6]
  // CHECK-NEXT: %[[R:.*]] = lazy.reshape %[[S]] : tensor<2x3xf32> -> tensor<1x2x3xf32>
  // CHECK-NEXT: %[[F:.*]] = lazy.stride %[[R]] [1, -1, 1]
  // CHECK-NEXT: lazy.expand %[[F]] : tensor<1x2x3xf32> -> tensor<5x2x3xf32>
  // CHECK-NEXT: return
  // BACK-NEXT: lazy.view %{{.*}} <[5, 2, 3], strides = [0, -6, 1], offset = 9>
  %v = lazy.view %x <[5, 2, 3], strides = [0, -6, 1], offset = 9> : tensor<4x3xf32> -> tensor<5x2x3xf32>
  return %v : tensor<5x2x3xf32>
}

// A reshape stands between two views.
// CHECK-LABEL: func.func @two_views
// BACK-LABEL: func.func @two_views
func.func @two_views(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: %[[P:.*]] = lazy.permute %{{.*}} [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  // CHECK-NEXT: %[[R:.*]] = lazy.reshape %[[P]] : tensor<3x2xf32> -> tensor<6xf32>
  // CHECK-NEXT: %[[S:.*]] = lazy.shrink %[[R]] begin [1] end [4]
  // CHECK-NEXT: return %[[S]]
  // BACK-NEXT: lazy.view %{{.*}} <[3, 2], strides = [1, 3], then [3], offset = 1>
  %v = lazy.view %x <[3, 2], strides = [1, 3], then [3], strides = [1], offset = 1> : tensor<2x3xf32> -> tensor<3xf32>
  return %v : tensor<3xf32>
}

// Windows: copies of the row, each read one element later.
// CHECK-LABEL: func.func @overlap
// BACK-LABEL: func.func @overlap
func.func @overlap(%x: tensor<5xf32>) -> tensor<3x3xf32> {
  // CHECK-NOT: lazy.as_strided
  // CHECK: %[[E:.*]] = lazy.expand %{{.*}} : tensor<1x5xf32> -> tensor<3x5xf32>
  // CHECK: lazy.shrink %{{.*}} begin [0, 0] end [3, 3] : tensor<3x6xf32> -> tensor<3x3xf32>
  // CHECK-NEXT: return
  // BACK-NEXT: lazy.view %{{.*}} <[3, 3], strides = [1, 1]>
  %v = lazy.view %x <[3, 3], strides = [1, 1]> : tensor<5xf32> -> tensor<3x3xf32>
  return %v : tensor<3x3xf32>
}

// The copies would have almost 2^63 elements.
// CHECK-LABEL: func.func @huge_overlap
// BACK-LABEL: func.func @huge_overlap
func.func @huge_overlap(%x: tensor<4294967293xi8>) -> tensor<2147483647x2147483649xi8> {
  // CHECK-NEXT: %[[A:.*]] = lazy.as_strided %{{.*}} [1, 1] offset 0 : tensor<4294967293xi8> -> tensor<2147483647x2147483647xi8>
  // CHECK-NEXT: lazy.pad %[[A]] low [0, 1] high [0, 1]
  // BACK-NEXT: lazy.view %{{.*}} <[2147483647, 2147483649], strides = [1, 1], offset = -1, mask = {{\[\[}}0, 2147483647], [1, 2147483648]]>
  %v = lazy.view %x <[2147483647, 2147483649], strides = [1, 1], offset = -1, mask = [[0, 2147483647], [1, 2147483648]]> : tensor<4294967293xi8> -> tensor<2147483647x2147483649xi8>
  return %v : tensor<2147483647x2147483649xi8>
}

// CHECK-LABEL: func.func @nothing_read
// BACK-LABEL: func.func @nothing_read
func.func @nothing_read(%x: tensor<6xf32>) -> (tensor<2x3xf32>, tensor<2x0xf32>) {
  // CHECK: lazy.pad %{{.*}} low [0, 0] high [2, 3] : tensor<0x0xf32> -> tensor<2x3xf32>
  // CHECK: lazy.reshape %{{.*}} : tensor<0xf32> -> tensor<2x0xf32>
  // BACK-NEXT: lazy.view %{{.*}} <[2, 3], strides = [0, 0], mask = {{\[\[}}0, 0], [0, 0]]>
  // BACK-NEXT: lazy.view %{{.*}} <[2, 0]{{.*}}>
  %a = lazy.view %x <[2, 3], mask = [[0, 0], [0, 0]]> : tensor<6xf32> -> tensor<2x3xf32>
  %b = lazy.view %x <[2, 0]> : tensor<6xf32> -> tensor<2x0xf32>
  return %a, %b : tensor<2x3xf32>, tensor<2x0xf32>
}

// Movement operations and the views of accesses stay.
// CHECK-LABEL: func.func @others_stay
func.func @others_stay(%x: tensor<4x3xf32>) -> tensor<12xf32> {
  // CHECK: lazy.reshape %{{.*}} : tensor<4x3xf32> -> tensor<2x6xf32>
  // CHECK: lazy.load %{{.*}} <[3, 4], strides = [1, 3], then [12]>
  // CHECK-NOT: lazy.permute
  %r = lazy.reshape %x : tensor<4x3xf32> -> tensor<2x6xf32>
  %e = lazy.empty : tensor<12xf32>
  %k = lazy.kernel @copy ins(%r : tensor<2x6xf32>) outs(%e : tensor<12xf32>) {
  ^bb0(%in: tensor<2x6xf32>, %out: tensor<12xf32>):
    %0 = lazy.load %in <[3, 4], strides = [1, 3], then [12]> : tensor<2x6xf32> -> tensor<12xf32>
    lazy.store %0, %out <[12]> : tensor<12xf32>, tensor<12xf32>
  } -> tensor<12xf32>
  return %k : tensor<12xf32>
}

// Code that is never reached may use its own result.
// CHECK-LABEL: func.func @cycles
func.func @cycles(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
^bb1:
  // CHECK: ^bb1:
  // CHECK-NEXT: %[[A:.*]] = lazy.view %[[A]] <[4, 4]>
  // CHECK-NEXT: %[[B:.*]] = lazy.permute %[[B]] [1, 0]
  %a = lazy.view %a <[4, 4]> : tensor<4x4xf32> -> tensor<4x4xf32>
  %b = lazy.view %b <[4, 4], strides = [1, 4]> : tensor<4x4xf32> -> tensor<4x4xf32>
  cf.br ^bb1
}
