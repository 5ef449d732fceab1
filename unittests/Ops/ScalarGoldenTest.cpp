//===- ScalarGoldenTest.cpp - Scalars against the reference ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every row of conformance/golden/ops.jsonl, that is: numpy's values, and those
// of tinygrad 6d6eb9302d where they differ.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/Scalar.h"

#include "gtest/gtest.h"
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>

using namespace tinygrad;
using namespace tinygrad::ops;
using nlohmann::json;

static Scalar parse(DType type, const json &value) {
  if (value.is_boolean())
    return Scalar::fromInt(type, value.get<bool>());
  if (value.is_number_unsigned())
    return Scalar::fromUInt(type, value.get<uint64_t>());
  if (value.is_number_integer())
    return Scalar::fromInt(type, value.get<int64_t>());
  if (value.is_number())
    return Scalar::fromDouble(type, value.get<double>());
  double infinity = std::numeric_limits<double>::infinity();
  std::string text = value.get<std::string>();
  if (text == "nan")
    return Scalar::fromDouble(type, std::nan(""));
  EXPECT_TRUE(text == "inf" || text == "-inf") << text;
  return Scalar::fromDouble(type, text == "inf" ? infinity : -infinity);
}

static std::string toText(const Scalar &value) {
  std::ostringstream text;
  text.precision(17);
  text << getName(value.getType()) << " ";
  if (isFloat(value.getType()))
    text << value.toDouble();
  else if (isUnsigned(value.getType()))
    text << static_cast<uint64_t>(value.toInt());
  else
    text << value.toInt();
  return text.str();
}

/// Returns the distance between neighbors of `value` in its type.
static double getUnit(const Scalar &value) {
  std::map<DType, std::pair<int, int>> formats = {
      {DType::Float16, {11, -24}},
      {DType::BFloat16, {8, -133}},
      {DType::Float32, {24, -149}},
      {DType::Float64, {53, -1074}}};
  auto [precision, smallest] = formats.at(value.getType());
  double magnitude = std::fabs(value.toDouble());
  int exponent =
      magnitude == 0 ? smallest : std::ilogb(magnitude) - precision + 1;
  return std::ldexp(1.0, std::max(exponent, smallest));
}

namespace {

/// How a row's values are compared.
struct Tolerance {
  double units = 0;
  bool anyZero = false;
};

} // namespace

static bool isEqual(const Scalar &actual, const Scalar &expected,
                    Tolerance tolerance) {
  if (actual.getType() != expected.getType())
    return false;
  if (actual.isIdentical(expected))
    return true;
  if (!isFloat(actual.getType()))
    return false;
  double a = actual.toDouble(), e = expected.toDouble();
  if (std::isnan(a) && std::isnan(e))
    return true;
  if (tolerance.anyZero && a == 0 && e == 0)
    return true;
  return tolerance.units && std::isfinite(a) && std::isfinite(e) && e != 0 &&
         std::fabs(a - e) <= tolerance.units * getUnit(expected);
}

static OpKind parseKind(const json &row) {
  std::string name = row["op"];
  for (char &c : name)
    c = static_cast<char>(std::tolower(c));
  return parseOpKind(name).value();
}

static std::vector<DType> parseTypes(const json &row) {
  std::vector<DType> types;
  std::stringstream names(row["dtype"].get<std::string>());
  for (std::string name; std::getline(names, name, ',');)
    types.push_back(parseDType(name).value());
  return types;
}

/// Returns the values that bind. They are numpy's, but for integer division
/// and remainder: DESIGN, "Numbers": integer division truncates, mod has C's
/// sign.
static std::vector<json> getExpected(const json &row, OpKind kind,
                                     DType outType) {
  std::vector<json> expected = row["numpy"];
  if (isFloat(outType) || (kind != OpKind::Div && kind != OpKind::Mod) ||
      !row.contains("differ"))
    return expected;
  for (size_t i = 0; i < row["differ"].size(); ++i)
    expected[row["differ"][i].get<size_t>()] = row["reference"][i];
  return expected;
}

/// Computes a reduce row. It has one result.
static std::vector<Scalar> reduce(OpKind kind, DType type, const json &inputs) {
  Scalar result = getIdentity(kind, getAccumulationType(type));
  for (const json &value : inputs[0])
    result = accumulate(kind, result,
                        cast(parse(type, value), getAccumulationType(type)));
  return {cast(result, type)};
}

static std::vector<Scalar> compute(const json &row, OpKind kind,
                                   std::vector<DType> types, DType outType) {
  const json &inputs = row["inputs"];
  if (getInfo(kind).group == OpGroup::Reduce)
    return reduce(kind, outType, inputs);

  std::vector<Scalar> results;
  for (size_t i = 0; i < inputs[0].size(); ++i) {
    std::vector<Scalar> operands;
    for (size_t j = 0; j < inputs.size(); ++j) {
      Scalar value = parse(types[types.size() == 1 ? 0 : j], inputs[j][i]);
      // DESIGN: elementwise ops take one element type; a front end inserts
      // casts. The condition of where has any type and needs none.
      if (types.size() > 1 && (kind != OpKind::Where || j > 0))
        value = cast(value, outType);
      operands.push_back(value);
    }
    results.push_back(evaluate(kind, outType, operands));
  }
  return results;
}

TEST(ScalarGolden, everyRow) {
  std::ifstream file(TINYGRAD_SOURCE_DIR "/conformance/golden/ops.jsonl");
  ASSERT_TRUE(file.is_open());
  int numRows = 0, numValues = 0, numUndefined = 0;
  for (std::string line; std::getline(file, line); ++numRows) {
    json row = json::parse(line);
    OpKind kind = parseKind(row);
    std::vector<DType> types = parseTypes(row);
    DType outType = parseDType(row["out_dtype"].get<std::string>()).value();
    SCOPED_TRACE(row["op"].get<std::string>() + " " +
                 row["dtype"].get<std::string>() + " -> " +
                 row["out_dtype"].get<std::string>() + ", row " +
                 std::to_string(numRows));

    std::vector<json> expected = getExpected(row, kind, outType);
    std::vector<Scalar> actual = compute(row, kind, types, outType);
    ASSERT_EQ(actual.size(), expected.size());

    // DESIGN, "Numbers": a float to integer cast saturates, NaN gives 0; where
    // C leaves a golden cast undefined, only defined positions bind.
    std::set<size_t> defined;
    if (row.contains("defined"))
      defined = row["defined"].get<std::set<size_t>>();

    Tolerance tolerance;
    if (kind == OpKind::Exp2 || kind == OpKind::Log2 || kind == OpKind::Sin)
      tolerance.units = 2;
    // DESIGN: +0 wins over -0 in max; numpy takes either.
    tolerance.anyZero = kind == OpKind::Max || kind == OpKind::ReduceMax;

    for (size_t i = 0; i < actual.size(); ++i) {
      if (row.contains("defined") && !defined.count(i)) {
        ++numUndefined;
        continue;
      }
      ++numValues;
      Scalar value = parse(outType, expected[i]);
      EXPECT_TRUE(isEqual(actual[i], value, tolerance))
          << "position " << i << ": got " << toText(actual[i]) << ", expected "
          << toText(value);
    }
  }
  // A row that is lost is noticed.
  EXPECT_EQ(numRows, 423);
  RecordProperty("values", numValues);
  RecordProperty("undefined", numUndefined);
}
