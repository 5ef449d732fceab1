//===- PlanAttr.cpp - How a kernel is to be executed ----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.h"
#include "tinygrad/Dialect/Lazy/IR/LazyDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;
using namespace tinygrad::lazy;

static void printList(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

void PlanAttr::print(AsmPrinter &printer) const {
  printer << '<';
  StringRef separator = "";
  auto field = [&](StringRef name) -> AsmPrinter & {
    printer << separator << name << " = ";
    separator = ", ";
    return printer;
  };
  if (!getParallel().empty()) {
    field("parallel");
    printList(printer, getParallel());
    field("tile");
    printList(printer, getTile());
  }
  if (hasVectorAxis())
    field("vector") << getVectorAxis() << " : " << getVectorWidth();
  if (getUnroll() != 1)
    field("unroll") << getUnroll();
  if (isContraction()) {
    field("contract");
    printList(printer, getRowAxes());
    printer << " x ";
    printList(printer, getColumnAxes());
    printer << " x ";
    printList(printer, getProductAxes());
    field("width") << getVectorWidth();
    field("register");
    printList(printer, getRegisterTile());
    field("block");
    printList(printer, getBlock());
  }
  printer << '>';
}

Attribute PlanAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> parallel, tile, rows, columns, products, registers,
      block;
  int64_t vectorAxis = -1, vectorWidth = 1, unroll = 1;
  auto parseList = [&](SmallVectorImpl<int64_t> &values) {
    values.clear();
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parser.parseInteger(values.emplace_back());
    });
  };
  auto parseField = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (name == "parallel")
      return parseList(parallel);
    if (name == "tile")
      return parseList(tile);
    if (name == "vector")
      return failure(parser.parseInteger(vectorAxis) || parser.parseColon() ||
                     parser.parseInteger(vectorWidth));
    if (name == "width")
      return parser.parseInteger(vectorWidth);
    if (name == "unroll")
      return parser.parseInteger(unroll);
    if (name == "contract")
      return failure(parseList(rows) || parser.parseKeyword("x") ||
                     parseList(columns) || parser.parseKeyword("x") ||
                     parseList(products));
    if (name == "register")
      return parseList(registers);
    if (name == "block")
      return parseList(block);
    return parser.emitError(loc)
           << "expects a field of a plan, got `" << name << "`";
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  // Exact types, so that the checked getter of the class is taken and not the
  // template of its base, which needs the storage.
  using Ints = ArrayRef<int64_t>;
  return PlanAttr::getChecked(
      [&] { return parser.emitError(loc); }, parser.getContext(),
      Ints(parallel), Ints(tile), vectorAxis, vectorWidth, unroll, Ints(rows),
      Ints(columns), Ints(products), Ints(registers), Ints(block));
}

/// Returns an axis that occurs twice in `axes` or is negative, or nothing.
static std::optional<int64_t> findBadAxis(ArrayRef<int64_t> axes) {
  // Not a DenseSet, which cannot hold every integer.
  std::set<int64_t> seen;
  for (int64_t axis : axes)
    if (axis < 0 || !seen.insert(axis).second)
      return axis;
  return std::nullopt;
}

LogicalResult
PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                 ArrayRef<int64_t> parallel, ArrayRef<int64_t> tile,
                 int64_t vectorAxis, int64_t vectorWidth, int64_t unroll,
                 ArrayRef<int64_t> rows, ArrayRef<int64_t> columns,
                 ArrayRef<int64_t> products, ArrayRef<int64_t> registers,
                 ArrayRef<int64_t> block) {
  auto isPositive = [](int64_t value) { return value > 0; };
  // plan_c1
  if (auto axis = findBadAxis(parallel))
    return emitError() << "expects `parallel` to name each axis once, got "
                       << *axis << (*axis < 0 ? "" : " twice");
  SmallVector<int64_t> contracted(rows);
  contracted.append(columns.begin(), columns.end());
  contracted.append(products.begin(), products.end());
  if (auto axis = findBadAxis(contracted))
    return emitError() << "expects `contract` to name each axis once, got "
                       << *axis << (*axis < 0 ? "" : " twice");
  // plan_c2
  if (tile.size() != parallel.size())
    return emitError() << "expects `tile` to have one entry per parallel axis, "
                          "got "
                       << tile.size() << " for " << parallel.size() << " axes";
  if (!llvm::all_of(tile, isPositive))
    return emitError() << "expects `tile` to be positive";
  // plan_c3
  if (vectorAxis < -1)
    return emitError() << "expects `vector` to name an axis, got "
                       << vectorAxis;
  if (vectorWidth <= 0 || !llvm::isPowerOf2_64(vectorWidth) ||
      vectorWidth > 1024)
    return emitError() << "expects a vector width that is a power of two up "
                          "to 1024, got "
                       << vectorWidth;
  if (unroll <= 0 || unroll > 64)
    return emitError() << "expects `unroll` from 1 to 64, got " << unroll;
  // Compile times grow faster than the number of values in flight.
  if (vectorWidth * unroll > 4096)
    return emitError() << "expects `unroll` vectors of no more than 4096 "
                          "elements together, got "
                       << vectorWidth * unroll;
  // plan_c4
  bool isContraction = !registers.empty() || !block.empty();
  if (isContraction != !contracted.empty())
    return emitError()
           << "expects `register` and `block` where there is `contract`";
  if (!isContraction)
    return success();
  if (registers.size() != 2 || !llvm::all_of(registers, isPositive) ||
      registers[0] > 64 || registers[1] > 1024)
    return emitError() << "expects `register` to be [rows, columns], up to 64 "
                          "by 1024";
  if (block.size() != 3 || !llvm::all_of(block, isPositive) ||
      block[0] > 4096 || block[1] > 4096 || block[2] > 4096)
    return emitError() << "expects `block` to be [rows, columns, products], "
                          "each up to 4096";
  if (registers[1] % vectorWidth)
    return emitError() << "expects `register` columns to be a multiple of the "
                          "vector width, got "
                       << registers[1] << " and " << vectorWidth;
  int64_t elements = registers[0] * registers[1];
  if (elements > 16384 || elements / vectorWidth > 256)
    return emitError() << "expects `register` to be no more than 16384 "
                          "elements in no more than 256 vectors, got "
                       << elements << " in " << elements / vectorWidth;
  if (block[0] % registers[0] || block[1] % registers[1])
    return emitError() << "expects `block` to be a multiple of `register`, got "
                       << "[" << block[0] << ", " << block[1] << "] and ["
                       << registers[0] << ", " << registers[1] << "]";
  return success();
}
