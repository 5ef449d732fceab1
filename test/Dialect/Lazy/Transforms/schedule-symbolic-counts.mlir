// A program with variables has the kernels that it has with numbers in their
// place, at each level. The programs are those of the reference's
// test_symbolic_ops.py, and a few more.

// DEFINE: %{level} = 0
// DEFINE: %{schedule} = func.func(lazy-schedule{opt-level=%{level} report=true})
// DEFINE: %{symbolic} = tinygrad-opt %s --pass-pipeline="builtin.module(%{schedule})" -o /dev/null
// DEFINE: %{bound} = tinygrad-opt %s --pass-pipeline="builtin.module(lazy-bind-variables{values=i=4,j=3},%{schedule})" -o /dev/null
// RUN: %{symbolic} 2>&1 | grep -oE "[0-9]+ kernels?" > %t.symbolic
// RUN: %{bound} 2>&1 | grep -oE "[0-9]+ kernels?" > %t.bound
// RUN: diff %t.symbolic %t.bound
// RUN: FileCheck %s --input-file=%t.symbolic --check-prefix=LEVEL0
// REDEFINE: %{level} = 1
// RUN: %{symbolic} 2>&1 | grep -oE "[0-9]+ kernels?" > %t.symbolic
// RUN: %{bound} 2>&1 | grep -oE "[0-9]+ kernels?" > %t.bound
// RUN: diff %t.symbolic %t.bound
// REDEFINE: %{level} = 2
// RUN: %{symbolic} 2>&1 | grep -oE "[0-9]+ kernels?" > %t.symbolic
// RUN: %{bound} 2>&1 | grep -oE "[0-9]+ kernels?" > %t.bound
// RUN: diff %t.symbolic %t.bound
// RUN: FileCheck %s --input-file=%t.symbolic --check-prefix=LEVEL2
// REDEFINE: %{level} = 3
// RUN: %{symbolic} 2>&1 | grep -oE "[0-9]+ kernels?" > %t.symbolic
// RUN: %{bound} 2>&1 | grep -oE "[0-9]+ kernels?" > %t.bound
// RUN: diff %t.symbolic %t.bound
// REDEFINE: %{level} = 4
// RUN: %{symbolic} 2>&1 | grep -oE "[0-9]+ kernels?" > %t.symbolic
// RUN: %{bound} 2>&1 | grep -oE "[0-9]+ kernels?" > %t.bound
// RUN: diff %t.symbolic %t.bound

// plus1, add, matmul, attention, three concatenations, matmul_plus1, shrink,
// softmax, permuted_sums
// LEVEL0: 1 kernel
// LEVEL0-NEXT: 1 kernel
// LEVEL0-NEXT: 2 kernels
// LEVEL0-NEXT: 11 kernels
// LEVEL0-NEXT: 1 kernel
// LEVEL0-NEXT: 1 kernel
// LEVEL0-NEXT: 1 kernel
// LEVEL0-NEXT: 3 kernels
// LEVEL0-NEXT: 0 kernels
// LEVEL0-NEXT: 6 kernels
// LEVEL0-NEXT: 3 kernels
// LEVEL2: 1 kernel
// LEVEL2-NEXT: 1 kernel
// LEVEL2-NEXT: 1 kernel
// LEVEL2-NEXT: 6 kernels
// LEVEL2-NEXT: 1 kernel
// LEVEL2-NEXT: 1 kernel
// LEVEL2-NEXT: 1 kernel
// LEVEL2-NEXT: 1 kernel
// LEVEL2-NEXT: 0 kernels
// LEVEL2-NEXT: 4 kernels
// LEVEL2-NEXT: 2 kernels

#i = #lazy.variable<i, 1, 10>
#j = #lazy.variable<j, 1, 10>

func.func @plus1(%i: index {lazy.variable = #i}, %x: tensor<3x?xf32, #lazy.type<dims = [3, #i]>>) -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>> {
  %0 = lazy.const dense<1.0> : tensor<1x1xf32>
  %1 = lazy.expand %0 : tensor<1x1xf32> -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  %2 = lazy.add %x, %1 : tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  return %2 : tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
}

func.func @add(%i: index {lazy.variable = #i}, %x: tensor<3x?xf32, #lazy.type<dims = [3, #i]>>, %y: tensor<3x?xf32, #lazy.type<dims = [3, #i]>>) -> tensor<3x?xf32, #lazy.type<dims = [3, #i]>> {
  %0 = lazy.add %x, %y : tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
  return %0 : tensor<3x?xf32, #lazy.type<dims = [3, #i]>>
}

func.func @matmul(%i: index {lazy.variable = #i}, %x: tensor<3x?xf32, #lazy.type<dims = [3, #i]>>, %y: tensor<?x5xf32, #lazy.type<dims = [#i, 5]>>) -> tensor<3x5xf32> {
  %0 = lazy.reshape %x : tensor<3x?xf32, #lazy.type<dims = [3, #i]>> -> tensor<3x1x?xf32, #lazy.type<dims = [3, 1, #i]>>
  %1 = lazy.expand %0 : tensor<3x1x?xf32, #lazy.type<dims = [3, 1, #i]>> -> tensor<3x5x?xf32, #lazy.type<dims = [3, 5, #i]>>
  %2 = lazy.reshape %y : tensor<?x5xf32, #lazy.type<dims = [#i, 5]>> -> tensor<1x?x5xf32, #lazy.type<dims = [1, #i, 5]>>
  %3 = lazy.permute %2 [0, 2, 1] : tensor<1x?x5xf32, #lazy.type<dims = [1, #i, 5]>> -> tensor<1x5x?xf32, #lazy.type<dims = [1, 5, #i]>>
  %4 = lazy.expand %3 : tensor<1x5x?xf32, #lazy.type<dims = [1, 5, #i]>> -> tensor<3x5x?xf32, #lazy.type<dims = [3, 5, #i]>>
  %5 = lazy.mul %1, %4 : tensor<3x5x?xf32, #lazy.type<dims = [3, 5, #i]>>
  %6 = lazy.reduce_sum %5 : tensor<3x5x?xf32, #lazy.type<dims = [3, 5, #i]>> -> tensor<3x5x1xf32>
  %7 = lazy.reshape %6 : tensor<3x5x1xf32> -> tensor<3x5xf32>
  return %7 : tensor<3x5xf32>
}

func.func @attention(%i: index {lazy.variable = #i}, %q: tensor<2x1x4x8xf32>, %k: tensor<2x?x4x8xf32, #lazy.type<dims = [2, #i, 4, 8]>>, %v: tensor<2x?x4x8xf32, #lazy.type<dims = [2, #i, 4, 8]>>) -> tensor<2x4x1x8xf32> {
  %0 = lazy.permute %q [0, 2, 1, 3] : tensor<2x1x4x8xf32> -> tensor<2x4x1x8xf32>
  %1 = lazy.permute %k [0, 2, 1, 3] : tensor<2x?x4x8xf32, #lazy.type<dims = [2, #i, 4, 8]>> -> tensor<2x4x?x8xf32, #lazy.type<dims = [2, 4, #i, 8]>>
  %2 = lazy.permute %v [0, 2, 1, 3] : tensor<2x?x4x8xf32, #lazy.type<dims = [2, #i, 4, 8]>> -> tensor<2x4x?x8xf32, #lazy.type<dims = [2, 4, #i, 8]>>
  %3 = lazy.permute %1 [0, 1, 3, 2] : tensor<2x4x?x8xf32, #lazy.type<dims = [2, 4, #i, 8]>> -> tensor<2x4x8x?xf32, #lazy.type<dims = [2, 4, 8, #i]>>
  %4 = lazy.reshape %0 : tensor<2x4x1x8xf32> -> tensor<2x4x1x1x8xf32>
  %5 = lazy.expand %4 : tensor<2x4x1x1x8xf32> -> tensor<2x4x1x?x8xf32, #lazy.type<dims = [2, 4, 1, #i, 8]>>
  %6 = lazy.reshape %3 : tensor<2x4x8x?xf32, #lazy.type<dims = [2, 4, 8, #i]>> -> tensor<2x4x1x8x?xf32, #lazy.type<dims = [2, 4, 1, 8, #i]>>
  %7 = lazy.permute %6 [0, 1, 2, 4, 3] : tensor<2x4x1x8x?xf32, #lazy.type<dims = [2, 4, 1, 8, #i]>> -> tensor<2x4x1x?x8xf32, #lazy.type<dims = [2, 4, 1, #i, 8]>>
  %8 = lazy.mul %5, %7 : tensor<2x4x1x?x8xf32, #lazy.type<dims = [2, 4, 1, #i, 8]>>
  %9 = lazy.reduce_sum %8 : tensor<2x4x1x?x8xf32, #lazy.type<dims = [2, 4, 1, #i, 8]>> -> tensor<2x4x1x?x1xf32, #lazy.type<dims = [2, 4, 1, #i, 1]>>
  %10 = lazy.reshape %9 : tensor<2x4x1x?x1xf32, #lazy.type<dims = [2, 4, 1, #i, 1]>> -> tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #i]>>
  %11 = lazy.const dense<0.353553391> : tensor<1x1x1x1xf32>
  %12 = lazy.expand %11 : tensor<1x1x1x1xf32> -> tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #i]>>
  %13 = lazy.mul %10, %12 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #i]>>
  %14 = lazy.reduce_max %13 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #i]>> -> tensor<2x4x1x1xf32>
  %15 = lazy.expand %14 : tensor<2x4x1x1xf32> -> tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #i]>>
  %16 = lazy.sub %13, %15 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #i]>>
  %17 = lazy.exp %16 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #i]>>
  %18 = lazy.reduce_sum %17 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #i]>> -> tensor<2x4x1x1xf32>
  %19 = lazy.recip %18 : tensor<2x4x1x1xf32>
  %20 = lazy.expand %19 : tensor<2x4x1x1xf32> -> tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #i]>>
  %21 = lazy.mul %17, %20 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #i]>>
  %22 = lazy.reshape %21 : tensor<2x4x1x?xf32, #lazy.type<dims = [2, 4, 1, #i]>> -> tensor<2x4x1x1x?xf32, #lazy.type<dims = [2, 4, 1, 1, #i]>>
  %23 = lazy.expand %22 : tensor<2x4x1x1x?xf32, #lazy.type<dims = [2, 4, 1, 1, #i]>> -> tensor<2x4x1x8x?xf32, #lazy.type<dims = [2, 4, 1, 8, #i]>>
  %24 = lazy.reshape %2 : tensor<2x4x?x8xf32, #lazy.type<dims = [2, 4, #i, 8]>> -> tensor<2x4x1x?x8xf32, #lazy.type<dims = [2, 4, 1, #i, 8]>>
  %25 = lazy.permute %24 [0, 1, 2, 4, 3] : tensor<2x4x1x?x8xf32, #lazy.type<dims = [2, 4, 1, #i, 8]>> -> tensor<2x4x1x8x?xf32, #lazy.type<dims = [2, 4, 1, 8, #i]>>
  %26 = lazy.mul %23, %25 : tensor<2x4x1x8x?xf32, #lazy.type<dims = [2, 4, 1, 8, #i]>>
  %27 = lazy.reduce_sum %26 : tensor<2x4x1x8x?xf32, #lazy.type<dims = [2, 4, 1, 8, #i]>> -> tensor<2x4x1x8x1xf32>
  %28 = lazy.reshape %27 : tensor<2x4x1x8x1xf32> -> tensor<2x4x1x8xf32>
  return %28 : tensor<2x4x1x8xf32>
}

func.func @cat_rows(%i: index {lazy.variable = #i}, %x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>, %y: tensor<2x3xf32>) -> tensor<?x3xf32, #lazy.type<dims = [#i + 2, 3]>> {
  %0 = lazy.pad %x low [0, 0] high [2, 0] : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<?x3xf32, #lazy.type<dims = [#i + 2, 3]>>
  %1 = lazy.pad %y low [#i, 0] high [0, 0] : tensor<2x3xf32> -> tensor<?x3xf32, #lazy.type<dims = [#i + 2, 3]>>
  %2 = lazy.add %0, %1 : tensor<?x3xf32, #lazy.type<dims = [#i + 2, 3]>>
  return %2 : tensor<?x3xf32, #lazy.type<dims = [#i + 2, 3]>>
}

func.func @cat_columns(%i: index {lazy.variable = #i}, %x: tensor<3x?xf32, #lazy.type<dims = [3, #i]>>, %y: tensor<3x2xf32>) -> tensor<3x?xf32, #lazy.type<dims = [3, #i + 2]>> {
  %0 = lazy.pad %x low [0, 0] high [0, 2] : tensor<3x?xf32, #lazy.type<dims = [3, #i]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i + 2]>>
  %1 = lazy.pad %y low [0, #i] high [0, 0] : tensor<3x2xf32> -> tensor<3x?xf32, #lazy.type<dims = [3, #i + 2]>>
  %2 = lazy.add %0, %1 : tensor<3x?xf32, #lazy.type<dims = [3, #i + 2]>>
  return %2 : tensor<3x?xf32, #lazy.type<dims = [3, #i + 2]>>
}

func.func @cat_two(%i: index {lazy.variable = #i}, %j: index {lazy.variable = #j}, %x: tensor<3x?xf32, #lazy.type<dims = [3, #i]>>, %y: tensor<3x?xf32, #lazy.type<dims = [3, #j]>>) -> tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>> {
  %0 = lazy.pad %x low [0, 0] high [0, #j] : tensor<3x?xf32, #lazy.type<dims = [3, #i]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
  %1 = lazy.pad %y low [0, #i] high [0, 0] : tensor<3x?xf32, #lazy.type<dims = [3, #j]>> -> tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
  %2 = lazy.add %0, %1 : tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
  return %2 : tensor<3x?xf32, #lazy.type<dims = [3, #i + #j]>>
}

func.func @matmul_plus1(%i: index {lazy.variable = #i}, %j: index {lazy.variable = #j}, %x: tensor<?x3xf32, #lazy.type<dims = [#i, 3]>>, %y: tensor<3x?xf32, #lazy.type<dims = [3, #j]>>) -> tensor<?x?xf32, #lazy.type<dims = [#i, #j]>> {
  %0 = lazy.reshape %x : tensor<?x3xf32, #lazy.type<dims = [#i, 3]>> -> tensor<?x1x3xf32, #lazy.type<dims = [#i, 1, 3]>>
  %1 = lazy.expand %0 : tensor<?x1x3xf32, #lazy.type<dims = [#i, 1, 3]>> -> tensor<?x?x3xf32, #lazy.type<dims = [#i, #j, 3]>>
  %2 = lazy.reshape %y : tensor<3x?xf32, #lazy.type<dims = [3, #j]>> -> tensor<1x3x?xf32, #lazy.type<dims = [1, 3, #j]>>
  %3 = lazy.permute %2 [0, 2, 1] : tensor<1x3x?xf32, #lazy.type<dims = [1, 3, #j]>> -> tensor<1x?x3xf32, #lazy.type<dims = [1, #j, 3]>>
  %4 = lazy.expand %3 : tensor<1x?x3xf32, #lazy.type<dims = [1, #j, 3]>> -> tensor<?x?x3xf32, #lazy.type<dims = [#i, #j, 3]>>
  %5 = lazy.mul %1, %4 : tensor<?x?x3xf32, #lazy.type<dims = [#i, #j, 3]>>
  %6 = lazy.reduce_sum %5 : tensor<?x?x3xf32, #lazy.type<dims = [#i, #j, 3]>> -> tensor<?x?x1xf32, #lazy.type<dims = [#i, #j, 1]>>
  %7 = lazy.reshape %6 : tensor<?x?x1xf32, #lazy.type<dims = [#i, #j, 1]>> -> tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
  %8 = lazy.const dense<1.0> : tensor<1x1xf32>
  %9 = lazy.expand %8 : tensor<1x1xf32> -> tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
  %10 = lazy.add %7, %9 : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
  return %10 : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
}

func.func @shrink(%i: index {lazy.variable = #i}, %x: tensor<7x12xf32>) -> tensor<2x2xf32> {
  %0 = lazy.shrink %x begin [3, #i] end [5, #i + 2] : tensor<7x12xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

func.func @softmax(%i: index {lazy.variable = #i}, %j: index {lazy.variable = #j}, %x: tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>) -> tensor<?x?xf32, #lazy.type<dims = [#i, #j]>> {
  %0 = lazy.reduce_max %x : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>> -> tensor<?x1xf32, #lazy.type<dims = [#i, 1]>>
  %1 = lazy.expand %0 : tensor<?x1xf32, #lazy.type<dims = [#i, 1]>> -> tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
  %2 = lazy.sub %x, %1 : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
  %3 = lazy.exp %2 : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
  %4 = lazy.reduce_sum %3 : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>> -> tensor<?x1xf32, #lazy.type<dims = [#i, 1]>>
  %5 = lazy.recip %4 : tensor<?x1xf32, #lazy.type<dims = [#i, 1]>>
  %6 = lazy.expand %5 : tensor<?x1xf32, #lazy.type<dims = [#i, 1]>> -> tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
  %7 = lazy.mul %3, %6 : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
  return %7 : tensor<?x?xf32, #lazy.type<dims = [#i, #j]>>
}

func.func @permuted_sums(%i: index {lazy.variable = #i}, %j: index {lazy.variable = #j}, %x: tensor<?x3x?xf32, #lazy.type<dims = [#i, 3, #j]>>) -> (tensor<?xf32, #lazy.type<dims = [#j]>>, tensor<?xf32, #lazy.type<dims = [#i * #j * 3]>>) {
  %0 = lazy.permute %x [2, 0, 1] : tensor<?x3x?xf32, #lazy.type<dims = [#i, 3, #j]>> -> tensor<?x?x3xf32, #lazy.type<dims = [#j, #i, 3]>>
  %1 = lazy.neg %0 : tensor<?x?x3xf32, #lazy.type<dims = [#j, #i, 3]>>
  %2 = lazy.reshape %1 : tensor<?x?x3xf32, #lazy.type<dims = [#j, #i, 3]>> -> tensor<?x?xf32, #lazy.type<dims = [#j, #i * 3]>>
  %3 = lazy.reduce_sum %2 : tensor<?x?xf32, #lazy.type<dims = [#j, #i * 3]>> -> tensor<?x1xf32, #lazy.type<dims = [#j, 1]>>
  %4 = lazy.reshape %3 : tensor<?x1xf32, #lazy.type<dims = [#j, 1]>> -> tensor<?xf32, #lazy.type<dims = [#j]>>
  %5 = lazy.exp2 %x : tensor<?x3x?xf32, #lazy.type<dims = [#i, 3, #j]>>
  %6 = lazy.reshape %5 : tensor<?x3x?xf32, #lazy.type<dims = [#i, 3, #j]>> -> tensor<?xf32, #lazy.type<dims = [#i * #j * 3]>>
  return %4, %6 : tensor<?xf32, #lazy.type<dims = [#j]>>, tensor<?xf32, #lazy.type<dims = [#i * #j * 3]>>
}
