// RUN: tinygrad-opt %s --split-input-file --verify-diagnostics

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

// expected-error@+1 {{expects one mask range per axis, got 0 for 2 axes}}
func.func private @f() attributes {a = #lazy.view<[4, 3], mask = []>}

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
// expected-error@+1 {{expects a shape whose number of elements fits in 62 bits}}
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

// -----

// plan_c1_parallel_largest
// expected-error@+1 {{expects `parallel` to name each axis once, got 9223372036854775807 twice}}
func.func private @f() attributes {a = #lazy.plan<parallel = [9223372036854775807, 9223372036854775807], tile = [1, 1]>}

// -----

// view_offset
// expected-error@+1 {{expects an offset that fits in 62 bits, got 4611686018427387904}}
func.func private @f() attributes {a = #lazy.view<[], offset = 4611686018427387904>}

// -----

// plan_c3_elements
// expected-error@+1 {{expects `unroll` vectors of no more than 4096 elements together, got 8192}}
func.func private @f() attributes {a = #lazy.plan<vector = 0 : 1024, unroll = 8>}

// -----

// plan_c4_vectors
// expected-error@+1 {{expects `register` to be no more than 16384 elements in no more than 256 vectors, got 512 in 512}}
func.func private @f() attributes {a = #lazy.plan<contract = [0] x [1] x [2], register = [16, 32], block = [16, 32, 64]>}

// -----

// plan_c4_elements
// expected-error@+1 {{expects `register` to be no more than 16384 elements in no more than 256 vectors, got 32768 in 32}}
func.func private @f() attributes {a = #lazy.plan<contract = [0] x [1] x [2], width = 1024, register = [32, 1024], block = [32, 1024, 64]>}
