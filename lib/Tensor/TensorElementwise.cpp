//===- TensorElementwise.cpp - Elementwise functions ----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <cmath>
#include <numbers>

using namespace tinygrad;
using namespace tinygrad::detail;
using ops::OpKind;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static Tensor unary(OpKind kind, const Tensor &x) {
  return makeTensor(makeOp(kind, {getNode(x)}, x.dtype()));
}

/// Applies a function of floats.
static Tensor floatUnary(OpKind kind, const Tensor &x) {
  return unary(kind, cast(x, toFloatType(x.dtype())));
}

/// Brings operands to one type and shape.
static std::vector<Tensor> broadcast(const char *name,
                                     const std::vector<Tensor> &operands) {
  std::vector<Tensor> result = promote(operands);
  std::vector<Shape> shapes;
  for (const Tensor &operand : result)
    shapes.push_back(operand.shape());
  Shape shape = broadcastShapes(name, shapes);
  for (Tensor &operand : result)
    operand = broadcastTo(name, operand, shape);
  return result;
}

static Tensor binary(const char *name, OpKind kind, const Tensor &x,
                     const Tensor &y) {
  auto make = [&](const NodeRef &left, const NodeRef &right) {
    bool isComparison = kind == OpKind::CmpLt || kind == OpKind::CmpEq;
    return makeTensor(makeOp(kind, {left, right},
                             isComparison ? DType::Bool : left->type, {},
                             name));
  };
  // What fits as it is, and numbers that a type holds, need no other handles.
  const auto &left = x.getImpl()->number, &right = y.getImpl()->number;
  if (!left && !right && x.dtype() == y.dtype() && x.shape() == y.shape())
    return make(getNode(x), getNode(y));
  if (left.has_value() != right.has_value()) {
    const ops::Scalar &number = left ? *left : *right;
    NodeRef node = getNode(left ? y : x);
    noteRead(left ? x.getImpl() : y.getImpl());
    if (adaptType(number, node->type) == node->type &&
        !node->shape.isSymbolic()) {
      NodeRef full = makeFullBeside(ops::cast(number, node->type), node->shape);
      return left ? make(full, node) : make(node, full);
    }
  }
  std::vector<Tensor> operands = broadcast(name, {x, y});
  return make(getNode(operands[0]), getNode(operands[1]));
}

Tensor detail::withGradient(const Tensor &value, const Tensor &x,
                            Tensor (*rule)(const Tensor &x,
                                           const Tensor &result,
                                           const Tensor &grad)) {
  auto backward = [rule](const std::vector<NodeRef> &inputs,
                         const NodeRef &result,
                         const NodeRef &grad) -> std::vector<NodeRef> {
    return {getNode(
        rule(makeTensor(inputs[0]), makeTensor(result), makeTensor(grad)))};
  };
  return makeTensor(makeDifferentiable(getNode(value), {getNode(x)}, backward));
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

/// Bools count where a sign comes in: numpy and PyTorch refuse them there, and
/// those that tinygrad's comparisons give are numbers.
static Tensor countBools(const Tensor &x) {
  return x.dtype() == DType::Bool ? cast(x, DType::Int32) : x;
}

Tensor tinygrad::neg(const Tensor &x) {
  return unary(OpKind::Neg, countBools(x));
}

Tensor tinygrad::logical_not(const Tensor &x) { return equal(x, 0); }

Tensor tinygrad::exp(const Tensor &x) { return floatUnary(OpKind::Exp, x); }

Tensor tinygrad::exp2(const Tensor &x) { return floatUnary(OpKind::Exp2, x); }

Tensor tinygrad::log(const Tensor &x) { return floatUnary(OpKind::Log, x); }

Tensor tinygrad::log2(const Tensor &x) { return floatUnary(OpKind::Log2, x); }

Tensor tinygrad::sin(const Tensor &x) { return floatUnary(OpKind::Sin, x); }

Tensor tinygrad::cos(const Tensor &x) {
  // The difference pi/2 - x rounds a large x. Half of it is exact, and
  // cos(x) = 1 - 2*sin(x/2)^2.
  DType type = toFloatType(x.dtype());
  Tensor angle = cast(x, std::max(type, DType::Float32));
  Tensor isSmall = less(angle * angle, 16.0);
  Tensor sine = sin(where(isSmall, std::numbers::pi / 2 - angle, angle * 0.5));
  return cast(where(isSmall, sine, 1.0 - sine * sine * 2.0), type);
}

Tensor tinygrad::tan(const Tensor &x) { return sin(x) / cos(x); }

Tensor tinygrad::sqrt(const Tensor &x) { return floatUnary(OpKind::Sqrt, x); }

Tensor tinygrad::rsqrt(const Tensor &x) { return reciprocal(sqrt(x)); }

Tensor tinygrad::reciprocal(const Tensor &x) {
  return floatUnary(OpKind::Recip, x);
}

Tensor tinygrad::abs(const Tensor &x) {
  if (isUnsigned(x.dtype()))
    return x;
  // The lowest integer has no absolute value, and stays as it is.
  if (!isFloat(x.dtype()))
    return where(less(x, 0), -x, x);
  return relu(x) + relu(-x);
}

/// The gradient of a function of steps.
static Tensor giveZeros(const Tensor &x, const Tensor &, const Tensor &) {
  return Tensor::zeros(x.shape(), x.dtype());
}

Tensor tinygrad::sign(const Tensor &x) {
  Tensor value = x.detach();
  Tensor result = where(less(value, 0), -1, where(less(0, value), 1, value * 0))
                      .cast(x.dtype());
  return withGradient(result, x, giveZeros);
}

Tensor tinygrad::square(const Tensor &x) { return x * x; }

Tensor tinygrad::trunc(const Tensor &x) {
  if (!isFloat(x.dtype()))
    return x;
  // Beyond 2^53 every number of every float type is whole; NaN goes with them.
  Tensor value = x.detach();
  Tensor isSmall = less(abs(value), 9007199254740992.0);
  Tensor whole = value.cast(DType::Int64).cast(x.dtype());
  // An integer has no -0.
  whole = where(equal(whole, 0), value * 0.0, whole);
  return withGradient(where(isSmall, whole, value), x, giveZeros);
}

Tensor tinygrad::floor(const Tensor &x) {
  Tensor whole = trunc(x);
  return where(less(x.detach(), whole), whole - 1, whole);
}

Tensor tinygrad::ceil(const Tensor &x) {
  Tensor whole = trunc(x);
  return where(less(whole, x.detach()), whole + 1, whole);
}

Tensor tinygrad::clip(const Tensor &x, double low, double high) {
  return minimum(maximum(x, low), high);
}

/// Casts; `isImplicit` if nobody asked for it.
static Tensor castTo(const Tensor &x, DType type, bool isImplicit) {
  const NodeRef &node = resolveAlias(getNode(x));
  if (node->type == type)
    return makeTensor(getNode(x));
  // A constant of another type is a constant, unless it is a variable.
  if (node->kind == OpKind::Const && !node->buffer &&
      node->form == Node::Form::Op && !getNode(x)->requiresGrad)
    return makeTensor(
        makeFull(ops::cast(node->attributes.value, type), node->shape));
  ops::OpAttributes attributes;
  attributes.isImplicit = isImplicit;
  return makeTensor(
      makeOp(OpKind::Cast, {getNode(x)}, type, std::move(attributes)));
}

Tensor tinygrad::cast(const Tensor &x, DType type) {
  const Node &node = *resolveAlias(getNode(x));
  if (node.device.starts_with("DISK:") && node.type != type &&
      (node.type == DType::UInt8 || (isFloat(node.type) && isUnsigned(type)))) {
    x.realize();
    return makeTensor(makeReinterpreted("cast", node, type));
  }
  return castTo(x, type, /*isImplicit=*/false);
}

Tensor detail::castImplicitly(const Tensor &x, DType type) {
  return castTo(x, type, /*isImplicit=*/true);
}

Tensor tinygrad::bitcast(const Tensor &x, DType type) {
  if (x.dtype() == type)
    return makeTensor(getNode(x));
  return makeTensor(makeOp(OpKind::Bitcast, {getNode(x)}, type));
}

//===----------------------------------------------------------------------===//
// Binary and ternary
//===----------------------------------------------------------------------===//

Tensor tinygrad::add(const Tensor &x, const Tensor &y) {
  return binary("add", OpKind::Add, x, y);
}

Tensor tinygrad::sub(const Tensor &x, const Tensor &y) {
  if (x.dtype() == DType::Bool && y.dtype() == DType::Bool)
    return binary("sub", OpKind::Sub, countBools(x), countBools(y));
  return binary("sub", OpKind::Sub, x, y);
}

Tensor tinygrad::mul(const Tensor &x, const Tensor &y) {
  return binary("mul", OpKind::Mul, x, y);
}

Tensor tinygrad::div(const Tensor &x, const Tensor &y) {
  std::vector<Tensor> operands = promote({x, y});
  DType type = toFloatType(operands[0].dtype());
  return binary("div", OpKind::Div, cast(operands[0], type),
                cast(operands[1], type));
}

Tensor tinygrad::mod(const Tensor &x, const Tensor &y) {
  return binary("mod", OpKind::Mod, x, y);
}

Tensor tinygrad::pow(const Tensor &x, const Tensor &y) {
  // The powers that are cheaper, and whose gradients are simpler, otherwise.
  if (const auto &number = y.getImpl()->number; number && isFloat(x.dtype())) {
    noteRead(y.getImpl());
    double exponent = number->toDouble();
    if (exponent == 2)
      return x * x;
    if (exponent == 3)
      return x * x * x;
    if (exponent == 0.5)
      return sqrt(x);
    if (exponent == -1)
      return reciprocal(x);
  }
  return binary("pow", OpKind::Pow, x, y);
}

Tensor tinygrad::maximum(const Tensor &x, const Tensor &y) {
  return binary("maximum", OpKind::Max, x, y);
}

Tensor tinygrad::minimum(const Tensor &x, const Tensor &y) {
  std::vector<Tensor> operands = broadcast("minimum", {x, y});
  // The negative of the lowest integer is itself, so integers are selected.
  if (!isFloat(operands[0].dtype()))
    return where(less(operands[0], operands[1]), operands[0], operands[1]);
  return -maximum(-operands[0], -operands[1]);
}

Tensor tinygrad::bitwise_xor(const Tensor &x, const Tensor &y) {
  return binary("bitwise_xor", OpKind::Xor, x, y);
}

Tensor tinygrad::less(const Tensor &x, const Tensor &y) {
  return binary("less", OpKind::CmpLt, x, y);
}

Tensor tinygrad::equal(const Tensor &x, const Tensor &y) {
  return binary("equal", OpKind::CmpEq, x, y);
}

Tensor tinygrad::operator<(const Operand &x, const Operand &y) {
  PlaceScope scope(x.place);
  return less(x.value, y.value);
}

Tensor tinygrad::operator>(const Operand &x, const Operand &y) {
  PlaceScope scope(x.place);
  return less(y.value, x.value);
}

Tensor tinygrad::operator<=(const Operand &x, const Operand &y) {
  PlaceScope scope(x.place);
  // Not "not greater": that would be true beside NaN.
  return maximum(less(x.value, y.value), equal(x.value, y.value));
}

Tensor tinygrad::operator>=(const Operand &x, const Operand &y) {
  PlaceScope scope(x.place);
  return maximum(less(y.value, x.value), equal(x.value, y.value));
}

Tensor tinygrad::operator==(const Operand &x, const Operand &y) {
  PlaceScope scope(x.place);
  return equal(x.value, y.value);
}

Tensor tinygrad::operator!=(const Operand &x, const Operand &y) {
  PlaceScope scope(x.place);
  return unary(OpKind::Not, equal(x.value, y.value));
}

Tensor tinygrad::operator+(const Operand &x, const Operand &y) {
  PlaceScope scope(x.place);
  return add(x.value, y.value);
}

Tensor tinygrad::operator-(const Operand &x, const Operand &y) {
  PlaceScope scope(x.place);
  return sub(x.value, y.value);
}

Tensor tinygrad::operator*(const Operand &x, const Operand &y) {
  PlaceScope scope(x.place);
  return mul(x.value, y.value);
}

Tensor tinygrad::operator/(const Operand &x, const Operand &y) {
  PlaceScope scope(x.place);
  return div(x.value, y.value);
}

Tensor tinygrad::operator-(const Operand &x) {
  PlaceScope scope(x.place);
  return neg(x.value);
}

Tensor tinygrad::operator^(const Operand &x, const Operand &y) {
  PlaceScope scope(x.place);
  return bitwise_xor(x.value, y.value);
}

Tensor tinygrad::where(const Tensor &condition, const Tensor &x,
                       const Tensor &y) {
  std::vector<Tensor> values = promote({x, y});
  Shape shape =
      broadcastShapes("where", {condition.shape(), x.shape(), y.shape()});
  std::vector<NodeRef> operands = {
      getNode(broadcastTo("where", condition, shape))};
  for (const Tensor &value : values)
    operands.push_back(getNode(broadcastTo("where", value, shape)));
  return makeTensor(
      makeOp(OpKind::Where, std::move(operands), values[0].dtype()));
}
