// RUN: tinygrad-opt %s --convert-lazy-to-gpu --split-input-file | FileCheck %s --implicit-check-not=lazy.

// One work item per element; four fit in one block, which needs no guard.
// CHECK-LABEL: module attributes {gpu.container_module}
// CHECK:       func.func @neg(%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK-DAG:     %[[GX:.*]] = memref.memory_space_cast %[[X]] : memref<4xf32> to memref<4xf32, #gpu.address_space<global>>
// CHECK-DAG:     %[[GY:.*]] = memref.memory_space_cast %[[Y]] : memref<4xf32> to memref<4xf32, #gpu.address_space<global>>
// CHECK:         gpu.launch_func @neg_module::@neg blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%c4, %{{.*}}, %{{.*}}) args(%[[GX]] {{.*}}, %[[GY]] {{.*}})
// CHECK:       gpu.module @neg_module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i64>}
// CHECK:         gpu.func @neg(%[[A:.*]]: memref<4xf32, #gpu.address_space<global>>, %[[B:.*]]: memref<4xf32, #gpu.address_space<global>>) kernel attributes {known_block_size = array<i32: 4, 1, 1>}
// CHECK:           %[[ID:.*]] = gpu.global_id x
// CHECK-NOT:       scf.if
// CHECK:           %[[V:.*]] = memref.load %[[A]][%[[ID]]]
// CHECK:           %[[N:.*]] = arith.negf %[[V]]
// CHECK:           memref.store %[[N]], %[[B]][%[[ID]]]
// CHECK:           gpu.return
func.func @neg(%x: memref<4xf32>, %y: memref<4xf32>) {
  lazy.kernel @neg ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: memref<4xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[4]> : memref<4xf32> -> tensor<4xf32>
    %1 = lazy.neg %0 : tensor<4xf32>
    lazy.store %1, %out <[4]> : tensor<4xf32>, memref<4xf32>
  }
  return
}

// -----

// 300 elements are two blocks; the work items past the end do nothing. The
// number of a work item is split into the index of each axis.
// CHECK:       func.func @blocks
// CHECK:         gpu.launch_func {{.*}} blocks in (%c2, {{.*}}) threads in (%c256, {{.*}})
// CHECK:         gpu.func @blocks
// CHECK:           %[[ID:.*]] = gpu.global_id x
// CHECK:           %[[END:.*]] = arith.constant 300
// CHECK:           %[[EXISTS:.*]] = arith.cmpi ult, %[[ID]], %[[END]]
// CHECK:           scf.if %[[EXISTS]] {
// CHECK:             %[[J:.*]] = arith.remui %[[ID]], %c30
// CHECK:             %[[I:.*]] = arith.divui %[[ID]], %c30
// CHECK:             %[[JJ:.*]] = arith.muli %[[J]], %c10
// CHECK:             %[[AT:.*]] = arith.addi
// CHECK:             memref.load %{{.*}}[%[[AT]]]
// CHECK:             memref.store
func.func @blocks(%x: memref<300xf32>, %y: memref<300xf32>) {
  lazy.kernel @blocks ins(%x : memref<300xf32>) outs(%y : memref<300xf32>) {
  ^bb0(%in: memref<300xf32>, %out: memref<300xf32>):
    %0 = lazy.load %in <[10, 30], strides = [1, 10]> : memref<300xf32> -> tensor<10x30xf32>
    lazy.store %0, %out <[10, 30]> : tensor<10x30xf32>, memref<300xf32>
  }
  return
}

// -----

// A masked element is 0, and its index is replaced before memory is read.
// CHECK:         gpu.func @pad
// CHECK:           %[[ID:.*]] = gpu.global_id x
// CHECK:           %[[VALID:.*]] = arith.cmpi sge, %[[ID]], %c2
// CHECK:           %[[AT:.*]] = arith.addi %[[ID]], %c-2
// CHECK:           %[[SAFE:.*]] = arith.select %[[VALID]], %[[AT]], %c0
// CHECK:           %[[READ:.*]] = memref.load %{{.*}}[%[[SAFE]]]
// CHECK:           arith.select %[[VALID]], %[[READ]], %cst
func.func @pad(%x: memref<4xf32>, %y: memref<6xf32>) {
  lazy.kernel @pad ins(%x : memref<4xf32>) outs(%y : memref<6xf32>) {
  ^bb0(%in: memref<4xf32>, %out: memref<6xf32>):
    %0 = lazy.load %in <[6], strides = [1], offset = -2, mask = [[2, 6]]> : memref<4xf32> -> tensor<6xf32>
    lazy.store %0, %out <[6]> : tensor<6xf32>, memref<6xf32>
  }
  return
}

// -----

// A reduce is a loop per axis that it reduces, in each work item; a sum of f16
// is kept in f32.
// CHECK:         gpu.func @sum
// CHECK:           %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK:           %[[SUM:.*]] = scf.for %{{.*}} to %c3 {{.*}} iter_args(%[[OUTER:.*]] = %[[ZERO]]) -> (f32)
// CHECK:             %[[INNER:.*]] = scf.for %{{.*}} to %c5 {{.*}} iter_args(%[[ACC:.*]] = %[[OUTER]]) -> (f32)
// CHECK:               %[[LOAD:.*]] = memref.load
// CHECK:               %[[WIDE:.*]] = arith.extf %[[LOAD]] : f16 to f32
// CHECK:               %[[NEXT:.*]] = arith.addf %[[ACC]], %[[WIDE]]
// CHECK:               scf.yield %[[NEXT]]
// CHECK:             scf.yield %[[INNER]]
// CHECK:           %[[HALF:.*]] = arith.truncf %[[SUM]] : f32 to f16
// CHECK:           memref.store %[[HALF]]
func.func @sum(%x: memref<60xf16>, %y: memref<4xf16>) {
  lazy.kernel @sum ins(%x : memref<60xf16>) outs(%y : memref<4xf16>) {
  ^bb0(%in: memref<60xf16>, %out: memref<4xf16>):
    %0 = lazy.load %in <[3, 4, 5]> : memref<60xf16> -> tensor<3x4x5xf16>
    %1 = lazy.reduce_sum %0 : tensor<3x4x5xf16> -> tensor<1x4x1xf16>
    lazy.store %1, %out <[1, 4, 1]> : tensor<1x4x1xf16>, memref<4xf16>
  }
  return
}

// -----

// Several reduces, one of them of another, and several stores.
// CHECK:         gpu.func @several
// CHECK:           %[[MAX:.*]] = scf.for %{{.*}} to %c5
// CHECK:             %[[ROW:.*]] = scf.for %{{.*}} to %c3
// CHECK:               arith.addf
// CHECK:             arith.maximumf %{{.*}}, %[[ROW]]
// CHECK:           memref.store %[[MAX]], %arg1
// CHECK:           scf.for %{{.*}} to %c3
// CHECK:             scf.for %{{.*}} to %c5
// CHECK:               arith.maximumf
// CHECK:           arith.addf %[[MAX]]
// CHECK:           memref.store %{{.*}}, %arg2
func.func @several(%x: memref<15xf32>, %y: memref<1xf32>, %z: memref<1xf32>) {
  lazy.kernel @several ins(%x : memref<15xf32>) outs(%y, %z : memref<1xf32>, memref<1xf32>) {
  ^bb0(%in: memref<15xf32>, %out: memref<1xf32>, %other: memref<1xf32>):
    %0 = lazy.load %in <[3, 5]> : memref<15xf32> -> tensor<3x5xf32>
    %1 = lazy.reduce_sum %0 : tensor<3x5xf32> -> tensor<1x5xf32>
    %2 = lazy.reduce_max %1 : tensor<1x5xf32> -> tensor<1x1xf32>
    %3 = lazy.reduce_max %0 : tensor<3x5xf32> -> tensor<1x1xf32>
    %4 = lazy.add %2, %3 : tensor<1x1xf32>
    lazy.store %2, %out <[1, 1]> : tensor<1x1xf32>, memref<1xf32>
    lazy.store %4, %other <[1, 1]> : tensor<1x1xf32>, memref<1xf32>
  }
  return
}

// -----

// A bool is a byte in memory; unsigned numbers are compared as such.
// CHECK:         gpu.func @less
// CHECK:           %[[LESS:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i8
// CHECK:           %[[BYTE:.*]] = arith.extui %[[LESS]] : i1 to i8
// CHECK:           memref.store %[[BYTE]]
func.func @less(%x: memref<4xi8>, %y: memref<4xi8>, %z: memref<4xi8>) {
  lazy.kernel @less ins(%x, %y : memref<4xi8>, memref<4xi8>) outs(%z : memref<4xi8>) {
  ^bb0(%a: memref<4xi8>, %b: memref<4xi8>, %c: memref<4xi8>):
    %0 = lazy.load %a <[4]> : memref<4xi8> -> tensor<4xui8>
    %1 = lazy.load %b <[4]> : memref<4xi8> -> tensor<4xui8>
    %2 = lazy.cmplt %0, %1 : tensor<4xui8> -> tensor<4xi1>
    lazy.store %2, %c <[4]> : tensor<4xi1>, memref<4xi8>
  }
  return
}

// -----

// Where an index does not fit in 32 bits, `index` has 64: that of an element,
// or the end of a loop.
// CHECK:       gpu.module @far_module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i64>}
// CHECK:       gpu.module @long_module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i64>}
func.func @far(%x: memref<8589934592xf32>, %y: memref<2xf32>) {
  lazy.kernel @far ins(%x : memref<8589934592xf32>) outs(%y : memref<2xf32>) {
  ^bb0(%in: memref<8589934592xf32>, %out: memref<2xf32>):
    %0 = lazy.load %in <[2], strides = [4294967296]> : memref<8589934592xf32> -> tensor<2xf32>
    lazy.store %0, %out <[2]> : tensor<2xf32>, memref<2xf32>
  }
  lazy.kernel @long ins(%x : memref<8589934592xf32>) outs(%y : memref<2xf32>) {
  ^bb0(%in: memref<8589934592xf32>, %out: memref<2xf32>):
    %0 = lazy.load %in <[2, 4294967296], strides = [1, 0]> : memref<8589934592xf32> -> tensor<2x4294967296xf32>
    %1 = lazy.reduce_sum %0 : tensor<2x4294967296xf32> -> tensor<2x1xf32>
    lazy.store %1, %out <[2, 1]> : tensor<2x1xf32>, memref<2xf32>
  }
  return
}

// -----

// A kernel without elements is not launched; a reduce without any gives its
// start.
// CHECK-LABEL: func.func @empty
// CHECK-NOT:     @none
// CHECK:         gpu.launch_func @start_module::@start
// CHECK-NOT:     @none
// CHECK:         gpu.func @start
// CHECK:           scf.for %{{.*}} = %{{.*}} to %c0{{.*}} iter_args
// CHECK-NOT:       memref.load
// CHECK:           memref.store
func.func @empty(%x: memref<0xf32>, %y: memref<0xf32>, %z: memref<2xf32>) {
  lazy.kernel @none ins(%x : memref<0xf32>) outs(%y : memref<0xf32>) {
  ^bb0(%in: memref<0xf32>, %out: memref<0xf32>):
    %0 = lazy.load %in <[0, 3]> : memref<0xf32> -> tensor<0x3xf32>
    lazy.store %0, %out <[0, 3]> : tensor<0x3xf32>, memref<0xf32>
  }
  lazy.kernel @start ins(%x : memref<0xf32>) outs(%z : memref<2xf32>) {
  ^bb0(%in: memref<0xf32>, %out: memref<2xf32>):
    %0 = lazy.load %in <[2, 0]> : memref<0xf32> -> tensor<2x0xf32>
    %1 = lazy.reduce_max %0 : tensor<2x0xf32> -> tensor<2x1xf32>
    lazy.store %1, %out <[2, 1]> : tensor<2x1xf32>, memref<2xf32>
  }
  return
}
