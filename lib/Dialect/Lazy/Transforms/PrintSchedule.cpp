//===- PrintSchedule.cpp - Print the kernels of each function -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/Transforms/KernelAnalysis.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GraphWriter.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_PRINTSCHEDULEPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;

namespace {

/// One item of a schedule: a kernel, or what else computes or moves data.
struct Item {
  Operation *op;
  /// Null for what is no kernel.
  KernelOp kernel;
  std::string name;
  /// For each operand that is read: the number of the item that made it, or
  /// what else it is.
  SmallVector<std::string> inputs;
};

/// The items of a function, in their order.
class ItemList {
public:
  explicit ItemList(func::FuncOp function);

  /// Returns where the elements of `value` come from at the end of the list.
  std::string getSource(Value value) const;
  SmallVector<Item> items;

private:
  KernelOp findKernel(Operation &op) const;
  void add(Operation &op, KernelOp kernel, ValueRange read, ValueRange written);

  /// Which item made the elements of a value last.
  llvm::DenseMap<Value, size_t> makers;
};

} // namespace

/// Returns the kernel that `op` is or calls, or null.
KernelOp ItemList::findKernel(Operation &op) const {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return kernel;
  auto call = dyn_cast<func::CallOp>(op);
  auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                           call, call.getCalleeAttr())
                     : func::FuncOp();
  if (!callee || !callee->hasAttr(kernelAttrName) || callee.isExternal())
    return {};
  auto kernels = callee.getBody().getOps<KernelOp>();
  return kernels.empty() ? KernelOp() : *kernels.begin();
}

ItemList::ItemList(func::FuncOp function) {
  for (Operation &op : function.getBody().getOps()) {
    if (KernelOp kernel = findKernel(op)) {
      size_t numInputs = kernel.getInputs().size();
      OperandRange operands = op.getOperands();
      add(op, kernel, operands.take_front(numInputs),
          op.getNumResults() ? ValueRange(op.getResults())
                             : ValueRange(operands.drop_front(numInputs)));
    } else if (auto custom = dyn_cast<CustomOp>(op)) {
      OperandRange operands = custom.getOperands();
      bool isOnMemory = !custom.getResult();
      add(op, {}, isOnMemory ? operands.drop_back() : operands,
          isOnMemory ? ValueRange(operands.take_back())
                     : ValueRange(op.getResults()));
    } else if (auto copy = dyn_cast<CopyOp>(op)) {
      add(op, {}, copy.getSource(),
          copy.getTarget() ? Value(copy.getTarget()) : copy.getResult());
    }
  }
}

static StringRef getTargetDevice(CopyOp copy) {
  if (copy.getTarget())
    return getMemoryDevice(copy.getTarget());
  return getDevice(cast<RankedTensorType>(copy.getResult().getType()));
}

void ItemList::add(Operation &op, KernelOp kernel, ValueRange read,
                   ValueRange written) {
  Item item = {&op, kernel, "", {}};
  if (kernel)
    item.name = kernel.getSymName().str();
  else if (auto custom = dyn_cast<CustomOp>(op))
    item.name = "custom " + custom.getCallback().str();
  else
    item.name = "copy to " + getTargetDevice(cast<CopyOp>(op)).str();
  for (Value value : read)
    item.inputs.push_back(getSource(value));
  for (Value value : written)
    makers[value] = items.size();
  items.push_back(std::move(item));
}

std::string ItemList::getSource(Value value) const {
  while (auto view = value.getDefiningOp<ViewOp>())
    value = view.getSource();
  if (auto maker = makers.find(value); maker != makers.end())
    return std::to_string(maker->second);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return "arg" + std::to_string(argument.getArgNumber());
  return value.getDefiningOp()->getName().stripDialect().str();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static std::string getRules(KernelOp kernel) {
  std::string text;
  if (auto rules = kernel->getAttrOfType<ArrayAttr>(rulesAttrName))
    for (Attribute rule : rules)
      // Nobody has verified what a file notes here.
      if (auto label = dyn_cast<StringAttr>(rule))
        text += (text.empty() ? "" : " ") + label.str();
  return text;
}

static void printTable(func::FuncOp function, raw_ostream &os) {
  if (hasGraph(function)) {
    os << "@" << function.getSymName()
       << ": not scheduled; `lazy-schedule` forms the kernels\n";
    return;
  }
  SmallVector<SmallVector<std::string>> rows = {{"#", "name", "shape", "inputs",
                                                 "read", "written",
                                                 "operations", "rules"}};
  size_t numKernels = 0;
  KernelCost total;
  SmallVector<Item> items = ItemList(function).items;
  for (auto [index, item] : llvm::enumerate(items)) {
    SmallVector<std::string> row = {std::to_string(index), item.name, "-",
                                    llvm::join(item.inputs, " ")};
    if (item.kernel) {
      ++numKernels;
      std::string shape;
      for (const shape::IndexExpr &extent :
           item.kernel.getIterationSizes().getExprs()) {
        std::string text = extent.toString();
        bool isTerm = StringRef(text).contains(' ');
        shape +=
            (shape.empty() ? "" : "x") + (isTerm ? "(" + text + ")" : text);
      }
      row[2] = shape.empty() ? "1" : shape;
      KernelCost cost = computeKernelCost(item.kernel);
      for (int64_t number : {cost.bytesRead, cost.bytesWritten, cost.flops})
        row.push_back(std::to_string(number));
      row.push_back(getRules(item.kernel));
      total.bytesRead += cost.bytesRead;
      total.bytesWritten += cost.bytesWritten;
      total.flops += cost.flops;
    }
    row.resize(rows.front().size());
    rows.push_back(std::move(row));
  }
  os << "@" << function.getSymName() << ": "
     << formatCount(numKernels, "kernel") << ", "
     << formatCount(total.bytesRead, "byte") << " read, "
     << formatCount(total.bytesWritten, "byte") << " written, "
     << formatCount(total.flops, "operation");
  if (auto peak = function->getAttrOfType<IntegerAttr>(peakBytesAttrName))
    os << ", " << formatCount(peak.getValue().getZExtValue(), "byte")
       << " allocated at the peak";
  os << "\n";
  SmallVector<size_t> widths(rows.front().size(), 0);
  for (const auto &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, cell.size());
  for (const auto &row : rows) {
    std::string line;
    for (auto [column, cell] : llvm::enumerate(row)) {
      bool isNumber = column == 0 || (column >= 4 && column <= 6);
      std::string space(widths[column] - cell.size(), ' ');
      line += "  " + (isNumber ? space + cell : cell + space);
    }
    os << StringRef(line).rtrim() << "\n";
  }
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

namespace {

/// Writes a function as a cluster of Graphviz: one inner cluster per kernel,
/// with its operations, and an edge wherever a value goes.
class DotWriter {
public:
  DotWriter(func::FuncOp function, size_t number, raw_ostream &os)
      : function(function), prefix("f" + std::to_string(number)), os(os) {}

  void run();

private:
  std::string getId(StringRef source) const {
    return prefix + "_" + source.str();
  }
  void writeNode(StringRef id, const Twine &label, StringRef shape) {
    os << "    \"" << id << "\" [label=\""
       << llvm::DOT::EscapeString(label.str()) << "\", shape=" << shape
       << "];\n";
  }
  void writeKernel(size_t index, const Item &item);

  func::FuncOp function;
  std::string prefix;
  raw_ostream &os;
  /// From where to where a value goes.
  SmallVector<std::pair<std::string, std::string>> edges;
};

} // namespace

static std::string getLabel(Operation &op) {
  std::string text = op.getName().stripDialect().str();
  llvm::raw_string_ostream os(text);
  if (auto load = dyn_cast<LoadOp>(op))
    os << " " << load.getTracker().getLayout().toString();
  else if (auto store = dyn_cast<StoreOp>(op))
    os << " " << store.getTracker().getLayout().toString();
  else if (auto constant = dyn_cast<ConstOp>(op))
    os << " " << constant.getValue();
  return text;
}

void DotWriter::writeKernel(size_t index, const Item &item) {
  std::string number = std::to_string(index);
  os << "    subgraph \"cluster_" << getId(number) << "\" {\n    label=\""
     << llvm::DOT::EscapeString(item.name) << "\";\n";
  llvm::DenseMap<Operation *, std::string> ids;
  KernelOp kernel = item.kernel;
  Block *block = kernel.getBlock();
  // What other items read is what the last store has written.
  Operation *last = nullptr;
  for (StoreOp store : block->getOps<StoreOp>())
    last = store;
  for (auto [position, op] : llvm::enumerate(*block)) {
    std::string id = getId(number);
    if (&op != last)
      id += "_" + std::to_string(position);
    ids[&op] = id;
    writeNode(id, getLabel(op), "box");
    for (Value operand : op.getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (!argument)
        edges.emplace_back(ids.lookup(operand.getDefiningOp()), id);
      else if (argument.getArgNumber() < item.inputs.size())
        edges.emplace_back(getId(item.inputs[argument.getArgNumber()]), id);
    }
  }
  os << "    }\n";
}

void DotWriter::run() {
  os << "  subgraph \"cluster_" << prefix << "\" {\n    label=\""
     << llvm::DOT::EscapeString("@" + function.getSymName().str() +
                                (hasGraph(function) ? " (not scheduled)" : ""))
     << "\";\n";
  ItemList list(function);
  for (auto [index, item] : llvm::enumerate(list.items)) {
    if (item.kernel) {
      writeKernel(index, item);
      continue;
    }
    std::string id = getId(std::to_string(index));
    writeNode(id, item.name, "box");
    for (const std::string &input : item.inputs)
      edges.emplace_back(getId(input), id);
  }
  Operation *terminator = function.getBody().back().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    std::string id = getId("result" + std::to_string(index));
    writeNode(id, "result " + Twine(index), "ellipse");
    edges.emplace_back(getId(list.getSource(value)), id);
  }
  for (BlockArgument argument : function.getArguments())
    writeNode(getId("arg" + std::to_string(argument.getArgNumber())),
              "argument " + Twine(argument.getArgNumber()), "ellipse");
  for (const auto &[from, to] : edges)
    os << "    \"" << from << "\" -> \"" << to << "\";\n";
  os << "  }\n";
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct PrintSchedulePass
    : lazy::impl::PrintSchedulePassBase<PrintSchedulePass> {
  using PrintSchedulePassBase::PrintSchedulePassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (format != "table" && format != "dot") {
      getOperation().emitError()
          << "expects option `format` to be `table` or `dot`, got `"
          << format.getValue() << "`";
      return signalPassFailure();
    }
    std::string message;
    std::unique_ptr<llvm::ToolOutputFile> file =
        openOutputFile(output, &message);
    if (!file) {
      getOperation().emitError() << message;
      return signalPassFailure();
    }
    print(file->os());
    file->keep();
  }

  void print(raw_ostream &os) {
    size_t number = 0;
    if (format == "dot")
      os << "digraph schedule {\n";
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || function->hasAttr(kernelAttrName))
        continue;
      if (format == "dot")
        DotWriter(function, number++, os).run();
      else
        printTable(function, os);
    }
    if (format == "dot")
      os << "}\n";
  }
};

} // namespace
