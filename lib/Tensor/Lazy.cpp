//===- Lazy.cpp - What stands behind a tensor -----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Lazy.h"

#include "Overwrite.h"

#include "tinygrad/Runtime/Buffer.h"
#include "tinygrad/Shape/Layout.h"

#include <mutex>
#include <ranges>
#include <unordered_map>

using namespace tinygrad;
using namespace tinygrad::detail;

static const NodeRef &getValue(const Tensor &x) {
  return resolveAlias(x.getImpl()->node);
}

LazyValue tinygrad::inspect(const Tensor &x) {
  const Node &node = *getValue(x);
  LazyValue result;
  result.isUnset = node.isUnset;
  if (node.buffer)
    return result;
  if (node.form == Node::Form::Parameter) {
    result.value = node.attributes.value;
    return result;
  }
  // Other extents over the same elements.
  result.kind =
      node.form == Node::Form::Rebind ? ops::OpKind::Reshape : node.kind;
  for (const NodeRef &operand : node.operands)
    result.operands.push_back(makeTensor(resolveAlias(operand)));
  if (node.form == Node::Form::Rebind)
    result.ints = node.shape;
  else if (!node.symbolicInts.empty())
    result.ints = node.symbolicInts;
  else
    result.ints = node.attributes.ints;
  if (node.kind == ops::OpKind::Const)
    result.value = node.attributes.value;
  result.name = node.attributes.name;
  return result;
}

uint64_t tinygrad::getValueNumber(const Tensor &x) {
  return getValue(x)->number;
}

const void *tinygrad::getBufferIdentity(const Tensor &x) {
  return getValue(x)->buffer.get();
}

void tinygrad::writeElements(const Tensor &x, const void *data,
                             size_t numBytes) {
  runtime::Buffer *buffer = getValue(x)->buffer.get();
  if (!buffer)
    throw Error("writeElements", "expects a realized tensor");
  if (static_cast<size_t>(buffer->getNumBytes()) != numBytes)
    throw Error("writeElements", "expects " +
                                     std::to_string(buffer->getNumBytes()) +
                                     " bytes, got " + std::to_string(numBytes));
  if (!numBytes)
    return;
  if (llvm::Error error = buffer->copyIn(data, buffer->getNumBytes()))
    throw Error("writeElements", "cannot copy to the device", {},
                llvm::toString(std::move(error)));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static std::mutex viewsMutex;
/// The number of MemoryViews of a buffer, where there are any.
static std::unordered_map<const runtime::Buffer *, long> numViews;

MemoryView::MemoryView(const Tensor &x) {
  const NodeRef &value = getValue(x);
  if (!value->buffer)
    throw Error("MemoryView", "expects a realized tensor", {x.shape()});
  buffer = value->buffer;
  node = value;
  device = value->device;
  std::lock_guard lock(viewsMutex);
  ++numViews[buffer.get()];
}

MemoryView::~MemoryView() {
  std::lock_guard lock(viewsMutex);
  auto found = numViews.find(buffer.get());
  if (--found->second == 0)
    numViews.erase(found);
}

Tensor MemoryView::getTensor() const {
  NodeRef known = node.lock();
  if (known && known->buffer == buffer)
    return makeTensor(std::move(known));
  return makeTensor(
      makeFromBuffer(buffer, {Extent(buffer->getNumElements())}, device));
}

long detail::countHolders(const std::shared_ptr<runtime::Buffer> &buffer) {
  std::lock_guard lock(viewsMutex);
  auto found = numViews.find(buffer.get());
  return buffer.use_count() - (found == numViews.end() ? 0 : found->second);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// Returns `layout` after the movement `node`.
static shape::Layout move(const shape::Layout &layout, const Node &node) {
  using ops::OpKind;
  shape::Sizes sizes = node.symbolicInts.empty()
                           ? shape::Sizes(node.attributes.ints)
                           : shape::Sizes(toExprs(node.symbolicInts));
  switch (node.kind) {
  case OpKind::Reshape:
    return layout.reshape(sizes);
  case OpKind::Permute:
    return layout.permute(sizes.getNumbers());
  case OpKind::Expand:
    return layout.expand(sizes);
  case OpKind::Pad:
    return layout.pad(sizes);
  case OpKind::Shrink:
    return layout.shrink(sizes);
  case OpKind::Stride:
    return layout.stride(sizes.getNumbers());
  default: {
    // as_strided has the shape, the strides and the offset.
    const shape::Dims &ints = sizes.getNumbers();
    auto rank = static_cast<ptrdiff_t>(ints.size() / 2);
    shape::View view = shape::View::create(
        shape::Dims(ints.begin(), ints.begin() + rank),
        shape::Dims(ints.begin() + rank, ints.begin() + 2 * rank), ints.back());
    return layout.compose(shape::ShapeTracker::fromViews({view}));
  }
  }
}

std::pair<Tensor, shape::SymbolicShapeTracker>
tinygrad::getBase(const Tensor &x) {
  std::vector<const Node *> movements;
  NodeRef node = getValue(x);
  // A Rebind shows the same elements, whatever lies above it.
  const Node *rebind = nullptr;
  while (!node->buffer) {
    if (node->form == Node::Form::Rebind) {
      rebind = node.get();
      node = resolveAlias(node->operands[0]);
      break;
    }
    if (node->form != Node::Form::Op ||
        ops::getInfo(node->kind).group != ops::OpGroup::Movement)
      break;
    movements.push_back(node.get());
    node = resolveAlias(node->operands[0]);
  }
  const Shape &shape = rebind ? rebind->shape : node->shape;
  shape::Layout layout = shape::Layout::fromShape(shape::Sizes(toExprs(shape)));
  for (const Node *movement : std::views::reverse(movements))
    layout = move(layout, *movement);
  return {makeTensor(node), layout.getSymbolicTracker()};
}

Tensor tinygrad::makeLazy(ops::OpKind kind, const std::vector<Tensor> &operands,
                          DType type, const Shape &ints) {
  if (ops::getInfo(kind).arity >= 0 &&
      operands.size() != static_cast<size_t>(ops::getInfo(kind).arity))
    throw Error(std::string(ops::getInfo(kind).name),
                "expects " + std::to_string(ops::getInfo(kind).arity) +
                    " operands, got " + std::to_string(operands.size()));
  if (kind == ops::OpKind::Const || kind == ops::OpKind::Custom ||
      kind == ops::OpKind::Empty || kind == ops::OpKind::Assign)
    throw Error(std::string(ops::getInfo(kind).name),
                "expects an operation on values of its operands");
  std::vector<NodeRef> nodes;
  for (const Tensor &operand : operands)
    nodes.push_back(makeDetached(getNode(operand)));
  if (kind == ops::OpKind::Copy)
    return makeTensor(makeCopy(nodes.front(), ""));
  ops::OpAttributes attributes;
  if (ints.isSymbolic())
    return makeTensor(
        makeOp(kind, std::move(nodes), type, attributes, nullptr, ints));
  attributes.ints = ints;
  return makeTensor(
      makeOp(kind, std::move(nodes), type, std::move(attributes)));
}

Tensor tinygrad::castToStore(const Tensor &x, DType type) {
  const NodeRef &node = getNode(x);
  if (node->type == type || node->buffer || node->form != Node::Form::Op ||
      node->kind != ops::OpKind::Contiguous)
    return cast(x, type);
  return contiguous(cast(makeTensor(node->operands[0]), type));
}
