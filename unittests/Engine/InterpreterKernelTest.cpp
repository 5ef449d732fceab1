//===- InterpreterKernelTest.cpp - The interpreter on kernels - c ---------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "tinygrad/Engine/Interpreter.h"
#include "tinygrad/Engine/ParseSource.h"
#include "tinygrad/InitAll.h"

#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

/// Interprets the function `main` of `text`. Memrefs among the arguments are
/// changed in place.
static llvm::Expected<std::vector<HostTensor>>
run(llvm::StringRef text, const std::vector<HostTensor> &arguments,
    const InterpreterCallback &callback = {}) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = parseSource(context, text, "test.mlir");
  if (!module)
    return module.takeError();
  auto function = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
  return interpret(function, arguments, callback);
}

static HostTensor floats(ops::Shape shape, const std::vector<double> &values) {
  return makeTensor(DType::Float32, std::move(shape), values);
}

TEST(InterpreterKernelTest, runsKernelsOnTensors) {
  auto results = run(R"mlir(
    func.func @main(%x: tensor<4x3xf32>) -> tensor<4xf32> {
      %e = lazy.empty : tensor<4xf32>
      %s = lazy.kernel @sum ins(%x : tensor<4x3xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%in: tensor<4x3xf32>, %out: tensor<4xf32>):
        %0 = lazy.load %in <[4, 3]> : tensor<4x3xf32> -> tensor<4x3xf32>
        %1 = lazy.const dense<2.0> : tensor<4x3xf32>
        %2 = lazy.mul %0, %1 : tensor<4x3xf32>
        %3 = lazy.reduce_sum %2 : tensor<4x3xf32> -> tensor<4x1xf32>
        lazy.store %3, %out <[4, 1]> : tensor<4x1xf32>, tensor<4xf32>
      } -> tensor<4xf32>
      return %s : tensor<4xf32>
    })mlir",
                     {floats({4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(getValues(results->front()), (Values{12, 30, 48, 66}));
}

TEST(InterpreterKernelTest, keepsWhatAKernelDoesNotStore) {
  // Only every second element of the destination is written, and the
  // destination itself keeps its value.
  auto results = run(R"mlir(
    func.func @main(%x: tensor<2xf32>, %t: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<4xf32>) {
      %s = lazy.kernel @put ins(%x : tensor<2xf32>) outs(%t : tensor<4xf32>) {
      ^bb0(%in: tensor<2xf32>, %out: tensor<4xf32>):
        %0 = lazy.load %in <[2]> : tensor<2xf32> -> tensor<2xf32>
        lazy.store %0, %out <[2], strides = [2], offset = 1>
            : tensor<2xf32>, tensor<4xf32>
      } -> tensor<4xf32>
      return %s, %t : tensor<4xf32>, tensor<4xf32>
    })mlir",
                     {floats({2}, {8, 9}), floats({4}, {1, 2, 3, 4})});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(getValues((*results)[0]), (Values{1, 8, 3, 9}));
  EXPECT_EQ(getValues((*results)[1]), (Values{1, 2, 3, 4}));
}

TEST(InterpreterKernelTest, runsKernelsOnMemory) {
  // A bool is an i8 in memory and an unsigned integer has no sign; one kernel
  // is in place, the other in a function of its own, which is called twice.
  HostTensor x = makeTensor(DType::UInt8, {6}, {250, 3, 7, 200, 5, 9});
  HostTensor isLess = makeTensor(DType::Bool, {6}, {1, 1, 1, 1, 1, 1});
  HostTensor sum = makeTensor(DType::UInt8, {3}, {0, 0, 0});
  auto results = run(R"mlir(
    func.func @add(%a: memref<6xi8>, %b: memref<3xi8>) {
      lazy.kernel @add ins(%a : memref<6xi8>) outs(%b : memref<3xi8>) {
      ^bb0(%in: memref<6xi8>, %out: memref<3xi8>):
        %0 = lazy.load %in <[3]> : memref<6xi8> -> tensor<3xui8>
        %1 = lazy.load %in <[3], offset = 3> : memref<6xi8> -> tensor<3xui8>
        %2 = lazy.add %0, %1 : tensor<3xui8>
        lazy.store %2, %out <[3]> : tensor<3xui8>, memref<3xi8>
      }
      return
    }
    func.func @main(%x: memref<6xi8>, %less: memref<6xi8>, %sum: memref<3xi8>) {
      lazy.kernel @less ins(%x : memref<6xi8>) outs(%less : memref<6xi8>) {
      ^bb0(%in: memref<6xi8>, %out: memref<6xi8>):
        %0 = lazy.load %in <[6]> : memref<6xi8> -> tensor<6xui8>
        %1 = lazy.const dense<10> : tensor<6xui8>
        %2 = lazy.cmplt %0, %1 : tensor<6xui8> -> tensor<6xi1>
        lazy.store %2, %out <[6]> : tensor<6xi1>, memref<6xi8>
      }
      %t = memref.alloc() : memref<6xi8>
      %u = memref.alloc() : memref<3xi8>
      func.call @add(%x, %u) : (memref<6xi8>, memref<3xi8>) -> ()
      memref.dealloc %u : memref<3xi8>
      lazy.kernel @twice ins(%x : memref<6xi8>) outs(%t : memref<6xi8>) {
      ^bb0(%in: memref<6xi8>, %out: memref<6xi8>):
        %0 = lazy.load %in <[6]> : memref<6xi8> -> tensor<6xui8>
        %1 = lazy.add %0, %0 : tensor<6xui8>
        lazy.store %1, %out <[6]> : tensor<6xui8>, memref<6xi8>
      }
      func.call @add(%t, %sum) : (memref<6xi8>, memref<3xi8>) -> ()
      memref.dealloc %t : memref<6xi8>
      return
    })mlir",
                     {x, isLess, sum});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_TRUE(results->empty());
  EXPECT_EQ(getValues(isLess), (Values{0, 1, 1, 0, 1, 1}));
  // 2 * (250 + 200), 2 * (3 + 5) and 2 * (7 + 9), modulo 256.
  EXPECT_EQ(getValues(sum), (Values{132, 16, 32}));
  EXPECT_EQ(getValues(x), (Values{250, 3, 7, 200, 5, 9}));
}

TEST(InterpreterKernelTest, callsBackOnMemory) {
  HostTensor x = floats({2}, {1, 2}), y = floats({2}, {0, 0});
  auto results = run(R"mlir(
    func.func @main(%x: memref<2xf32>, %y: memref<2xf32>) {
      lazy.custom "copy" (%x, %y) : (memref<2xf32>, memref<2xf32>) -> ()
      return
    })mlir",
                     {x, y},
                     [](llvm::StringRef, llvm::ArrayRef<HostTensor> operands,
                        const HostTensor &result) {
                       EXPECT_EQ(operands.size(), 1u);
                       for (int64_t i = 0; i < 2; ++i)
                         result.set(i, operands[0].get(i));
                       return llvm::Error::success();
                     });
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(getValues(y), (Values{1, 2}));
}

TEST(InterpreterKernelTest, checksTheTypesOfMemory) {
  const char *text = "func.func @main(%x: memref<2xi8>) {\n  return\n}";
  for (DType type : {DType::Bool, DType::Int8, DType::UInt8})
    EXPECT_EQ(getError(run(text, {makeTensor(type, {2}, {0, 1})})), "");
  EXPECT_PRED2(contains,
               getError(run(text, {makeTensor(DType::Int16, {2}, {0, 1})})),
               "op expects argument 0 of type memref<2xi8>, got int16 "
               "[2]");
}
