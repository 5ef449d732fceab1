// relu(a @ b), as tinygrad writes it: views make the factors meet on three
// axes, and a product and a sum do the work.
func.func @main(%a: tensor<256x512xf32>, %b: tensor<512x128xf32>) -> tensor<256x128xf32> {
  %a1 = lazy.reshape %a : tensor<256x512xf32> -> tensor<256x1x512xf32>
  %a2 = lazy.expand %a1 : tensor<256x1x512xf32> -> tensor<256x128x512xf32>
  %b1 = lazy.permute %b [1, 0] : tensor<512x128xf32> -> tensor<128x512xf32>
  %b2 = lazy.reshape %b1 : tensor<128x512xf32> -> tensor<1x128x512xf32>
  %b3 = lazy.expand %b2 : tensor<1x128x512xf32> -> tensor<256x128x512xf32>
  %p = lazy.mul %a2, %b3 : tensor<256x128x512xf32>
  %s = lazy.reduce_sum %p : tensor<256x128x512xf32> -> tensor<256x128x1xf32>
  %m = lazy.reshape %s : tensor<256x128x1xf32> -> tensor<256x128xf32>
  %zero = lazy.const dense<0.0> : tensor<256x128xf32>
  %r = lazy.max %m, %zero : tensor<256x128xf32>
  return %r : tensor<256x128xf32>
}
