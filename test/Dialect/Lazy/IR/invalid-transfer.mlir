// RUN: tinygrad-opt %s --split-input-file --verify-diagnostics

func.func @copy_c1(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.copy' op expects a result with the shape and element type of 'tensor<4x3xf32>', got 'tensor<12xf32>'}}
  %r = lazy.copy %x : tensor<4x3xf32> -> tensor<12xf32>
  return
}

// -----

func.func @copy_c1_type(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'lazy.copy' op expects a result with the shape and element type of 'tensor<4x3xf32>', got 'tensor<4x3xf16>'}}
  %r = lazy.copy %x : tensor<4x3xf32> -> tensor<4x3xf16>
  return
}

// -----

func.func @fromcpu_c1(%x: tensor<4xi8>) {
  // expected-error@+1 {{'lazy.fromcpu' op expects a result with the shape and element type of 'tensor<4xi8>', got 'tensor<4xui8>'}}
  %r = lazy.fromcpu %x : tensor<4xi8> -> tensor<4xui8>
  return
}

// -----

func.func @assign_c1(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{'lazy.assign' op requires the same type for all operands and results}}
  %r = "lazy.assign"(%x, %y) : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}
