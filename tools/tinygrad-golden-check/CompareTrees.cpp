//===- CompareTrees.cpp - Compares kernels --------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompareTrees.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::golden;
using namespace tinygrad::lazy;
using shape::ShapeTracker;
namespace json = llvm::json;

/// The reference's name of the element type of `type`.
static StringRef getElementName(ShapedType type) {
  return getName(*getDType(type.getElementType()));
}

static ShapeTracker parseTracker(const json::Value &value) {
  std::vector<shape::View> views;
  for (const json::Value &element : *value.getAsArray()) {
    const json::Array &view = *element.getAsArray();
    std::optional<shape::Mask> mask;
    if (const json::Array *ranges = view[3].getAsArray()) {
      mask.emplace();
      for (const json::Value &range : *ranges)
        mask->emplace_back(*(*range.getAsArray())[0].getAsInteger(),
                           *(*range.getAsArray())[1].getAsInteger());
    }
    views.push_back(shape::View::create(parseInts(view[0]), parseInts(view[1]),
                                        *view[2].getAsInteger(), mask));
  }
  return ShapeTracker::fromViews(std::move(views));
}

/// Compares two trackers as functions, position by position where no proof is
/// found.
static bool isSameAccess(const ShapeTracker &ours, const ShapeTracker &theirs) {
  if (ours.getShape() != theirs.getShape())
    return false;
  if (ours.isEquivalent(theirs))
    return true;
  constexpr int64_t maxElements = 1 << 20;
  if (ours.getNumElements() > maxElements)
    return false;
  const shape::Dims &extents = ours.getShape();
  shape::Dims position(extents.size(), 0);
  for (int64_t i = 0; i < ours.getNumElements(); ++i) {
    if (ours.getIndex(position) != theirs.getIndex(position))
      return false;
    for (size_t axis = extents.size(); axis-- > 0;) {
      if (++position[axis] < extents[axis])
        break;
      position[axis] = 0;
    }
  }
  return true;
}

namespace {

class TreeComparison {
public:
  TreeComparison(GoldenProgram &program) : program(program) {}

  std::string compare(const json::Array &items, const json::Object &outMap);

private:
  bool fail(const Twine &message) {
    if (difference.empty())
      difference = message.str();
    return false;
  }
  bool compareKernel(KernelOp kernel, const json::Object &item);
  bool compareNode(Value value, size_t position);
  bool compareLoad(LoadOp load, const json::Object &node);
  bool compareConst(Value value, const json::Object &node);
  bool compareAccess(const ShapeTracker &ours, const json::Object &node);
  bool compareOutput(Value value, const json::Object &expected);

  GoldenProgram &program;
  /// The golden name of the buffer that a value is: v<id> or s<k>.
  llvm::DenseMap<Value, std::string> names;
  std::string difference;
  // Of the kernel at hand.
  KernelOp kernel;
  const json::Array *nodes = nullptr;
  const json::Array *inputs = nullptr;
  llvm::DenseMap<std::pair<Value, size_t>, bool> known;
  std::string where;
};

} // namespace

bool TreeComparison::compareAccess(const ShapeTracker &ours,
                                   const json::Object &node) {
  ShapeTracker theirs = parseTracker(*node.get("st"));
  if (!isSameAccess(ours, theirs))
    return fail(where + ": access " + ours.toString() + " instead of " +
                theirs.toString());
  if (ours.getViews().size() > theirs.getViews().size())
    return fail(where + ": " + Twine(ours.getViews().size()) +
                " views instead of " + Twine(theirs.getViews().size()) + ": " +
                ours.toString());
  return true;
}

bool TreeComparison::compareLoad(LoadOp load, const json::Object &node) {
  auto argument = cast<BlockArgument>(load.getSource());
  Value input = kernel->getOperand(argument.getArgNumber());
  StringRef expected = *(*inputs)[*node.getInteger("buf")].getAsString();
  if (names.lookup(input) != expected)
    return fail(where + ": loads " + names.lookup(input) + " instead of " +
                expected);
  return compareAccess(load.getTracker().getTracker(), node);
}

// A masked constant is a load from a tensor of one element.
bool TreeComparison::compareConst(Value value, const json::Object &node) {
  auto constant = value.getDefiningOp<ConstOp>();
  ShapeTracker theirs = parseTracker(*node.get("st"));
  if (auto load = value.getDefiningOp<LoadOp>()) {
    auto argument = cast<BlockArgument>(load.getSource());
    constant =
        kernel->getOperand(argument.getArgNumber()).getDefiningOp<ConstOp>();
    if (constant && !compareAccess(load.getTracker().getTracker(), node))
      return false;
  }
  if (!constant)
    return fail(where + ": no constant");
  auto type = cast<RankedTensorType>(value.getType());
  if (lazy::getShape(type) != theirs.getShape())
    return fail(where + ": constant of another shape");
  DType dtype = *getDType(type.getElementType());
  ops::Scalar expected = parseScalar(*node.get("value"), dtype);
  if (getElementName(type) != *node.getString("dtype") ||
      !constant.getScalar().isIdentical(expected))
    return fail(where + ": constant of another value or type");
  return true;
}

bool TreeComparison::compareNode(Value value, size_t position) {
  while (auto cast = value.getDefiningOp<CastOp>()) {
    if (!cast.getImplicit())
      break;
    value = cast.getSource();
  }
  auto [entry, isNew] = known.try_emplace({value, position}, true);
  if (!isNew)
    return entry->second;
  const json::Object &node = *(*nodes)[position].getAsObject();
  StringRef name = *node.getString("op");
  Operation *op = value.getDefiningOp();
  if (name == "CONST")
    return compareConst(value, node);
  if (name == "LOAD") {
    auto load = dyn_cast<LoadOp>(op);
    return load ? compareLoad(load, node)
                : fail(where + ": " + op->getName().getStringRef() +
                       " instead of LOAD");
  }
  std::string expected = name.lower();
  if (name == "CAST" && node.getBoolean("bitcast").value_or(false))
    expected = "bitcast";
  if (op->getName().stripDialect() != expected)
    return fail(where + ": " + op->getName().stripDialect() + " instead of " +
                expected);
  auto type = cast<RankedTensorType>(value.getType());
  if (const json::Value *shape = node.get("new_shape");
      shape && lazy::getShape(type) != parseInts(*shape))
    return fail(where + ": reduce to another shape");
  if (auto dtype = node.getString("dtype");
      dtype && getElementName(type) != *dtype)
    return fail(where + ": another element type");
  std::vector<int64_t> sources = parseInts(*node.get("src"));
  if (sources.size() != op->getNumOperands())
    return fail(where + ": another number of sources");
  for (auto [operand, source] : llvm::zip_equal(op->getOperands(), sources))
    if (!compareNode(operand, source))
      return false;
  return true;
}

bool TreeComparison::compareKernel(KernelOp op, const json::Object &item) {
  kernel = op;
  nodes = item.getArray("nodes");
  inputs = item.getArray("inputs");
  known.clear();
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  if (lazy::getShape(type) != parseInts(*item.get("shape")) ||
      getElementName(type) != *item.getString("dtype"))
    return fail(where + ": another shape or type of the result");
  StoreOp store;
  for (StoreOp found : op.getBlock()->getOps<StoreOp>())
    store = found;
  const json::Object &last = *nodes->back().getAsObject();
  return compareAccess(store.getTracker().getTracker(), last) &&
         compareNode(store.getValue(), parseInts(*last.get("src")).front());
}

bool TreeComparison::compareOutput(Value value, const json::Object &expected) {
  ShapeTracker tracker = ShapeTracker::fromShape(
      lazy::getShape(cast<ShapedType>(value.getType())));
  if (auto view = value.getDefiningOp<ViewOp>()) {
    tracker = view.getTracker().getTracker();
    value = view.getSource();
  }
  if (const json::Value *number = expected.get("const")) {
    auto constant = value.getDefiningOp<ConstOp>();
    if (!constant)
      return fail(where + ": no constant");
    DType type = *getDType(cast<ShapedType>(value.getType()).getElementType());
    const json::Value *plain = number;
    if (const json::Object *object = number->getAsObject())
      plain = object->get("value");
    if (plain && !constant.getScalar().isIdentical(parseScalar(*plain, type)))
      return fail(where + ": another constant");
    return true;
  }
  if (names.lookup(value) != *expected.getString("item"))
    return fail(where + ": in " + names.lookup(value) + " instead of " +
                *expected.getString("item"));
  return compareAccess(tracker, expected);
}

std::string TreeComparison::compare(const json::Array &items,
                                    const json::Object &outMap) {
  func::FuncOp function = program.function;
  for (auto [argument, id] :
       llvm::zip_equal(function.getArguments(), program.argumentIds))
    names[argument] = "v" + std::to_string(id);
  // Loads are found by the id in their location, kernels by their order.
  llvm::StringMap<std::string> loads;
  SmallVector<std::pair<std::string, const json::Object *>> kernels;
  for (auto [k, value] : llvm::enumerate(items)) {
    const json::Object &item = *value.getAsObject();
    std::string name = "s" + std::to_string(k);
    if (*item.getString("kind") == "kernel")
      kernels.emplace_back(name, &item);
    else if (auto id = item.getInteger("value"))
      loads["v" + std::to_string(*id)] = name;
  }
  size_t next = 0;
  for (Operation &op : function.getBody().front()) {
    auto kernelOp = dyn_cast<KernelOp>(op);
    if (!kernelOp) {
      if (auto loc = dyn_cast<NameLoc>(op.getLoc());
          loc && isa<EmptyOp, CustomOp>(op))
        if (auto found = loads.find(loc.getName()); found != loads.end())
          names[op.getResult(0)] = found->second;
      continue;
    }
    if (next == kernels.size())
      return "more kernels than expected";
    const auto &[name, item] = kernels[next++];
    where = name;
    if (!compareKernel(kernelOp, *item))
      return difference;
    names[kernelOp.getResult(0)] = name;
  }
  if (next != kernels.size())
    return "fewer kernels than expected";
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [value, id] :
       llvm::zip_equal(terminator->getOperands(), program.resultIds)) {
    where = "output " + std::to_string(id);
    const json::Object *expected = outMap.getObject(std::to_string(id));
    if (expected && !compareOutput(value, *expected))
      return difference;
  }
  return "";
}

std::string golden::compareTrees(GoldenProgram &program,
                                 const json::Array &items,
                                 const json::Object &outMap) {
  return TreeComparison(program).compare(items, outMap);
}
