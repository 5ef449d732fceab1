func.func @main() -> tensor<2xf32> {
  %a = lazy.const dense<1.0> : tensor<2xf32>
  %b = lazy.const dense<2.0> : tensor<2xf32>
  %c = lazy.contiguous %a : tensor<2xf32>
  %d = lazy.add %c, %b : tensor<2xf32>
  return %d : tensor<2xf32>
}
