// RUN: tinygrad-opt %s --lazy-schedule --split-input-file | FileCheck %s --check-prefixes=CHECK,OPT2
// RUN: tinygrad-opt %s --lazy-schedule=opt-level=0 --split-input-file | FileCheck %s --check-prefixes=CHECK,OPT0
// RUN: tinygrad-opt %s --lazy-schedule=opt-level=4 --split-input-file | FileCheck %s --check-prefix=CHECK

// Level 0: each operation is a kernel. Level 2: one reduce with its source.
// CHECK-LABEL: func.func @levels
// OPT0: %[[M:.*]] = lazy.kernel @e_4_3
// OPT0: lazy.kernel @r_4_3 ins(%[[M]] :
// OPT2-COUNT-1: lazy.kernel @r_4_3
// OPT2-NOT: lazy.kernel
func.func @levels(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x1xf32> {
  %m = lazy.mul %x, %y : tensor<4x3xf32>
  %s = lazy.reduce_sum %m : tensor<4x3xf32> -> tensor<4x1xf32>
  return %s : tensor<4x1xf32>
}

// -----

// Nothing is computed: arguments, views and constants are returned as such.
// CHECK-LABEL: func.func @no_kernel
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @no_kernel(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x4xf32>, tensor<2x2xi32>, tensor<4xf32>) {
  // CHECK-NOT: lazy.kernel
  // CHECK-DAG: %[[P:.*]] = lazy.view %[[X]] <[3, 4], strides = [1, 3]>
  // CHECK-DAG: %[[C:.*]] = lazy.const dense<7> : tensor<2x2xi32>
  // CHECK-DAG: %[[D:.*]] = lazy.const dense<2.000000e+00> : tensor<f32>
  // CHECK-DAG: %[[V:.*]] = lazy.view %[[D]] <[4], strides = [0], mask = {{\[\[}}1, 4]]>
  // CHECK: return %[[X]], %[[P]], %[[C]], %[[V]]
  %p = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  %c = lazy.const dense<7> : tensor<2x2xi32>
  %d = lazy.const dense<2.0> : tensor<3xf32>
  %v = lazy.pad %d low [1] high [0] : tensor<3xf32> -> tensor<4xf32>
  return %x, %p, %c, %v : tensor<4x3xf32>, tensor<3x4xf32>, tensor<2x2xi32>, tensor<4xf32>
}

// -----

// What is not returned yields nothing.
// CHECK-LABEL: func.func @unused
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: lazy.
  // CHECK: return
  %n = lazy.neg %x : tensor<4xf32>
  %e = lazy.empty : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// CST: a constant is made in the kernel, in the shape that is needed there.
// CHECK-LABEL: func.func @cst
func.func @cst(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: lazy.kernel @e_4_3 ins(%{{[a-z0-9]+}} : tensor<4x3xf32>) outs
  // CHECK: lazy.const dense<2.000000e+00> : tensor<4x3xf32>
  %c = lazy.const dense<2.0> : tensor<4x3xf32>
  %m = lazy.mul %x, %c : tensor<4x3xf32>
  return %m : tensor<4x3xf32>
}

// -----

// CSE: equal operations are one, while the first lives.
// CHECK-LABEL: func.func @cse
func.func @cse(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[K:.*]] = lazy.kernel
  // CHECK-NOT: lazy.kernel
  // CHECK: return %[[K]], %[[K]]
  %a = lazy.neg %x : tensor<4xf32>
  %b = lazy.neg %x : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// ZER: the sum of nothing reads nothing.
// CHECK-LABEL: func.func @zer
func.func @zer(%x: tensor<4x0xf32>) -> (tensor<4x0xf32>, tensor<4x1xf32>) {
  // CHECK: lazy.kernel @r_4_0 outs
  // CHECK: %[[C:.*]] = lazy.const dense<0.000000e+00> : tensor<4x0xf32>
  // CHECK: lazy.reduce_sum %[[C]]
  // CHECK: lazy.const dense<{{.*}}> : tensor<4x0xf32>
  %n = lazy.neg %x : tensor<4x0xf32>
  %s = lazy.reduce_sum %n : tensor<4x0xf32> -> tensor<4x1xf32>
  return %n, %s : tensor<4x0xf32>, tensor<4x1xf32>
}

// -----

// CTG: a contiguous of what lies in order is no kernel, that of a view is one.
// CHECK-LABEL: func.func @ctg
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @ctg(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  // CHECK: %[[K:.*]] = lazy.kernel @e_3_4
  // CHECK: lazy.load %{{.*}} <[3, 4], strides = [1, 3]>
  // CHECK-NOT: lazy.kernel
  // CHECK: return %[[X]], %[[K]], %[[K]]
  %c = lazy.contiguous %x : tensor<4x3xf32>
  %p = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  %d = lazy.contiguous %p : tensor<3x4xf32>
  %e = lazy.contiguous %d : tensor<3x4xf32>
  return %c, %d, %e : tensor<4x3xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// COL: each pair is one view. The steps of `%t` must not be multiplied: the
// first leaves positions 0 and 2, and the second starts at 2, not at 3.
// CHECK-LABEL: func.func @col
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
func.func @col(%x: tensor<4xf32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) {
  // CHECK-DAG: %[[B:.*]] = lazy.view %[[X]] <[3], offset = -1, mask = {{\[\[}}1, 3]]>
  // CHECK-DAG: %[[U:.*]] = lazy.view %[[X]] <[2], strides = [-2], offset = 2>
  // CHECK-DAG: %[[W:.*]] = lazy.view %[[X]] <[2], strides = [-2], offset = 3>
  // CHECK: return %[[B]], %[[U]], %[[W]]
  %a = lazy.shrink %x begin [0] end [2] : tensor<4xf32> -> tensor<2xf32>
  %b = lazy.pad %a low [1] high [0] : tensor<2xf32> -> tensor<3xf32>
  %t = lazy.stride %x [2] : tensor<4xf32> -> tensor<2xf32>
  %u = lazy.stride %t [-1] : tensor<2xf32> -> tensor<2xf32>
  %v = lazy.stride %x [-1] : tensor<4xf32> -> tensor<4xf32>
  %w = lazy.stride %v [2] : tensor<4xf32> -> tensor<2xf32>
  return %b, %u, %w : tensor<3xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// SPL: 65,536 elements to one are 256 sums of 256, and their sum.
// CHECK-LABEL: func.func @spl_large
func.func @spl_large(%x: tensor<65536xf32>) -> tensor<1xf32> {
  // CHECK: %[[A:.*]] = lazy.kernel @r_256_256
  // CHECK: lazy.kernel @r_256 ins(%[[A]] :
  %s = lazy.reduce_sum %x : tensor<65536xf32> -> tensor<1xf32>
  return %s : tensor<1xf32>
}

// -----

// SPL: not below the threshold.
// CHECK-LABEL: func.func @spl_not_small
func.func @spl_not_small(%x: tensor<16384xf32>) -> tensor<1xf32> {
  // CHECK: lazy.kernel @r_16384
  // CHECK-NOT: lazy.kernel
  %s = lazy.reduce_sum %x : tensor<16384xf32> -> tensor<1xf32>
  return %s : tensor<1xf32>
}

// -----

// An implicit cast is a part of its user: no kernel at level 0, and no child.
// CHECK-LABEL: func.func @implicit_cast
func.func @implicit_cast(%x: tensor<4xi32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: lazy.kernel @e_4
  // CHECK: lazy.cast %{{.*}} implicit
  // CHECK: lazy.add
  // CHECK-NOT: lazy.kernel
  %c = lazy.cast %x implicit : tensor<4xi32> -> tensor<4xf32>
  %a = lazy.add %c, %y : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// Without an elementwise user it is a cast like any other.
// CHECK-LABEL: func.func @implicit_cast_returned
func.func @implicit_cast_returned(%x: tensor<4xi32>) -> tensor<4xf32> {
  // CHECK: lazy.kernel @e_4
  // CHECK: lazy.cast %{{.*}} : tensor<4xi32> -> tensor<4xf32>
  %c = lazy.cast %x implicit : tensor<4xi32> -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// Movement operations hand an implicit cast on to what reads their results.
// CHECK-LABEL: func.func @implicit_cast_moved
// CHECK-SAME:    (%[[W:.*]]: tensor<3x4xf16>, %[[X:.*]]: tensor<2x4x3xf32>)
func.func @implicit_cast_moved(%w: tensor<3x4xf16>, %x: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
  // CHECK: lazy.kernel @e_2_4_3 ins(%[[X]], %[[W]] :
  // CHECK: lazy.load %{{.*}} <[2, 4, 3], strides = [0, 1, 4]> : tensor<3x4xf16>
  // CHECK: lazy.cast %{{.*}} implicit : tensor<2x4x3xf16> -> tensor<2x4x3xf32>
  // CHECK: lazy.mul
  // CHECK-NOT: lazy.kernel
  %c = lazy.cast %w implicit : tensor<3x4xf16> -> tensor<3x4xf32>
  %p = lazy.permute %c [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  %r = lazy.reshape %p : tensor<4x3xf32> -> tensor<1x4x3xf32>
  %e = lazy.expand %r : tensor<1x4x3xf32> -> tensor<2x4x3xf32>
  %m = lazy.mul %x, %e : tensor<2x4x3xf32>
  return %m : tensor<2x4x3xf32>
}

// -----

// Without an elementwise user the cast comes after the movement.
// CHECK-LABEL: func.func @implicit_cast_moved_and_returned
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xi32>)
func.func @implicit_cast_moved_and_returned(%x: tensor<4x3xi32>) -> tensor<3x4xf32> {
  // CHECK: %[[K:.*]] = lazy.kernel @e_3_4 ins(%[[X]] :
  // CHECK: lazy.load %{{.*}} <[3, 4], strides = [1, 3]> : tensor<4x3xi32>
  // CHECK: lazy.cast %{{.*}} : tensor<3x4xi32> -> tensor<3x4xf32>
  // CHECK: return %[[K]]
  %c = lazy.cast %x implicit : tensor<4x3xi32> -> tensor<4x3xf32>
  %p = lazy.permute %c [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  return %p : tensor<3x4xf32>
}

// -----

// Custom operations stay, in their order, also unused; they read what is in a
// buffer.
// CHECK-LABEL: func.func @custom
// CHECK-SAME:    (%[[X:.*]]: tensor<4x3xf32>)
func.func @custom(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  // CHECK: %[[C:.*]] = lazy.kernel @e_3_4 ins(%[[X]] :
  // CHECK: %[[A:.*]] = lazy.custom "first"(%[[C]])
  // CHECK: lazy.custom "second"()
  // CHECK: lazy.kernel @e_3_4n1 ins(%[[A]] :
  %p = lazy.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  %a = lazy.custom "first" (%p) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %b = lazy.custom "second" () : () -> tensor<4xf32>
  %n = lazy.neg %a : tensor<3x4xf32>
  return %n : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @view_and_as_strided
func.func @view_and_as_strided(%x: tensor<4x3xf32>) -> tensor<2x2xf32> {
  // CHECK: lazy.kernel @e_2_2 ins(%{{[a-z0-9]+}} :
  // CHECK-DAG: lazy.load %{{.*}} <[2, 2], strides = [1, 3], offset = 1>
  // CHECK-DAG: lazy.load %{{.*}} <[2, 2], strides = [2, 4], offset = 3>
  %v = lazy.view %x <[2, 2], strides = [1, 3], offset = 1> : tensor<4x3xf32> -> tensor<2x2xf32>
  %s = lazy.as_strided %x [2, 4] offset 3 : tensor<4x3xf32> -> tensor<2x2xf32>
  %a = lazy.add %v, %s : tensor<2x2xf32>
  return %a : tensor<2x2xf32>
}

// -----

// A value that the program holds on to still has a child: two kernels.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<4x3xf32>) -> tensor<4x1xf32> {
  // OPT2: lazy.kernel @e_4_3
  // OPT2: lazy.kernel @r_4_3
  %n = lazy.neg %x : tensor<4x3xf32>
  %m = lazy.reduce_max %n {lazy.kept} : tensor<4x3xf32> -> tensor<4x1xf32>
  %s = lazy.reduce_sum %n : tensor<4x3xf32> -> tensor<4x1xf32>
  return %s : tensor<4x1xf32>
}

// -----

// CHECK-LABEL: func.func @rank_0
func.func @rank_0(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: lazy.kernel @e ins
  // CHECK: lazy.load %{{.*}} <[]>
  %n = lazy.neg %x : tensor<f32>
  return %n : tensor<f32>
}

// A schedule stays as it is, and so does what has no tensor.
// CHECK-LABEL: func.func @scheduled_already
// CHECK: lazy.kernel @own_name
func.func @scheduled_already(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = lazy.empty : tensor<4xf32>
  %k = lazy.kernel @own_name ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  return %k : tensor<4xf32>
}

// CHECK-LABEL: func.func @no_tensor
// CHECK: memref.alloc
func.func @no_tensor(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return
}

// -----

// What is realized is an input of what comes after it: the reshape in the middle
// says that the product is computed there, so nothing inlines it.
// OPT2-LABEL: func.func @realized
func.func @realized(%x: tensor<4xf32>) -> tensor<4xf32> {
  // OPT2: %[[M:.*]] = lazy.kernel @e_4
  // OPT2: lazy.kernel @e_4n1 ins(%[[M]] :
  // OPT2-NOT: lazy.kernel
  %m = lazy.mul %x, %x : tensor<4xf32>
  %r = lazy.reshape %m {lazy.realized} : tensor<4xf32> -> tensor<4xf32>
  %n = lazy.neg %r : tensor<4xf32>
  return %n : tensor<4xf32>
}
