func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %b = lazy.neg %a : tensor<2x3xf32>
  return %b : tensor<2x3xf32>
}
