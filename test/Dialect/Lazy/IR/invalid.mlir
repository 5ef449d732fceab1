// RUN: tinygrad-opt %s --split-input-file --verify-diagnostics

func.func @cast_c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.cast' op expects result shape [4, 3], got [3, 4]}}
  %r = "lazy.cast"(%x) : (tensor<4x3xf32>) -> tensor<3x4xi32>
  return
}

// -----

func.func @bitcast_c2(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.bitcast' op expects types of equal width, got float32 and int16}}
  %r = lazy.bitcast %x : tensor<4x3xf32> -> tensor<4x3xi16>
  return
}

// -----

func.func @bitcast_c2_bool(%x: tensor<4xi8>) {
  // expected-error@+1 {{'lazy.bitcast' op expects types of equal width, got int8 and bool}}
  %r = lazy.bitcast %x : tensor<4xi8> -> tensor<4xi1>
  return
}

// -----

func.func @xor_c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.xor' op expects integer or bool operands, got float32}}
  %r = lazy.xor %x, %x : tensor<4x3xf32>
  return
}

// -----

func.func @cmplt_c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.cmplt' op expects a result of type bool or float32, got int8}}
  %r = lazy.cmplt %x, %x : tensor<4x3xf32> -> tensor<4x3xi8>
  return
}

// -----

func.func @where_c1(%c: tensor<3x4xi1>, %x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.where' op expects operands of one shape, got [3, 4] and [4, 3]}}
  %r = lazy.where %c, %x, %x : tensor<3x4xi1>, tensor<4x3xf32>
  return
}

// -----

func.func @reduce_sum_c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.reduce_sum' op expects each axis to be kept or reduced to 1, got [4, 3] and [2, 3]}}
  %r = lazy.reduce_sum %x : tensor<4x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @reduce_sum_c1_rank(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.reduce_sum' op expects a shape of the source's rank, got [4, 3] and [4]}}
  %r = lazy.reduce_sum %x : tensor<4x3xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_max_c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.reduce_max' op expects a result of type float32, got int32}}
  %r = lazy.reduce_max %x : tensor<4x3xf32> -> tensor<4x1xi32>
  return
}

// -----

func.func @reshape_c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.reshape' op expects the same number of elements, got [4, 3] and [7]}}
  %r = lazy.reshape %x : tensor<4x3xf32> -> tensor<7xf32>
  return
}

// -----

func.func @permute_c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.permute' op expects 2 integers for a source of shape [4, 3], got [0]}}
  %r = lazy.permute %x [0] : tensor<4x3xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @permute_c2(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.permute' op expects each axis of [4, 3] exactly once, got order [1, 1]}}
  %r = lazy.permute %x [1, 1] : tensor<4x3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @permute_c3(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.permute' op expects result shape [3, 4], got [4, 3]}}
  %r = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @expand_c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.expand' op expects only axes of size 1 to be expanded, got [4, 3] and [8, 3]}}
  %r = lazy.expand %x : tensor<4x3xf32> -> tensor<8x3xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.pad' op expects padding that is not negative, got [0, 0, -1, 2] for a source of shape [4, 3]}}
  %r = lazy.pad %x low [0, -1] high [0, 2] : tensor<4x3xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @pad_c1_length(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.pad' op expects 4 integers for a source of shape [4, 3], got [0]}}
  %r = lazy.pad %x low [0] high [0, 2] : tensor<4x3xf32> -> tensor<4x5xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.pad' op expects result shape [4, 6], got [4, 5]}}
  %r = lazy.pad %x low [0, 1] high [0, 2] : tensor<4x3xf32> -> tensor<4x5xf32>
  return
}

// -----

func.func @shrink_c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.shrink' op expects ranges inside the source's shape [4, 3], got [0, 4, 2, 4]}}
  %r = lazy.shrink %x begin [0, 2] end [4, 4] : tensor<4x3xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @shrink_c2(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.shrink' op expects result shape [4, 2], got [4, 3]}}
  %r = lazy.shrink %x begin [0, 1] end [4, 3] : tensor<4x3xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @stride_c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.stride' op expects steps that are not zero, got [0, 1] for a source of shape [4, 3]}}
  %r = lazy.stride %x [0, 1] : tensor<4x3xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @stride_c2(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.stride' op expects result shape [2, 3], got [4, 3]}}
  %r = lazy.stride %x [2, 1] : tensor<4x3xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @as_strided_c1(%x: tensor<12xf32>) {
  // expected-error@+1 {{'lazy.as_strided' op expects a shape, as many strides and an offset, got [2, 3, 1, 0]}}
  %r = lazy.as_strided %x [1] offset 0 : tensor<12xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @as_strided_c2(%x: tensor<12xf32>) {
  // expected-error@+1 {{'lazy.as_strided' op expects indices inside the source's shape [12], got shape [2, 3], strides [6, 2] and offset 3}}
  %r = lazy.as_strided %x [6, 2] offset 3 : tensor<12xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @view_c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.view' op expects result type 'tensor<3x4xf32>', got 'tensor<4x3xf32>'}}
  %r = lazy.view %x <[3, 4]> : tensor<4x3xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @view_c2(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.view' op expects a view that reads no more than the 12 elements of 'tensor<4x3xf32>', got one that reads 15}}
  %r = lazy.view %x <[5, 3]> : tensor<4x3xf32> -> tensor<5x3xf32>
  return
}

// -----

// The second view reads the first 12 elements alone, but merging views must
// never need to know that.
func.func @view_c2_first(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.view' op expects a view that reads no more than the 12 elements of 'tensor<4x3xf32>', got one that reads 15}}
  %r = lazy.view %x <[5, 3], then [12]> : tensor<4x3xf32> -> tensor<12xf32>
  return
}

// -----

func.func @const_c1() {
  // expected-error@+1 {{'lazy.const' op expects one value for all elements, got 2 values}}
  %r = lazy.const dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

// -----

func.func @custom_c1_mixed(%x: tensor<4x3xf32>, %m: memref<4xf32>) {
  // expected-error@+1 {{'lazy.custom' op expects operands that are all tensors or all memrefs}}
  lazy.custom "f"(%x, %m) : (tensor<4x3xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @custom_c1_no_result(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.custom' op expects one result on tensors, got none}}
  lazy.custom "f"(%x) : (tensor<4x3xf32>) -> ()
  return
}

// -----

func.func @custom_c1_result(%m: memref<4xf32>) {
  // expected-error@+1 {{'lazy.custom' op expects no result on memrefs, got one}}
  %r = lazy.custom "f"(%m) : (memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @element_signed(%x: tensor<4xsi32>) {
  // expected-error@+1 {{'lazy.neg' op operand #0 must be a ranked tensor of fewer than 2^62 elements, each extent of which is a number or an expression of a #lazy.type, whose elements are i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 or f64, but got 'tensor<4xsi32>'}}
  %r = "lazy.neg"(%x) : (tensor<4xsi32>) -> tensor<4xsi32>
  return
}

// -----

func.func @element_index(%x: tensor<4xindex>) {
  // expected-error@+1 {{'lazy.neg' op operand #0 must be a ranked tensor of fewer than 2^62 elements, each extent of which is a number or an expression of a #lazy.type, whose elements are i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 or f64, but got 'tensor<4xindex>'}}
  %r = "lazy.neg"(%x) : (tensor<4xindex>) -> tensor<4xindex>
  return
}

// -----

func.func @shape_dynamic(%x: tensor<?xf32>) {
  // expected-error@+1 {{'lazy.neg' op operand #0 must be a ranked tensor of fewer than 2^62 elements, each extent of which is a number or an expression of a #lazy.type, whose elements are i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 or f64, but got 'tensor<?xf32>'}}
  %r = "lazy.neg"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @shape_unranked(%x: tensor<*xf32>) {
  // expected-error@+1 {{'lazy.reshape' op operand #0 must be a ranked tensor of fewer than 2^62 elements, each extent of which is a number or an expression of a #lazy.type, whose elements are i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 or f64, but got 'tensor<*xf32>'}}
  %r = "lazy.reshape"(%x) : (tensor<*xf32>) -> tensor<4xf32>
  return
}

// -----

// A view of so many elements could not be written.
func.func @shape_large(%x: tensor<2147483648x2147483648xf32>) {
  // expected-error@+1 {{'lazy.exp2' op operand #0 must be a ranked tensor of fewer than 2^62 elements, each extent of which is a number or an expression of a #lazy.type, whose elements are i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 or f64, but got 'tensor<2147483648x2147483648xf32>'}}
  %r = lazy.exp2 %x : tensor<2147483648x2147483648xf32>
  return
}
