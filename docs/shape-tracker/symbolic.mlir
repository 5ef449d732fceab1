// A size that is known when the program runs, for docs/ShapeTracker.md.

#i = #lazy.variable<i, 1, 10>

func.func @main(%n: index {lazy.variable = #i}, %x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>)
    -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>> {
  %0 = lazy.reshape %x : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<?xf32, #lazy.type<dims = [#i * 3]>>
  %1 = lazy.reshape %0 : tensor<?xf32, #lazy.type<dims = [#i * 3]>> -> tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>
  %2 = lazy.permute %1 [1, 0] : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  return %2 : tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
}
