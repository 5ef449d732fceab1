//===- RuntimeSize.cpp - Numbers that variables decide --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeSize.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace tinygrad;
using namespace tinygrad::engine;
using shape::IndexExpr;

namespace {

/// What one instruction does to the stack.
enum Instruction : int64_t {
  PushNumber,
  PushVariable,
  /// The others take two operands and leave one result.
  Add,
  Multiply,
  /// A divisor counts as 1 where it is less.
  FloorDivide,
  Modulo,
  NumInstructions,
};

class CodeWriter {
public:
  explicit CodeWriter(std::span<const std::string> names) : names(names) {}

  /// False if a variable has no number.
  bool write(const IndexExpr &expr);

  std::vector<int64_t> code;

private:
  void add(Instruction instruction, int64_t number = 0) {
    code.insert(code.end(), {instruction, number});
  }
  bool writeAll(std::span<const IndexExpr> operands, Instruction combine);
  /// Writes the one operand of `expr`, combined with its number.
  bool writeWithValue(const IndexExpr &expr, Instruction combine) {
    return writeAll(std::vector{expr.getOperands().front(),
                                IndexExpr::constant(expr.getValue())},
                    combine);
  }

  std::span<const std::string> names;
};

} // namespace

bool CodeWriter::writeAll(std::span<const IndexExpr> operands,
                          Instruction combine) {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!write(operands[i]))
      return false;
    if (i != 0)
      add(combine);
  }
  return true;
}

bool CodeWriter::write(const IndexExpr &expr) {
  switch (expr.getKind()) {
  case IndexExpr::Kind::Constant:
    add(PushNumber, expr.getValue());
    return true;
  case IndexExpr::Kind::Variable: {
    auto found =
        expr.isNamed() ? llvm::find(names, expr.getName()) : names.end();
    if (found == names.end())
      return false;
    add(PushVariable, found - names.begin());
    return true;
  }
  case IndexExpr::Kind::Add:
    return writeAll(expr.getOperands(), Add);
  case IndexExpr::Kind::Product:
    return writeAll(expr.getOperands(), Multiply);
  case IndexExpr::Kind::FloorDivBy:
    return writeAll(expr.getOperands(), FloorDivide);
  case IndexExpr::Kind::ModBy:
    return writeAll(expr.getOperands(), Modulo);
  case IndexExpr::Kind::Mul:
    return writeWithValue(expr, Multiply);
  case IndexExpr::Kind::FloorDiv:
    return writeWithValue(expr, FloorDivide);
  case IndexExpr::Kind::Mod:
    return writeWithValue(expr, Modulo);
  }
  return false;
}

std::optional<RuntimeSize>
RuntimeSize::create(const IndexExpr &expr, std::span<const std::string> names) {
  RuntimeSize size(expr.getMax());
  if (expr.isConstant())
    return size;
  CodeWriter writer(names);
  if (!writer.write(expr))
    return std::nullopt;
  size.code = std::move(writer.code);
  return size;
}

int64_t RuntimeSize::evaluate(std::span<const int64_t> values) const {
  if (isNumber())
    return number;
  llvm::SmallVector<int64_t, 8> stack;
  for (size_t i = 0; i < code.size(); i += 2) {
    int64_t value = code[i + 1];
    if (code[i] == PushNumber || code[i] == PushVariable) {
      stack.push_back(code[i] == PushNumber ? value : values[value]);
      continue;
    }
    int64_t right = stack.pop_back_val();
    int64_t &left = stack.back();
    int64_t divisor = std::max<int64_t>(right, 1);
    int64_t remainder = (left % divisor + divisor) % divisor;
    switch (code[i]) {
    case Add:
      left += right;
      break;
    case Multiply:
      left *= right;
      break;
    case FloorDivide:
      left = (left - remainder) / divisor;
      break;
    case Modulo:
      left = remainder;
      break;
    }
  }
  return std::max<int64_t>(stack.back(), 0);
}

bool RuntimeSize::isValid(size_t numVariables) const {
  if (number < 0 || code.size() % 2 != 0)
    return false;
  size_t depth = 0;
  for (size_t i = 0; i < code.size(); i += 2) {
    bool isPush = code[i] == PushNumber || code[i] == PushVariable;
    if (code[i] < 0 || code[i] >= NumInstructions || (!isPush && depth < 2))
      return false;
    if (code[i] == PushVariable &&
        (code[i + 1] < 0 || static_cast<size_t>(code[i + 1]) >= numVariables))
      return false;
    depth = isPush ? depth + 1 : depth - 1;
  }
  return isNumber() || depth == 1;
}
