//===- GoldenProgram.cpp - A row of schedule.jsonl as a function ----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GoldenProgram.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::golden;
using namespace tinygrad::lazy;
using ops::OpKind;
namespace json = llvm::json;

ops::Scalar golden::parseScalar(const json::Value &value, DType type) {
  if (auto text = value.getAsString()) {
    double number = std::numeric_limits<double>::infinity();
    if (*text == "nan")
      number = std::numeric_limits<double>::quiet_NaN();
    else if (*text == "-inf")
      number = -number;
    return ops::Scalar::fromDouble(type, number);
  }
  if (auto boolean = value.getAsBoolean())
    return ops::Scalar::fromInt(type, *boolean);
  if (auto integer = value.getAsInteger(); integer && !isFloat(type))
    return ops::Scalar::fromInt(type, *integer);
  return ops::Scalar::fromDouble(type, value.getAsNumber().value_or(0));
}

std::vector<int64_t> golden::parseInts(const json::Value &value) {
  std::vector<int64_t> result;
  for (const json::Value &element : *value.getAsArray())
    result.push_back(*element.getAsInteger());
  return result;
}

namespace {

/// Builds one program.
class ProgramBuilder {
public:
  ProgramBuilder(MLIRContext *context, const json::Object &row)
      : builder(context), row(row) {}

  std::optional<GoldenProgram> build(Liveness liveness, std::string &reason);

private:
  /// Returns the value of `op`, or null with a reason.
  Value buildOp(const json::Object &op, std::string &reason);
  Value buildElementwise(OpKind kind, SmallVector<Value> operands,
                         const json::Object &op);
  Value buildMovement(OpKind kind, Value source, const json::Value &arg);
  Value compute(OpKind kind, ValueRange operands, DType type,
                ops::OpAttributes attributes, std::string &reason);
  RankedTensorType getType(const json::Object &arg) {
    return getTensorType(builder.getContext(), parseInts(*arg.get("shape")),
                         *parseDType(*arg.getString("dtype")));
  }
  static DType getElement(Value value) {
    return *getDType(cast<RankedTensorType>(value.getType()).getElementType());
  }

  OpBuilder builder;
  const json::Object &row;
  GoldenProgram program;
  std::vector<Value> values;
  Location loc = builder.getUnknownLoc();
  std::string error;
};

} // namespace

Value ProgramBuilder::compute(OpKind kind, ValueRange operands, DType type,
                              ops::OpAttributes attributes,
                              std::string &reason) {
  std::vector<ops::Shape> shapes;
  std::vector<DType> types;
  for (Value operand : operands) {
    shapes.push_back(lazy::getShape(cast<ShapedType>(operand.getType())));
    types.push_back(getElement(operand));
  }
  ops::Shape shape;
  if (!ops::verifyTypes(kind, types, type, reason) ||
      !ops::inferShape(kind, shapes, attributes, shape, reason))
    return {};
  return createCompute(builder, loc, kind, operands,
                       getTensorType(builder.getContext(), shape, type),
                       attributes);
}

Value ProgramBuilder::buildElementwise(OpKind kind, SmallVector<Value> operands,
                                       const json::Object &op) {
  if (kind == OpKind::Cast) {
    const json::Object &arg = *op.getObject("arg");
    if (arg.getBoolean("bitcast").value_or(false))
      kind = OpKind::Bitcast;
    return compute(kind, operands, *parseDType(*arg.getString("dtype")), {},
                   error);
  }
  DType type = DType::Bool;
  for (Value operand : operands)
    type = std::max(type, getElement(operand));
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (getElement(operand) == type || (kind == OpKind::Where && index == 0))
      continue;
    auto shape = lazy::getShape(cast<ShapedType>(operand.getType()));
    operand = CastOp::create(
        builder, loc, getTensorType(builder.getContext(), shape, type), operand,
        /*implicit=*/true);
  }
  return compute(kind, operands, type, {}, error);
}

Value ProgramBuilder::buildMovement(OpKind kind, Value source,
                                    const json::Value &arg) {
  ops::OpAttributes attributes;
  if (kind == OpKind::Pad || kind == OpKind::Shrink) {
    for (const json::Value &pair : *arg.getAsArray())
      llvm::append_range(attributes.ints, parseInts(pair));
  } else {
    attributes.ints = parseInts(arg);
  }
  return compute(kind, source, getElement(source), std::move(attributes),
                 error);
}

Value ProgramBuilder::buildOp(const json::Object &op, std::string &reason) {
  StringRef name = *op.getString("op");
  const json::Object *arg = op.getObject("arg");
  if (arg && arg->get("device")) {
    reason = "devices are not supported yet";
    return {};
  }
  if (name == "LOAD") {
    program.argumentIds.push_back(*op.getInteger("id"));
    RankedTensorType type = getType(*arg);
    Block &block = program.function.getBody().front();
    return block.addArgument(type, loc);
  }
  if (name == "EMPTY")
    return EmptyOp::create(builder, loc, getType(*arg));
  if (name == "CUSTOM")
    return CustomOp::create(builder, loc, getType(*arg), "fill", ValueRange())
        .getResult();
  if (name == "CONST") {
    DType type = *parseDType(*arg->getString("dtype"));
    return ConstOp::create(
        builder, loc,
        getSplatAttr(getTensorType(builder.getContext(), {}, type),
                     parseScalar(*arg->get("value"), type)));
  }
  SmallVector<Value> operands;
  for (int64_t id : parseInts(*op.get("src")))
    operands.push_back(values[id]);
  if (name == "CONTIGUOUS")
    return ContiguousOp::create(builder, loc, operands.front());
  std::optional<OpKind> kind = ops::parseOpKind(name.lower());
  ops::OpGroup group = kind ? ops::getInfo(*kind).group : ops::OpGroup::Load;
  Value result;
  if (kind && ops::isElementwise(*kind))
    result = buildElementwise(*kind, operands, op);
  else if (group == ops::OpGroup::Movement || group == ops::OpGroup::Reduce)
    result = buildMovement(*kind, operands.front(), *op.get("arg"));
  else
    error = (name + " is not supported yet").str();
  reason = error;
  return result;
}

std::optional<GoldenProgram> ProgramBuilder::build(Liveness liveness,
                                                   std::string &reason) {
  program.module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(program.module->getBody());
  program.function = func::FuncOp::create(builder, loc, "main",
                                          builder.getFunctionType({}, {}));
  Block *block = program.function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  llvm::SmallDenseSet<int64_t> kept;
  if (const json::Value *keep = row.get("keep");
      keep && liveness == Liveness::Traced)
    for (int64_t id : parseInts(*keep))
      kept.insert(id);
  for (const json::Value &element : *row.getArray("program")) {
    const json::Object &op = *element.getAsObject();
    int64_t id = *op.getInteger("id");
    loc = NameLoc::get(builder.getStringAttr("v" + std::to_string(id)));
    Value value = buildOp(op, reason);
    if (!value)
      return std::nullopt;
    if (kept.contains(id) && value.getDefiningOp())
      value.getDefiningOp()->setAttr("lazy.kept", builder.getUnitAttr());
    values.push_back(value);
  }
  SmallVector<Value> results;
  for (StringRef list : {"pre", "outputs"})
    if (const json::Value *ids = row.get(list))
      for (int64_t id : parseInts(*ids)) {
        results.push_back(values[id]);
        program.resultIds.push_back(id);
      }
  func::ReturnOp::create(builder, loc, results);
  program.function.setFunctionType(builder.getFunctionType(
      block->getArgumentTypes(), TypeRange(ValueRange(results))));
  return std::move(program);
}

std::optional<GoldenProgram> golden::buildProgram(MLIRContext *context,
                                                  const json::Object &row,
                                                  Liveness liveness,
                                                  std::string &reason) {
  return ProgramBuilder(context, row).build(liveness, reason);
}
