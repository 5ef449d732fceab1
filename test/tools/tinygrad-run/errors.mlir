// Every sentence of the tool about its inputs and outputs. Nothing is written
// where one is said.

// REQUIRES: numpy
// RUN: rm -rf %t && mkdir -p %t/folder
// RUN: %python %S/Inputs/npy.py make %t/a.npy "np.zeros((2, 3), 'f4')"
// RUN: %python %S/Inputs/npy.py make %t/b.npy "np.zeros((3, 2), 'f4')"
// RUN: %python %S/Inputs/npy.py make %t/c.npy "np.zeros((2, 3), 'i4')"

// RUN: not tinygrad-run %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: {{^}}error: {{.*}}none.mlir: No such file or directory
// RUN: not tinygrad-run %s --device TPU 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: {{^}}error: expects a device of `CPU`, `DISK`, `HOST`, `INTERP`, got `TPU`
// RUN: not tinygrad-run %s --device %device --opt-level 5 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: {{^}}error: expects an optimization level from 0 to 4, got 5
// RUN: not tinygrad-run %s --device %device --threads=-1 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: {{^}}error: expects a number of threads that is not negative, got -1
// RUN: not tinygrad-run %s --device %device --entry g 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: {{^}}{{.*}}errors.mlir: error: expects a function `g`
// RUN: not tinygrad-run %s --device %device 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}error: expects 1 --input for function `main`, got 0
// RUN: not tinygrad-run %s --device %device --input %t/none.npy 2>&1 | FileCheck %s --check-prefix=NOINPUT
// NOINPUT: {{^}}error: {{.*}}none.npy: No such file or directory
// RUN: not tinygrad-run %s --device %device --input %t/folder 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: {{^}}error: {{.*}}folder: Is a directory
// RUN: not tinygrad-run %s --device %device --input %t/b.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: {{^}}error: {{.*}}b.npy: expects float32 [2, 3] for argument 0 of function `main`, got float32 [3, 2]
// RUN: not tinygrad-run %s --device %device --input %t/c.npy 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: {{^}}error: {{.*}}c.npy: expects float32 [2, 3] for argument 0 of function `main`, got int32 [2, 3]
// RUN: not tinygrad-run %s --device %device --input %t/a.npy --output %t/0.npy 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// OUTPUTS: {{^}}error: expects 2 --output for function `main`, got 1
// RUN: not tinygrad-run %s --device %device --input %t/a.npy --output %t/0.npy --output %t/0.npy 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: {{^}}error: {{.*}}0.npy: expects each output in a file of its own
// RUN: not tinygrad-run %s --device %device --input %t/a.npy --output %t/0.npy --output %t/none/1.npy 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: {{^}}error: {{.*}}1.npy: No such file or directory
// RUN: not tinygrad-run %s --device %device --input %t/a.npy --output %t/0.npy --output %t/folder 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: {{^}}error: {{.*}}folder: expects a regular file
// RUN: not tinygrad-run %s --device %device --entry shaped --output %t/0.npy 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: {{^}}{{.*}}errors.mlir:[[@LINE+13]]:1: error: 'func.func' op expects argument 0 to be a tensor of the lazy dialect, got tensor<?xf32>
// RUN: not tinygrad-run %s --device %device --entry custom --output %t/0.npy 2>&1 | FileCheck %s --check-prefix=CUSTOM
// CUSTOM: {{^}}{{.*}}errors.mlir:[[@LINE+18]]:8: error: 'lazy.custom' op expects a callback `rand`, but none is registered
// RUN: not tinygrad-run %s --device %device --entry outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: {{^}}{{.*}}errors.mlir:[[@LINE+12]]:1: error: 'func.func' op expects a body of one block, which returns, in the function to run

// RUN: ls %t | FileCheck %s --check-prefix=LEFT --implicit-check-not=0.npy --implicit-check-not=tmp
// LEFT: folder

func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %b = lazy.neg %a : tensor<2x3xf32>
  return %b, %a : tensor<2x3xf32>, tensor<2x3xf32>
}
func.func @shaped(%a: tensor<?xf32>) {
  return
}
func.func private @outside(%a: tensor<2xf32>)

func.func @custom() -> tensor<2xf32> {
  // Named by no engine.
  %r = lazy.custom "rand" () : () -> tensor<2xf32>
  return %r : tensor<2xf32>
}
