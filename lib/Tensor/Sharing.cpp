//===- Sharing.cpp - Memory that others know, too -------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Sharing.h"

#include "Capture.h"
#include "ContextImpl.h"
#include "Overwrite.h"
#include "Pending.h"

#include "tinygrad/Engine/Engine.h"

using namespace tinygrad;
using namespace tinygrad::detail;

SharedElements tinygrad::shareElements(const Tensor &tensor) {
  if (Recorder::getCurrent())
    throw Error("TinyJit", "cannot capture a function that shares the memory "
                           "of tensors; return them instead");
  tensor.realize();
  const NodeRef &node = resolveAlias(tensor.getImpl()->node);
  runtime::Buffer &buffer = *node->buffer;
  // A step that waits has read the elements, as a program sees it: others may
  // write there from now on.
  if (!buffer.isShared())
    realizePending(Context::getCurrent()->getImpl());
  if (!buffer.isHostMemory() && !buffer.isReadOnly())
    throw Error("shareElements",
                "expects a tensor in memory of the host, got one on device `" +
                    tensor.device() + "`; `to` moves it",
                {tensor.shape()});
  // Another tensor may have the same buffer, and is not to change with this
  // one.
  if (!buffer.isShared() && countHolders(node->buffer) > 1)
    node->buffer = copyRealized(*node)->buffer;
  node->buffer->setShared();
  return {std::shared_ptr<void>(node->buffer, node->buffer->getHostPointer()),
          node->buffer->isReadOnly()};
}

Tensor tinygrad::fromSharedElements(const SharedElements &elements,
                                    const Shape &shape, DType type) {
  int64_t count = countElements("fromSharedElements", shape);
  if (count == 0)
    return Tensor::empty(shape, type);
  if (!elements.memory)
    throw Error("fromSharedElements", "expects memory, got null", {shape});
  runtime::Device &device =
      Context::getCurrent()->getImpl().engine->getDevice();
  llvm::Expected<runtime::BufferRef> buffer =
      device.wrap(type, count, elements.memory, elements.isReadOnly);
  if (!buffer)
    throw Error("fromSharedElements",
                "cannot share the memory: " +
                    llvm::toString(buffer.takeError()),
                {shape});
  return makeTensor(makeFromBuffer(std::move(*buffer), shape, ""));
}

Tensor tinygrad::copyElements(const Tensor &tensor) {
  if (Recorder::getCurrent())
    throw Error("TinyJit", "cannot capture a function that copies the elements "
                           "of tensors; use `contiguous`");
  tensor.realize();
  return makeTensor(copyRealized(*resolveAlias(tensor.getImpl()->node)));
}

Tensor tinygrad::copyVariable(const Tensor &tensor) {
  if (tensor.isGradSpecified() || !tensor.requires_grad()) {
    Tensor result = tensor.detach();
    if (tensor.isGradSpecified())
      result.requires_grad_(tensor.requires_grad());
    return result;
  }
  const NodeRef &node = getNode(tensor);
  return makeTensor(makeDifferentiable(
      resolveAlias(node), {node},
      [](const std::vector<NodeRef> &, const NodeRef &,
         const NodeRef &grad) -> std::vector<NodeRef> { return {grad}; }));
}
