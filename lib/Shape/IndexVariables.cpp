//===- IndexVariables.cpp - Named variables of expressions ------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which named variables there are, and numbers in their place.
//
//===----------------------------------------------------------------------===//

#include "LinearForm.h"

#include <algorithm>

using namespace tinygrad::shape;
using Kind = IndexExpr::Kind;

bool tinygrad::shape::isSymbolic(const IndexExpr &expr) {
  return anyPart(expr, [](const IndexExpr &part) { return part.isNamed(); });
}

std::vector<IndexExpr>
tinygrad::shape::collectVariables(std::span<const IndexExpr> exprs) {
  std::vector<IndexExpr> variables;
  for (const IndexExpr &expr : exprs)
    visitVariables(expr, [&](const IndexExpr &variable) {
      if (variable.isNamed())
        variables.push_back(variable);
    });
  std::sort(variables.begin(), variables.end(),
            [](const IndexExpr &a, const IndexExpr &b) {
              return compareExprs(a, b) < 0;
            });
  variables.erase(std::unique(variables.begin(), variables.end()),
                  variables.end());
  return variables;
}

IndexExpr tinygrad::shape::substituteVariables(
    const IndexExpr &expr,
    const std::function<IndexExpr(const IndexExpr &)> &replace) {
  if (expr.isConstant())
    return expr;
  return substitute(expr, [&](const IndexExpr &variable) {
    return variable.isNamed() ? replace(variable) : variable;
  });
}

IndexExpr tinygrad::shape::bindVariables(const IndexExpr &expr,
                                         const Bindings &bindings) {
  return substituteVariables(expr, [&](const IndexExpr &variable) {
    auto entry = bindings.find(variable.getName());
    return entry == bindings.end() ? variable : IndexExpr(entry->second);
  });
}

bool tinygrad::shape::verifyBindings(std::span<const IndexExpr> variables,
                                     const Bindings &bindings, bool needsAll,
                                     std::string &error) {
  for (const IndexExpr &variable : variables) {
    auto entry = bindings.find(variable.getName());
    if (entry == bindings.end()) {
      if (!needsAll)
        continue;
      error = "expects a value for `" + variable.getName() + "`";
      return false;
    }
    if (entry->second >= variable.getMin() &&
        entry->second <= variable.getMax())
      continue;
    error = "expects `" + variable.getName() + "` from " +
            std::to_string(variable.getMin()) + " to " +
            std::to_string(variable.getMax()) + ", got " +
            std::to_string(entry->second);
    return false;
  }
  return true;
}

std::optional<IndexExpr> tinygrad::shape::unbindVariables(const IndexExpr &expr,
                                                          Bindings &bindings) {
  bool isConsistent = true;
  IndexExpr free = substituteVariables(expr, [&](const IndexExpr &variable) {
    if (!variable.getBinding())
      return variable;
    int64_t value = *variable.getBinding();
    auto [entry, isNew] = bindings.emplace(variable.getName(), value);
    isConsistent &= entry->second == value;
    return IndexExpr::variable(variable.getName(), variable.getMin(),
                               variable.getMax());
  });
  if (!isConsistent)
    return std::nullopt;
  return free;
}

IndexExpr tinygrad::shape::resolveVariables(const IndexExpr &expr) {
  return substituteVariables(expr, [](const IndexExpr &variable) {
    return variable.getBinding() ? IndexExpr(*variable.getBinding()) : variable;
  });
}
