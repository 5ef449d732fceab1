//===- ScheduleRecords.cpp - The kernels of a graph as plain data ---------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Engine/Diagnostics.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::lazy;
using ops::KernelNode;
using ops::ScheduleRecord;

static shape::SymbolicDims getExtents(Value value) {
  return lazy::getSizes(cast<RankedTensorType>(value.getType())).getExprs();
}

static DType getElementDType(Value value) {
  return *lazy::getDType(cast<ShapedType>(value.getType()).getElementType());
}

namespace {

/// Reads the steps of one scheduled function.
class RecordReader {
public:
  RecordReader(func::FuncOp function, const ops::Graph &graph);

  std::vector<ops::ScheduleRecord> run();

private:
  /// What a buffer is: as in ScheduleRecord::inputs; nothing for a constant.
  std::optional<int32_t> findSource(Value value) const;
  /// Returns the place of `value` in the inputs of `record`, which it adds.
  int32_t addInput(ScheduleRecord &record, Value value) const;
  void readKernel(KernelOp kernel, ScheduleRecord &record) const;
  int32_t findNode(Operation &op, const ScheduleRecord &record);
  void add(Operation &op);

  func::FuncOp function;
  const ops::Graph &graph;
  std::vector<ops::ScheduleRecord> records;
  llvm::DenseMap<Value, int32_t> sources;
};

/// Reads what one kernel computes.
class TreeReader {
public:
  TreeReader(KernelOp kernel, ScheduleRecord &record,
             llvm::function_ref<std::optional<int32_t>(Value)> addInput)
      : kernel(kernel), record(record), addInput(addInput) {}

  void run();

private:
  void read(Operation &op);
  int32_t addNode(Operation &op, Value value);

  KernelOp kernel;
  ScheduleRecord &record;
  llvm::function_ref<std::optional<int32_t>(Value)> addInput;
  llvm::DenseMap<Value, int32_t> numbers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

int32_t TreeReader::addNode(Operation &op, Value value) {
  KernelNode &node = record.tree.emplace_back();
  node.op = op.getName().stripDialect().str();
  node.type = getElementDType(value);
  node.shape = getExtents(value);
  return static_cast<int32_t>(record.tree.size() - 1);
}

void TreeReader::read(Operation &op) {
  if (auto store = dyn_cast<StoreOp>(op)) {
    KernelNode node;
    node.op = "store";
    node.operands = {numbers.lookup(store.getValue())};
    node.type = getElementDType(store.getValue());
    node.shape = getExtents(store.getValue());
    node.tracker = store.getTracker().getLayout().getSymbolicTracker();
    record.tree.push_back(std::move(node));
    return;
  }
  Value value = op.getResult(0);
  if (auto load = dyn_cast<LoadOp>(op)) {
    auto argument = cast<BlockArgument>(load.getSource());
    Value source = kernel->getOperand(argument.getArgNumber());
    KernelNode &node = record.tree[numbers[value] = addNode(op, value)];
    node.tracker = load.getTracker().getLayout().getSymbolicTracker();
    if (std::optional<int32_t> input = addInput(source)) {
      node.input = *input;
      return;
    }
    // A constant that is padded lies in a tensor of one element.
    node.op = "const";
    if (auto constant = source.getDefiningOp<ConstOp>())
      node.value = constant.getScalar();
    return;
  }
  auto cast = dyn_cast<CastOp>(op);
  if (cast && cast.getImplicit()) {
    // Part of its user.
    numbers[value] = numbers.lookup(cast.getSource());
    return;
  }
  auto expand = dyn_cast<ExpandOp>(op);
  Operation *origin = expand ? expand.getSource().getDefiningOp() : &op;
  if (auto constant = dyn_cast_or_null<ConstOp>(origin)) {
    KernelNode &node = record.tree[numbers[value] = addNode(*origin, value)];
    node.value = constant.getScalar();
    node.tracker =
        shape::SymbolicShapeTracker::fromViews({shape::SymbolicView::create(
            node.shape, shape::SymbolicDims(node.shape.size(), 0))});
    return;
  }
  std::vector<int32_t> operands;
  for (Value operand : op.getOperands())
    operands.push_back(numbers.lookup(operand));
  KernelNode &node = record.tree[numbers[value] = addNode(op, value)];
  node.operands = std::move(operands);
}

void TreeReader::run() {
  for (Operation &op : *kernel.getBlock())
    read(op);
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

RecordReader::RecordReader(func::FuncOp function, const ops::Graph &graph)
    : function(function), graph(graph) {
  int32_t input = 0;
  for (BlockArgument argument : function.getArguments())
    if (!argument.getType().isIndex())
      sources[argument] = input++;
}

std::optional<int32_t> RecordReader::findSource(Value value) const {
  while (auto view = value.getDefiningOp<ViewOp>())
    value = view.getSource();
  auto found = sources.find(value);
  if (found == sources.end())
    return std::nullopt;
  return found->second;
}

/// Returns the number of the node that `loc` names, or -1.
static int32_t getNodeNumber(Location loc) {
  // What was inlined comes after the operation itself.
  if (auto fused = dyn_cast<FusedLoc>(loc);
      fused && !fused.getLocations().empty())
    loc = fused.getLocations().front();
  auto name = dyn_cast<NameLoc>(loc);
  int32_t number = -1;
  if (name) {
    StringRef text = name.getName();
    if (text.consume_front("node ") && !text.getAsInteger(10, number))
      return number;
  }
  return -1;
}

/// Returns the node whose value `op` computes: the one that a result of the
/// function shows as it is, or the one at whose place `op` is, if it looks the
/// same.
int32_t RecordReader::findNode(Operation &op, const ScheduleRecord &record) {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [number, result] : llvm::enumerate(terminator->getOperands()))
    if (op.getNumResults() && result == op.getResult(0))
      return graph.outputs[number];
  auto isSame = [&](int32_t number) {
    const ops::GraphNode &node = graph.nodes[number];
    shape::SymbolicDims shape = node.symbolicShape;
    if (shape.empty())
      shape.assign(node.shape.begin(), node.shape.end());
    return shape == record.shape && node.type == record.type && node.kind;
  };
  int32_t number = getNodeNumber(op.getLoc());
  if (number < 0 || static_cast<size_t>(number) >= graph.nodes.size())
    return -1;
  if (isSame(number))
    return number;
  // The scheduler forms a reshape and its source at once.
  auto isReshape = [&](int32_t number) {
    return graph.nodes[number].kind == ops::OpKind::Reshape;
  };
  int32_t source = number;
  while (isReshape(source)) {
    source = graph.nodes[source].operands[0];
    if (isSame(source))
      return source;
  }
  std::vector<bool> isAbove(graph.nodes.size(), false);
  isAbove[number] = true;
  for (int32_t user = number + 1; user < std::ssize(graph.nodes); ++user) {
    if (!isReshape(user) || !isAbove[graph.nodes[user].operands[0]])
      continue;
    if (isSame(user))
      return user;
    isAbove[user] = true;
  }
  return -1;
}

int32_t RecordReader::addInput(ScheduleRecord &record, Value value) const {
  int32_t source = *findSource(value);
  auto found = llvm::find(record.inputs, source);
  if (found != record.inputs.end())
    return static_cast<int32_t>(found - record.inputs.begin());
  record.inputs.push_back(source);
  return static_cast<int32_t>(record.inputs.size() - 1);
}

void RecordReader::readKernel(KernelOp kernel, ScheduleRecord &record) const {
  record.kind = ScheduleRecord::Kind::Kernel;
  record.name = kernel.getSymName().str();
  auto addOne = [&](Value value) -> std::optional<int32_t> {
    if (!findSource(value))
      return std::nullopt;
    return addInput(record, value);
  };
  TreeReader(kernel, record, addOne).run();
  KernelCost cost = computeKernelCost(kernel);
  record.flops = cost.flops;
  record.bytesRead = cost.bytesRead;
  record.bytesWritten = cost.bytesWritten;
  if (auto rules = kernel->getAttrOfType<ArrayAttr>(rulesAttrName))
    for (auto label : rules.getAsRange<StringAttr>())
      record.rules.push_back(label.str());
}

void RecordReader::add(Operation &op) {
  ScheduleRecord record;
  auto kernel = dyn_cast<KernelOp>(op);
  Value value = kernel ? kernel.getInits().front() : op.getResult(0);
  record.type = getElementDType(value);
  record.shape = getExtents(value);
  record.device =
      toDeviceName(getDevice(cast<RankedTensorType>(value.getType())));
  if (kernel) {
    readKernel(kernel, record);
  } else {
    auto custom = dyn_cast<CustomOp>(op);
    record.kind =
        custom ? ScheduleRecord::Kind::Custom : ScheduleRecord::Kind::Copy;
    record.name = custom ? custom.getCallback().str() : record.device;
    for (Value operand : op.getOperands())
      if (findSource(operand))
        addInput(record, operand);
  }
  record.node = findNode(op, record);
  llvm::raw_string_ostream stream(record.text);
  op.print(stream);
  for (Value result : op.getResults())
    sources[result] = -1 - static_cast<int32_t>(records.size());
  records.push_back(std::move(record));
}

std::vector<ops::ScheduleRecord> RecordReader::run() {
  for (Operation &op : function.getBody().front())
    if (isa<KernelOp, CopyOp, CustomOp>(op))
      add(op);
  return std::move(records);
}

std::vector<ops::ScheduleRecord> engine::readRecords(func::FuncOp function,
                                                     const ops::Graph &graph) {
  return RecordReader(function, graph).run();
}
