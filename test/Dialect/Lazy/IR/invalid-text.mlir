// RUN: tinygrad-opt %s --split-input-file --verify-diagnostics

func.func @missing_bracket(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expected ']'}}
  %r = lazy.permute %x [1, 0 : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @missing_list(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expected '['}}
  %r = lazy.stride %x 2 : tensor<2x3xf32> -> tensor<1x3xf32>
  return
}

// -----

func.func @missing_keyword(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expected 'high'}}
  %r = lazy.pad %x low [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @wrong_kind(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{invalid properties}}
  %r = "lazy.permute"(%x) <{order = "backwards"}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @missing_attribute(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'lazy.permute' op requires attribute 'order'}}
  %r = "lazy.permute"(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @wrong_view(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects `strides`, `offset` or `mask`, got `stride`}}
  %r = lazy.view %x <[3, 2], stride = [1, 3]> : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @no_types(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expected '->'}}
  %r = lazy.cast %x : tensor<2x3xf32>
  return
}

// -----

func.func @unknown_operation(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{custom op 'lazy.softmax' is unknown}}
  %r = lazy.softmax %x : tensor<2x3xf32>
  return
}

// -----

// The text ends in the middle.
func.func @truncated(%x: tensor<2x3xf32>) {
  %r = lazy.shrink %x begin [0, 1
  // expected-error {{expected ']'}}
