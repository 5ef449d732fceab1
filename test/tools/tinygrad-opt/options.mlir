// A wrong option of a pass is one error.

// RUN: not tinygrad-opt %s --lazy-schedule=opt-level=99999999999 2>&1 | FileCheck %s --check-prefix=TYPE --implicit-check-not=error:
// RUN: not tinygrad-opt %s --lazy-schedule=opt-level=5 2>&1 | FileCheck %s --check-prefix=RANGE --implicit-check-not=error:
// RUN: not tinygrad-opt %s --tinygrad-to-loops=vector-bits=0 2>&1 | FileCheck %s --check-prefix=BITS --implicit-check-not=error:
// RUN: not tinygrad-opt %s --lazy-schedule=no-such-option=1 2>&1 | FileCheck %s --check-prefix=NAME

// TYPE: for the --opt-level option: '99999999999' value invalid for integer argument!
// TYPE-NOT: {{.}}
// RANGE: error: expects option `opt-level` from 0 to 4, got 5
// BITS: error: expects option `vector-bits` to be a power of two from 64 to 4096, got 0
// NAME: no such option no-such-option

func.func @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
