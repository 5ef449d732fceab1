//===- Shape.cpp - Extents of tensors -------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Shape.h"

#include "Capture.h"
#include "Symbolic.h"

#include <algorithm>
#include <ostream>

using namespace tinygrad;
using namespace tinygrad::detail;
using shape::IndexExpr;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

IndexExpr detail::toExpr(const Extent &extent) {
  return extent.isSymbolic() ? *extent.getExpr()
                             : IndexExpr(static_cast<int64_t>(extent));
}

Extent detail::toExtent(const IndexExpr &expr) {
  if (expr.isConstant())
    return expr.getValue();
  return Extent(std::make_shared<const IndexExpr>(expr));
}

shape::SymbolicDims detail::toExprs(const Shape &shape) {
  shape::SymbolicDims exprs;
  for (const Extent &extent : shape)
    exprs.push_back(toExpr(extent));
  return exprs;
}

Shape detail::toShape(const shape::SymbolicDims &exprs) {
  Shape shape;
  for (const IndexExpr &expr : exprs)
    shape.push_back(toExtent(expr));
  return shape;
}

shape::Sizes detail::toSizes(const Shape &shape) {
  if (shape.isSymbolic())
    return toExprs(shape);
  return shape::Dims(shape);
}

std::optional<Extent> detail::divideExactly(const Extent &a, const Extent &b) {
  if (!a.isSymbolic() && !b.isSymbolic()) {
    int64_t dividend = a, divisor = b;
    if (divisor == 0 || dividend % divisor != 0)
      return std::nullopt;
    return dividend / divisor;
  }
  if (!b.isSymbolic() && b <= 0)
    return std::nullopt;
  IndexExpr quotient = toExpr(a).floorDiv(toExpr(b));
  if (!shape::isProvablyEqual(quotient * toExpr(b), toExpr(a)))
    return std::nullopt;
  return toExtent(quotient);
}

Extent Extent::add(const Extent &a, const Extent &b) {
  return toExtent(toExpr(a) + toExpr(b));
}

Extent Extent::sub(const Extent &a, const Extent &b) {
  return toExtent(toExpr(a) - toExpr(b));
}

Extent Extent::mul(const Extent &a, const Extent &b) {
  return toExtent(toExpr(a) * toExpr(b));
}

bool Extent::isEqual(const Extent &a, const Extent &b) {
  return a.expr && b.expr && *a.expr == *b.expr;
}

std::optional<std::string>
detail::findFreeVariable(const shape::SymbolicDims &exprs) {
  for (const IndexExpr &variable : shape::collectVariables(exprs))
    if (!variable.getBinding())
      return variable.getName();
  return std::nullopt;
}

static Error makeFreeVariableError(const char *name,
                                   const std::string &variable) {
  return Error(name, "expects a value of variable `" + variable +
                         "`, which bind gives it");
}

int64_t Extent::failToConvert() const {
  throw Error("Extent",
              "expects a number, got the symbolic extent `" + toString() + "`");
}

int64_t Extent::evaluate() const {
  if (Recorder::getCurrent())
    throw Error("TinyJit", "cannot capture a function that takes the value of "
                           "the symbolic extent `" +
                               toString() +
                               "`; each call would have that of the first");
  if (auto variable = findFreeVariable({*expr}))
    throw makeFreeVariableError("Extent", *variable);
  return expr->evaluate({});
}

std::string Extent::toString() const {
  return expr ? expr->toString() : std::to_string(number);
}

std::ostream &tinygrad::operator<<(std::ostream &os, const Extent &extent) {
  return os << extent.toString();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

bool Shape::isSymbolic() const {
  return std::ranges::any_of(*this, &Extent::isSymbolic);
}

Shape Shape::getValues() const {
  Shape values;
  for (const Extent &extent : *this)
    values.push_back(extent.getValue());
  return values;
}

std::string Shape::toString() const {
  std::string text = "[";
  for (const Extent &extent : *this)
    text += (text.size() > 1 ? ", " : "") + extent.toString();
  return text + "]";
}

std::string ops::toString(const tinygrad::Shape &shape) {
  return shape.toString();
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Returns true for what the dialect takes as a name.
static bool isName(const std::string &name) {
  auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && isLetter(name[0]) &&
         std::ranges::all_of(name, [&](char c) {
           return isLetter(c) || (c >= '0' && c <= '9');
         });
}

Variable::Variable(std::string name, int64_t min, int64_t max)
    : name(std::move(name)), min(min), max(max) {
  if (!isName(this->name))
    throw Error("Variable", "expects a name of letters, digits and `_`, got `" +
                                this->name + "`");
  if (min > max)
    throw Error("Variable", "expects bounds of `" + this->name +
                                "` in order, got [" + std::to_string(min) +
                                ", " + std::to_string(max) + "]");
}

Extent Variable::bind(int64_t value) const {
  if (value < min || value > max)
    throw Error("Variable", "expects a value of `" + name + "` in [" +
                                std::to_string(min) + ", " +
                                std::to_string(max) + "], got " +
                                std::to_string(value));
  return toExtent(IndexExpr::variable(name, min, max).bind(value));
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

shape::SymbolicDims VariableValues::add(const char *name,
                                        const shape::SymbolicDims &exprs) {
  if (auto variable = findFreeVariable(exprs))
    throw makeFreeVariableError(name, *variable);
  shape::SymbolicDims result;
  for (const IndexExpr &expr : exprs) {
    for (const IndexExpr &variable :
         shape::collectVariables(std::span(&expr, 1))) {
      std::pair<int64_t, int64_t> own = {variable.getMin(), variable.getMax()};
      auto [known, isNew] = bounds.try_emplace(variable.getName(), own);
      if (known->second != own)
        throw Error(name, "expects one pair of bounds of variable `" +
                              variable.getName() + "`, got two");
      int64_t value = *variable.getBinding();
      auto [bound, isFirst] = values.try_emplace(variable.getName(), value);
      if (bound->second != value)
        throw Error(name, "expects one value of variable `" +
                              variable.getName() + "`, got " +
                              std::to_string(bound->second) + " and " +
                              std::to_string(value));
    }
    shape::Bindings scratch;
    result.push_back(*shape::unbindVariables(expr, scratch));
  }
  return result;
}

Shape detail::bindShape(const shape::SymbolicDims &exprs,
                        const shape::Bindings &values) {
  Shape shape;
  for (const IndexExpr &expr : exprs)
    shape.push_back(toExtent(
        shape::substituteVariables(expr, [&](const IndexExpr &variable) {
          return variable.bind(values.at(variable.getName()));
        })));
  return shape;
}
