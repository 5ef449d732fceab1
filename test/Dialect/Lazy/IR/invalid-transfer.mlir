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

// -----

func.func @copy_c1_without_result(%x: tensor<4xf32>) {
  // expected-error@+1 {{'lazy.copy' op expects a result, no target, no offset and no size on tensors}}
  "lazy.copy"(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @copy_c2_without_target(%x: memref<4xf32>) {
  // expected-error@+1 {{'lazy.copy' op expects a target and no result on memrefs}}
  lazy.copy %x : memref<4xf32>
  return
}

// -----

func.func @copy_c2_type(%x: memref<4xf32>, %y: memref<4xi32>) {
  // expected-error@+1 {{'lazy.copy' op expects memory of one element type, got 'memref<4xf32>' and 'memref<4xi32>'}}
  lazy.copy %x into %y : memref<4xf32>, memref<4xi32>
  return
}

// -----

func.func @copy_c2_size(%x: memref<4xf32>, %y: memref<2xf32>) {
  // expected-error@+1 {{'lazy.copy' op expects 2 elements to lie in 'memref<4xf32>' from 3 on}}
  lazy.copy %x offset 3 into %y : memref<4xf32>, memref<2xf32>
  return
}

// -----

func.func @copy_c1_size(%x: tensor<4xf32>) {
  // expected-error@+1 {{'lazy.copy' op expects a result, no target, no offset and no size on tensors}}
  %r = lazy.copy %x size 2 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @copy_c2_target_offset(%x: memref<4xf32>, %y: memref<2xf32>) {
  // expected-error@+1 {{'lazy.copy' op expects 2 elements to lie in 'memref<2xf32>' from 1 on}}
  lazy.copy %x into %y at 1 size 2 : memref<4xf32>, memref<2xf32>
  return
}

// -----

func.func @copy_c2_beyond(%x: memref<?xf32>, %y: memref<2xf32>) {
  // expected-error@+1 {{'lazy.copy' op expects 0 elements to lie in 'memref<2xf32>' from 9223372036854775807 on}}
  lazy.copy %x into %y at 9223372036854775807 : memref<?xf32>, memref<2xf32>
  return
}

// -----

func.func @copy_c2_negative_size(%x: memref<4xf32>, %y: memref<2xf32>) {
  // expected-error@+1 {{'lazy.copy' op expects a size that is not negative, got -1}}
  lazy.copy %x into %y size -1 : memref<4xf32>, memref<2xf32>
  return
}

// -----

func.func @memory_space(%x: memref<4xf32, 3>, %y: memref<4xf32>) {
  // expected-error@+1 {{or a one-dimensional memref without a memory space, but got 'memref<4xf32, 3>'}}
  lazy.copy %x into %y : memref<4xf32, 3>, memref<4xf32>
  return
}

// -----

func.func @kernel_c8(%x: tensor<4xf32>, %y: tensor<4xf32, #lazy.type<device = "HOST">>) -> tensor<4xf32> {
  // expected-error@+1 {{'lazy.kernel' op expects operands on one device, got 'HOST' and 'CPU'}}
  %0 = lazy.kernel @copy ins(%y : tensor<4xf32, #lazy.type<device = "HOST">>) outs(%x : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32, #lazy.type<device = "HOST">>, %out: tensor<4xf32>):
    %1 = lazy.load %in <[4]> : tensor<4xf32, #lazy.type<device = "HOST">> -> tensor<4xf32>
    lazy.store %1, %out <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{expects `lazy.device` to be a string, got 3 : i64}}
func.func private @device_attribute(memref<4xf32> {lazy.device = 3})
