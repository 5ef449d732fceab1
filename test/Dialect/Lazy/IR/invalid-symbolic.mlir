// RUN: tinygrad-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expects a name of letters, digits and `_` that does not start with a digit, got 'a.b'}}
func.func private @variable_c1() attributes {a = #lazy.variable<a.b, 1, 10>}

// -----

// expected-error @+1 {{expects 0 <= min < max < 2^31, got 3 and 3}}
func.func private @variable_c2() attributes {a = #lazy.variable<i, 3, 3>}

// -----

#i = #lazy.variable<i, 1, 2147483647>
// expected-error @+1 {{expects sizes that fit in 62 bits}}
func.func private @sizes_c1() attributes {a = #lazy.sizes<[#i * #i * 4]>}

// -----

#a = #lazy.variable<i, 1, 10>
#b = #lazy.variable<i, 1, 11>
// expected-error @+1 {{expects one range for variable 'i', got two}}
func.func private @sizes_c2() attributes {a = #lazy.sizes<[#a, #b]>}

// -----

#i = #lazy.variable<i, 0, 10>
// expected-error @+1 {{expects a divisor that is always positive, got i}}
func.func private @division_by_a_size_that_may_be_0() attributes {a = #lazy.sizes<[5 floordiv #i]>}

// -----

// expected-error @+1 {{expects a divisor that is always positive, got 0}}
func.func private @division_by_0() attributes {a = #lazy.sizes<[5 mod 0]>}

// -----

// expected-error @+1 {{expects a number, a variable or an expression in brackets}}
func.func private @no_variable() attributes {a = #lazy.sizes<[i]>}

// -----

// expected-error @+1 {{expects sizes that fit in 62 bits}}
func.func private @large_number() attributes {a = #lazy.sizes<[4611686018427387904 + 1]>}

// -----

// expected-error @+1 {{expects a device or symbolic `dims`: a tensor without them has no encoding}}
func.func private @type_c1(tensor<3xf32, #lazy.type<>>)

// -----

// expected-error @+1 {{expects an expression in `dims`: numbers alone are left out}}
func.func private @type_c1_numbers(tensor<3xf32, #lazy.type<device = "CUDA", dims = [3]>>)

// -----

// expected-error @+1 {{expects a device in capitals, perhaps with an index from 1 or a path, and not the default 'CPU', got 'CPU'}}
func.func private @type_c2_default(tensor<3xf32, #lazy.type<device = "CPU">>)

// -----

// expected-error @+1 {{got 'cuda:x'}}
func.func private @type_c2(tensor<3xf32, #lazy.type<device = "cuda:x">>)

// -----

#i = #lazy.variable<i, 1, 10>
// expected-error @+1 {{expects `dims` with the extents of the tensor, and an expression exactly where it has `?`}}
func.func private @type_c3(tensor<?x3xf32, #lazy.type<dims = [3, #i]>>)

// -----

// expected-error @+1 {{expects `dims` for a tensor with `?`}}
func.func private @type_c3_missing(tensor<?xf32, #lazy.type<device = "CUDA">>)

// -----

#i = #lazy.variable<i, 1, 10>
// expected-error @+1 {{expects extents that cannot be negative, got i - 2}}
func.func private @type_c4(tensor<?xf32, #lazy.type<dims = [#i - 2]>>)

// -----

#i = #lazy.variable<i, 1, 10>
// expected-error @+1 {{expects `device` or `dims`, each once, got `dims`}}
func.func private @type_field_twice(tensor<?xf32, #lazy.type<dims = [#i], dims = [#i]>>)

// -----

// A `?` without a #lazy.type has no meaning.
func.func @unknown_extent(%x: tensor<?xf32>) {
  // expected-error @+1 {{must be a ranked tensor of fewer than 2^62 elements}}
  %0 = lazy.neg %x : tensor<?xf32>
  return
}

// -----

func.func @two_devices(%x: tensor<4xf32, #lazy.type<device = "CUDA">>) {
  // expected-error @+1 {{expects operands and result on one device, got 'CUDA' and 'CPU'}}
  %0 = lazy.reshape %x : tensor<4xf32, #lazy.type<device = "CUDA">> -> tensor<2x2xf32>
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
func.func @reshape_c1(%x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>) {
  // expected-error @+1 {{cannot prove}}
  %0 = lazy.reshape %x : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<?xf32, #lazy.type<dims = [#i * 4]>>
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
func.func @shrink_c1(%x: tensor<10xf32>) {
  // expected-error @+1 {{cannot prove}}
  %0 = lazy.shrink %x begin [#i] end [#i + 2] : tensor<10xf32> -> tensor<2xf32>
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
func.func @pad_c2(%x: tensor<10xf32>) {
  // expected-error @+1 {{expects result shape [i + 10], got [i + 11]}}
  %0 = lazy.pad %x low [0] high [#i] : tensor<10xf32> -> tensor<?xf32, #lazy.type<dims = [#i + 11]>>
  return
}

// -----

#a = #lazy.variable<i, 1, 10>
#b = #lazy.variable<i, 1, 11>
func.func @two_ranges(%x: tensor<10xf32>, %y: tensor<?xf32, #lazy.type<dims = [#a]>>) {
  // expected-error @+1 {{expects one range for variable 'i', got two}}
  %0 = lazy.pad %y low [0] high [#b] : tensor<?xf32, #lazy.type<dims = [#a]>> -> tensor<?xf32, #lazy.type<dims = [#a + #b]>>
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
func.func @view_c2(%x: tensor<10xf32>) {
  // expected-error @+1 {{expects a view that reads no more than the 10 elements of 'tensor<10xf32>', got one that reads 11 where i = 10}}
  %0 = lazy.view %x <[#i, 2], strides = [1, 1]> : tensor<10xf32> -> tensor<?x2xf32, #lazy.type<dims = [#i, 2]>>
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
// expected-error @+1 {{expects a variable to be bound by an argument of type index, or i64 or i32 once it is lowered, got 'f32'}}
func.func @bound_by_a_float(%n: f32 {lazy.variable = #i}) {
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
// expected-error @+1 {{expects one argument for variable 'i', got two}}
func.func @bound_twice(%n: index {lazy.variable = #i}, %m: index {lazy.variable = #i}) {
  return
}

// -----

// expected-error @+1 {{expects `lazy.variable` to be a #lazy.variable, got 3}}
func.func @bound_to_a_number(%n: index {lazy.variable = 3}) {
  return
}

// -----

#i = #lazy.variable<i, 1, 10>
// expected-error @+1 {{where i = 10: expects no negative index, got -8}}
func.func private @view_c4() attributes {a = #lazy.view<[2], offset = 2 - #i>}

// -----

#i = #lazy.variable<i, 1, 10>
#j = #lazy.variable<j, 1, 3>
// expected-error @+1 {{expects a view that reads no more than the 1 elements of the view before it, got one that reads 3 where i = 1, j = 3}}
func.func private @shape_tracker_c2() attributes {a = #lazy.shape_tracker<[#i], then [#j]>}

// -----

// expected-error @+1 {{got 'CUDA:0'}}
func.func private @type_c2_first(tensor<3xf32, #lazy.type<device = "CUDA:0">>)

// -----

func.func @fromcpu_c2(%x: tensor<3xf32, #lazy.type<device = "CUDA">>) {
  // expected-error @+1 {{expects a source on 'HOST' or 'CPU' and a result on 'CPU', got 'CUDA' and 'CPU'}}
  %0 = lazy.fromcpu %x : tensor<3xf32, #lazy.type<device = "CUDA">> -> tensor<3xf32>
  return
}

// -----

// expected-error @+1 {{expects no attribute of the lazy dialect on a result, got `lazy.variable`}}
func.func private @attribute_of_a_result() -> (index {lazy.variable = #lazy.variable<i, 1, 2>})
