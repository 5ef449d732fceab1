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
