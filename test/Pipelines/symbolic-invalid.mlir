// RUN: tinygrad-opt %s --split-input-file --verify-diagnostics --convert-lazy-to-loops
// RUN: not tinygrad-opt %s --split-input-file --convert-lazy-to-gpu 2>&1 | FileCheck %s --check-prefix=GPU

#i = #lazy.variable<i, 8, 64>
func.func @contraction(%n: index, %x: memref<?xf32>, %y: memref<256xf32>, %z: memref<?xf32>) {
  // GPU: 'lazy.kernel' op expects sizes that are numbers: this lowering passes no variables to a GPU
  // expected-error @+1 {{'lazy.kernel' op cannot obey the field `contract` of its plan: the kernel has extents that are no numbers}}
  lazy.kernel @k ins(%x, %y : memref<?xf32>, memref<256xf32>) outs(%z : memref<?xf32>) variables(#i = %n) plan <contract = [0] x [1] x [2], width = 8, register = [4, 8], block = [8, 16, 16]> {
  ^bb0(%a: memref<?xf32>, %b: memref<256xf32>, %c: memref<?xf32>, %i: index):
    %0 = lazy.load %a <[#i, 16, 16], strides = [16, 0, 1]> : memref<?xf32> -> tensor<?x16x16xf32, #lazy.type<dims = [#i, 16, 16]>>
    %1 = lazy.load %b <[#i, 16, 16], strides = [0, 1, 16]> : memref<256xf32> -> tensor<?x16x16xf32, #lazy.type<dims = [#i, 16, 16]>>
    %2 = lazy.mul %0, %1 : tensor<?x16x16xf32, #lazy.type<dims = [#i, 16, 16]>>
    %3 = lazy.reduce_sum %2 : tensor<?x16x16xf32, #lazy.type<dims = [#i, 16, 16]>> -> tensor<?x16x1xf32, #lazy.type<dims = [#i, 16, 1]>>
    lazy.store %3, %c <[#i, 16, 1]> : tensor<?x16x1xf32, #lazy.type<dims = [#i, 16, 1]>>, memref<?xf32>
  }
  return
}
