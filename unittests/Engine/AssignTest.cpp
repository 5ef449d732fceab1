//===- AssignTest.cpp - What assigns leave in memory - c ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "RandomGraph.h"

#include "gtest/gtest.h"

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

namespace {

/// What a program returns, and what its inputs hold afterwards.
struct Outcome {
  std::string error;
  std::vector<Values> results, inputs;
};

class AssignTest : public ::testing::TestWithParam<const char *> {
protected:
  AssignTest() {
    Engine::Options options;
    options.device = GetParam();
    options.numThreads = 2;
    engine = llvm::cantFail(Engine::create(options));
  }

  /// Runs `@main` of `text` once; input k holds 100 * k, 100 * k + 1, ….
  Outcome run(const std::string &text) {
    Outcome outcome;
    auto executable = engine->compile(text, "assign.mlir", "main");
    if (!executable) {
      outcome.error = llvm::toString(executable.takeError());
      return outcome;
    }
    std::vector<HostTensor> tensors;
    for (const Signature &signature : (*executable)->getInputs()) {
      double next = 100.0 * static_cast<double>(tensors.size());
      Values values;
      for (int64_t i = 0; i < *ops::getNumElements(signature.shape); ++i)
        values.push_back(next++);
      tensors.push_back(makeTensor(signature.type, signature.shape, values));
    }
    std::vector<runtime::BufferRef> inputs =
        llvm::cantFail(toBuffers(*engine, tensors));
    std::vector<runtime::BufferRef> results =
        llvm::cantFail((*executable)->run(inputs));
    for (const HostTensor &tensor :
         llvm::cantFail(toTensors(results, (*executable)->getOutputs())))
      outcome.results.push_back(getValues(tensor));
    for (const HostTensor &tensor :
         llvm::cantFail(toTensors(inputs, (*executable)->getInputs())))
      outcome.inputs.push_back(getValues(tensor));
    return outcome;
  }

  std::shared_ptr<Engine> engine;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, AssignTest,
                         ::testing::Values("INTERP", "CPU"),
                         [](const auto &info) { return info.param; });

TEST_P(AssignTest, writesTheViewedPartAlone) {
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<3x4xi32>, %v: tensor<2x2xi32>) -> tensor<3x4xi32> {
      %s = lazy.shrink %x begin [1, 2] end [3, 4] : tensor<3x4xi32> -> tensor<2x2xi32>
      %r = lazy.assign %s, %v : tensor<2x2xi32>
      return %x : tensor<3x4xi32>
    })");
  EXPECT_EQ(outcome.results[0], (Values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(outcome.inputs[0],
            (Values{0, 1, 2, 3, 4, 5, 100, 101, 8, 9, 102, 103}));
}

// x[1:] = x[:-1] and x[:-1] = x[1:]: what is read is the old value.
TEST_P(AssignTest, readsAnOverlappingPart) {
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<6xi32>, %y: tensor<6xi32>) -> tensor<5xi32> {
      %xb = lazy.shrink %x begin [0] end [5] : tensor<6xi32> -> tensor<5xi32>
      %xe = lazy.shrink %x begin [1] end [6] : tensor<6xi32> -> tensor<5xi32>
      %r = lazy.assign %xe, %xb : tensor<5xi32>
      %yb = lazy.shrink %y begin [0] end [5] : tensor<6xi32> -> tensor<5xi32>
      %ye = lazy.shrink %y begin [1] end [6] : tensor<6xi32> -> tensor<5xi32>
      %sum = lazy.add %ye, %yb : tensor<5xi32>
      %s = lazy.assign %yb, %sum : tensor<5xi32>
      return %r : tensor<5xi32>
    })");
  EXPECT_EQ(outcome.results[0], (Values{0, 1, 2, 3, 4}));
  EXPECT_EQ(outcome.inputs[0], (Values{0, 0, 1, 2, 3, 4}));
  EXPECT_EQ(outcome.inputs[1], (Values{201, 203, 205, 207, 209, 105}));
}

TEST_P(AssignTest, readsItselfPermutedAndFlipped) {
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<2x2xi32>, %y: tensor<4xi32>) {
      %t = lazy.permute %x [1, 0] : tensor<2x2xi32> -> tensor<2x2xi32>
      %v = lazy.add %x, %x : tensor<2x2xi32>
      %r = lazy.assign %t, %v : tensor<2x2xi32>
      %f = lazy.stride %y [-1] : tensor<4xi32> -> tensor<4xi32>
      %s = lazy.assign %f, %y : tensor<4xi32>
      return
    })");
  EXPECT_EQ(outcome.inputs[0], (Values{0, 4, 2, 6}));
  EXPECT_EQ(outcome.inputs[1], (Values{103, 102, 101, 100}));
}

// Two parts, one of them twice, then one that overlaps both, then all of it.
TEST_P(AssignTest, writesInTheOrderOfTheProgram) {
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<6xi32>, %v: tensor<2xi32>, %w: tensor<2xi32>, %y: tensor<6xi32>)
        -> (tensor<2xi32>, tensor<6xi32>) {
      %a = lazy.shrink %x begin [0] end [2] : tensor<6xi32> -> tensor<2xi32>
      %b = lazy.shrink %x begin [4] end [6] : tensor<6xi32> -> tensor<2xi32>
      %c = lazy.shrink %x begin [1] end [3] : tensor<6xi32> -> tensor<2xi32>
      %a1 = lazy.assign %a, %v : tensor<2xi32>
      %a2 = lazy.assign %a1, %w : tensor<2xi32>
      %b1 = lazy.assign %b, %a1 : tensor<2xi32>
      %sum = lazy.add %a2, %b1 : tensor<2xi32>
      %c1 = lazy.assign %c, %sum : tensor<2xi32>
      %ya = lazy.shrink %y begin [0] end [2] : tensor<6xi32> -> tensor<2xi32>
      %y1 = lazy.assign %ya, %w : tensor<2xi32>
      %yx = lazy.add %x, %y : tensor<6xi32>
      %y2 = lazy.assign %y, %yx : tensor<6xi32>
      %y3 = lazy.assign %ya, %v : tensor<2xi32>
      return %b1, %y2 : tensor<2xi32>, tensor<6xi32>
    })");
  EXPECT_EQ(outcome.results[0], (Values{100, 101}));
  EXPECT_EQ(outcome.results[1], (Values{300, 302, 304, 306, 308, 310}));
  EXPECT_EQ(outcome.inputs[0], (Values{200, 300, 302, 3, 100, 101}));
  EXPECT_EQ(outcome.inputs[3], (Values{100, 101, 304, 306, 308, 310}));
}

// A reshape of a part, permuted: written through the part's view.
TEST_P(AssignTest, writesReshapedParts) {
  Outcome outcome = run(R"(
    func.func @main(%x: tensor<2x4xi32>, %v: tensor<3x2xi32>) {
      %s = lazy.shrink %x begin [0, 1] end [2, 4] : tensor<2x4xi32> -> tensor<2x3xi32>
      %r = lazy.reshape %s : tensor<2x3xi32> -> tensor<6xi32>
      %f = lazy.stride %r [-1] : tensor<6xi32> -> tensor<6xi32>
      %q = lazy.reshape %f : tensor<6xi32> -> tensor<2x3xi32>
      %p = lazy.permute %q [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
      %a = lazy.assign %p, %v : tensor<3x2xi32>
      return
    })");
  EXPECT_EQ(outcome.inputs[0], (Values{0, 105, 103, 101, 4, 104, 102, 100}));
}

TEST_P(AssignTest, refusesTargetsThatAreNoPlace) {
  auto getTargetError = [&](const std::string &target) {
    return run("func.func @main(%x: tensor<4x1xi32>, %v: tensor<8xi32>) {\n" +
               target +
               "  %r = lazy.assign %t, %v : tensor<8xi32>\n"
               "  return\n}")
        .error;
  };
  EXPECT_PRED2(contains,
               getTargetError(
                   "%e = lazy.expand %x : tensor<4x1xi32> -> tensor<4x2xi32>\n"
                   "%t = lazy.reshape %e : tensor<4x2xi32> -> tensor<8xi32>\n"),
               "expects a target whose elements lie apart, got ");
  EXPECT_PRED2(contains,
               getTargetError(
                   "%p = lazy.pad %x low [1, 0] high [3, 0] : "
                   "tensor<4x1xi32> -> tensor<8x1xi32>\n"
                   "%t = lazy.reshape %p : tensor<8x1xi32> -> tensor<8xi32>\n"),
               "expects a target without padding, got ");
  EXPECT_PRED2(
      contains,
      run("func.func @main(%x: tensor<4x4xi32>, %v: tensor<7xi32>) {\n"
          "  %s = lazy.shrink %x begin [0, 0] end [4, 3] : tensor<4x4xi32> -> "
          "tensor<4x3xi32>\n"
          "  %f = lazy.reshape %s : tensor<4x3xi32> -> tensor<12xi32>\n"
          "  %t = lazy.shrink %f begin [2] end [9] : tensor<12xi32> -> "
          "tensor<7xi32>\n"
          "  %r = lazy.assign %t, %v : tensor<7xi32>\n"
          "  return\n}")
          .error,
      "expects a target that one view shows, perhaps reshaped, got ");
}

//===----------------------------------------------------------------------===//
// Random programs
//===----------------------------------------------------------------------===//

namespace {

/// Writes a program of views, sums and assigns, and runs it by the book: values
/// never change, and an assign also writes into the memory of an argument.
class RandomProgram {
public:
  explicit RandomProgram(uint64_t seed) : random(seed) {
    for (size_t i = 0; i < 2; ++i) {
      Tensor argument = {{4, 6}, {}, {}, i};
      for (int64_t k = 0; k < 24; ++k) {
        argument.values.push_back(100.0 * static_cast<double>(i) +
                                  static_cast<double>(k));
        argument.places.push_back(k);
      }
      memory.push_back(argument.values);
      tensors.push_back(argument);
    }
    for (int i = 0; i < 14; ++i)
      addOperation();
    for (int i = 0; i < 3; ++i)
      returned.push_back(static_cast<size_t>(
          random.below(static_cast<int64_t>(tensors.size()))));
  }

  std::string getText() const {
    std::string names, types;
    for (size_t number : returned) {
      names += (names.empty() ? "" : ", ") + getName(number);
      types += (types.empty() ? "" : ", ") + getType(number);
    }
    return "func.func @main(%0: tensor<4x6xi32>, %1: tensor<4x6xi32>) -> (" +
           types + ") {\n" + text + "  return " + names + " : " + types +
           "\n}\n";
  }
  Outcome getExpected() const {
    Outcome outcome = {"", {}, memory};
    for (size_t number : returned)
      outcome.results.push_back(tensors[number].values);
    return outcome;
  }

private:
  struct Tensor {
    ops::Shape shape;
    Values values;
    /// Where the elements lie in argument `argument`; empty for what is
    /// computed.
    std::vector<int64_t> places;
    size_t argument;
  };

  static std::string getName(size_t number) {
    return "%" + std::to_string(number);
  }
  std::string getType(size_t number) const {
    std::string type = "tensor<";
    for (int64_t extent : tensors[number].shape)
      type += std::to_string(extent) + "x";
    return type + "i32>";
  }
  size_t choose() {
    return static_cast<size_t>(
        random.below(static_cast<int64_t>(tensors.size())));
  }

  /// Adds the elements of tensor `source` at `positions`.
  void addMovement(size_t source, const std::string &op, ops::Shape shape,
                   const std::vector<int64_t> &positions) {
    const Tensor &from = tensors[source];
    Tensor result = {std::move(shape), {}, {}, from.argument};
    for (int64_t position : positions) {
      result.values.push_back(from.values[position]);
      if (!from.places.empty())
        result.places.push_back(from.places[position]);
    }
    tensors.push_back(std::move(result));
    text += "  " + getName(tensors.size() - 1) + " = lazy." + op + " : " +
            getType(source) + " -> " + getType(tensors.size() - 1) + "\n";
  }

  void addOperation();
  void addMovement();

  Random random;
  std::vector<Tensor> tensors;
  std::vector<Values> memory;
  std::vector<size_t> returned;
  std::string text;
};

} // namespace

void RandomProgram::addMovement() {
  size_t source = choose();
  ops::Shape shape = tensors[source].shape;
  std::string name = getName(source);
  std::vector<int64_t> positions;
  if (random.oneIn(4)) {
    int64_t count = std::ssize(tensors[source].values);
    for (int64_t i = 0; i < count; ++i)
      positions.push_back(i);
    ops::Shape flat =
        count % 2 ? ops::Shape{1, count} : ops::Shape{count / 2, 2};
    return addMovement(source, "reshape " + name, flat, positions);
  }
  int64_t rows = shape[0], columns = shape[1];
  if (random.oneIn(3)) {
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 0; i < rows; ++i)
        positions.push_back(i * columns + j);
    return addMovement(source, "permute " + name + " [1, 0]", {columns, rows},
                       positions);
  }
  if (random.oneIn(2)) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = columns; j-- > 0;)
        positions.push_back(i * columns + j);
    return addMovement(source, "stride " + name + " [1, -1]", shape, positions);
  }
  int64_t row = random.below(rows), column = random.below(columns);
  int64_t lastRow = random.between(row + 1, rows);
  int64_t lastColumn = random.between(column + 1, columns);
  for (int64_t i = row; i < lastRow; ++i)
    for (int64_t j = column; j < lastColumn; ++j)
      positions.push_back(i * columns + j);
  addMovement(source,
              "shrink " + name + " begin [" + std::to_string(row) + ", " +
                  std::to_string(column) + "] end [" + std::to_string(lastRow) +
                  ", " + std::to_string(lastColumn) + "]",
              {lastRow - row, lastColumn - column}, positions);
}

void RandomProgram::addOperation() {
  if (random.oneIn(2))
    return addMovement();
  size_t left = choose();
  std::vector<size_t> fitting;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].shape == tensors[left].shape)
      fitting.push_back(i);
  size_t right = fitting[static_cast<size_t>(
      random.below(static_cast<int64_t>(fitting.size())))];
  Tensor result = tensors[right];
  std::string op = "assign";
  if (random.oneIn(3)) {
    op = "add";
    for (size_t i = 0; i < result.values.size(); ++i)
      result.values[i] += tensors[left].values[i];
    result.places.clear();
  } else {
    result.places = tensors[left].places;
    result.argument = tensors[left].argument;
    for (size_t i = 0; i < result.places.size(); ++i)
      memory[result.argument][result.places[i]] = result.values[i];
  }
  tensors.push_back(std::move(result));
  text += "  " + getName(tensors.size() - 1) + " = lazy." + op + " " +
          getName(left) + ", " + getName(right) + " : " + getType(left) + "\n";
}

TEST_P(AssignTest, runsRandomProgramsByTheBook) {
  int numRefused = 0;
  constexpr int numPrograms = 60;
  for (uint64_t seed = 0; seed < numPrograms; ++seed) {
    RandomProgram program(seed);
    Outcome outcome = run(program.getText());
    if (contains(outcome.error, "expects a target that one view shows")) {
      ++numRefused;
      continue;
    }
    Outcome expected = program.getExpected();
    ASSERT_EQ(outcome.error, "") << program.getText();
    ASSERT_EQ(outcome.results, expected.results) << program.getText();
    ASSERT_EQ(outcome.inputs, expected.inputs) << program.getText();
  }
  EXPECT_LT(numRefused, numPrograms / 4);
}
