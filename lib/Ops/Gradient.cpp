//===- Gradient.cpp - The gradient of every operation ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule that masks a value with `where` masks the operands of what would be
// infinite too where it can: a second derivative runs through the branch that
// was not taken as well, and 0 * inf is NaN.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/Gradient.h"

#include "GradientMovement.h"

#include <cassert>
#include <numbers>

using namespace tinygrad;
using namespace tinygrad::ops;
using shape::Sizes;

//===----------------------------------------------------------------------===//
// GradientBuilder
//===----------------------------------------------------------------------===//

static bool isComparison(OpKind kind) {
  return kind == OpKind::CmpLt || kind == OpKind::CmpEq;
}

Ref GradientBuilder::unary(OpKind kind, Ref x) {
  return create(kind, {&x, 1}, getType(x), {});
}

Ref GradientBuilder::binary(OpKind kind, Ref x, Ref y) {
  Ref operands[] = {x, y};
  return create(kind, operands, isComparison(kind) ? DType::Bool : getType(x),
                {});
}

Ref GradientBuilder::where(Ref condition, Ref x, Ref y) {
  Ref operands[] = {condition, x, y};
  return create(OpKind::Where, operands, getType(x), {});
}

Ref GradientBuilder::cast(Ref x, DType type) {
  if (getType(x) == type)
    return x;
  return create(OpKind::Cast, {&x, 1}, type, {});
}

Ref GradientBuilder::reduce(OpKind kind, Ref x, const Sizes &shape) {
  return create(kind, {&x, 1}, getType(x), shape);
}

Ref GradientBuilder::movement(OpKind kind, Ref x, const Sizes &ints) {
  return create(kind, {&x, 1}, getType(x), ints);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {

/// The rules of one operation, over short names for what they build.
class Rules {
public:
  Rules(GradientBuilder &builder, Ref result, Ref grad)
      : builder(builder), result(result), grad(grad) {}

  Ref unaryRule(OpKind kind, Ref x);
  void binaryRule(OpKind kind, Ref x, Ref y, std::optional<Ref> &dx,
                  std::optional<Ref> &dy);
  Ref reduceMaxRule(Ref x);
  /// The cosine of `x`.
  Ref cosine(Ref x);

  Ref add(Ref x, Ref y) { return builder.binary(OpKind::Add, x, y); }
  Ref sub(Ref x, Ref y) { return builder.binary(OpKind::Sub, x, y); }
  Ref mul(Ref x, Ref y) { return builder.binary(OpKind::Mul, x, y); }
  Ref div(Ref x, Ref y) { return builder.binary(OpKind::Div, x, y); }
  Ref neg(Ref x) { return builder.unary(OpKind::Neg, x); }
  /// A constant with the type and shape of `like`.
  Ref constant(double value, Ref like) {
    return builder.createConst(value, builder.getType(like),
                               builder.getShape(like));
  }

private:
  void maxRule(Ref x, Ref y, std::optional<Ref> &dx, std::optional<Ref> &dy);
  void powRule(Ref x, Ref y, std::optional<Ref> &dx, std::optional<Ref> &dy);

  GradientBuilder &builder;
  Ref result, grad;
};

} // namespace

Ref Rules::unaryRule(OpKind kind, Ref x) {
  switch (kind) {
  case OpKind::Noop:
    return grad;
  case OpKind::Cast:
    return builder.cast(grad, builder.getType(x));
  case OpKind::Neg:
    return neg(grad);
  case OpKind::Exp:
    return mul(grad, result);
  case OpKind::Exp2:
    return mul(grad, mul(result, constant(std::numbers::ln2, result)));
  case OpKind::Log:
    return div(grad, x);
  case OpKind::Log2:
    // The constant goes to the dividend: x * ln2 would lose bits of a small x.
    return div(mul(grad, constant(std::numbers::log2e, grad)), x);
  case OpKind::Sin:
    return mul(grad, cosine(x));
  case OpKind::Sqrt:
    return div(grad, add(result, result));
  default:
    assert(kind == OpKind::Recip && "a unary operation without a rule");
    return neg(mul(grad, mul(result, result)));
  }
}

/// The difference pi/2 - x rounds a large x. Half of it is exact, and
/// cos(x) = 1 - 2*sin(x/2)^2.
Ref Rules::cosine(Ref x) {
  DType type = builder.getType(x);
  Ref angle = builder.cast(x, getAccumulationType(type));
  Ref isSmall =
      builder.binary(OpKind::CmpLt, mul(angle, angle), constant(16, angle));
  Ref shifted = sub(constant(std::numbers::pi / 2, angle), angle);
  Ref half = mul(angle, constant(0.5, angle));
  Ref sine = builder.unary(OpKind::Sin, builder.where(isSmall, shifted, half));
  Ref square = mul(sine, sine);
  Ref rest = sub(constant(1, angle), add(square, square));
  return builder.cast(builder.where(isSmall, sine, rest), type);
}

/// Written with `not smaller` rather than `greater`, so that a NaN, of which
/// neither holds, passes the gradient on to both.
void Rules::maxRule(Ref x, Ref y, std::optional<Ref> &dx,
                    std::optional<Ref> &dy) {
  Ref half = mul(grad, constant(0.5, grad));
  Ref share = builder.where(builder.binary(OpKind::CmpEq, x, y), half, grad);
  Ref zero = constant(0, grad);
  dx = builder.where(builder.binary(OpKind::CmpLt, x, y), zero, share);
  dy = builder.where(builder.binary(OpKind::CmpLt, y, x), zero, share);
}

void Rules::powRule(Ref x, Ref y, std::optional<Ref> &dx,
                    std::optional<Ref> &dy) {
  // d/dx = y * x^(y-1), and 0 where y = 0. There the exponent becomes 0 rather
  // than -1: y * x^0 is 0 for every x, and nothing is infinite.
  Ref zero = constant(0, y), one = constant(1, y);
  Ref isConstant = builder.binary(OpKind::CmpEq, y, zero);
  Ref exponent = builder.where(isConstant, zero, sub(y, one));
  Ref power = builder.binary(OpKind::Pow, x, exponent);
  dx = mul(grad, mul(y, power));

  // d/dy = x^y * log(x), and 0 where x = 0 and y >= 0, by taking log(1) there.
  // On bools, a < b is "b and not a".
  Ref isNegative = builder.binary(OpKind::CmpLt, y, zero);
  Ref isZero = builder.binary(OpKind::CmpEq, x, zero);
  Ref isFlat = builder.binary(OpKind::CmpLt, isNegative, isZero);
  Ref base = builder.where(isFlat, one, x);
  dy = mul(grad, mul(result, builder.unary(OpKind::Log, base)));
}

void Rules::binaryRule(OpKind kind, Ref x, Ref y, std::optional<Ref> &dx,
                       std::optional<Ref> &dy) {
  switch (kind) {
  case OpKind::Add:
    dx = grad;
    dy = grad;
    return;
  case OpKind::Sub:
    dx = grad;
    dy = neg(grad);
    return;
  case OpKind::Mul:
    dx = mul(grad, y);
    dy = mul(grad, x);
    return;
  case OpKind::Div:
    // -x/y^2 as -(1/y) * (x/y): y * y may overflow where the gradient doesn't.
    dx = div(grad, y);
    dy = neg(mul(*dx, result));
    return;
  case OpKind::Mod:
    // mod(x, y) = x - trunc(x/y) * y, and (x - mod(x, y)) / y is the trunc.
    dx = grad;
    dy = neg(mul(grad, div(sub(x, result), y)));
    return;
  case OpKind::Max:
    return maxRule(x, y, dx, dy);
  default:
    assert(kind == OpKind::Pow && "a binary operation without a rule");
    return powRule(x, y, dx, dy);
  }
}

Ref Rules::reduceMaxRule(Ref x) {
  // "Not smaller than the maximum" rather than "equal to it": as in maxRule.
  DType type = builder.getType(x);
  Sizes shape = builder.getShape(x);
  auto expand = [&](Ref value) {
    return builder.getShape(value) == shape
               ? value
               : builder.movement(OpKind::Expand, value, shape);
  };
  Ref isSmaller = builder.binary(OpKind::CmpLt, x, expand(result));
  // More equal maxima than a half type can count are possible.
  DType countType = getAccumulationType(type);
  Ref ones = builder.where(isSmaller, builder.createConst(0, countType, shape),
                           builder.createConst(1, countType, shape));
  Ref count = builder.reduce(OpKind::ReduceSum, ones, builder.getShape(result));
  Ref share = builder.cast(div(builder.cast(grad, countType), count), type);
  return builder.where(isSmaller, constant(0, x), expand(share));
}

bool ops::isDifferentiable(OpKind kind) {
  switch (kind) {
  case OpKind::Bitcast:
  case OpKind::Not:
  case OpKind::CmpLt:
  case OpKind::CmpEq:
  case OpKind::Xor:
  case OpKind::Empty:
  case OpKind::Const:
  case OpKind::Custom:
    return false;
  default:
    return true;
  }
}

std::vector<std::optional<Ref>> ops::gradient(GradientBuilder &builder,
                                              OpKind kind, const Sizes &ints,
                                              std::span<const Ref> operands,
                                              Ref result, Ref grad) {
  std::vector<std::optional<Ref>> grads(operands.size());
  if (!isDifferentiable(kind) || !isFloat(builder.getType(result)))
    return grads;

  Rules rules(builder, result, grad);
  switch (getInfo(kind).group) {
  case OpGroup::Unary:
    if (isFloat(builder.getType(operands[0])))
      grads[0] = rules.unaryRule(kind, operands[0]);
    break;
  case OpGroup::Binary:
    rules.binaryRule(kind, operands[0], operands[1], grads[0], grads[1]);
    break;
  case OpGroup::Ternary:
    if (kind == OpKind::MulAcc) {
      grads[0] = rules.mul(grad, operands[1]);
      grads[1] = rules.mul(grad, operands[0]);
      grads[2] = grad;
    } else {
      Ref zero = rules.constant(0, grad);
      grads[1] = builder.where(operands[0], grad, zero);
      grads[2] = builder.where(operands[0], zero, grad);
    }
    break;
  case OpGroup::Reduce:
    if (kind == OpKind::ReduceMax)
      grads[0] = rules.reduceMaxRule(operands[0]);
    else if (Sizes shape = builder.getShape(operands[0]);
             shape != builder.getShape(grad))
      grads[0] = builder.movement(OpKind::Expand, grad, shape);
    else
      grads[0] = grad;
    break;
  case OpGroup::Movement:
    grads[0] = detail::movementGradient(builder, kind, ints,
                                        builder.getShape(operands[0]), grad);
    break;
  case OpGroup::Load:
    // Copy, contiguous and fromcpu are their operand, assign is its second:
    // what the target holds before is lost. Only the caller knows the device of
    // a value.
    grads.back() = grad;
    break;
  }
  return grads;
}
