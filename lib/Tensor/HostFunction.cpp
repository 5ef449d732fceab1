//===- HostFunction.cpp - Tensors that the host computes ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/HostFunction.h"

#include "ContextImpl.h"

#include "tinygrad/Engine/Engine.h"
#include "tinygrad/Runtime/Buffer.h"

using namespace tinygrad;
using namespace tinygrad::detail;

/// Calls `function` with the elements of `buffers`, the last of which it sets.
static llvm::Error call(const HostFunction &function,
                        std::span<const runtime::BufferRef> buffers) {
  std::vector<HostArray> arrays;
  // Copies for devices whose memory the host cannot reach.
  std::vector<std::vector<char>> copies(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    runtime::Buffer &buffer = *buffers[i];
    bool isResult = i + 1 == buffers.size();
    void *data =
        !isResult || buffer.isHostMemory() ? buffer.getHostPointer() : nullptr;
    if (!data) {
      copies[i].resize(static_cast<size_t>(buffer.getNumBytes()) + 1);
      data = copies[i].data();
      if (!isResult)
        if (llvm::Error error = buffer.copyOut(data, buffer.getNumBytes()))
          return error;
    }
    arrays.push_back({data, buffer.getNumElements(), buffer.getType()});
  }
  function(arrays);
  runtime::Buffer &result = *buffers.back();
  if (copies.back().empty())
    return llvm::Error::success();
  return result.copyIn(copies.back().data(), result.getNumBytes());
}

void tinygrad::registerHostFunction(const std::string &name,
                                    HostFunction function) {
  Context::getCurrent()->getImpl().engine->registerCallback(
      "host." + name,
      [function = std::move(function)](
          std::span<const runtime::BufferRef> buffers) -> llvm::Error {
        return call(function, buffers);
      });
}

Tensor tinygrad::callHostFunction(const std::string &name,
                                  const std::vector<Tensor> &inputs,
                                  const Shape &shape, DType type) {
  std::vector<NodeRef> operands;
  for (const Tensor &input : inputs)
    operands.push_back(getNode(input.detach()));
  ops::OpAttributes attributes;
  Shape symbolic;
  if (shape.isSymbolic())
    symbolic = shape;
  else
    attributes.ints = shape;
  attributes.name = "host." + name;
  NoGradGuard noGrad;
  return makeTensor(makeOp(ops::OpKind::Custom, std::move(operands), type,
                           std::move(attributes), name.c_str(),
                           std::move(symbolic)));
}
