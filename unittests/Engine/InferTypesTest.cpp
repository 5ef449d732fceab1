//===- InferTypesTest.cpp - Builders that need no result type -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"
#include "tinygrad/InitAll.h"

#include "mlir/IR/Verifier.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;

namespace {

/// Makes operations at the end of a module, whose values need no function.
class InferTypesTest : public ::testing::Test {
protected:
  InferTypesTest()
      : context(makeRegistry(), MLIRContext::Threading::DISABLED),
        builder(&context), loc(builder.getUnknownLoc()),
        module(ModuleOp::create(loc)) {
    context.loadDialect<LazyDialect>();
    builder.setInsertionPointToEnd(module->getBody());
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  Value makeEmpty(std::initializer_list<int64_t> shape, Type element) {
    return EmptyOp::create(builder, loc, RankedTensorType::get(shape, element));
  }

  /// The text of the type of `value`, which verified operations make.
  std::string getType(Value value) {
    EXPECT_TRUE(succeeded(verify(*module)));
    std::string text;
    llvm::raw_string_ostream(text) << value.getType();
    return text;
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_F(InferTypesTest, elementwise) {
  Value x = makeEmpty({2, 3}, builder.getF16Type());
  EXPECT_EQ(getType(NegOp::create(builder, loc, x)), "tensor<2x3xf16>");
  EXPECT_EQ(getType(PowOp::create(builder, loc, x, x)), "tensor<2x3xf16>");
  EXPECT_EQ(getType(MulAccOp::create(builder, loc, x, x, x)),
            "tensor<2x3xf16>");
  Value less = CmpLtOp::create(builder, loc, x, x);
  EXPECT_EQ(getType(less), "tensor<2x3xi1>");
  EXPECT_EQ(getType(CmpEqOp::create(builder, loc, x, x)), "tensor<2x3xi1>");
  EXPECT_EQ(getType(WhereOp::create(builder, loc, less, x, x)),
            "tensor<2x3xf16>");
  EXPECT_EQ(getType(CastOp::create(builder, loc, x, builder.getI8Type())),
            "tensor<2x3xi8>");
  EXPECT_EQ(getType(BitcastOp::create(builder, loc, x, builder.getI16Type())),
            "tensor<2x3xi16>");
}

TEST_F(InferTypesTest, movement) {
  Value x = makeEmpty({2, 3}, builder.getI8Type());
  using Ints = ArrayRef<int64_t>;
  EXPECT_EQ(getType(PermuteOp::create(builder, loc, x, Ints{1, 0})),
            "tensor<3x2xi8>");
  EXPECT_EQ(getType(PadOp::create(builder, loc, x, Ints{1, 0}, Ints{2, 4})),
            "tensor<5x7xi8>");
  EXPECT_EQ(getType(ShrinkOp::create(builder, loc, x, Ints{1, 1}, Ints{1, 3})),
            "tensor<0x2xi8>");
  EXPECT_EQ(getType(StrideOp::create(builder, loc, x, Ints{-1, 2})),
            "tensor<2x2xi8>");
  EXPECT_EQ(getType(ReshapeOp::create(builder, loc, x, Ints{6, 1})),
            "tensor<6x1xi8>");
  Value one = makeEmpty({1, 3}, builder.getI8Type());
  EXPECT_EQ(getType(ExpandOp::create(builder, loc, one, Ints{4, 3})),
            "tensor<4x3xi8>");
  EXPECT_EQ(getType(AsStridedOp::create(builder, loc, x, Ints{2, 2}, Ints{1, 2},
                                        int64_t(1))),
            "tensor<2x2xi8>");
  auto tracker =
      ShapeTrackerAttr::get(&context, shape::ShapeTracker::fromShape({6}));
  EXPECT_EQ(getType(ViewOp::create(builder, loc, x, tracker)), "tensor<6xi8>");
}

TEST_F(InferTypesTest, reducesAndLoads) {
  Value x = makeEmpty({2, 3}, builder.getF32Type());
  using Ints = ArrayRef<int64_t>;
  EXPECT_EQ(getType(ReduceSumOp::create(builder, loc, x, Ints{2, 1})),
            "tensor<2x1xf32>");
  EXPECT_EQ(getType(ReduceMaxOp::create(builder, loc, x, Ints{1, 1})),
            "tensor<1x1xf32>");
  EXPECT_EQ(getType(ContiguousOp::create(builder, loc, x)), "tensor<2x3xf32>");
  EXPECT_EQ(getType(AssignOp::create(builder, loc, x, x)), "tensor<2x3xf32>");
  auto type = RankedTensorType::get({2}, builder.getF32Type());
  EXPECT_EQ(getType(ConstOp::create(builder, loc,
                                    DenseElementsAttr::get(type, 1.0f))),
            "tensor<2xf32>");
}

// A caller that is not sure asks before it builds.
TEST_F(InferTypesTest, saysWhyNot) {
  Value x = makeEmpty({2, 3}, builder.getF32Type());
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  PermuteOp::Properties properties;
  properties.order = builder.getDenseI64ArrayAttr({1, 1});
  SmallVector<Type> types;
  EXPECT_TRUE(failed(PermuteOp::inferReturnTypes(
      &context, loc, x, DictionaryAttr(), &properties, {}, types)));
  EXPECT_EQ(message,
            "expects each axis of [2, 3] exactly once, got order [1, 1]");
  EXPECT_TRUE(types.empty());
}

// No text says it: shape_tracker_c1.
TEST_F(InferTypesTest, aTrackerHasAView) {
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  auto emitError = [&] { return mlir::emitError(loc); };
  EXPECT_FALSE(
      ShapeTrackerAttr::getChecked(emitError, &context, ArrayRef<ViewAttr>()));
  EXPECT_EQ(message, "expects at least one view");
}
