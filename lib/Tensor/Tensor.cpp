//===- Tensor.cpp - Handles, facts and values -----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Capture.h"
#include "tinygrad/Ops/DeviceName.h"

#include <algorithm>
#include <cstring>

using namespace tinygrad;
using namespace tinygrad::detail;

Tensor detail::makeTensor(NodeRef node) {
  auto impl = std::make_shared<TensorImpl>();
  if (node->refusesGrad && !node->requiresGrad)
    impl->gradMode = TensorImpl::GradMode::No;
  impl->node = std::move(node);
  return Tensor(std::move(impl));
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

void Tensor::initScalar(DType type, double real, int64_t integer) {
  // The number is kept with all its bits; the node has the type that it takes
  // where nothing else says one.
  impl = std::make_shared<TensorImpl>();
  impl->number = type == DType::Float64 ? ops::Scalar::fromDouble(type, real)
                                        : ops::Scalar::fromInt(type, integer);
  DType nodeType = type;
  if (type == DType::Float64)
    nodeType = DType::Float32;
  else if (type == DType::Int64 && integer == static_cast<int32_t>(integer))
    nodeType = DType::Int32;
  impl->node = makeConst(ops::cast(*impl->number, nodeType));
}

DType detail::adaptType(const ops::Scalar &number, DType type) {
  if (isFloat(type) || number.getType() == DType::Bool)
    return type;
  if (number.getType() == DType::Float64)
    return DType::Float32;
  // A number that the type can't hold widens it, so that comparisons are true
  // to the number rather than to its lowest bits.
  for (DType candidate : {type, DType::Int32, DType::Int64})
    if (candidate != DType::Bool &&
        ops::cast(number, candidate).toInt() == number.toInt())
      return candidate;
  return DType::Int64;
}

/// Returns the type in which tensors of two types meet: that of higher
/// priority, as in tinygrad, but for int8 and uint8, where numpy and PyTorch
/// agree on int16. PyTorch joins no wider integers with and without a sign.
static DType joinTypes(DType x, DType y) {
  DType type = std::max(x, y), other = std::min(x, y);
  bool areBytes = other == DType::Int8 && type == DType::UInt8;
  return areBytes ? DType::Int16 : type;
}

std::vector<Tensor> detail::promote(const std::vector<Tensor> &operands) {
  std::optional<DType> type;
  for (const Tensor &operand : operands)
    if (!operand.getImpl()->number)
      type = joinTypes(type.value_or(DType::Bool), operand.dtype());
  bool hasTensor = type.has_value();
  DType target = type.value_or(DType::Bool);
  for (const Tensor &operand : operands)
    if (const auto &number = operand.getImpl()->number)
      target = std::max(target, hasTensor ? adaptType(*number, *type)
                                          : operand.dtype());

  std::vector<Tensor> result;
  for (const Tensor &operand : operands) {
    if (const auto &number = operand.getImpl()->number) {
      noteRead(operand.getImpl());
      result.push_back(makeTensor(makeConst(ops::cast(*number, target))));
    } else {
      result.push_back(castImplicitly(operand, target));
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

const Shape &Tensor::shape() const { return impl->node->shape; }

Extent Tensor::shape(int64_t axis, Place place) const {
  PlaceScope scope(place);
  return shape()[resolveAxis("shape", axis, shape().size())];
}

Extent Tensor::numel() const { return countElements("numel", shape()); }

DType Tensor::dtype() const { return impl->node->type; }

ContextRef Tensor::getContext() const {
  return impl->node->context ? impl->node->context : Context::getCurrent();
}

bool Tensor::isRealized() const {
  return resolveAlias(impl->node)->buffer != nullptr;
}

std::string Tensor::device() const {
  const Node &node = *impl->node;
  return node.device.empty() ? getContext()->getDevice() : node.device;
}

Tensor Tensor::to(const std::string &device, Place place) const {
  PlaceScope scope(place);
  const NodeRef &node = impl->node;
  std::string name = resolveDevice("to", device, *getContext());
  if (node->device == name)
    return makeTensor(node);
  if (node->isUnset)
    return makeTensor(makeUnset("to", node->shape, node->type, name));
  return makeTensor(makeCopy(node, name));
}

Tensor Tensor::to_(const std::string &device, Place place) const {
  PlaceScope scope(place);
  if (Recorder *recorder = Recorder::getCurrent())
    recorder->noteAssigned(impl);
  setValue(impl, getNode(to(device)));
  if (impl->grad)
    impl->grad = grad().to(device).getImpl();
  return *this;
}

std::vector<uint8_t> Tensor::data() const {
  std::vector<uint8_t> bytes(
      static_cast<size_t>(numel().getValue() * element_size()));
  copyTo(bytes.data(), dtype());
  return bytes;
}

Tensor Tensor::realize(Place place) const {
  PlaceScope scope(place);
  tinygrad::realize({*this});
  return *this;
}

Tensor::Element Tensor::scalarAs(DType type) const {
  if (numel().getValue() != 1)
    throw Error("item",
                "expects a tensor with one element, got shape " +
                    ops::toString(shape()),
                {shape()});
  Element element;
  copyTo(element.bytes, type);
  return element;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Gives the variable another node.
static void setNode(TensorImpl &impl, NodeRef node) {
  const NodeRef &old = resolveAlias(impl.node);
  if (old->buffer)
    impl.target = old;
  impl.node = std::move(node);
  impl.number.reset();
}

/// Writes the elements of `value` where `file`, a tensor on a DISK, lies.
static void writeFile(const Tensor &file, const Tensor &value) {
  NodeRef source = getNode(value);
  // To move it there would write the beginning of the file.
  while (!source->buffer && source->form == Node::Form::Op &&
         source->kind == ops::OpKind::Copy && source->device == file.device())
    source = resolveAlias(source->operands[0]);
  Tensor elements = makeTensor(source);
  if (holdsDataOnly(source->device))
    elements = elements.to("");
  elements = contiguous(elements).realize();
  file.realize();
  fillBuffer("assign", *getNode(file)->buffer, *getNode(elements)->buffer);
}

Tensor Tensor::assign(const Tensor &value, Place place) const {
  PlaceScope scope(place);
  if (value.shape() != shape())
    throw Error("assign",
                "expects a value of the tensor's shape " +
                    ops::toString(shape()) + ", got " +
                    ops::toString(value.shape()),
                {shape(), value.shape()});
  Tensor fitting = value;
  if (value.getImpl()->number) {
    noteRead(value.getImpl());
    fitting =
        makeTensor(makeConst(ops::cast(*value.getImpl()->number, dtype())));
  }
  if (fitting.dtype() != dtype())
    throw Error("assign", "expects a value of the tensor's type " +
                              std::string(getName(dtype())) + ", got " +
                              std::string(getName(value.dtype())));
  if (impl->node->device.starts_with("DISK:")) {
    writeFile(*this, fitting);
    return *this;
  }
  NodeRef source = getNode(fitting);
  if (source->device != impl->node->device) {
    if (!source->isAnywhere)
      throw Error("assign", "expects a value on the tensor's device `" +
                                device() + "`, got one on `" +
                                fitting.device() + "`; `to` moves it");
    fitting = fitting.to(device());
  }
  if (Recorder *recorder = Recorder::getCurrent())
    recorder->noteAssigned(impl);
  setValue(impl, getNode(fitting));
  return *this;
}

void detail::setValue(const std::shared_ptr<TensorImpl> &variable,
                      NodeRef node) {
  // What was said of the variable is true of its new value.
  bool isWanted = variable->gradMode == TensorImpl::GradMode::Yes;
  bool isRefused = variable->gradMode == TensorImpl::GradMode::No;
  if (isWanted || isRefused != node->refusesGrad) {
    node = makeDetached(node);
    node->requiresGrad = isWanted;
    node->refusesGrad = isRefused;
  }
  if (isWanted)
    node->owner = variable;
  setNode(*variable, std::move(node));
}

static void assignResult(const std::shared_ptr<TensorImpl> &impl,
                         const char *name, const Tensor &result) {
  if (impl->gradMode == TensorImpl::GradMode::Yes)
    throw Error(name, "cannot change a tensor that wants a gradient; use "
                      "assign");
  if (result.shape() != impl->node->shape)
    throw Error(name,
                "cannot change a tensor of shape " +
                    ops::toString(impl->node->shape) + " into one of shape " +
                    ops::toString(result.shape()),
                {impl->node->shape, result.shape()});
  if (Recorder *recorder = Recorder::getCurrent())
    recorder->noteAssigned(impl);
  setNode(*impl, getNode(result));
}

Tensor &Tensor::operator+=(const Operand &y) {
  PlaceScope scope(y.place);
  assignResult(impl, "add", *this + y);
  return *this;
}

Tensor &Tensor::operator-=(const Operand &y) {
  PlaceScope scope(y.place);
  assignResult(impl, "sub", *this - y);
  return *this;
}

Tensor &Tensor::operator*=(const Operand &y) {
  PlaceScope scope(y.place);
  assignResult(impl, "mul", *this * y);
  return *this;
}

Tensor &Tensor::operator/=(const Operand &y) {
  PlaceScope scope(y.place);
  assignResult(impl, "div", *this / y);
  return *this;
}

Tensor &Tensor::operator^=(const Operand &y) {
  PlaceScope scope(y.place);
  assignResult(impl, "bitwise_xor", *this ^ y);
  return *this;
}

Tensor &Tensor::pow_(const Tensor &y) {
  assignResult(impl, "pow", pow(y));
  return *this;
}

Tensor &Tensor::matmul_(const Tensor &y) {
  assignResult(impl, "matmul", matmul(y));
  return *this;
}

Tensor Tensor::sequential(
    const std::vector<std::function<Tensor(const Tensor &)>> &layers) const {
  Tensor result = *this;
  for (const auto &layer : layers)
    result = layer(result);
  return result;
}

//===----------------------------------------------------------------------===//
// Graph
//===----------------------------------------------------------------------===//

Tensor tinygrad::detach(const Tensor &x) {
  return makeTensor(makeDetached(getNode(x)));
}

Tensor tinygrad::contiguous(const Tensor &x) {
  if (x.isRealized())
    return makeTensor(getNode(x));
  return makeTensor(makeOp(ops::OpKind::Contiguous, {getNode(x)}, x.dtype()));
}

Tensor tinygrad::contiguous_backward(const Tensor &x) {
  return makeTensor(makeDifferentiable(
      getNode(x), {getNode(x)},
      [](const std::vector<NodeRef> &, const NodeRef &,
         const NodeRef &grad) -> std::vector<NodeRef> {
        return {makeOp(ops::OpKind::Contiguous, {grad}, grad->type)};
      }));
}
