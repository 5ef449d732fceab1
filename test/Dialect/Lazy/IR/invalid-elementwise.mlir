// RUN: tinygrad-opt %s --split-input-file --verify-diagnostics

func.func @exp2_c1(%x: tensor<4xi32>) {
  // expected-error@+1 {{'lazy.exp2' op expects a float operand, got int32}}
  %r = lazy.exp2 %x : tensor<4xi32>
  return
}

// -----

func.func @log2_c1(%x: tensor<4xi32>) {
  // expected-error@+1 {{'lazy.log2' op expects a float operand, got int32}}
  %r = lazy.log2 %x : tensor<4xi32>
  return
}

// -----

func.func @exp_c1(%x: tensor<4xi32>) {
  // expected-error@+1 {{'lazy.exp' op expects a float operand, got int32}}
  %r = lazy.exp %x : tensor<4xi32>
  return
}

// -----

func.func @log_c1(%x: tensor<4xi32>) {
  // expected-error@+1 {{'lazy.log' op expects a float operand, got int32}}
  %r = lazy.log %x : tensor<4xi32>
  return
}

// -----

func.func @sin_c1(%x: tensor<4xi32>) {
  // expected-error@+1 {{'lazy.sin' op expects a float operand, got int32}}
  %r = lazy.sin %x : tensor<4xi32>
  return
}

// -----

func.func @sqrt_c1(%x: tensor<4xi32>) {
  // expected-error@+1 {{'lazy.sqrt' op expects a float operand, got int32}}
  %r = lazy.sqrt %x : tensor<4xi32>
  return
}

// -----

func.func @recip_c1(%x: tensor<4xi32>) {
  // expected-error@+1 {{'lazy.recip' op expects a float operand, got int32}}
  %r = lazy.recip %x : tensor<4xi32>
  return
}

// -----

func.func @not_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'lazy.not' op expects a bool operand, got float32}}
  %r = lazy.not %x : tensor<4xf32>
  return
}

// -----

func.func @add_types(%x: tensor<4xf32>) {
  // expected-error@+1 {{'lazy.add' op expects a result of type float32, got int32}}
  %r = "lazy.add"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @neg_shapes(%x: tensor<4xf32>) {
  // expected-error@+1 {{'lazy.neg' op expects result shape [4], got [3]}}
  %r = "lazy.neg"(%x) : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @cmpeq_c1(%x: tensor<4xi8>) {
  // expected-error@+1 {{'lazy.cmpeq' op expects a result of type bool or int8, got float32}}
  %r = lazy.cmpeq %x, %x : tensor<4xi8> -> tensor<4xf32>
  return
}

// -----

func.func @bitcast_c1(%x: tensor<4xi8>) {
  // expected-error@+1 {{'lazy.bitcast' op expects result shape [4], got [2]}}
  %r = lazy.bitcast %x : tensor<4xi8> -> tensor<2xui8>
  return
}
