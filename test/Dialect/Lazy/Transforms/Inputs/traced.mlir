func.func @main(%x: tensor<4x3xf32>) -> tensor<4x1xf32> {
  %e = lazy.empty : tensor<4x1xf32>
  %s = lazy.kernel @r_4_3 ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x1xf32>) attributes {lazy.rules = ["MER"]} {
  ^bb0(%in: tensor<4x3xf32>, %out: tensor<4x1xf32>):
    %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
    %1 = lazy.neg %0 : tensor<4x3xf32>
    %2 = lazy.reduce_sum %1 : tensor<4x3xf32> -> tensor<4x1xf32>
    lazy.store %2, %out <[4, 1]> : tensor<4x1xf32>, tensor<4x1xf32>
  } -> tensor<4x1xf32>
  return %s : tensor<4x1xf32>
}
