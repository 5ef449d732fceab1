//===- Node.cpp - A node of the expression graph --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"

#include "Capture.h"
#include "ContextImpl.h"
#include "NodeCache.h"

#include "tinygrad/Ops/Gradient.h"
#include "tinygrad/Ops/SymbolicShape.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>

using namespace tinygrad;
using namespace tinygrad::detail;

static std::atomic<uint64_t> numNodes = 0;

Node::Node()
    : captureNumber(Recorder::getCurrentNumber()),
      number(numNodes.fetch_add(1, std::memory_order_relaxed)) {}

//===----------------------------------------------------------------------===//
// Destruction
//===----------------------------------------------------------------------===//

namespace {

/// What dying nodes leave behind. Only the outermost destructor on a thread
/// frees it, so that a chain of any length needs a fixed depth of the stack.
struct Remains {
  std::vector<NodeRef> operands;
  std::vector<std::shared_ptr<const BackwardRule>> rules;
};

} // namespace

static thread_local Remains *currentRemains = nullptr;

Node::~Node() {
  if (operands.empty() && !backward)
    return;
  auto leave = [this](Remains &remains) {
    std::ranges::move(operands, std::back_inserter(remains.operands));
    operands.clear();
    if (backward)
      remains.rules.push_back(std::move(backward));
  };
  if (currentRemains) {
    leave(*currentRemains);
    return;
  }

  Remains remains;
  currentRemains = &remains;
  leave(remains);
  while (!remains.operands.empty() || !remains.rules.empty()) {
    // Taken out first: freeing one may add others.
    if (!remains.operands.empty()) {
      NodeRef next = std::move(remains.operands.back());
      remains.operands.pop_back();
    } else {
      std::shared_ptr<const BackwardRule> next =
          std::move(remains.rules.back());
      remains.rules.pop_back();
    }
  }
  currentRemains = nullptr;
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

/// Returns the context of what is made from `operands`.
static ContextRef joinContexts(const char *name,
                               const std::vector<NodeRef> &operands) {
  const Node *first = nullptr;
  for (const NodeRef &operand : operands) {
    if (!operand->context)
      continue;
    if (first && first->context != operand->context)
      throw Error(name, "expects operands of one context, got two");
    first = operand.get();
  }
  return first ? first->context : nullptr;
}

/// Makes `node`, which is anywhere, on `device`. What a gradient may flow to,
/// and what is realized, is copied.
static NodeRef makeOnDevice(const NodeRef &node, const std::string &device) {
  std::vector<std::pair<NodeRef, size_t>> stack = {{node, 0}};
  std::unordered_map<const Node *, NodeRef> made;
  while (!stack.empty()) {
    auto &[old, next] = stack.back();
    bool isCopied = old->requiresGrad || old->buffer;
    if (!isCopied && next < old->operands.size()) {
      const NodeRef &operand = old->operands[next++];
      if (!made.contains(operand.get()))
        stack.push_back({operand, 0});
      continue;
    }
    NodeRef result;
    if (isCopied) {
      result = makeCopy(old, device);
    } else {
      result = std::make_shared<Node>();
      result->form = old->form;
      result->kind = old->kind;
      result->type = old->type;
      result->shape = old->shape;
      result->attributes = old->attributes;
      result->symbolicInts = old->symbolicInts;
      result->isAboveRebind = old->isAboveRebind;
      result->context = old->context;
      result->device = device;
      for (const NodeRef &operand : old->operands)
        result->operands.push_back(made.at(operand.get()));
    }
    made.emplace(old.get(), std::move(result));
    stack.pop_back();
  }
  return made.at(node.get());
}

/// Copies operands in files to the device of what they stand beside.
static void readFiles(std::vector<NodeRef> &operands) {
  auto isFile = [](const NodeRef &node) {
    return node->device.starts_with("DISK:");
  };
  auto other = std::ranges::find_if(operands, [&](const NodeRef &operand) {
    return !operand->isAnywhere && !isFile(operand);
  });
  if (other == operands.end())
    return;
  for (NodeRef &operand : operands)
    if (isFile(operand))
      operand = makeCopy(operand, (*other)->device);
}

/// Brings `operands` to one device, and returns it.
static std::string joinDevices(const char *name,
                               std::vector<NodeRef> &operands) {
  readFiles(operands);
  const Node *first = nullptr;
  auto describe = [](const Node &node) {
    return "`" +
           (!node.device.empty() ? node.device
            : node.context       ? node.context->getDevice()
                                 : Context::getCurrent()->getDevice()) +
           "`";
  };
  for (const NodeRef &operand : operands) {
    if (operand->isAnywhere)
      continue;
    if (first && first->device != operand->device)
      throw Error(name, "expects operands on one device, got " +
                            describe(*first) + " and " + describe(*operand) +
                            "; `to` moves them");
    first = operand.get();
  }
  if (!first || first->device.empty())
    return "";
  std::string device = first->device;
  for (NodeRef &operand : operands)
    if (operand->isAnywhere)
      operand = makeOnDevice(operand, device);
  return device;
}

static bool anyRequiresGrad(const std::vector<NodeRef> &operands) {
  return std::ranges::any_of(
      operands, [](const NodeRef &operand) { return operand->requiresGrad; });
}

/// Returns true if gradients are refused of `operands`, numbers aside.
static bool areGradsRefused(const std::vector<NodeRef> &operands) {
  bool isAny = false;
  for (const NodeRef &operand : operands) {
    if (!operand->refusesGrad && !operand->isAnywhere)
      return false;
    isAny |= operand->refusesGrad;
  }
  return isAny;
}

/// Computes the shape of an operation whose operands or integers have
/// expressions, as `ops::inferShape` does.
static bool inferSymbolicShape(ops::OpKind kind,
                               const std::vector<NodeRef> &operands,
                               const Shape &ints, Shape &result,
                               std::string &error) {
  std::vector<shape::SymbolicDims> shapes;
  for (const NodeRef &operand : operands)
    shapes.push_back(toExprs(operand->shape));
  shape::SymbolicDims inferred;
  if (!ops::inferSymbolicShape(kind, shapes, toExprs(ints), inferred, error))
    return false;
  result = toShape(inferred);
  return true;
}

/// True for what most operations are: their result has the operands' shape.
static bool isElementwiseOfOneShape(ops::OpKind kind,
                                    const std::vector<NodeRef> &operands) {
  const ops::OpInfo &info = ops::getInfo(kind);
  return info.group <= ops::OpGroup::Ternary &&
         operands.size() == static_cast<size_t>(info.arity) &&
         std::ranges::all_of(operands, [&](const NodeRef &operand) {
           return operand->shape == operands[0]->shape;
         });
}

NodeRef detail::makeOp(ops::OpKind kind, std::vector<NodeRef> operands,
                       DType type, ops::OpAttributes attributes,
                       const char *name, Shape symbolicInts) {
  if (!name)
    name = ops::getInfo(kind).name.data();
  bool isSymbolic = symbolicInts.isSymbolic();
  std::vector<DType> types;
  for (const NodeRef &operand : operands) {
    isSymbolic |= operand->shape.isSymbolic();
    types.push_back(operand->type);
  }
  auto node = std::make_shared<Node>();
  std::string error;
  bool isValid;
  if (isElementwiseOfOneShape(kind, operands)) {
    isValid = true;
    node->shape = operands[0]->shape;
  } else if (isSymbolic) {
    isValid = inferSymbolicShape(kind, operands,
                                 symbolicInts.empty() ? Shape(attributes.ints)
                                                      : symbolicInts,
                                 node->shape, error);
  } else {
    std::vector<ops::Shape> shapes;
    for (const NodeRef &operand : operands)
      shapes.push_back(operand->shape);
    ops::Shape result;
    isValid = ops::inferShape(kind, shapes, attributes, result, error);
    node->shape = result;
  }
  if (!isValid || !ops::verifyTypes(kind, types, type, error)) {
    std::vector<Shape> shapes;
    for (const NodeRef &operand : operands)
      shapes.push_back(operand->shape);
    throw Error(name, error, shapes);
  }
  node->kind = kind;
  node->type = type;
  node->attributes = std::move(attributes);
  node->symbolicInts = std::move(symbolicInts);
  node->isAboveRebind = std::ranges::any_of(
      operands, [](const NodeRef &operand) { return operand->isAboveRebind; });
  node->context = joinContexts(name, operands);
  if (kind != ops::OpKind::Copy && kind != ops::OpKind::Custom) {
    node->device = joinDevices(name, operands);
    node->isAnywhere = std::ranges::all_of(
        operands, [](const NodeRef &operand) { return operand->isAnywhere; });
  }
  node->requiresGrad = isGradEnabled() && isFloat(type) &&
                       ops::isDifferentiable(kind) && anyRequiresGrad(operands);
  node->refusesGrad = areGradsRefused(operands);
  node->operands = std::move(operands);
  if (node->context && node->context->getImpl().countsHolders &&
      !Recorder::getCurrent())
    return shareNode(std::move(node));
  return node;
}

/// Returns true if the movement would change nothing.
static bool isIdentity(ops::OpKind kind, const Node &x, const Shape &ints) {
  switch (kind) {
  case ops::OpKind::Reshape:
  case ops::OpKind::Expand:
  case ops::OpKind::ReduceSum:
  case ops::OpKind::ReduceMax:
    return ints == x.shape;
  case ops::OpKind::Permute:
    if (ints.size() != x.shape.size())
      return false;
    for (size_t i = 0; i < ints.size(); ++i)
      if (ints[i] != i)
        return false;
    return true;
  case ops::OpKind::Pad:
    return ints.size() == 2 * x.shape.size() &&
           std::ranges::all_of(ints, [](const Extent &n) { return n == 0; });
  case ops::OpKind::Shrink:
    if (ints.size() != 2 * x.shape.size())
      return false;
    for (size_t i = 0; i < x.shape.size(); ++i)
      if (ints[2 * i] != 0 || ints[2 * i + 1] != x.shape[i])
        return false;
    return true;
  case ops::OpKind::Stride:
    return ints.size() == x.shape.size() &&
           std::ranges::all_of(ints, [](const Extent &n) { return n == 1; });
  default:
    return false;
  }
}

/// Returns the elements of `x` as `shape`, if they are as many with the values
/// of variables, and only with them; else null.
static NodeRef makeRebind(const NodeRef &x, const Shape &shape,
                          const char *name) {
  if (!x->shape.isSymbolic() && !shape.isSymbolic())
    return nullptr;
  shape::IndexExpr before = 1, after = 1;
  for (const Extent &extent : x->shape)
    before = before * toExpr(extent);
  for (const Extent &extent : shape)
    after = after * toExpr(extent);
  shape::SymbolicDims inferred;
  std::string error;
  // What is not allowed is an error of the operation.
  if (shape::isProvablyEqual(before, after) ||
      !ops::inferSymbolicShape(ops::OpKind::Reshape, {toExprs(x->shape)},
                               toExprs(shape), inferred, error))
    return nullptr;
  if (Recorder::getCurrent())
    throw Error(name,
                "cannot capture a function that binds or unbinds "
                "variables, from shape " +
                    ops::toString(x->shape) + " to " + ops::toString(shape) +
                    "; each call would do it with the first value",
                {x->shape, shape});
  auto node = std::make_shared<Node>();
  node->form = Node::Form::Rebind;
  node->type = x->type;
  node->shape = shape;
  node->context = x->context;
  node->device = x->device;
  node->isAboveRebind = true;
  node->operands.push_back(resolveAlias(x));
  return makeDifferentiable(
      node, {x},
      [](const std::vector<NodeRef> &inputs, const NodeRef &,
         const NodeRef &grad) -> std::vector<NodeRef> {
        return {makeMovement(ops::OpKind::Reshape, grad, inputs[0]->shape)};
      });
}

NodeRef detail::makeMovement(ops::OpKind kind, const NodeRef &x, Shape ints,
                             const char *name) {
  if (isIdentity(kind, *x, ints))
    return x;
  if (kind == ops::OpKind::Reshape)
    if (NodeRef rebound = makeRebind(x, ints, name ? name : "reshape"))
      return rebound;
  ops::OpAttributes attributes;
  if (ints.isSymbolic())
    return makeOp(kind, {x}, x->type, std::move(attributes), name,
                  std::move(ints));
  attributes.ints = ints;
  return makeOp(kind, {x}, x->type, std::move(attributes), name);
}

NodeRef detail::makeConst(ops::Scalar value) {
  auto node = std::make_shared<Node>();
  node->kind = ops::OpKind::Const;
  node->type = value.getType();
  node->attributes.value = value;
  node->isAnywhere = true;
  return node;
}

NodeRef detail::makeFull(ops::Scalar value, const Shape &shape) {
  NodeRef scalar = makeConst(value);
  NodeRef ones = makeMovement(ops::OpKind::Reshape, scalar,
                              Shape(shape.size(), 1), "full");
  return makeMovement(ops::OpKind::Expand, ones, shape, "full");
}

NodeRef detail::makeFullBeside(ops::Scalar value, const Shape &shape) {
  NodeRef result = makeConst(value);
  auto move = [&](ops::OpKind kind, Shape target) {
    if (target == result->shape)
      return;
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->type = value.getType();
    node->isAnywhere = true;
    node->attributes.ints = target;
    node->shape = std::move(target);
    node->operands.push_back(std::move(result));
    result = std::move(node);
  };
  move(ops::OpKind::Reshape, Shape(shape.size(), 1));
  move(ops::OpKind::Expand, shape);
  return result;
}

NodeRef detail::makeParameter(ops::Scalar value, ContextRef context) {
  auto node = std::make_shared<Node>();
  node->form = Node::Form::Parameter;
  node->type = value.getType();
  node->attributes.value = value;
  node->context = std::move(context);
  node->isAnywhere = true;
  return node;
}

NodeRef detail::makeParameter(std::function<ops::Scalar()> read,
                              ContextRef context) {
  NodeRef node = makeParameter(read(), context);
  if (Recorder *recorder = Recorder::getCurrent())
    recorder->noteHostStep({std::move(read), std::move(context), nullptr},
                           node);
  return node;
}

NodeRef detail::makeCopy(const NodeRef &x, const std::string &device) {
  NodeRef copy =
      makeOp(ops::OpKind::Copy, {makeDetached(x)}, x->type, {}, "to");
  copy->device = device;
  if (!copy->context)
    copy->context = Context::getCurrent();
  std::string from = x->device;
  return makeDifferentiable(
      copy, {x},
      [from](const std::vector<NodeRef> &, const NodeRef &,
             const NodeRef &grad) -> std::vector<NodeRef> {
        return {grad->device == from ? grad : makeCopy(grad, from)};
      });
}

static NodeRef makeAlias(const NodeRef &value) {
  auto node = std::make_shared<Node>();
  node->form = Node::Form::Alias;
  node->type = value->type;
  node->shape = value->shape;
  node->context = value->context;
  node->device = value->device;
  node->isAnywhere = value->isAnywhere;
  node->refusesGrad = value->refusesGrad;
  node->isAboveRebind = value->isAboveRebind;
  // An alias of an alias would make chains that every walk has to follow.
  node->operands.push_back(resolveAlias(value));
  return node;
}

NodeRef detail::makeDetached(const NodeRef &x) { return makeAlias(x); }

NodeRef detail::makeDifferentiable(const NodeRef &value,
                                   std::vector<NodeRef> inputs,
                                   BackwardRule backward) {
  if (!isGradEnabled() || !isFloat(value->type) || !anyRequiresGrad(inputs))
    return value;
  NodeRef node = makeAlias(value);
  node->requiresGrad = true;
  node->backward = std::make_shared<BackwardRule>(std::move(backward));
  std::ranges::move(inputs, std::back_inserter(node->operands));
  return node;
}

//===----------------------------------------------------------------------===//
// Shapes and axes
//===----------------------------------------------------------------------===//

Extent detail::countElements(const char *name, const Shape &shape) {
  if (shape.isSymbolic()) {
    // Those of a tensor, so that they are few enough.
    Extent count = 1;
    for (const Extent &extent : shape)
      count *= extent;
    return count;
  }
  if (std::optional<int64_t> count = ops::getNumElements(shape))
    return *count;
  throw Error(name,
              "expects extents that are not negative and fewer than " +
                  std::string("2^62 elements, got ") + ops::toString(shape),
              {shape});
}

int64_t detail::resolveAxis(const char *name, int64_t axis, size_t rank) {
  int64_t signedRank = static_cast<int64_t>(rank);
  if (axis >= -signedRank && axis < signedRank)
    return axis < 0 ? axis + signedRank : axis;
  throw Error(name, "expects an axis of a tensor with " + std::to_string(rank) +
                        " axes, got " + std::to_string(axis));
}

std::vector<int64_t> Axes::resolve(const char *op, size_t rank) const {
  std::vector<int64_t> result;
  if (!axes) {
    for (size_t i = 0; i < rank; ++i)
      result.push_back(static_cast<int64_t>(i));
    return result;
  }
  // A scalar has no axis, but may be taken for a vector of one element.
  for (int64_t axis : *axes)
    result.push_back(rank == 0 && (axis == 0 || axis == -1)
                         ? 0
                         : resolveAxis(op, axis, rank));
  std::ranges::sort(result);
  if (std::ranges::adjacent_find(result) != result.end())
    throw Error(op, "expects each axis once, got " + ops::toString(*axes));
  if (rank == 0)
    result.clear();
  return result;
}

Shape detail::broadcastShapes(const char *name,
                              const std::vector<Shape> &shapes) {
  Shape result;
  for (const Shape &shape : shapes) {
    if (shape.size() > result.size())
      result.insert(result.begin(), shape.size() - result.size(), 1);
    size_t offset = result.size() - shape.size();
    for (size_t i = 0; i < shape.size(); ++i) {
      Extent &extent = result[offset + i];
      if (extent == 1)
        extent = shape[i];
      else if (shape[i] != 1 && shape[i] != extent) {
        std::string text = "cannot broadcast ";
        for (size_t k = 0; k < shapes.size(); ++k)
          text += (k == 0                   ? ""
                   : k + 1 == shapes.size() ? " and "
                                            : ", ") +
                  ops::toString(shapes[k]);
        throw Error(name, text, shapes);
      }
    }
  }
  return result;
}
