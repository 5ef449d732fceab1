// Chains of movement operations, for docs/ShapeTracker.md.

func.func @transpose(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  %0 = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @flipped_half(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %0 = lazy.stride %x [-2, 1] : tensor<4x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @padded(%x: tensor<4x3xf32>) -> tensor<6x3xf32> {
  %0 = lazy.pad %x low [1, 0] high [1, 0] : tensor<4x3xf32> -> tensor<6x3xf32>
  return %0 : tensor<6x3xf32>
}

func.func @there_and_back(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = lazy.pad %x low [1, 0] high [1, 0] : tensor<4x3xf32> -> tensor<6x3xf32>
  %1 = lazy.shrink %0 begin [1, 0] end [5, 3] : tensor<6x3xf32> -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

func.func @flat_transpose(%x: tensor<4x3xf32>) -> tensor<12xf32> {
  %0 = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  %1 = lazy.reshape %0 : tensor<3x4xf32> -> tensor<12xf32>
  return %1 : tensor<12xf32>
}
