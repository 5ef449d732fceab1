// RUN: tinygrad-opt %s --lazy-collapse-axes | FileCheck %s

// CHECK-LABEL: lazy.kernel @all_axes_merge
// CHECK: lazy.load %{{.*}} <[24]> : memref<24xf32> -> tensor<24xf32>
// CHECK: lazy.const dense<2.000000e+00> : tensor<24xf32>
// CHECK: lazy.mul %{{.*}}, %{{.*}} : tensor<24xf32>
// CHECK: lazy.store %{{.*}}, %{{.*}} <[24]> : tensor<24xf32>, memref<24xf32>
func.func @all_axes_merge(%x: memref<24xf32>, %y: memref<24xf32>) {
  lazy.kernel @all_axes_merge ins(%x : memref<24xf32>) outs(%y : memref<24xf32>) {
  ^bb0(%in: memref<24xf32>, %out: memref<24xf32>):
    %0 = lazy.load %in <[4, 1, 2, 3]> : memref<24xf32> -> tensor<4x1x2x3xf32>
    %1 = lazy.const dense<2.0> : tensor<4x1x2x3xf32>
    %2 = lazy.mul %0, %1 : tensor<4x1x2x3xf32>
    lazy.store %2, %out <[4, 1, 2, 3]> : tensor<4x1x2x3xf32>, memref<24xf32>
  }
  return
}

// Kept and reduced axes stay apart; neighbours of one kind merge.
// CHECK-LABEL: lazy.kernel @reduced_axes_merge
// CHECK: lazy.load %{{.*}} <[8, 15]>
// CHECK: lazy.reduce_sum %{{.*}} : tensor<8x15xf32> -> tensor<8x1xf32>
func.func @reduced_axes_merge(%x: memref<120xf32>, %y: memref<8xf32>) {
  lazy.kernel @reduced_axes_merge ins(%x : memref<120xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: memref<120xf32>, %out: memref<8xf32>):
    %0 = lazy.load %in <[2, 4, 3, 5]> : memref<120xf32> -> tensor<2x4x3x5xf32>
    %1 = lazy.reduce_sum %0 : tensor<2x4x3x5xf32> -> tensor<2x4x1x1xf32>
    lazy.store %1, %out <[2, 4, 1, 1]> : tensor<2x4x1x1xf32>, memref<8xf32>
  }
  return
}

// A transposed input would need a second view.
// CHECK-LABEL: lazy.kernel @transposed_stays
// CHECK: lazy.load %{{.*}} <[4, 3], strides = [1, 4]>
func.func @transposed_stays(%x: memref<12xf32>, %y: memref<12xf32>) {
  lazy.kernel @transposed_stays ins(%x : memref<12xf32>) outs(%y : memref<12xf32>) {
  ^bb0(%in: memref<12xf32>, %out: memref<12xf32>):
    %0 = lazy.load %in <[4, 3], strides = [1, 4]> : memref<12xf32> -> tensor<4x3xf32>
    lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, memref<12xf32>
  }
  return
}

// A plan names axes.
// CHECK-LABEL: lazy.kernel @planned_stays
// CHECK: lazy.load %{{.*}} <[4, 3]>
func.func @planned_stays(%x: memref<12xf32>, %y: memref<12xf32>) {
  lazy.kernel @planned_stays ins(%x : memref<12xf32>) outs(%y : memref<12xf32>) plan <parallel = [0], tile = [1]> {
  ^bb0(%in: memref<12xf32>, %out: memref<12xf32>):
    %0 = lazy.load %in <[4, 3]> : memref<12xf32> -> tensor<4x3xf32>
    lazy.store %0, %out <[4, 3]> : tensor<4x3xf32>, memref<12xf32>
  }
  return
}

// CHECK-LABEL: lazy.kernel @one_element
// CHECK: lazy.load %{{.*}} <[]> : memref<1xf32> -> tensor<f32>
func.func @one_element(%x: memref<1xf32>, %y: memref<1xf32>) {
  lazy.kernel @one_element ins(%x : memref<1xf32>) outs(%y : memref<1xf32>) {
  ^bb0(%in: memref<1xf32>, %out: memref<1xf32>):
    %0 = lazy.load %in <[1, 1]> : memref<1xf32> -> tensor<1x1xf32>
    lazy.store %0, %out <[1, 1]> : tensor<1x1xf32>, memref<1xf32>
  }
  return
}

// CHECK-LABEL: lazy.kernel @axis_of_one
// CHECK: lazy.load %{{.*}} <[12]> : memref<12xf32> -> tensor<12xf32>
func.func @axis_of_one(%x: memref<12xf32>, %y: memref<12xf32>) {
  lazy.kernel @axis_of_one ins(%x : memref<12xf32>) outs(%y : memref<12xf32>) {
  ^bb0(%in: memref<12xf32>, %out: memref<12xf32>):
    %0 = lazy.load %in <[4, 1, 3]> : memref<12xf32> -> tensor<4x1x3xf32>
    lazy.store %0, %out <[4, 1, 3]> : tensor<4x1x3xf32>, memref<12xf32>
  }
  return
}

// What stands beside an axis without elements may be too large to be one axis.
// CHECK-LABEL: lazy.kernel @no_elements
// CHECK: lazy.load %{{.*}} <[0, 9223372036854775807]{{.*}} : memref<0xf32> -> tensor<0x9223372036854775807xf32>
func.func @no_elements(%x: memref<0xf32>, %y: memref<0xf32>) {
  lazy.kernel @no_elements ins(%x : memref<0xf32>) outs(%y : memref<0xf32>) {
  ^bb0(%in: memref<0xf32>, %out: memref<0xf32>):
    %0 = lazy.load %in <[0, 3, 9223372036854775807]> : memref<0xf32> -> tensor<0x3x9223372036854775807xf32>
    lazy.store %0, %out <[0, 3, 9223372036854775807]> : tensor<0x3x9223372036854775807xf32>, memref<0xf32>
  }
  return
}
