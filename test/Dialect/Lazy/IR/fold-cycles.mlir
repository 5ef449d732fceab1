// RUN: tinygrad-opt %s --canonicalize | FileCheck %s
// RUN: tinygrad-opt %s --canonicalize=region-simplify=disabled | FileCheck %s --check-prefixes=CHECK,KEPT

// In a graph region, and in blocks that are never reached, values may be their
// own operands. Folding ends there, and verified IR comes out.

// CHECK-LABEL: module @cycles
module @cycles {
  // KEPT: %[[N:.*]] = lazy.noop %[[N]]
  // KEPT: %[[P:.*]] = lazy.permute %[[P]]
  // KEPT: %[[V:.*]] = lazy.view %[[V]] <[3, 3], strides = [1, 3]>
  %n0 = lazy.noop %n0 : tensor<4xf32>
  %n1 = lazy.noop %n2 : tensor<4xf32>
  %n2 = lazy.noop %n1 : tensor<4xf32>
  %g0 = lazy.neg %g0 : tensor<4xf32>
  %g1 = lazy.neg %g2 : tensor<4xf32>
  %g2 = lazy.neg %g1 : tensor<4xf32>
  %c0 = lazy.cast %c1 : tensor<4xf32> -> tensor<4xf64>
  %c1 = lazy.cast %c0 : tensor<4xf64> -> tensor<4xf32>
  %b0 = lazy.bitcast %b1 : tensor<4xf32> -> tensor<4xi32>
  %b1 = lazy.bitcast %b0 : tensor<4xi32> -> tensor<4xf32>
  %b2 = lazy.bitcast %b1 : tensor<4xf32> -> tensor<4xui32>
  %s0 = lazy.sub %s0, %s0 : tensor<4xi32>
  %m0 = lazy.max %m0, %m0 : tensor<4xf32>
  %w0 = lazy.where %w0, %w0, %w0 : tensor<4xi1>, tensor<4xi1>
  %d0 = lazy.div %d0, %d0 : tensor<4xi32>

  %r0 = lazy.reshape %r0 : tensor<4xf32> -> tensor<4xf32>
  %r1 = lazy.reshape %r3 : tensor<4x3xf32> -> tensor<12xf32>
  %r2 = lazy.reshape %r1 : tensor<12xf32> -> tensor<2x6xf32>
  %r3 = lazy.reshape %r2 : tensor<2x6xf32> -> tensor<4x3xf32>
  %r4 = lazy.reshape %r2 : tensor<2x6xf32> -> tensor<3x4xf32>
  %p0 = lazy.permute %p1 [1, 2, 0] : tensor<3x3x3xf32> -> tensor<3x3x3xf32>
  %p1 = lazy.permute %p0 [1, 0, 2] : tensor<3x3x3xf32> -> tensor<3x3x3xf32>
  %p2 = lazy.permute %p1 [0, 2, 1] : tensor<3x3x3xf32> -> tensor<3x3x3xf32>
  %k0 = lazy.contiguous %k0 : tensor<4xf32>
  %k1 = lazy.contiguous %k2 : tensor<4xf32>
  %k2 = lazy.contiguous %k1 : tensor<4xf32>
  %v0 = lazy.view %v0 <[3, 3], strides = [1, 3]> : tensor<3x3xf32> -> tensor<3x3xf32>
  %a0 = lazy.as_strided %a1 [1, 3] offset 0 : tensor<3x3xf32> -> tensor<3x3xf32>
  %a1 = lazy.as_strided %a0 [1, 3] offset 0 : tensor<3x3xf32> -> tensor<3x3xf32>
  %u0 = lazy.reduce_sum %u0 : tensor<4xf32> -> tensor<4xf32>
}

// CHECK-LABEL: func.func @unreachable
func.func @unreachable(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return
  return %x : tensor<4xf32>
^dead:
  %0 = lazy.neg %2 : tensor<4xf32>
  %1 = lazy.neg %0 : tensor<4xf32>
  %2 = lazy.noop %1 : tensor<4xf32>
  %3 = lazy.reshape %3 : tensor<4xf32> -> tensor<4xf32>
  cf.br ^dead
}
