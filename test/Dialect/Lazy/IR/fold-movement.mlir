// RUN: tinygrad-opt %s --canonicalize | FileCheck %s

// Movement that changes nothing goes away.
// CHECK-LABEL: func.func @nothing_moves
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>, %[[Y:.*]]: tensor<1x3xf32>)
func.func @nothing_moves(%x: tensor<4x3xf32>, %y: tensor<1x3xf32>)
    -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<1x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[Y]], %[[X]], %[[X]]
  %0 = lazy.reshape %x : tensor<4x3xf32> -> tensor<4x3xf32>
  %1 = lazy.permute %x [0, 1] : tensor<4x3xf32> -> tensor<4x3xf32>
  %2 = lazy.expand %x : tensor<4x3xf32> -> tensor<4x3xf32>
  %3 = lazy.pad %x low [0, 0] high [0, 0] : tensor<4x3xf32> -> tensor<4x3xf32>
  %4 = lazy.shrink %x begin [0, 0] end [4, 3] : tensor<4x3xf32> -> tensor<4x3xf32>
  %5 = lazy.stride %y [-7, 1] : tensor<1x3xf32> -> tensor<1x3xf32>
  %6 = lazy.as_strided %x [3, 1] offset 0 : tensor<4x3xf32> -> tensor<4x3xf32>
  %7 = lazy.view %x <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<1x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

// The type alone does not tell.
// CHECK-LABEL: func.func @something_moves
func.func @something_moves(%x: tensor<3x3xf32>)
    -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) {
  // CHECK: lazy.permute
  // CHECK: lazy.stride
  // CHECK: lazy.as_strided
  // CHECK: lazy.view
  %0 = lazy.permute %x [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  %1 = lazy.stride %x [1, -1] : tensor<3x3xf32> -> tensor<3x3xf32>
  %2 = lazy.as_strided %x [1, 3] offset 0 : tensor<3x3xf32> -> tensor<3x3xf32>
  %3 = lazy.view %x <[3, 3], strides = [1, 3]> : tensor<3x3xf32> -> tensor<3x3xf32>
  return %0, %1, %2, %3 : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>
}

// CHECK-LABEL: func.func @reshape_of_reshape
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @reshape_of_reshape(%x: tensor<4x3xf32>) -> (tensor<2x6xf32>, tensor<4x3xf32>) {
  // CHECK-NEXT: %[[R:.*]] = lazy.reshape %[[X]] : tensor<4x3xf32> -> tensor<2x6xf32>
  // CHECK-NEXT: return %[[R]], %[[X]]
  %0 = lazy.reshape %x : tensor<4x3xf32> -> tensor<12xf32>
  %1 = lazy.reshape %0 : tensor<12xf32> -> tensor<2x6xf32>
  %2 = lazy.reshape %1 : tensor<2x6xf32> -> tensor<4x3xf32>
  return %1, %2 : tensor<2x6xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: func.func @permute_of_permute
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3x4xf32>)
func.func @permute_of_permute(%x: tensor<2x3x4xf32>) -> (tensor<2x4x3xf32>, tensor<2x3x4xf32>) {
  // CHECK-NEXT: %[[R:.*]] = lazy.permute %[[X]] [0, 2, 1] : tensor<2x3x4xf32> -> tensor<2x4x3xf32>
  // CHECK-NEXT: return %[[R]], %[[X]]
  %0 = lazy.permute %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = lazy.permute %0 [1, 0, 2] : tensor<4x2x3xf32> -> tensor<2x4x3xf32>
  %2 = lazy.permute %0 [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  return %1, %2 : tensor<2x4x3xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @expand_of_expand
// CHECK-SAME:    (%[[X:.*]]: tensor<1x1x4xf32>)
func.func @expand_of_expand(%x: tensor<1x1x4xf32>) -> tensor<2x3x4xf32> {
  // CHECK-NEXT: %[[R:.*]] = lazy.expand %[[X]] : tensor<1x1x4xf32> -> tensor<2x3x4xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = lazy.expand %x : tensor<1x1x4xf32> -> tensor<1x3x4xf32>
  %1 = lazy.expand %0 : tensor<1x3x4xf32> -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @pad_of_pad
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @pad_of_pad(%x: tensor<4x3xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[R:.*]] = lazy.pad %[[X]] low [1, 2] high [3, 3] : tensor<4x3xf32> -> tensor<8x8xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = lazy.pad %x low [1, 0] high [2, 1] : tensor<4x3xf32> -> tensor<7x4xf32>
  %1 = lazy.pad %0 low [0, 2] high [1, 2] : tensor<7x4xf32> -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @shrink_of_shrink
// CHECK-SAME:    (%[[X:.*]]: tensor<9x8xf32>)
func.func @shrink_of_shrink(%x: tensor<9x8xf32>) -> tensor<3x2xf32> {
  // CHECK-NEXT: %[[R:.*]] = lazy.shrink %[[X]] begin [3, 2] end [6, 4] : tensor<9x8xf32> -> tensor<3x2xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = lazy.shrink %x begin [2, 0] end [8, 6] : tensor<9x8xf32> -> tensor<6x6xf32>
  %1 = lazy.shrink %0 begin [1, 2] end [4, 4] : tensor<6x6xf32> -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// Pad and shrink are not one operation.
// CHECK-LABEL: func.func @shrink_of_pad
func.func @shrink_of_pad(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: lazy.pad
  // CHECK: lazy.shrink
  %0 = lazy.pad %x low [1] high [1] : tensor<4xf32> -> tensor<6xf32>
  %1 = lazy.shrink %0 begin [0] end [4] : tensor<6xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// [::2] ends on the last of 5 positions, so that [::-1] begins there.
// CHECK-LABEL: func.func @stride_of_stride
// CHECK-SAME:    (%[[X:.*]]: tensor<5x12xf32>)
func.func @stride_of_stride(%x: tensor<5x12xf32>) -> (tensor<3x2xf32>, tensor<5x12xf32>) {
  // CHECK-NEXT: %[[R:.*]] = lazy.stride %[[X]] [-2, 6] : tensor<5x12xf32> -> tensor<3x2xf32>
  // CHECK-NEXT: return %[[R]], %[[X]]
  %0 = lazy.stride %x [2, 2] : tensor<5x12xf32> -> tensor<3x6xf32>
  %1 = lazy.stride %0 [-1, 3] : tensor<3x6xf32> -> tensor<3x2xf32>
  %2 = lazy.stride %x [-1, -1] : tensor<5x12xf32> -> tensor<5x12xf32>
  %3 = lazy.stride %2 [-1, -1] : tensor<5x12xf32> -> tensor<5x12xf32>
  return %1, %3 : tensor<3x2xf32>, tensor<5x12xf32>
}

// Of 6 positions [::2] leaves 0, 2, 4: no stride begins at 4. One position may
// be the last one, or the first.
// CHECK-LABEL: func.func @stride_that_begins_between
// CHECK-SAME:    (%[[X:.*]]: tensor<6xf32>)
func.func @stride_that_begins_between(%x: tensor<6xf32>) -> (tensor<3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  // CHECK-NEXT: %[[A:.*]] = lazy.stride %[[X]] [2]
  // CHECK-NEXT: %[[B:.*]] = lazy.stride %[[A]] [-1]
  // CHECK-NEXT: %[[C:.*]] = lazy.stride %[[X]] [6]
  // CHECK-NEXT: %[[D:.*]] = lazy.stride %[[X]] [-6]
  // CHECK-NEXT: %[[E:.*]] = lazy.stride %[[A]] [-9]
  // CHECK-NEXT: return %[[B]], %[[C]], %[[D]], %[[E]]
  %0 = lazy.stride %x [2] : tensor<6xf32> -> tensor<3xf32>
  %1 = lazy.stride %0 [-1] : tensor<3xf32> -> tensor<3xf32>
  %2 = lazy.stride %0 [9223372036854775807] : tensor<3xf32> -> tensor<1xf32>
  %3 = lazy.stride %x [-1] : tensor<6xf32> -> tensor<6xf32>
  %4 = lazy.stride %3 [6] : tensor<6xf32> -> tensor<1xf32>
  %5 = lazy.stride %0 [-9] : tensor<3xf32> -> tensor<1xf32>
  return %1, %2, %4, %5 : tensor<3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

// CHECK-LABEL: func.func @as_strided
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @as_strided(%x: tensor<4x3xf32>) -> (tensor<2x6xf32>, tensor<3x2xf32>, tensor<2xf32>) {
  // CHECK-NEXT: %[[A:.*]] = lazy.reshape %[[X]] : tensor<4x3xf32> -> tensor<2x6xf32>
  // CHECK-NEXT: %[[B:.*]] = lazy.as_strided %[[X]] [1, 3] offset 0 : tensor<4x3xf32> -> tensor<3x2xf32>
  // CHECK-NEXT: %[[C:.*]] = lazy.as_strided %[[X]] [6] offset 1 : tensor<4x3xf32> -> tensor<2xf32>
  // CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
  %0 = lazy.as_strided %x [6, 1] offset 0 : tensor<4x3xf32> -> tensor<2x6xf32>
  %1 = lazy.reshape %x : tensor<4x3xf32> -> tensor<12xf32>
  %2 = lazy.as_strided %1 [1, 3] offset 0 : tensor<12xf32> -> tensor<3x2xf32>
  %3 = lazy.as_strided %x [3] offset 1 : tensor<4x3xf32> -> tensor<4xf32>
  %4 = lazy.as_strided %3 [2] offset 0 : tensor<4xf32> -> tensor<2xf32>
  return %0, %2, %4 : tensor<2x6xf32>, tensor<3x2xf32>, tensor<2xf32>
}

// Elements 1, 7, 8 are no stride apart; five of twelve elements are no reshape.
// CHECK-LABEL: func.func @as_strided_that_stays
func.func @as_strided_that_stays(%x: tensor<12xf32>) -> (tensor<3xf32>, tensor<5xf32>) {
  // CHECK: lazy.as_strided
  // CHECK: lazy.as_strided
  // CHECK: lazy.as_strided
  %0 = lazy.as_strided %x [7, 1] offset 0 : tensor<12xf32> -> tensor<2x2xf32>
  %1 = lazy.as_strided %0 [1] offset 1 : tensor<2x2xf32> -> tensor<3xf32>
  %2 = lazy.as_strided %x [1] offset 0 : tensor<12xf32> -> tensor<5xf32>
  return %1, %2 : tensor<3xf32>, tensor<5xf32>
}

// CHECK-LABEL: func.func @view
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @view(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<2x2xf32>, tensor<6xf32>) {
  // CHECK-NEXT: %[[A:.*]] = lazy.view %[[X]] <[2, 2], strides = [2, 3]> : tensor<4x3xf32> -> tensor<2x2xf32>
  // CHECK-NEXT: %[[B:.*]] = lazy.view %[[X]] <[2, 3], strides = [1, 2], then [6]> : tensor<4x3xf32> -> tensor<6xf32>
  // CHECK-NEXT: return %[[X]], %[[A]], %[[B]]
  %0 = lazy.view %x <[3, 4], strides = [1, 3]> : tensor<4x3xf32> -> tensor<3x4xf32>
  %1 = lazy.view %0 <[4, 3], strides = [1, 4]> : tensor<3x4xf32> -> tensor<4x3xf32>
  %2 = lazy.view %0 <[2, 2], strides = [8, 1]> : tensor<3x4xf32> -> tensor<2x2xf32>
  %3 = lazy.reshape %x : tensor<4x3xf32> -> tensor<12xf32>
  %4 = lazy.view %3 <[2, 3], strides = [1, 2]> : tensor<12xf32> -> tensor<2x3xf32>
  %5 = lazy.view %4 <[6]> : tensor<2x3xf32> -> tensor<6xf32>
  return %1, %2, %5 : tensor<4x3xf32>, tensor<2x2xf32>, tensor<6xf32>
}

// CHECK-LABEL: func.func @splats
func.func @splats()
    -> (tensor<6xbf16>, tensor<3x2xbf16>, tensor<3x3x2xbf16>, tensor<1x2xbf16>, tensor<1x2xbf16>, tensor<1x2xbf16>, tensor<5xbf16>, tensor<5xi1>) {
  %x = lazy.const dense<3.0> : tensor<2x3xbf16>
  %y = lazy.const dense<3.0> : tensor<3x1x2xbf16>
  %t = lazy.const dense<true> : tensor<i1>
  // CHECK-NOT: lazy.reshape
  // CHECK-NOT: lazy.view
  // CHECK-DAG: lazy.const dense<3.000000e+00> : tensor<6xbf16>
  // CHECK-DAG: lazy.const dense<3.000000e+00> : tensor<3x2xbf16>
  // CHECK-DAG: lazy.const dense<3.000000e+00> : tensor<3x3x2xbf16>
  // CHECK-DAG: lazy.const dense<3.000000e+00> : tensor<1x2xbf16>
  // CHECK-DAG: lazy.const dense<3.000000e+00> : tensor<5xbf16>
  // CHECK-DAG: lazy.const dense<true> : tensor<5xi1>
  // CHECK-NEXT: return
  %0 = lazy.reshape %x : tensor<2x3xbf16> -> tensor<6xbf16>
  %1 = lazy.permute %x [1, 0] : tensor<2x3xbf16> -> tensor<3x2xbf16>
  %2 = lazy.expand %y : tensor<3x1x2xbf16> -> tensor<3x3x2xbf16>
  %3 = lazy.shrink %x begin [1, 1] end [2, 3] : tensor<2x3xbf16> -> tensor<1x2xbf16>
  %4 = lazy.stride %x [2, 2] : tensor<2x3xbf16> -> tensor<1x2xbf16>
  %5 = lazy.view %x <[1, 2]> : tensor<2x3xbf16> -> tensor<1x2xbf16>
  %6 = lazy.as_strided %x [1] offset 0 : tensor<2x3xbf16> -> tensor<5xbf16>
  %7 = lazy.reshape %t : tensor<i1> -> tensor<1xi1>
  %8 = lazy.expand %7 : tensor<1xi1> -> tensor<5xi1>
  return %0, %1, %2, %3, %4, %5, %6, %8
      : tensor<6xbf16>, tensor<3x2xbf16>, tensor<3x3x2xbf16>, tensor<1x2xbf16>, tensor<1x2xbf16>, tensor<1x2xbf16>, tensor<5xbf16>, tensor<5xi1>
}

// Padding is 0, which is not -0.
// CHECK-LABEL: func.func @padded_splats
func.func @padded_splats() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = lazy.const dense<0.0> : tensor<2xf32>
  %minus = lazy.const dense<-0.0> : tensor<2xf32>
  %one = lazy.const dense<1.0> : tensor<2xf32>
  // CHECK-DAG: %[[Z:.*]] = lazy.const dense<0.000000e+00> : tensor<4xf32>
  // CHECK-DAG: %[[A:.*]] = lazy.pad
  // CHECK-DAG: %[[B:.*]] = lazy.pad
  // CHECK-DAG: %[[C:.*]] = lazy.view
  // CHECK: return %[[Z]], %[[A]], %[[B]], %[[C]]
  %0 = lazy.pad %zero low [1] high [1] : tensor<2xf32> -> tensor<4xf32>
  %1 = lazy.pad %minus low [1] high [1] : tensor<2xf32> -> tensor<4xf32>
  %2 = lazy.pad %one low [1] high [1] : tensor<2xf32> -> tensor<4xf32>
  %3 = lazy.view %one <[4], offset = -1, mask = [[1, 3]]> : tensor<2xf32> -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @no_elements
func.func @no_elements(%x: tensor<0x3xf32>, %y: tensor<2x3xi8>)
    -> (tensor<3x0xf32>, tensor<2x3xf32>, tensor<2x0xi8>, tensor<2x0xi8>) {
  // CHECK-DAG: %[[A:.*]] = lazy.const dense<0.000000e+00> : tensor<3x0xf32>
  // CHECK-DAG: %[[B:.*]] = lazy.const dense<0.000000e+00> : tensor<2x3xf32>
  // CHECK-DAG: %[[C:.*]] = lazy.const dense<0> : tensor<2x0xi8>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[C]]
  %0 = lazy.permute %x [1, 0] : tensor<0x3xf32> -> tensor<3x0xf32>
  %1 = lazy.pad %x low [1, 0] high [1, 0] : tensor<0x3xf32> -> tensor<2x3xf32>
  %2 = lazy.shrink %y begin [0, 1] end [2, 1] : tensor<2x3xi8> -> tensor<2x0xi8>
  %3 = lazy.as_strided %y [9223372036854775807, 1] offset 9223372036854775807 : tensor<2x3xi8> -> tensor<2x0xi8>
  return %0, %1, %2, %3 : tensor<3x0xf32>, tensor<2x3xf32>, tensor<2x0xi8>, tensor<2x0xi8>
}

// A buffer of its own is asked for, and made once.
// CHECK-LABEL: func.func @contiguous
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
func.func @contiguous(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[ONE:.*]] = lazy.const
  // CHECK-NEXT: %[[A:.*]] = lazy.contiguous %[[X]]
  // CHECK-NEXT: %[[B:.*]] = lazy.contiguous %[[ONE]]
  // CHECK-NEXT: return %[[A]], %[[B]]
  %0 = lazy.contiguous %x : tensor<4xf32>
  %1 = lazy.contiguous %0 : tensor<4xf32>
  %one = lazy.const dense<1.0> : tensor<4xf32>
  %2 = lazy.contiguous %one : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
