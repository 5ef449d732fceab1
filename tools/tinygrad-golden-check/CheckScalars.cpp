//===- CheckScalars.cpp - Judges rows of ops.jsonl ------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckScalars.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstdio>

using namespace tinygrad;
using namespace tinygrad::golden;
using ops::OpKind;
using ops::Scalar;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static bool isReduce(OpKind kind) {
  return ops::getInfo(kind).group == ops::OpGroup::Reduce;
}

static bool readTypes(llvm::StringRef names, std::vector<DType> &types,
                      size_t arity) {
  llvm::SmallVector<llvm::StringRef> list;
  names.split(list, ',');
  for (llvm::StringRef name : list) {
    std::optional<DType> type = parseDType(name);
    if (!type)
      return false;
    types.push_back(*type);
  }
  if (types.size() == 1)
    types.resize(arity, types.front());
  return types.size() == arity;
}

/// Integers are divided as C does it, which the reference's values say.
static bool applyReference(const json::Object &row, ScalarRow &result,
                           json::Path path) {
  bool isDivision = result.kind == OpKind::Div || result.kind == OpKind::Mod;
  const json::Value *positions = row.get("differ");
  if (!isDivision || isFloat(result.outType) || !positions)
    return true;
  std::vector<int64_t> differ;
  std::vector<Number> reference;
  const json::Value *values = row.get("reference");
  if (!json::fromJSON(*positions, differ, path.field("differ")) ||
      !json::fromJSON(values ? *values : json::Value(nullptr), reference,
                      path.field("reference")))
    return false;
  if (differ.size() != reference.size()) {
    path.field("reference").report("expected as many values as in `differ`");
    return false;
  }
  for (auto [position, value] : llvm::zip(differ, reference)) {
    if (position < 0 ||
        position >= static_cast<int64_t>(result.expected.size())) {
      path.field("differ").report("expected positions of `numpy`");
      return false;
    }
    result.expected[position] = value;
  }
  return true;
}

bool golden::fromJSON(const json::Value &value, ScalarRow &result,
                      json::Path path) {
  std::string name, types;
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("op", name) || !mapper.map("dtype", types) ||
      !mapper.map("out_dtype", result.outType) ||
      !mapper.map("inputs", result.inputs) ||
      !mapper.map("numpy", result.expected) ||
      !mapper.map("defined", result.defined))
    return false;
  std::optional<OpKind> kind = ops::parseOpKind(llvm::StringRef(name).lower());
  if (!kind || !(ops::isElementwise(*kind) || isReduce(*kind))) {
    path.field("op").report("expected an elementwise operation or a reduce");
    return false;
  }
  result.kind = *kind;
  auto arity = static_cast<size_t>(ops::getInfo(*kind).arity);
  if (!readTypes(types, result.types, arity)) {
    path.field("dtype").report("expected one type, or one per operand");
    return false;
  }
  bool fits = result.inputs.size() == arity;
  for (const std::vector<Number> &list : result.inputs)
    fits &= isReduce(*kind) || list.size() == result.expected.size();
  if (isReduce(*kind))
    fits &= result.expected.size() == 1;
  if (!fits) {
    path.field("inputs").report("expected a list per operand, each as long as "
                                "`numpy`");
    return false;
  }
  if (*kind == OpKind::Bitcast &&
      getByteWidth(result.types.front()) != getByteWidth(result.outType)) {
    path.field("out_dtype").report("expected a type of the operand's width");
    return false;
  }
  return applyReference(*value.getAsObject(), result, path);
}

std::string golden::describe(const ScalarRow &row) {
  std::string text = llvm::StringRef(ops::getInfo(row.kind).name).upper();
  for (DType type : row.types)
    text.append(" ").append(getName(type));
  return text.append(" -> ").append(getName(row.outType));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::string golden::toText(const Scalar &value) {
  std::string text(getName(value.getType()));
  if (isUnsigned(value.getType()))
    return text + " " + std::to_string(static_cast<uint64_t>(value.toInt()));
  if (!isFloat(value.getType()))
    return text + " " + std::to_string(value.toInt());
  char digits[32];
  std::snprintf(digits, sizeof(digits), " %.17g", value.toDouble());
  return text + digits;
}

/// Returns the distance between neighbours of `value` in its type.
static double getUnit(const Scalar &value) {
  // The exponent of the smallest number.
  int smallest = value.getType() == DType::Float16    ? -24
                 : value.getType() == DType::BFloat16 ? -133
                 : value.getType() == DType::Float32  ? -149
                                                      : -1074;
  double magnitude = std::fabs(value.toDouble());
  int exponent = magnitude == 0 ? smallest
                                : std::ilogb(magnitude) -
                                      getPrecision(value.getType()) + 1;
  return std::ldexp(1.0, std::max(exponent, smallest));
}

static bool isEqual(const Scalar &actual, const Scalar &expected, OpKind kind) {
  if (actual.isIdentical(expected))
    return true;
  if (!isFloat(actual.getType()))
    return false;
  double a = actual.toDouble(), e = expected.toDouble();
  if (std::isnan(a) && std::isnan(e))
    return true;
  // +0 wins over -0 here; numpy takes either.
  if ((kind == OpKind::Max || kind == OpKind::ReduceMax) && a == 0 && e == 0)
    return true;
  bool isLibrary =
      kind == OpKind::Exp2 || kind == OpKind::Log2 || kind == OpKind::Sin;
  return isLibrary && std::isfinite(a) && std::isfinite(e) && e != 0 &&
         std::fabs(a - e) <= 2 * getUnit(expected);
}

static Scalar reduce(const ScalarRow &row) {
  DType type = getAccumulationType(row.outType);
  Scalar result = ops::getIdentity(row.kind, type);
  for (const Number &number : row.inputs.front())
    result = ops::accumulate(row.kind, result,
                             ops::cast(number.toScalar(row.outType), type));
  return ops::cast(result, row.outType);
}

std::vector<Scalar> ScalarRow::getOperands(size_t position) const {
  bool isMixed = !llvm::all_equal(types);
  std::vector<Scalar> operands;
  for (auto [i, type] : llvm::enumerate(types)) {
    Scalar operand = inputs[i][position].toScalar(type);
    // A front end inserts casts. The condition of where has any type.
    if (isMixed && (kind != OpKind::Where || i > 0))
      operand = ops::cast(operand, outType);
    operands.push_back(operand);
  }
  return operands;
}

Scalar ScalarRow::getExpected(size_t position) const {
  return expected[position].toScalar(outType);
}

bool ScalarRow::accepts(size_t position, const Scalar &actual) const {
  bool binds =
      !defined || llvm::is_contained(*defined, static_cast<int64_t>(position));
  return !binds || isEqual(actual, getExpected(position), kind);
}

Outcome golden::checkScalars(const ScalarRow &row) {
  for (size_t i = 0; i < row.expected.size(); ++i) {
    Scalar actual = isReduce(row.kind) ? reduce(row)
                                       : ops::evaluate(row.kind, row.outType,
                                                       row.getOperands(i));
    if (!row.accepts(i, actual))
      return Outcome::fail("position " + std::to_string(i) + ": " +
                           toText(actual) + " instead of " +
                           toText(row.getExpected(i)));
  }
  return {};
}
