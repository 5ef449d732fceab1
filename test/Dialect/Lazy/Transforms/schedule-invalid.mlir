// RUN: tinygrad-opt %s --lazy-schedule --split-input-file --verify-diagnostics
// RUN: not tinygrad-opt %s --lazy-schedule=opt-level=5 --split-input-file 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not tinygrad-opt %s --lazy-schedule=rules=max --split-input-file 2>&1 | FileCheck %s --check-prefix=RULES
// RUN: not tinygrad-opt %s --lazy-schedule=liveness=long --split-input-file 2>&1 | FileCheck %s --check-prefix=LIVENESS
// RUN: not tinygrad-opt %s --lazy-schedule=reduce-split-threshold=0 --split-input-file 2>&1 | FileCheck %s --check-prefix=THRESHOLD
// RUN: not tinygrad-opt %s --lazy-schedule=max-split-results=-1 --split-input-file 2>&1 | FileCheck %s --check-prefix=RESULTS

// THRESHOLD: error: expects option `reduce-split-threshold` to be at least 1, got 0
// LEVEL: error: expects option `opt-level` from 0 to 4, got 5
// RULES: error: expects option `rules` to be `reference`, got `max`
// THRESHOLD: error: expects option `reduce-split-threshold` to be at least 1, got 0
// RESULTS: error: expects option `max-split-results` to be 0 or more, got -1
// LIVENESS: error: expects option `liveness` to be `dropped` or `kept`, got `long`

// A schedule alone passes; an operation of the graph beside it is a mistake.
func.func @not_of_stage_1(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'lazy.kernel' op expects an operation of the graph; this one cannot be scheduled}}
  %k = lazy.kernel @copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  %n = lazy.neg %k : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expects a body of one block, got 2}}
func.func @two_blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expects a body of one block, got 2}}
func.func @two_blocks_with_a_kernel(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %k = lazy.kernel @copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %0 = lazy.load %in <[4]> : tensor<4xf32> -> tensor<4xf32>
    lazy.store %0, %out <[4]> : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  cf.br ^next
^next:
  return %k : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op cannot be scheduled: `tinygrad.kernel` says that it is a kernel which was scheduled}}
func.func @marked_as_kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tinygrad.kernel} {
  %n = lazy.neg %x : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func @custom_on_memory(%x: tensor<4xf32>, %m: memref<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'lazy.custom' op expects tensors to be scheduled, got memrefs}}
  lazy.custom "f"(%m) : (memref<4xf32>) -> ()
  %n = lazy.neg %x : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func @copy_on_memory(%x: memref<4xf32>, %y: memref<4xf32>) {
  %e = lazy.empty : tensor<4xf32>
  // expected-error @+1 {{'lazy.copy' op expects tensors to be scheduled, got memrefs}}
  lazy.copy %x into %y : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @assign_to_expanded(%x: tensor<1x3xf32>, %y: tensor<4x3xf32>) {
  %e = lazy.expand %x : tensor<1x3xf32> -> tensor<4x3xf32>
  // expected-error @+1 {{'lazy.assign' op expects a target whose elements lie apart, got shape_tracker<view<[4, 3], strides [0, 1], offset 0>>}}
  %r = lazy.assign %e, %y : tensor<4x3xf32>
  return
}

// -----

func.func @assign_to_padded(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %p = lazy.pad %x low [1] high [0] : tensor<3xf32> -> tensor<4xf32>
  // expected-error @+1 {{'lazy.assign' op expects a target without padding, got shape_tracker<view<[4], strides [1], offset -1, mask}}
  %r = lazy.assign %p, %y : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A part of a part that was reshaped.
func.func @assign_to_two_views(%x: tensor<4x4xf32>, %y: tensor<7xf32>) {
  %s = lazy.shrink %x begin [0, 0] end [4, 3] : tensor<4x4xf32> -> tensor<4x3xf32>
  %f = lazy.reshape %s : tensor<4x3xf32> -> tensor<12xf32>
  %t = lazy.shrink %f begin [2] end [9] : tensor<12xf32> -> tensor<7xf32>
  // expected-error @+1 {{'lazy.assign' op expects a target that one view shows, perhaps reshaped, got shape_tracker<view<}}
  %r = lazy.assign %t, %y : tensor<7xf32>
  return
}
