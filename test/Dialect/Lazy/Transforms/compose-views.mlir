// RUN: tinygrad-opt %s --lazy-compose-views | FileCheck %s

// CHECK-LABEL: func.func @chain_becomes_one_view
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @chain_becomes_one_view(%x: tensor<4x3xf32>) -> tensor<2x4xf32> {
  // CHECK-NEXT: %[[V:.*]] = lazy.view %[[X]] <[2, 4], strides = [1, 3], offset = 1> : tensor<4x3xf32> -> tensor<2x4xf32>
  // CHECK-NEXT: return %[[V]]
  %p = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  %s = lazy.shrink %p begin [1, 0] end [3, 4] : tensor<3x4xf32> -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @one_movement_becomes_a_view
func.func @one_movement_becomes_a_view(%x: tensor<1x3xf32>) -> tensor<4x3xf32> {
  // CHECK-NEXT: lazy.view %{{.*}} <[4, 3], strides = [0, 1]>
  %e = lazy.expand %x : tensor<1x3xf32> -> tensor<4x3xf32>
  return %e : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @inverse_chain_goes_away
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @inverse_chain_goes_away(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK-NEXT: return %[[X]]
  %p = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  %q = lazy.permute %p [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  %a = lazy.pad %q low [1, 0] high [0, 2] : tensor<4x3xf32> -> tensor<5x5xf32>
  %b = lazy.shrink %a begin [1, 0] end [5, 3] : tensor<5x5xf32> -> tensor<4x3xf32>
  return %b : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @pad_becomes_a_mask
func.func @pad_becomes_a_mask(%x: tensor<4x3xf32>) -> tensor<6x4xf32> {
  // CHECK-NEXT: lazy.view %{{.*}} <[6, 4], strides = [3, 1], offset = -1, mask = {{\[\[}}0, 4], [1, 4]]>
  %p = lazy.pad %x low [0, 1] high [2, 0] : tensor<4x3xf32> -> tensor<6x4xf32>
  return %p : tensor<6x4xf32>
}

// CHECK-LABEL: func.func @views_that_do_not_merge_stay_a_list
func.func @views_that_do_not_merge_stay_a_list(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  // CHECK-NEXT: lazy.view %{{.*}} <[3, 2], strides = [1, 3], then [6]>
  %p = lazy.permute %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %r = lazy.reshape %p : tensor<3x2xf32> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// A value inside of the chain that another operation uses is a view too.
// CHECK-LABEL: func.func @used_link_stays
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @used_link_stays(%x: tensor<4x3xf32>) -> (tensor<3x4xf32>, tensor<12xf32>) {
  // CHECK: %[[P:.*]] = lazy.view %[[X]] <[3, 4], strides = [1, 3]>
  // CHECK: %[[N:.*]] = lazy.neg %[[P]]
  // CHECK: %[[R:.*]] = lazy.view %[[X]] <[3, 4], strides = [1, 3], then [12]>
  // CHECK: return %[[N]], %[[R]]
  %p = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  %n = lazy.neg %p : tensor<3x4xf32>
  %r = lazy.reshape %p : tensor<3x4xf32> -> tensor<12xf32>
  return %n, %r : tensor<3x4xf32>, tensor<12xf32>
}

// Views compose with the movement operations around them; an operation that
// computes ends the chain.
// CHECK-LABEL: func.func @compute_ends_the_chain
func.func @compute_ends_the_chain(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: %[[V:.*]] = lazy.view %{{.*}} <[3, 4], strides = [1, 3]>
  // CHECK: %[[N:.*]] = lazy.neg %[[V]]
  // CHECK: lazy.view %[[N]] <[4, 3], strides = [1, 4]>
  %v = lazy.view %x <[12]> : tensor<4x3xf32> -> tensor<12xf32>
  %r = lazy.reshape %v : tensor<12xf32> -> tensor<4x3xf32>
  %p = lazy.permute %r [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  %n = lazy.neg %p : tensor<3x4xf32>
  %q = lazy.permute %n [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  return %q : tensor<4x3xf32>
}

// The cost does not depend on the number of elements.
// CHECK-LABEL: func.func @huge
func.func @huge(%x: tensor<1x1xf32>) -> tensor<1048576x1048576xf32> {
  // CHECK-NEXT: lazy.view %{{.*}} <[1048576, 1048576], strides = [0, 0]>
  %e = lazy.expand %x : tensor<1x1xf32> -> tensor<1048576x1048576xf32>
  %p = lazy.permute %e [1, 0] : tensor<1048576x1048576xf32> -> tensor<1048576x1048576xf32>
  return %p : tensor<1048576x1048576xf32>
}

// A user may stand before its source in the text.
// CHECK-LABEL: func.func @blocks_out_of_order
func.func @blocks_out_of_order(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  cf.br ^bb2
^bb1:
  // CHECK: %[[P:.*]] = lazy.view %[[A:.*]] <[3, 4], strides = [1, 3]>
  // CHECK: return %[[P]]
  %p = lazy.permute %a [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  return %p : tensor<3x4xf32>
^bb2:
  // CHECK: %[[A]] = lazy.view %{{.*}} <[4, 3], strides = [-3, 1], offset = 9>
  %f = lazy.stride %x [-1, 1] : tensor<4x3xf32> -> tensor<4x3xf32>
  %a = lazy.reshape %f : tensor<4x3xf32> -> tensor<4x3xf32>
  cf.br ^bb1
}

// Code that is never reached may use its own result.
// CHECK-LABEL: func.func @cycles
func.func @cycles(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
^bb1:
  // CHECK: ^bb1:
  // CHECK-NOT: lazy.permute
  %a = lazy.permute %a [0, 1] : tensor<4x4xf32> -> tensor<4x4xf32>
  %b = lazy.permute %b [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %c = lazy.permute %d [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %d = lazy.permute %c [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  cf.br ^bb1
}

// Beside an axis without elements others may be of any size.
// CHECK-LABEL: func.func @no_elements
func.func @no_elements(%x: tensor<0x3x9223372036854775807xf32>) -> tensor<9223372036854775807x0x3xf32> {
  // CHECK-NEXT: lazy.view %{{.*}} <[9223372036854775807, 0, 3]{{.*}}> : tensor<0x3x9223372036854775807xf32> -> tensor<9223372036854775807x0x3xf32>
  %p = lazy.permute %x [2, 0, 1] : tensor<0x3x9223372036854775807xf32> -> tensor<9223372036854775807x0x3xf32>
  return %p : tensor<9223372036854775807x0x3xf32>
}

// One view would need an offset of -2^64: the padding counts from 0 again.
// CHECK-LABEL: func.func @far_padding
func.func @far_padding(%x: tensor<2x1099511627776xf32>) -> tensor<16777218x1xf32> {
  // CHECK-NEXT: lazy.view %{{.*}} <[2, 1], strides = [1099511627776, 0], offset = 5, then [16777218, 1], offset = -16777216, mask = {{\[\[}}16777216, 16777218], [0, 1]]>
  %0 = lazy.shrink %x begin [0, 5] end [2, 6] : tensor<2x1099511627776xf32> -> tensor<2x1xf32>
  %1 = lazy.pad %0 low [16777216, 0] high [0, 0] : tensor<2x1xf32> -> tensor<16777218x1xf32>
  return %1 : tensor<16777218x1xf32>
}

#i = #lazy.variable<i, 1, 2147483647>
// CHECK-LABEL: func.func @far_padding_by_a_variable
func.func @far_padding_by_a_variable(%i: index {lazy.variable = #i}, %x: tensor<2x1099511627776xf32>) -> tensor<?x1xf32, #lazy.type<dims = [#i + 2, 1]>> {
  // CHECK-NEXT: lazy.view %{{.*}} <[2, 1], strides = [1099511627776, 0], offset = 5, then [#i + 2, 1], offset = #i * -1, mask = {{\[\[}}#i, #i + 2], [0, 1]]>
  %0 = lazy.shrink %x begin [0, 5] end [2, 6] : tensor<2x1099511627776xf32> -> tensor<2x1xf32>
  %1 = lazy.pad %0 low [#i, 0] high [0, 0] : tensor<2x1xf32> -> tensor<?x1xf32, #lazy.type<dims = [#i + 2, 1]>>
  return %1 : tensor<?x1xf32, #lazy.type<dims = [#i + 2, 1]>>
}
