//===- TorchValuesTest.cpp - Methods against PyTorch's values -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the cases of data/torch_values.json: values, types and gradients, and
// gradients against finite differences where the case is at no edge. A method
// of Ops.h that has no such case fails the last test.
//
//===----------------------------------------------------------------------===//

#include "MethodTable.h"
#include "TensorTest.h"

#include "nlohmann/json.hpp"

#include <fstream>
#include <limits>
#include <regex>
#include <set>
#include <sstream>

using namespace tinygrad;
using namespace tinygrad::test;

using Json = nlohmann::json;

static std::string readFile(const std::string &path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

static const Json &getCases() {
  static const Json cases = Json::parse(
      readFile(TINYGRAD_SOURCE_DIR "/unittests/Tensor/data/torch_values.json"));
  return cases;
}

static const MethodTable &getMethods() {
  static const MethodTable methods = [] {
    MethodTable table = makeElementwiseTable();
    table.merge(makeShapedTable());
    return table;
  }();
  return methods;
}

static std::vector<double> readValues(const Json &tensor) {
  std::vector<double> values;
  for (const Json &value : tensor["values"]) {
    if (value.is_number())
      values.push_back(value.get<double>());
    else if (value == "nan")
      values.push_back(std::numeric_limits<double>::quiet_NaN());
    else
      values.push_back(value == "inf" ? INFINITY : -INFINITY);
  }
  return values;
}

static DType readType(const Json &tensor) {
  std::string name = tensor["type"];
  for (DType type :
       {DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::Int32,
        DType::Int64, DType::Float16, DType::Float32, DType::Float64})
    if (getName(type) == name)
      return type;
  ADD_FAILURE() << "unknown type " << name;
  return DType::Float32;
}

static Inputs readInputs(const Json &entry, bool wantsGrad) {
  Inputs inputs;
  for (const Json &input : entry["inputs"]) {
    Tensor tensor(readValues(input),
                  input["shape"].get<std::vector<int64_t>>());
    inputs.push_back(tensor.cast(readType(input)).realize());
    if (wantsGrad && isFloat(readType(input)))
      inputs.back().requires_grad_();
  }
  return inputs;
}

/// The weights that the data's gradients are made with.
static Tensor makeWeights(const Tensor &result) {
  std::vector<double> weights;
  for (int64_t i = 0; i < result.numel(); ++i)
    weights.push_back(1 + static_cast<double>(i % 3) * 0.5);
  return Tensor(weights, result.shape()).cast(result.dtype());
}

static double getTolerance(DType type) {
  return type == DType::Float64 ? 1e-9 : type == DType::Float32 ? 1e-6 : 1e-3;
}

/// Integers are as wide as tinygrad's are, which need not be as wide as
/// PyTorch's, unless they are promoted; `one_hot` gives bools.
static bool isSameType(const std::string &name, DType actual, DType expected) {
  bool areIntegers = actual != DType::Bool && expected != DType::Bool &&
                     !isFloat(actual) && !isFloat(expected);
  return actual == expected || (areIntegers && name != "add") ||
         name == "one_hot";
}

TEST(TorchValues, values_types_and_gradients) {
  int numGradients = 0;
  for (const Json &entry : getCases()) {
    std::string name = entry["name"];
    SCOPED_TRACE(entry.dump());
    ASSERT_TRUE(getMethods().contains(name)) << name;
    bool hasGrads = entry.contains("grads");
    Inputs inputs = readInputs(entry, hasGrads);
    Tensor result = getMethods().at(name)(inputs);
    std::vector<double> values = readValues(entry["result"]);
    EXPECT_TRUE(isSameType(name, result.dtype(), readType(entry["result"])))
        << "type " << getName(result.dtype());
    expectTensor(result, entry["result"]["shape"].get<std::vector<int64_t>>(),
                 values, getTolerance(result.dtype()));
    if (entry.contains("signs")) {
      std::vector<double> actual = result.toVector<double>();
      for (size_t i = 0; i < actual.size(); ++i)
        if (!std::isnan(actual[i])) {
          EXPECT_EQ(std::signbit(actual[i]), std::signbit(values[i]))
              << "sign of element " << i;
        }
    }
    if (!hasGrads)
      continue;
    ++numGradients;
    // Where none flows PyTorch has zeros.
    if (result.requires_grad())
      (result * makeWeights(result)).sum().backward();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Json &grad = entry["grads"][i];
      if (grad.is_null())
        continue;
      SCOPED_TRACE("gradient of input " + std::to_string(i));
      Tensor actual =
          inputs[i].hasGrad() ? inputs[i].grad() : inputs[i].zeros_like();
      expectTensor(actual, inputs[i].shape(), readValues(grad),
                   getTolerance(actual.dtype()));
    }
  }
  EXPECT_GE(numGradients, 300);
}

TEST(TorchValues, gradients_against_finite_differences) {
  int numChecked = 0;
  for (const Json &entry : getCases()) {
    if (!entry.contains("grads") || entry.contains("edge"))
      continue;
    std::string name = entry["name"];
    SCOPED_TRACE(name);
    // The others than floats are the same at each call.
    Inputs given = readInputs(entry, false);
    std::vector<Shape> shapes;
    std::vector<std::vector<double>> values;
    std::vector<size_t> places;
    for (size_t i = 0; i < given.size(); ++i) {
      if (!isFloat(given[i].dtype()))
        continue;
      places.push_back(i);
      shapes.push_back(given[i].shape());
      values.push_back(readValues(entry["inputs"][i]));
    }
    if (!getMethods().at(name)(readInputs(entry, true)).requires_grad())
      continue;
    checkGradients(
        [&](const Inputs &floats) {
          Inputs inputs = given;
          for (size_t k = 0; k < places.size(); ++k)
            inputs[places[k]] = floats[k];
          return getMethods().at(name)(inputs);
        },
        shapes, values);
    ++numChecked;
  }
  EXPECT_GE(numChecked, 180);
}

TEST(TorchValues, every_method_has_a_case) {
  // Those that have no values of their own, or random ones.
  const std::set<std::string> exempt = {
      "dropout", // random: see RandomTest.cpp
  };
  // Those through which no gradient flows, and a cast, whose float32 has too
  // few digits for differences.
  const std::set<std::string> flat = {
      "argmax", "argmin", "bitcast", "bitwise_xor", "cast",
      "detach", "equal",  "less",    "logical_not", "one_hot",
  };
  std::set<std::string> valued, differentiated;
  for (const Json &entry : getCases()) {
    std::string name = entry["name"];
    std::string method = name.substr(0, name.find(' '));
    valued.insert(method);
    if (entry.contains("grads") && !entry.contains("edge"))
      differentiated.insert(method);
  }
  std::string header =
      readFile(TINYGRAD_SOURCE_DIR "/include/tinygrad/Tensor/Ops.h");
  std::regex declaration(R"(\n(?:Tensor|std::vector<Tensor>)\s+(\w+)\()");
  int numMethods = 0;
  for (std::sregex_iterator it(header.begin(), header.end(), declaration), end;
       it != end; ++it) {
    std::string method = (*it)[1];
    if (method == "operator" || exempt.contains(method))
      continue;
    ++numMethods;
    EXPECT_TRUE(valued.contains(method)) << "no value of " << method;
    EXPECT_TRUE(differentiated.contains(method) || flat.contains(method))
        << "no gradient of " << method;
  }
  EXPECT_GE(numMethods, 105);
}
