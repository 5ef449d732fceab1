//===- FoldTest.cpp - Folding against the interpreter ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What canonicalization makes of a program computes what the program did, bit
// for bit but for the payloads of NaNs.
//
//===----------------------------------------------------------------------===//

#include "../../tools/tinygrad-golden-check/CheckScalars.h"
#include "RandomGraph.h"
#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"
#include "tinygrad/Engine/EmitGraph.h"
#include "tinygrad/Engine/Interpreter.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;
using golden::ScalarRow;
using golden::toText;
using ops::OpKind;
using ops::Scalar;

static bool isSame(const Scalar &a, const Scalar &b) {
  if (isFloat(a.getType()) && a.getType() == b.getType() &&
      std::isnan(a.toDouble()))
    return std::isnan(b.toDouble());
  return a.isIdentical(b);
}

namespace {

/// A graph as IR, before and after canonicalization.
class Program {
public:
  explicit Program(const ops::Graph &graph)
      : context(mlir::MLIRContext::Threading::DISABLED),
        module(llvm::cantFail(emitGraph(context, graph))) {}

  void canonicalize() {
    mlir::PassManager manager(&context);
    manager.addPass(mlir::createCanonicalizerPass());
    ASSERT_TRUE(mlir::succeeded(manager.run(*module)));
  }
  std::vector<HostTensor> interpret(const std::vector<HostTensor> &inputs) {
    return llvm::cantFail(engine::interpret(getFunction(), inputs));
  }
  mlir::func::FuncOp getFunction() {
    return module->lookupSymbol<mlir::func::FuncOp>("main");
  }
  std::string print() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    return text;
  }
  size_t getNumOperations() {
    return getFunction().getBody().front().getOperations().size();
  }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

/// Runs `graph` before and after canonicalization. Returns by how many
/// operations it became shorter.
static size_t runBothWays(const ops::Graph &graph, Random &random) {
  std::vector<HostTensor> inputs;
  for (int32_t input : graph.inputs)
    inputs.push_back(makeRandomTensor(random, graph.nodes[input].type,
                                      graph.nodes[input].shape));
  Program program(graph);
  size_t numBefore = program.getNumOperations();
  std::vector<HostTensor> expected = program.interpret(inputs);
  program.canonicalize();
  std::vector<HostTensor> actual = program.interpret(inputs);
  EXPECT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    for (int64_t k = 0; k < expected[i].getNumElements(); ++k)
      if (!isSame(actual[i].get(k), expected[i].get(k))) {
        ADD_FAILURE() << "output " << i << ", element " << k << ": got "
                      << toText(actual[i].get(k)) << ", expected "
                      << toText(expected[i].get(k)) << "\n"
                      << program.print();
        break;
      }
  return numBefore - program.getNumOperations();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Reads conformance/golden/ops.jsonl.
static std::vector<ScalarRow> readGoldenRows() {
  auto file = llvm::MemoryBuffer::getFile(TINYGRAD_SOURCE_DIR
                                          "/conformance/golden/ops.jsonl");
  std::vector<ScalarRow> rows;
  EXPECT_TRUE(bool(file));
  if (!file)
    return rows;
  for (llvm::line_iterator line(**file); !line.is_at_end(); ++line)
    rows.push_back(llvm::cantFail(llvm::json::parse<ScalarRow>(*line)));
  EXPECT_EQ(rows.size(), 423u);
  return rows;
}

// The semantics of scalars, the folds and the interpreter are one.
TEST(FoldTest, everyGoldenRow) {
  int numValues = 0;
  for (const ScalarRow &row : readGoldenRows()) {
    // The constants of the dialect are splats: no golden reduce has one.
    if (ops::getInfo(row.kind).group == ops::OpGroup::Reduce)
      continue;
    SCOPED_TRACE(describe(row));
    GraphBuilder builder;
    std::vector<int32_t> outputs;
    for (size_t i = 0; i < row.expected.size(); ++i) {
      std::vector<int32_t> nodes;
      for (const Scalar &operand : row.getOperands(i))
        nodes.push_back(builder.constant(operand, {2}));
      outputs.push_back(builder.op(row.kind, nodes, {}, row.outType));
    }
    Program program(builder.build(outputs));
    std::vector<HostTensor> interpreted = program.interpret({});
    program.canonicalize();
    mlir::Operation *terminator =
        program.getFunction().getBody().front().getTerminator();
    for (size_t i = 0; i < outputs.size(); ++i) {
      auto constant = terminator->getOperand(i).getDefiningOp<lazy::ConstOp>();
      ASSERT_TRUE(constant) << "position " << i;
      Scalar folded = constant.getScalar();
      EXPECT_TRUE(isSame(folded, interpreted[i].get(0)))
          << "position " << i << ": folded to " << toText(folded)
          << ", interpreted as " << toText(interpreted[i].get(0));
      EXPECT_TRUE(isSame(
          folded, ops::evaluate(row.kind, row.outType, row.getOperands(i))));
      EXPECT_TRUE(row.accepts(i, folded))
          << "position " << i << ": got " << toText(folded) << ", expected "
          << toText(row.getExpected(i));
      ++numValues;
    }
  }
  RecordProperty("values", numValues);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

TEST(FoldTest, randomGraphs) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    ops::Graph graph = makeRandomGraph(random);
    runBothWays(graph, random);
  }
}

/// Adds a binary operation of every kind with one constant operand, at an edge
/// that some fold asks for.
TEST(FoldTest, constantOperands) {
  Random random(1);
  size_t numFolded = 0;
  for (int type = 0; type < numDTypes; ++type) {
    auto element = static_cast<DType>(type);
    GraphBuilder builder;
    int32_t x = builder.input(element, {16});
    std::vector<int32_t> outputs;
    for (OpKind kind : {OpKind::Add, OpKind::Sub, OpKind::Mul, OpKind::Div,
                        OpKind::Max, OpKind::Mod, OpKind::CmpLt, OpKind::CmpEq,
                        OpKind::Xor, OpKind::Pow}) {
      if (kind == OpKind::Xor && isFloat(element))
        continue;
      outputs.push_back(builder.op(kind, {x, x}));
      for (double value :
           {0.0, -0.0, 1.0, -1.0, -std::numeric_limits<double>::infinity()}) {
        int32_t constant =
            builder.constant(Scalar::fromDouble(element, value), {16});
        outputs.push_back(builder.op(kind, {x, constant}));
        outputs.push_back(builder.op(kind, {constant, x}));
      }
    }
    SCOPED_TRACE(std::string(getName(element)));
    numFolded += runBothWays(builder.build(outputs), random);
  }
  EXPECT_GT(numFolded, 200u);
}

/// Returns the integers of a random movement of a value of `shape`.
static std::vector<int64_t> makeMovement(Random &random, OpKind kind,
                                         const ops::Shape &shape) {
  std::vector<int64_t> ints;
  switch (kind) {
  case OpKind::Permute:
    for (size_t axis = 0; axis < shape.size(); ++axis)
      ints.insert(ints.begin() + random.below(axis + 1), axis);
    return ints;
  case OpKind::Pad:
    for (size_t axis = 0; axis < 2 * shape.size(); ++axis)
      ints.push_back(random.below(2));
    return ints;
  case OpKind::Shrink:
    for (int64_t extent : shape) {
      int64_t begin = random.below(std::min<int64_t>(extent, 2));
      ints.insert(ints.end(), {begin, random.between(begin + 1, extent)});
    }
    return ints;
  case OpKind::Stride:
    for (size_t axis = 0; axis < shape.size(); ++axis)
      ints.push_back(random.between(1, 3) * (random.oneIn(2) ? 1 : -1));
    return ints;
  case OpKind::Expand:
    for (int64_t extent : shape)
      ints.push_back(extent == 1 ? random.between(1, 3) : extent);
    return ints;
  case OpKind::AsStrided: {
    int64_t first = random.between(1, 2), second = random.between(1, 2);
    int64_t offset = random.below(*ops::getNumElements(shape));
    // All positions are at most the offset: the strides go backwards.
    int64_t inner = offset >= second - 1 ? -1 : 0;
    int64_t outer = offset + inner * (second - 1) >= first - 1 ? -1 : 0;
    return {first, second, outer, inner, offset};
  }
  default:
    // Reshape: the factors in another order, or in one line.
    ints = shape;
    std::reverse(ints.begin(), ints.end());
    if (random.oneIn(2))
      ints = {*ops::getNumElements(shape)};
    return ints;
  }
}

// Chains in which an operation often follows one of its kind.
TEST(FoldTest, movementChains) {
  constexpr OpKind kinds[] = {OpKind::Reshape,  OpKind::Permute, OpKind::Expand,
                              OpKind::Pad,      OpKind::Shrink,  OpKind::Stride,
                              OpKind::AsStrided};
  size_t numFolded = 0;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    GraphBuilder builder;
    int32_t value = builder.input(DType::Int32, {random.between(1, 5), 1, 6});
    OpKind kind = kinds[random.below(std::size(kinds))];
    for (int i = 0; i < 8; ++i) {
      if (random.oneIn(3))
        kind = kinds[random.below(std::size(kinds))];
      value =
          builder.op(kind, {value},
                     makeMovement(random, kind, builder.getNode(value).shape));
    }
    numFolded += runBothWays(builder.build({value}), random);
  }
  EXPECT_GT(numFolded, 2000u);
}
