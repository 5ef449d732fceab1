// What verifies is proven; the remarks say how far each access goes.
// RUN: tinygrad-opt %s --lazy-check-bounds="report=true" --verify-diagnostics
// Without `report` there is nothing to say.
// RUN: tinygrad-opt %s --lazy-check-bounds 2>&1 | FileCheck %s

// CHECK-NOT: remark: proves

#j = #lazy.variable<j, 0, 3>
#k = #lazy.variable<k, 0, 5>

func.func @kernel_on_memrefs(%x: memref<12xf32>, %y: memref<4xf32>) {
  lazy.kernel @flip ins(%x : memref<12xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: memref<12xf32>, %out: memref<4xf32>):
    // expected-remark@+1 {{proves indices from 3 to 9 of 12 elements: (d0) -> (d0 * -2 + 9)}}
    %0 = lazy.load %in <[4], strides = [-2], offset = 9> : memref<12xf32> -> tensor<4xf32>
    // expected-remark@+1 {{proves indices from 0 to 3 of 4 elements}}
    lazy.store %0, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

func.func @kernel_on_tensors(%x: tensor<12xf32>) -> tensor<4xf32> {
  %e = lazy.empty : tensor<4xf32>
  %k = lazy.kernel @masked ins(%x : tensor<12xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: tensor<12xf32>, %out: tensor<4xf32>):
    // What the mask excludes would be negative.
    // expected-remark@+1 {{proves indices from 0 to 2 of 12 elements: (d0) -> (d0 - 1) where (d0) : (d0 - 1 >= 0)}}
    %0 = lazy.load %in <[4], strides = [1], offset = -1, mask = [[1, 4]]> : tensor<12xf32> -> tensor<4xf32>
    // expected-remark@+1 {{proves indices from 0 to 3 of 4 elements}}
    lazy.store %0, %out <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  return %k : tensor<4xf32>
}

// The condition that the second view adds bounds the sum of the third one's
// axes.
func.func @several_views(%x: tensor<24xf32>) -> tensor<3x4xf32> {
  // expected-remark@+1 {{proves indices from 5 to 9 of 24 elements}}
  %v = lazy.view %x <[24], then [12], strides = [1], offset = 3, mask = [[2, 7]], then [3, 4]> : tensor<24xf32> -> tensor<3x4xf32>
  return %v : tensor<3x4xf32>
}

func.func @as_strided(%x: tensor<12xf32>) -> (tensor<2x3xf32>, tensor<0x3xf32>) {
  // expected-remark@+1 {{proves indices from 1 to 6 of 12 elements}}
  %a = lazy.as_strided %x [-1, 2] offset 2 : tensor<12xf32> -> tensor<2x3xf32>
  // expected-remark@+1 {{proves that none of 12 elements is accessed}}
  %b = lazy.as_strided %x [-1, 2] offset 99 : tensor<12xf32> -> tensor<0x3xf32>
  return %a, %b : tensor<2x3xf32>, tensor<0x3xf32>
}

// As quick as a small one.
func.func @huge(%x: tensor<1048576x1048576xf32>) -> tensor<1048576x1048576xf32> {
  // expected-remark@+1 {{proves indices from 0 to 1099511627775 of 1099511627776 elements}}
  %v = lazy.view %x <[1048576, 1048576], strides = [1, 1048576]> : tensor<1048576x1048576xf32> -> tensor<1048576x1048576xf32>
  return %v : tensor<1048576x1048576xf32>
}

// Movement operations have no indices.
func.func @movement(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  %p = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  return %p : tensor<3x4xf32>
}

// Extents that may be 0: where one is, nothing is read.
func.func @empty_for_some(%x: tensor<?xf32, #lazy.type<dims = [#k]>>, %y: tensor<5xf32>) -> (tensor<?xf32, #lazy.type<dims = [#k]>>, tensor<6xf32>, tensor<?xf32, #lazy.type<dims = [5 - #k]>>, tensor<?xf32, #lazy.type<dims = [#j * #k]>>, tensor<?x0xf32, #lazy.type<dims = [#k, 0]>>) {
  // The last element, k times.
  // expected-remark@+1 {{proves indices from k - 1 to k - 1 of k elements}}
  %0 = lazy.view %x <[#k], strides = [0], offset = #k - 1> : tensor<?xf32, #lazy.type<dims = [#k]>> -> tensor<?xf32, #lazy.type<dims = [#k]>>
  // expected-remark@+1 {{proves indices from k - 1 to k - 1 of k elements}}
  %1 = lazy.view %x <[6], strides = [0], offset = #k - 1, mask = [[0, #k]]> : tensor<?xf32, #lazy.type<dims = [#k]>> -> tensor<6xf32>
  // expected-remark@+1 {{proves indices from -k + 4 to -k + 4 of 5 elements}}
  %2 = lazy.view %y <[5 - #k], strides = [0], offset = 4 - #k> : tensor<5xf32> -> tensor<?xf32, #lazy.type<dims = [5 - #k]>>
  // expected-remark@+1 {{proves indices from k - 1 to k - 1 of k elements}}
  %3 = lazy.view %x <[#j * #k], strides = [0], offset = #k - 1> : tensor<?xf32, #lazy.type<dims = [#k]>> -> tensor<?xf32, #lazy.type<dims = [#j * #k]>>
  %4 = lazy.view %x <[#k, 0], strides = [1, 1], offset = 9> : tensor<?xf32, #lazy.type<dims = [#k]>> -> tensor<?x0xf32, #lazy.type<dims = [#k, 0]>>
  return %0, %1, %2, %3, %4 : tensor<?xf32, #lazy.type<dims = [#k]>>, tensor<6xf32>, tensor<?xf32, #lazy.type<dims = [5 - #k]>>, tensor<?xf32, #lazy.type<dims = [#j * #k]>>, tensor<?x0xf32, #lazy.type<dims = [#k, 0]>>
}

// Memory of a size that is no number says nothing of what may be read.
func.func @unknown_size(%x: memref<?xf32>, %y: memref<?xf32>) {
  lazy.kernel @k ins(%y : memref<?xf32>) outs(%x : memref<?xf32>) {
  ^bb0(%in: memref<?xf32>, %out: memref<?xf32>):
    %0 = lazy.load %in <[6]> : memref<?xf32> -> tensor<6xf32>
    lazy.store %0, %out <[6]> : tensor<6xf32>, memref<?xf32>
  }
  return
}
