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

func.func @exp2_type(%x: tensor<4xi32>) {
  // expected-error@+1 {{'lazy.exp2' op expects a float operand, got int32}}
  %r = lazy.exp2 %x : tensor<4xi32>
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
  // expected-error@+1 {{'lazy.neg' op operand #0 must be a ranked tensor of static shape, without an encoding, whose elements are i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 or f64, but got 'tensor<4xsi32>'}}
  %r = "lazy.neg"(%x) : (tensor<4xsi32>) -> tensor<4xsi32>
  return
}

// -----

func.func @element_index(%x: tensor<4xindex>) {
  // expected-error@+1 {{'lazy.neg' op operand #0 must be a ranked tensor of static shape, without an encoding, whose elements are i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 or f64, but got 'tensor<4xindex>'}}
  %r = "lazy.neg"(%x) : (tensor<4xindex>) -> tensor<4xindex>
  return
}

// -----

func.func @shape_dynamic(%x: tensor<?xf32>) {
  // expected-error@+1 {{'lazy.neg' op operand #0 must be a ranked tensor of static shape, without an encoding, whose elements are i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 or f64, but got 'tensor<?xf32>'}}
  %r = "lazy.neg"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @shape_unranked(%x: tensor<*xf32>) {
  // expected-error@+1 {{'lazy.reshape' op operand #0 must be a ranked tensor of static shape, without an encoding, whose elements are i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32 or f64, but got 'tensor<*xf32>'}}
  %r = "lazy.reshape"(%x) : (tensor<*xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @kernel_c1_results(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects a result of type 'tensor<4x3xf32>', got 'tensor<12xf32>'}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<12xf32>
  return
}

// -----

func.func @kernel_c1_count(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects 1 results, got 0}}
  lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    }
  return
}

// -----

func.func @kernel_c1_mixed(%m: memref<12xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects operands that are all tensors or all memrefs}}
  lazy.kernel @k ins(%m : memref<12xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: memref<12xf32>, %out: tensor<4x3xf32>):
    }
  return
}

// -----

func.func @kernel_c2(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects block arguments with the types of the operands}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<12xf32>, %out: tensor<4x3xf32>):
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel_c3(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects elementwise, reduce, const, load and store operations in its body, got `lazy.reshape`}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-note@+1 {{the operation is here}}
      %1 = lazy.reshape %0 : tensor<4x3xf32> -> tensor<12xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel_c4_none(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects one store into init 0, got 0}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel_c4_twice(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects one store into init 0, got 2}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel_c5(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects values of one rank whose extents are equal or 1, got 'tensor<2x3xf32>'}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-note@+1 {{the value is made or stored here}}
      %1 = lazy.load %in <[2, 3]> : tensor<4x3xf32> -> tensor<2x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel_c6(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects `parallel` to name axes below 2, got 2}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) plan <parallel = [2], tile = [1]> {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @kernel_c6_vector(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.kernel' op expects `vector` to name axes below 2, got 2}}
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) plan <vector = 2 : 4> {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @load_c1(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-error@+1 {{'lazy.load' op expects an argument of the kernel's body}}
      %1 = lazy.load %0 <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %1, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @load_c2(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
  // expected-error@+1 {{'lazy.load' op expects a value of shape [3, 4], got 'tensor<4x3xf32>'}}
      %0 = lazy.load %in <[3, 4]> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @load_c2_type(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
  // expected-error@+1 {{'lazy.load' op expects elements of 'tensor<4x3xi32>' to lie in 'tensor<4x3xf32>'}}
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xi32>
      %1 = lazy.cast %0 : tensor<4x3xi32> -> tensor<4x3xf32>
      lazy.store %1, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @load_c3(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
  // expected-error@+1 {{'lazy.load' op expects a view of no more than the 12 elements of 'tensor<4x3xf32>', got one of 13}}
      %0 = lazy.load %in <[4, 3], offset = 1> : tensor<4x3xf32> -> tensor<4x3xf32>
      lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @store_c1(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-error@+1 {{'lazy.store' op expects an argument of the kernel's body that stands for an init}}
      lazy.store %0, %in <[4, 3]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @store_c2(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-error@+1 {{'lazy.store' op expects a value of shape [3, 4], got 'tensor<4x3xf32>'}}
      lazy.store %0, %out <[3, 4]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @store_c3(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-error@+1 {{'lazy.store' op expects one view without a mask that reaches each element once}}
      lazy.store %0, %out <[4, 3], strides = [1, 1]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

func.func @store_c3_mask(%x: tensor<4x3xf32>, %e: tensor<4x3xf32>) {
  %r = lazy.kernel @k ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x3xf32>):
      %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
  // expected-error@+1 {{'lazy.store' op expects one view without a mask that reaches each element once}}
      lazy.store %0, %out <[4, 3], mask = [[0, 4], [0, 2]]> : tensor<4x3xf32>, tensor<4x3xf32>
    } -> tensor<4x3xf32>
  return
}

// -----

// view_attr_c1
// expected-error@+1 {{expects one stride per axis, got 1 for 2 axes}}
func.func private @f() attributes {a = #lazy.view<[4, 3], strides = [1]>}

// -----

// view_attr_c2
// expected-error@+1 {{expects mask range [0, 5] to lie inside of extent 4}}
func.func private @f() attributes {a = #lazy.view<[4, 3], mask = [[0, 5], [0, 3]]>}

// -----

// view_attr_c2_count
// expected-error@+1 {{expects one mask range per axis, got 1 for 2 axes}}
func.func private @f() attributes {a = #lazy.view<[4, 3], mask = [[0, 4]]>}

// -----

// view_attr_c2_pair
// expected-error@+1 {{expects a mask range of two numbers, [begin, end]}}
func.func private @f() attributes {a = #lazy.view<[4], mask = [[0, 4, 5]]>}

// -----

// view_attr_c3
// expected-error@+1 {{expects extents that are not negative}}
func.func private @f() attributes {a = #lazy.view<[-4, 3]>}

// -----

// view_attr_c4
// expected-error@+1 {{expects no negative index, got -9}}
func.func private @f() attributes {a = #lazy.view<[4, 3], strides = [-3, 1]>}

// -----

// view_attr_huge
// expected-error@+1 {{expects a shape whose number of elements fits in 63 bits}}
func.func private @f() attributes {a = #lazy.view<[9223372036854775807, 9223372036854775807]>}

// -----

// view_attr_huge_stride
// expected-error@+1 {{expects indices that fit in 62 bits}}
func.func private @f() attributes {a = #lazy.view<[4, 3], strides = [9223372036854775807, 1]>}

// -----

// view_attr_field
// expected-error@+1 {{expects `strides`, `offset` or `mask`, got `stride`}}
func.func private @f() attributes {a = #lazy.view<[4, 3], stride = [3, 1]>}

// -----

// shape_tracker_c2
// expected-error@+1 {{expects a view that reads no more than the 6 elements of the view before it, got one that reads 7}}
func.func private @f() attributes {a = #lazy.shape_tracker<[2, 3], then [7]>}

// -----

// plan_c1
// expected-error@+1 {{expects `parallel` to name each axis once, got 0 twice}}
func.func private @f() attributes {a = #lazy.plan<parallel = [0, 0], tile = [1, 1]>}

// -----

// plan_c1_contract
// expected-error@+1 {{expects `contract` to name each axis once, got 0 twice}}
func.func private @f() attributes {a = #lazy.plan<contract = [0] x [1] x [0], width = 8, register = [6, 16], block = [12, 32, 64]>}

// -----

// plan_c2
// expected-error@+1 {{expects `tile` to have one entry per parallel axis, got 2 for 1 axes}}
func.func private @f() attributes {a = #lazy.plan<parallel = [0], tile = [1, 2]>}

// -----

// plan_c2_positive
// expected-error@+1 {{expects `tile` to be positive}}
func.func private @f() attributes {a = #lazy.plan<parallel = [0], tile = [0]>}

// -----

// plan_c3
// expected-error@+1 {{expects a vector width that is a power of two up to 1024, got 3}}
func.func private @f() attributes {a = #lazy.plan<vector = 0 : 3>}

// -----

// plan_c3_unroll
// expected-error@+1 {{expects `unroll` from 1 to 64, got 0}}
func.func private @f() attributes {a = #lazy.plan<vector = 0 : 4, unroll = 0>}

// -----

// plan_c3_axis
// expected-error@+1 {{expects `vector` to name an axis, got -2}}
func.func private @f() attributes {a = #lazy.plan<vector = -2 : 4>}

// -----

// plan_c4
// expected-error@+1 {{expects `register` and `block` where there is `contract`}}
func.func private @f() attributes {a = #lazy.plan<register = [6, 16]>}

// -----

// plan_c4_contract
// expected-error@+1 {{expects `register` and `block` where there is `contract`}}
func.func private @f() attributes {a = #lazy.plan<contract = [0] x [1] x [2]>}

// -----

// plan_c4_columns
// expected-error@+1 {{expects `register` columns to be a multiple of the vector width, got 8 and 16}}
func.func private @f() attributes {a = #lazy.plan<contract = [0] x [1] x [2], width = 16, register = [6, 8], block = [12, 32, 64]>}

// -----

// plan_c4_block
// expected-error@+1 {{expects `block` to be a multiple of `register`, got [13, 32] and [6, 16]}}
func.func private @f() attributes {a = #lazy.plan<contract = [0] x [1] x [2], width = 8, register = [6, 16], block = [13, 32, 64]>}

// -----

// plan_field
// expected-error@+1 {{expects a field of a plan, got `tiles`}}
func.func private @f() attributes {a = #lazy.plan<tiles = [1]>}
