//===- GoldenRows.cpp - Golden rows of scalar operations ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GoldenRows.h"

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
using namespace tinygrad::test;
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

std::string test::toText(const Scalar &value) {
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

bool GoldenRow::accepts(size_t position, const Scalar &actual) const {
  const Scalar &wanted = expected[position];
  if (actual.getType() != wanted.getType())
    return false;
  if (actual.isIdentical(wanted))
    return true;
  if (!isFloat(actual.getType()))
    return false;
  double a = actual.toDouble(), e = wanted.toDouble();
  if (std::isnan(a) && std::isnan(e))
    return true;
  // DESIGN: +0 wins over -0 in max; numpy takes either.
  if ((kind == OpKind::Max || kind == OpKind::ReduceMax) && a == 0 && e == 0)
    return true;
  bool isLibm =
      kind == OpKind::Exp2 || kind == OpKind::Log2 || kind == OpKind::Sin;
  return isLibm && std::isfinite(a) && std::isfinite(e) && e != 0 &&
         std::fabs(a - e) <= 2 * getUnit(wanted);
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

static std::vector<std::vector<Scalar>>
parseOperands(const json &row, OpKind kind, DType outType) {
  const json &inputs = row["inputs"];
  if (getInfo(kind).group == OpGroup::Reduce) {
    std::vector<Scalar> elements;
    for (const json &value : inputs[0])
      elements.push_back(parse(outType, value));
    return {elements};
  }
  std::vector<DType> types = parseTypes(row);
  std::vector<std::vector<Scalar>> operands(inputs[0].size());
  for (size_t i = 0; i < operands.size(); ++i)
    for (size_t j = 0; j < inputs.size(); ++j) {
      Scalar value = parse(types[types.size() == 1 ? 0 : j], inputs[j][i]);
      // DESIGN: elementwise ops take one element type; a front end inserts
      // casts. The condition of where has any type and needs none.
      if (types.size() > 1 && (kind != OpKind::Where || j > 0))
        value = cast(value, outType);
      operands[i].push_back(value);
    }
  return operands;
}

static GoldenRow parseRow(const std::string &line, size_t number) {
  json row = json::parse(line);
  GoldenRow result;
  result.kind = parseKind(row);
  result.type = parseDType(row["out_dtype"].get<std::string>()).value();
  result.name = row["op"].get<std::string>() + " " +
                row["dtype"].get<std::string>() + " -> " +
                row["out_dtype"].get<std::string>() + ", row " +
                std::to_string(number);
  result.operands = parseOperands(row, result.kind, result.type);
  for (const json &value : getExpected(row, result.kind, result.type))
    result.expected.push_back(parse(result.type, value));
  // DESIGN, "Numbers": a float to integer cast saturates, NaN gives 0; where
  // C leaves a golden cast undefined, only defined positions bind.
  result.isDefined.assign(result.expected.size(), !row.contains("defined"));
  if (row.contains("defined"))
    for (size_t position : row["defined"].get<std::set<size_t>>())
      result.isDefined.at(position) = true;
  EXPECT_EQ(result.operands.size(), result.expected.size()) << result.name;
  return result;
}

std::vector<GoldenRow> test::readGoldenRows() {
  std::ifstream file(TINYGRAD_SOURCE_DIR "/conformance/golden/ops.jsonl");
  EXPECT_TRUE(file.is_open());
  std::vector<GoldenRow> rows;
  for (std::string line; std::getline(file, line);)
    rows.push_back(parseRow(line, rows.size()));
  EXPECT_EQ(rows.size(), 423u);
  return rows;
}
