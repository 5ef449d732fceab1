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

namespace {

/// Builds one program.
class ProgramBuilder {
public:
  ProgramBuilder(MLIRContext *context, const ScheduleRow &row, Purpose purpose)
      : builder(context), row(row), purpose(purpose) {}

  std::optional<GoldenProgram> build(Liveness liveness, Outcome &outcome);

private:
  /// Returns the value of `op`, or null with a problem.
  Value buildOp(const ProgramOp &op, int64_t id);
  Value buildElementwise(OpKind kind, SmallVector<Value> operands);
  /// Computes `value` here: a reshape that changes nothing says so.
  Value buildRealize(Value value);
  /// Assigns `value`, which has the id `id`, where the row says so.
  void buildAssigns(Value value, int64_t id);
  Value compute(OpKind kind, ValueRange operands, DType type,
                ops::OpAttributes attributes = {});
  Value addArgument(const ProgramOp &op, int64_t id) {
    program.argumentIds.push_back(id);
    return program.function.getBody().front().addArgument(getType(op), loc);
  }
  RankedTensorType getType(const ProgramOp &op) {
    return getTensorType(builder.getContext(), op.shape, op.type, op.device);
  }
  static DType getElement(Value value) {
    return *getDType(cast<RankedTensorType>(value.getType()).getElementType());
  }
  static StringRef getValueDevice(Value value) {
    return getDevice(cast<RankedTensorType>(value.getType()));
  }

  OpBuilder builder;
  const ScheduleRow &row;
  Purpose purpose;
  GoldenProgram program;
  std::vector<Value> values;
  Location loc = builder.getUnknownLoc();
  Outcome problem;
};

} // namespace

Value ProgramBuilder::compute(OpKind kind, ValueRange operands, DType type,
                              ops::OpAttributes attributes) {
  std::vector<ops::Shape> shapes;
  std::vector<DType> types;
  for (Value operand : operands) {
    shapes.push_back(lazy::getShape(cast<ShapedType>(operand.getType())));
    types.push_back(getElement(operand));
  }
  ops::Shape shape;
  std::string error;
  if (!ops::verifyTypes(kind, types, type, error) ||
      !ops::inferShape(kind, shapes, attributes, shape, error)) {
    problem = Outcome::fail("program: " + error);
    return {};
  }
  return createCompute(builder, loc, kind, operands,
                       getTensorType(builder.getContext(), shape, type,
                                     getValueDevice(operands.front())),
                       attributes);
}

Value ProgramBuilder::buildElementwise(OpKind kind,
                                       SmallVector<Value> operands) {
  DType type = DType::Bool;
  for (Value operand : operands)
    type = std::max(type, getElement(operand));
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (getElement(operand) == type || (kind == OpKind::Where && index == 0))
      continue;
    auto shape = lazy::getShape(cast<ShapedType>(operand.getType()));
    operand = CastOp::create(builder, loc,
                             getTensorType(builder.getContext(), shape, type,
                                           getValueDevice(operand)),
                             operand, /*implicit=*/true);
  }
  return compute(kind, operands, type);
}

Value ProgramBuilder::buildRealize(Value value) {
  auto reshape = ReshapeOp::create(builder, loc, value.getType(), value);
  reshape->setAttr("lazy.realized", builder.getUnitAttr());
  return reshape;
}

void ProgramBuilder::buildAssigns(Value value, int64_t id) {
  for (const std::vector<int64_t> &pair : row.assigned) {
    if (pair[0] != id)
      continue;
    Value target = values[pair[1]];
    if (value.getType() != target.getType())
      value = ReshapeOp::create(builder, loc, target.getType(), value);
    AssignOp::create(builder, loc, target, value);
  }
}

Value ProgramBuilder::buildOp(const ProgramOp &op, int64_t id) {
  bool wantsValues = purpose == Purpose::Values;
  bool isUnrealized = op.name == "EMPTY" || op.name == "CUSTOM";
  if (op.name == "LOAD" || (isUnrealized && wantsValues))
    return addArgument(op, id);
  if (op.name == "EMPTY")
    return EmptyOp::create(builder, loc, getType(op));
  if (op.name == "CUSTOM")
    return CustomOp::create(builder, loc, getType(op), "fill", ValueRange())
        .getResult();
  if (op.name == "CONST")
    return ConstOp::create(
        builder, loc, getSplatAttr(getType(op), op.value.toScalar(op.type)));

  SmallVector<Value> operands;
  for (int64_t source : op.sources)
    operands.push_back(values[source]);
  if (op.name == "REALIZE")
    return wantsValues ? operands.front() : buildRealize(operands.front());
  OpKind kind = *op.kind;
  if (kind == OpKind::Copy)
    return CopyOp::create(
               builder, loc,
               getTensorType(
                   builder.getContext(),
                   lazy::getShape(cast<ShapedType>(operands.front().getType())),
                   getElement(operands.front()), op.device),
               operands.front())
        .getResult();
  if (kind == OpKind::Contiguous)
    return ContiguousOp::create(builder, loc, operands.front());
  if (kind == OpKind::Cast || kind == OpKind::Bitcast)
    return compute(kind, operands, op.type);
  if (ops::isElementwise(kind))
    return buildElementwise(kind, operands);
  ops::OpAttributes attributes;
  attributes.ints = op.ints;
  return compute(kind, operands, getElement(operands.front()),
                 std::move(attributes));
}

std::optional<GoldenProgram> ProgramBuilder::build(Liveness liveness,
                                                   Outcome &outcome) {
  program.module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(program.module->getBody());
  program.function = func::FuncOp::create(builder, loc, "main",
                                          builder.getFunctionType({}, {}));
  Block *block = program.function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  for (const auto &[id, op] : llvm::enumerate(row.program)) {
    loc = NameLoc::get(builder.getStringAttr("v" + std::to_string(id)));
    Value value = buildOp(op, static_cast<int64_t>(id));
    if (!value) {
      outcome = problem;
      return std::nullopt;
    }
    bool isKept = liveness == Liveness::Traced &&
                  llvm::is_contained(row.kept, static_cast<int64_t>(id));
    if (isKept && value.getDefiningOp())
      value.getDefiningOp()->setAttr("lazy.kept", builder.getUnitAttr());
    values.push_back(value);
    if (purpose == Purpose::Schedule)
      buildAssigns(value, static_cast<int64_t>(id));
  }
  SmallVector<Value> results;
  for (const std::vector<int64_t> *ids : {&row.before, &row.outputs})
    for (int64_t id : *ids) {
      results.push_back(values[id]);
      program.resultIds.push_back(id);
    }
  func::ReturnOp::create(builder, loc, results);
  program.function.setFunctionType(builder.getFunctionType(
      block->getArgumentTypes(), TypeRange(ValueRange(results))));
  return std::move(program);
}

std::optional<GoldenProgram>
golden::buildProgram(MLIRContext *context, const ScheduleRow &row,
                     Liveness liveness, Purpose purpose, Outcome &outcome) {
  return ProgramBuilder(context, row, purpose).build(liveness, outcome);
}
