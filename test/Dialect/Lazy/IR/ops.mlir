// RUN: tinygrad-opt %s | tinygrad-opt | FileCheck %s
// RUN: tinygrad-opt %s --mlir-print-op-generic | tinygrad-opt | FileCheck %s

// CHECK-LABEL: func.func @noop
func.func @noop(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: lazy.noop %{{.*}} : tensor<4xf32>
  %r = lazy.noop %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @exp2
func.func @exp2(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.exp2 %{{.*}} : tensor<2x3xf32>
  %r = lazy.exp2 %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @log2
func.func @log2(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.log2 %{{.*}} : tensor<2x3xf32>
  %r = lazy.log2 %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @exp
func.func @exp(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.exp %{{.*}} : tensor<2x3xf32>
  %r = lazy.exp %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @log
func.func @log(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.log %{{.*}} : tensor<2x3xf32>
  %r = lazy.log %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @sin
func.func @sin(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.sin %{{.*}} : tensor<2x3xf32>
  %r = lazy.sin %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @sqrt
func.func @sqrt(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.sqrt %{{.*}} : tensor<2x3xf32>
  %r = lazy.sqrt %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @recip
func.func @recip(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.recip %{{.*}} : tensor<2x3xf32>
  %r = lazy.recip %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @neg
func.func @neg(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  // CHECK: lazy.neg %{{.*}} : tensor<2x3xi32>
  %r = lazy.neg %x : tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// CHECK-LABEL: func.func @not
func.func @not(%x: tensor<4xi1>) -> tensor<4xi1> {
  // CHECK: lazy.not %{{.*}} : tensor<4xi1>
  %r = lazy.not %x : tensor<4xi1>
  return %r : tensor<4xi1>
}

// CHECK-LABEL: func.func @cast
func.func @cast(%x: tensor<2x3xf32>) -> tensor<2x3xi8> {
  // CHECK: lazy.cast %{{.*}} : tensor<2x3xf32> -> tensor<2x3xi8>
  %r = lazy.cast %x : tensor<2x3xf32> -> tensor<2x3xi8>
  return %r : tensor<2x3xi8>
}

// CHECK-LABEL: func.func @cast_implicit
func.func @cast_implicit(%y: tensor<4xi32>) -> tensor<4xf32> {
  // CHECK: lazy.cast %{{.*}} implicit : tensor<4xi32> -> tensor<4xf32>
  %s = lazy.cast %y implicit : tensor<4xi32> -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// CHECK-LABEL: func.func @bitcast
func.func @bitcast(%x: tensor<4xf32>) -> tensor<4xui32> {
  // CHECK: lazy.bitcast %{{.*}} : tensor<4xf32> -> tensor<4xui32>
  %r = lazy.bitcast %x : tensor<4xf32> -> tensor<4xui32>
  return %r : tensor<4xui32>
}

// CHECK-LABEL: func.func @add
func.func @add(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.add %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %r = lazy.add %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @sub
func.func @sub(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.sub %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %r = lazy.sub %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @mul
func.func @mul(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.mul %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %r = lazy.mul %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @div
func.func @div(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.div %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %r = lazy.div %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @max
func.func @max(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.max %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %r = lazy.max %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @mod
func.func @mod(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: lazy.mod %{{.*}}, %{{.*}} : tensor<4xi32>
  %r = lazy.mod %x, %y : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @xor
func.func @xor(%x: tensor<4xui32>, %y: tensor<4xui32>) -> tensor<4xui32> {
  // CHECK: lazy.xor %{{.*}}, %{{.*}} : tensor<4xui32>
  %r = lazy.xor %x, %y : tensor<4xui32>
  return %r : tensor<4xui32>
}

// CHECK-LABEL: func.func @pow
func.func @pow(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: lazy.pow %{{.*}}, %{{.*}} : tensor<4xf32>
  %r = lazy.pow %x, %y : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @cmplt
func.func @cmplt(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  // CHECK: lazy.cmplt %{{.*}}, %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %r = lazy.cmplt %x, %y : tensor<4xf32> -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// CHECK-LABEL: func.func @cmpeq_in_operand_type
func.func @cmpeq_in_operand_type(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: lazy.cmpeq %{{.*}}, %{{.*}} : tensor<4xi32> -> tensor<4xi32>
  %r = lazy.cmpeq %x, %y : tensor<4xi32> -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @mulacc
func.func @mulacc(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %z: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.mulacc %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %r = lazy.mulacc %x, %y, %z : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @where
func.func @where(%c: tensor<2x3xi1>, %x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.where %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xi1>, tensor<2x3xf32>
  %r = lazy.where %c, %x, %y : tensor<2x3xi1>, tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @where_on_floats
func.func @where_on_floats(%c: tensor<4xf32>, %x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK: lazy.where %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xi8>
  %r = lazy.where %c, %x, %y : tensor<4xf32>, tensor<4xi8>
  return %r : tensor<4xi8>
}

// CHECK-LABEL: func.func @reduce_sum
func.func @reduce_sum(%x: tensor<4x3xf32>) -> tensor<4x1xf32> {
  // CHECK: lazy.reduce_sum %{{.*}} : tensor<4x3xf32> -> tensor<4x1xf32>
  %r = lazy.reduce_sum %x : tensor<4x3xf32> -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// CHECK-LABEL: func.func @reduce_max
func.func @reduce_max(%x: tensor<4x3xf32>) -> tensor<1x3xf32> {
  // CHECK: lazy.reduce_max %{{.*}} : tensor<4x3xf32> -> tensor<1x3xf32>
  %r = lazy.reduce_max %x : tensor<4x3xf32> -> tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}

// CHECK-LABEL: func.func @reduce_of_nothing
func.func @reduce_of_nothing(%x: tensor<4x0xf32>) -> tensor<4x1xf32> {
  // CHECK: lazy.reduce_max %{{.*}} : tensor<4x0xf32> -> tensor<4x1xf32>
  %r = lazy.reduce_max %x : tensor<4x0xf32> -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// CHECK-LABEL: func.func @reshape
func.func @reshape(%x: tensor<4x3xf32>) -> tensor<2x6xf32> {
  // CHECK: lazy.reshape %{{.*}} : tensor<4x3xf32> -> tensor<2x6xf32>
  %r = lazy.reshape %x : tensor<4x3xf32> -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @permute
func.func @permute(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  // CHECK: lazy.permute %{{.*}} [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %r = lazy.permute %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}

// CHECK-LABEL: func.func @expand
func.func @expand(%x: tensor<1x3xf32>) -> tensor<4x3xf32> {
  // CHECK: lazy.expand %{{.*}} : tensor<1x3xf32> -> tensor<4x3xf32>
  %r = lazy.expand %x : tensor<1x3xf32> -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @pad
func.func @pad(%x: tensor<4x3xf32>) -> tensor<6x4xf32> {
  // CHECK: lazy.pad %{{.*}} low [0, 1] high [2, 0] : tensor<4x3xf32> -> tensor<6x4xf32>
  %r = lazy.pad %x low [0, 1] high [2, 0] : tensor<4x3xf32> -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

// CHECK-LABEL: func.func @shrink
func.func @shrink(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.shrink %{{.*}} begin [1, 0] end [3, 3] : tensor<4x3xf32> -> tensor<2x3xf32>
  %r = lazy.shrink %x begin [1, 0] end [3, 3] : tensor<4x3xf32> -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @stride
func.func @stride(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.stride %{{.*}} [2, -1] : tensor<4x3xf32> -> tensor<2x3xf32>
  %r = lazy.stride %x [2, -1] : tensor<4x3xf32> -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @as_strided
func.func @as_strided(%x: tensor<12xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.as_strided %{{.*}} [1, 2] offset 1 : tensor<12xf32> -> tensor<2x3xf32>
  %r = lazy.as_strided %x [1, 2] offset 1 : tensor<12xf32> -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @view
func.func @view(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  // CHECK: lazy.view %{{.*}} <[3, 4], strides = [1, 3]> : tensor<4x3xf32> -> tensor<3x4xf32>
  %r = lazy.view %x <[3, 4], strides = [1, 3]> : tensor<4x3xf32> -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @view_with_mask
func.func @view_with_mask(%x: tensor<4x3xf32>) -> tensor<4x5xf32> {
  // CHECK: lazy.view %{{.*}} <[4, 5], strides = [3, 1], offset = -1, mask = {{\[\[}}0, 4], [1, 4]]> : tensor<4x3xf32> -> tensor<4x5xf32>
  %r = lazy.view %x <[4, 5], strides = [3, 1], offset = -1, mask = [[0, 4], [1, 4]]> : tensor<4x3xf32> -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @view_of_view
func.func @view_of_view(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  // CHECK: lazy.view %{{.*}} <[3, 2], strides = [1, 3], then [6]> : tensor<2x3xf32> -> tensor<6xf32>
  %r = lazy.view %x <[3, 2], strides = [1, 3], then [6]> : tensor<2x3xf32> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// CHECK-LABEL: func.func @const
func.func @const() -> tensor<4x3xf32> {
  // CHECK: lazy.const dense<1.500000e+00> : tensor<4x3xf32>
  %r = lazy.const dense<1.500000e+00> : tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @const_unsigned
func.func @const_unsigned() -> tensor<ui64> {
  // CHECK: lazy.const dense<18446744073709551615> : tensor<ui64>
  %r = lazy.const dense<18446744073709551615> : tensor<ui64>
  return %r : tensor<ui64>
}

// CHECK-LABEL: func.func @const_bool
func.func @const_bool() -> tensor<2xi1> {
  // CHECK: lazy.const dense<true> : tensor<2xi1>
  %r = lazy.const dense<true> : tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @const_of_no_elements
func.func @const_of_no_elements() -> tensor<0x3xf32> {
  // CHECK: lazy.const dense<> : tensor<0x3xf32>
  %r = lazy.const dense<> : tensor<0x3xf32>
  return %r : tensor<0x3xf32>
}

// CHECK-LABEL: func.func @empty
func.func @empty() -> tensor<4x3xf32> {
  // CHECK: lazy.empty : tensor<4x3xf32>
  %r = lazy.empty : tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @contiguous
func.func @contiguous(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: lazy.contiguous %{{.*}} : tensor<4x3xf32>
  %r = lazy.contiguous %x : tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @custom
func.func @custom(%seed: tensor<i64>, %counter: tensor<i64>) -> tensor<4x3xf32> {
  // CHECK: lazy.custom "rand"(%{{.*}}, %{{.*}}) : (tensor<i64>, tensor<i64>) -> tensor<4x3xf32>
  %r = lazy.custom "rand"(%seed, %counter) : (tensor<i64>, tensor<i64>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @custom_on_memory
func.func @custom_on_memory(%seed: memref<1xi64>, %out: memref<12xf32>) {
  // CHECK: lazy.custom "rand"(%{{.*}}, %{{.*}}) : (memref<1xi64>, memref<12xf32>) -> ()
  lazy.custom "rand"(%seed, %out) : (memref<1xi64>, memref<12xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @kernel
func.func @kernel(%x: tensor<4x3xf32>) -> tensor<4xf32> {
  %e = lazy.empty : tensor<4xf32>
  // CHECK: lazy.kernel @sum ins(%{{.*}} : tensor<4x3xf32>) outs(%{{.*}} : tensor<4xf32>) {
  %s = lazy.kernel @sum ins(%x : tensor<4x3xf32>) outs(%e : tensor<4xf32>) {
  // CHECK: ^bb0(%[[IN:.*]]: tensor<4x3xf32>, %[[OUT:.*]]: tensor<4xf32>):
  ^bb0(%in: tensor<4x3xf32>, %out: tensor<4xf32>):
    // CHECK: %[[L:.*]] = lazy.load %[[IN]] <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
    %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
    // CHECK: %[[R:.*]] = lazy.reduce_sum %[[L]]
    %1 = lazy.reduce_sum %0 : tensor<4x3xf32> -> tensor<4x1xf32>
    // CHECK: lazy.store %[[R]], %[[OUT]] <[4, 1]> : tensor<4x1xf32>, tensor<4xf32>
    lazy.store %1, %out <[4, 1]> : tensor<4x1xf32>, tensor<4xf32>
  // CHECK: } -> tensor<4xf32>
  } -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// A bool lies in memory as a byte, an unsigned integer as a signless one.
// CHECK-LABEL: func.func @kernel_on_memory
func.func @kernel_on_memory(%x: memref<12xi8>, %y: memref<12xi32>, %z: memref<12xi32>) {
  // CHECK: lazy.kernel @choose ins(%{{.*}}, %{{.*}} : memref<12xi8>, memref<12xi32>) outs(%{{.*}} : memref<12xi32>) plan <parallel = [0], tile = [2], vector = 1 : 4, unroll = 2>
  lazy.kernel @choose ins(%x, %y : memref<12xi8>, memref<12xi32>) outs(%z : memref<12xi32>) plan <parallel = [0], tile = [2], vector = 1 : 4, unroll = 2> {
  ^bb0(%c: memref<12xi8>, %in: memref<12xi32>, %out: memref<12xi32>):
    // CHECK: lazy.load %{{.*}} <[4, 3], strides = [1, 4]> : memref<12xi8> -> tensor<4x3xi1>
    %0 = lazy.load %c <[4, 3], strides = [1, 4]> : memref<12xi8> -> tensor<4x3xi1>
    // CHECK: lazy.load %{{.*}} <[4, 3]> : memref<12xi32> -> tensor<4x3xui32>
    %1 = lazy.load %in <[4, 3]> : memref<12xi32> -> tensor<4x3xui32>
    // CHECK: lazy.const dense<7> : tensor<4x3xui32>
    %2 = lazy.const dense<7> : tensor<4x3xui32>
    %3 = lazy.where %0, %1, %2 : tensor<4x3xi1>, tensor<4x3xui32>
    lazy.store %3, %out <[4, 3]> : tensor<4x3xui32>, memref<12xi32>
  }
  return
}

// CHECK-LABEL: func.func @kernel_with_attributes
func.func @kernel_with_attributes(%x: memref<1xf32>) {
  // CHECK: lazy.kernel @one outs(%{{.*}} : memref<1xf32>) attributes {note = "kept"} {
  lazy.kernel @one outs(%x : memref<1xf32>) attributes {note = "kept"} {
  ^bb0(%out: memref<1xf32>):
    %0 = lazy.const dense<1.0> : tensor<f32>
    lazy.store %0, %out <[]> : tensor<f32>, memref<1xf32>
  }
  return
}

// Attributes are canonical: an axis of one position has stride 0, a mask that
// covers the shape goes.
// CHECK-LABEL: func.func private @attributes
// CHECK-SAME: contraction = #lazy.plan<contract = [0] x [1] x [2, 3], width = 16, register = [12, 32], block = [192, 256, 384]>
// CHECK-SAME: empty = #lazy.plan<>
// CHECK-SAME: masked = #lazy.view<[4, 5], strides = [3, 1], offset = -1, mask = {{\[\[}}0, 4], [1, 4]]>
// CHECK-SAME: ones = #lazy.view<[1, 3]>
// CHECK-SAME: tracker = #lazy.shape_tracker<[3, 2], strides = [1, 3], then [6]>
// CHECK-SAME: whole = #lazy.view<[2, 3]>
func.func private @attributes() attributes {
  contraction = #lazy.plan<contract = [0] x [1] x [2, 3], width = 16, register = [12, 32], block = [192, 256, 384]>,
  empty = #lazy.plan<>,
  masked = #lazy.view<[4, 5], strides = [3, 1], offset = -1, mask = [[0, 4], [1, 4]]>,
  ones = #lazy.view<[1, 3], strides = [7, 1]>,
  tracker = #lazy.shape_tracker<[3, 2], strides = [1, 3], then [6]>,
  whole = #lazy.view<[2, 3], mask = [[0, 2], [0, 3]]>
}

// CHECK-LABEL: func.func @load_of_a_transposed_input
func.func @load_of_a_transposed_input(%x: tensor<3x4xf32>, %e: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %r = lazy.kernel @k ins(%x : tensor<3x4xf32>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%in: tensor<3x4xf32>, %out: tensor<4x3xf32>):
    // CHECK: lazy.load %{{.*}} <[4, 3], strides = [1, 4]> : tensor<3x4xf32> -> tensor<4x3xf32>
    %0 = lazy.load %in <[4, 3], strides = [1, 4]> : tensor<3x4xf32> -> tensor<4x3xf32>
    lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
  } -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
