//===- MathToArith.cpp - Functions of math as arithmetic ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of f32 are computed in f64 by plain power series, to 2^-38 or
// better, and rounded once: the result is nearly always the correctly rounded
// one. In f64 neither overflow nor subnormal numbers of f32 need care.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <numbers>

using namespace mlir;

namespace tinygrad {
#define GEN_PASS_DEF_CONVERTMATHTOARITHPASS
#include "tinygrad/Conversion/Passes.h.inc"
} // namespace tinygrad

namespace {

/// Emits functions of f64 values that stand for values of f32.
class FunctionEmitter {
public:
  explicit FunctionEmitter(OpBuilder &builder, Location loc)
      : b(loc, builder), f64(b.getF64Type()), i64(b.getI64Type()) {}

  Value widen(Value value) { return arith::ExtFOp::create(b, f64, value); }
  Value narrow(Value value) {
    return arith::TruncFOp::create(b, b.getF32Type(), value);
  }

  /// 2^x, 0 below the numbers of f32, and past these at least 2^128.
  Value emitExp2(Value x);
  Value emitExp(Value x) {
    return emitExp2(mul(x, number(std::numbers::log2e)));
  }
  Value emitLog2(Value x) { return emitLogarithm(x, 1.0); }
  Value emitLog(Value x) { return emitLogarithm(x, std::numbers::ln2); }
  Value emitPow(Value x, Value y);
  Value emitRem(Value x, Value y);
  /// The sine of `x`, of type f32, as f64.
  Value emitSin(Value x);
  /// The larger of `x` and `y`, of any float type.
  Value emitMaximum(Value x, Value y);

private:
  /// A multiple of a right angle, and what is left: at most 45 degrees, in
  /// radians. Of the multiple the last two bits count.
  struct Angle {
    Value quadrant, rest;
  };
  Angle reduceSmall(Value x);
  Angle reduceLarge(Value x);
  Value emitLogarithm(Value x, double scale);
  Value emitSeries(Value x, ArrayRef<double> coefficients);

  Value number(double value) {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }
  Value wide(const APInt &value) {
    Type type = b.getIntegerType(128);
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(type, value.zextOrTrunc(128)));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value compare(Value x, arith::CmpFPredicate predicate, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value isLess(Value x, Value y) {
    return compare(x, arith::CmpFPredicate::OLT, y);
  }
  Value isEqual(Value x, Value y) {
    return compare(x, arith::CmpFPredicate::OEQ, y);
  }
  Value conjoin(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value bits(Value x) { return arith::BitcastOp::create(b, i64, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, f64, x); }

  /// Adding it to a number below 2^51 rounds that to an integer, whose last
  /// bits are then those of the sum.
  static constexpr double rounder = 0x1.8p52;
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  ImplicitLocOpBuilder b;
  Type f64, i64;
};

} // namespace

/// The sum of `coefficients[k] * x^k`.
Value FunctionEmitter::emitSeries(Value x, ArrayRef<double> coefficients) {
  Value sum = number(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, number(coefficient));
  return sum;
}

Value FunctionEmitter::emitExp2(Value x) {
  // f32 ends at 2^-150 and 2^128. A NaN passes both selects.
  x = select(isLess(number(200), x), number(200), x);
  x = select(isLess(x, number(-200)), number(-200), x);
  Value sum = add(x, number(rounder));
  Value fraction = sub(x, sub(sum, number(rounder)));
  // Up to |f ln 2| = 0.35 the next term is 2^-47.
  SmallVector<double> coefficients{1};
  for (int k = 1; k <= 11; ++k)
    coefficients.push_back(coefficients.back() * std::numbers::ln2 / k);
  Value power = emitSeries(fraction, coefficients);
  // The integer goes into the exponent of a 1.
  Value exponent = arith::ShLIOp::create(b, bits(sum), integer(52));
  Value scale = fromBits(arith::AddIOp::create(
      b, exponent, integer(llvm::bit_cast<int64_t>(1.0))));
  return mul(power, scale);
}

/// The logarithm to base 2, times `scale`.
Value FunctionEmitter::emitLogarithm(Value x, double scale) {
  // x = m 2^e, m from sqrt(1/2) to sqrt(2), so that e is 0 around 1.
  Value offset = integer(llvm::bit_cast<int64_t>(std::numbers::sqrt2 / 2));
  Value exponent = arith::ShRSIOp::create(
      b, arith::SubIOp::create(b, bits(x), offset), integer(52));
  Value mantissa = fromBits(arith::SubIOp::create(
      b, bits(x), arith::ShLIOp::create(b, exponent, integer(52))));
  // ln m = 2 artanh s, |s| < 0.172: the next term is 2^-54.
  Value s = div(sub(mantissa, number(1)), add(mantissa, number(1)));
  SmallVector<double> coefficients;
  for (int k = 0; k <= 9; ++k)
    coefficients.push_back(2 * std::numbers::log2e * scale / (2 * k + 1));
  Value logarithm = mul(s, emitSeries(mul(s, s), coefficients));
  logarithm =
      fma(arith::SIToFPOp::create(b, f64, exponent), number(scale), logarithm);
  // Infinity and NaN are their own logarithms.
  Value zero = number(0);
  Value special = select(isLess(x, zero), number(nan), x);
  special = select(isEqual(x, zero), number(-infinity), special);
  Value isRegular = conjoin(isLess(zero, x), isLess(x, number(infinity)));
  return select(isRegular, logarithm, special);
}

Value FunctionEmitter::emitPow(Value x, Value y) {
  Value zero = number(0), one = number(1);
  Value size = abs(x);
  Value power = emitExp2(mul(y, emitLogarithm(size, 1.0)));
  // 1 to any power: y may be infinite, and the product NaN.
  Value isNumber = compare(y, arith::CmpFPredicate::ORD, y);
  power = select(conjoin(isEqual(size, one), isNumber), one, power);
  // Below zero: the sign of odd powers; no value where y is no integer.
  Value half = mul(y, number(0.5));
  Value isInteger = isEqual(math::TruncOp::create(b, y), y);
  Value isOdd = conjoin(isInteger, compare(math::TruncOp::create(b, half),
                                           arith::CmpFPredicate::UNE, half));
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, bits(x), integer(0));
  power = select(conjoin(isNegative, isOdd), arith::NegFOp::create(b, power),
                 power);
  Value isBelow = conjoin(isLess(x, zero), isLess(size, number(infinity)));
  Value isBroken =
      compare(math::TruncOp::create(b, y), arith::CmpFPredicate::UNE, y);
  power = select(conjoin(isBelow, isBroken), number(nan), power);
  Value isOne = arith::OrIOp::create(b, isEqual(y, zero), isEqual(x, one));
  return select(isOne, one, power);
}

Value FunctionEmitter::emitRem(Value x, Value y) {
  // Long division, 28 bits of the quotient at a time: each remainder has at
  // most the 24 bits of an f32, so that all steps are exact. Quotients of f32
  // are below 2^277.
  Value size = abs(x), divisor = abs(y);
  constexpr int numSteps = 10;
  Value first = mul(divisor, number(std::ldexp(1.0, 28 * (numSteps - 1))));
  Value begin = arith::ConstantIndexOp::create(b, 0);
  Value end = arith::ConstantIndexOp::create(b, numSteps);
  Value step = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(b, begin, end, step, ValueRange{size, first});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value rest = loop.getRegionIterArg(0), part = loop.getRegionIterArg(1);
    Value quotient = math::TruncOp::create(b, div(rest, part));
    rest = fma(arith::NegFOp::create(b, quotient), part, rest);
    part = mul(part, number(std::ldexp(1.0, -28)));
    scf::YieldOp::create(b, ValueRange{rest, part});
  }
  Value isFinite = isLess(size, number(infinity));
  Value isInfinite = isEqual(divisor, number(infinity));
  Value rest = select(conjoin(isFinite, isInfinite), size, loop.getResult(0));
  return math::CopySignOp::create(b, rest, x);
}

/// For 0 <= x < 2^24.
FunctionEmitter::Angle FunctionEmitter::reduceSmall(Value x) {
  Value sum = fma(x, number(2 * std::numbers::inv_pi), number(rounder));
  Value count = arith::NegFOp::create(b, sub(sum, number(rounder)));
  // A right angle in two parts. The first product with x is exact but for
  // 2^-53 of what is left.
  Value rest = fma(count, number(0x1.921fb54442d18p+0), x);
  rest = fma(count, number(0x1.1a62633145c07p-54), rest);
  return {bits(sum), rest};
}

/// For finite x >= 2^24, of type f32.
FunctionEmitter::Angle FunctionEmitter::reduceLarge(Value x) {
  // Payne and Hanek: x = m 2^e with an integer m, and of 2/pi 2^e only the bits
  // from 2 on down count, since multiples of 4 right angles drop out. Numbers
  // of 2 bits before and 126 after the point.
  Type i32 = b.getI32Type(), i128 = b.getIntegerType(128);
  auto int32 = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  };
  Value pattern = arith::BitcastOp::create(b, i32, x);
  Value mantissa = arith::OrIOp::create(
      b, arith::AndIOp::create(b, pattern, int32(0x7fffff)), int32(0x800000));
  Value exponent = arith::ShRUIOp::create(b, pattern, int32(23));
  exponent = arith::SubIOp::create(b, exponent, int32(150));
  // Other x than said are computed too: their shifts must be valid.
  exponent = arith::MaxSIOp::create(b, exponent, int32(1));
  Value shift = arith::ExtUIOp::create(b, i128, exponent);

  APInt twoOverPi(
      256, "A2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163ABDEBBC561",
      16);
  twoOverPi.lshrInPlace(2);
  Value high = arith::ShLIOp::create(b, wide(twoOverPi.lshr(128)), shift);
  Value low = arith::ShRUIOp::create(
      b, wide(twoOverPi),
      arith::SubIOp::create(b, wide(APInt(128, 128)), shift));
  Value turns =
      arith::MulIOp::create(b, arith::ExtUIOp::create(b, i128, mantissa),
                            arith::OrIOp::create(b, high, low));

  Value point = wide(APInt(128, 126));
  Value quadrant = arith::ShRUIOp::create(
      b, arith::AddIOp::create(b, turns, wide(APInt::getOneBitSet(128, 125))),
      point);
  Value rest = arith::SubIOp::create(b, turns,
                                     arith::ShLIOp::create(b, quadrant, point));
  // No f32 is nearer to a multiple of a right angle than 2^-31 or so: the upper
  // half has bits enough.
  rest = arith::TruncIOp::create(
      b, i64, arith::ShRSIOp::create(b, rest, wide(APInt(128, 64))));
  rest = mul(arith::SIToFPOp::create(b, f64, rest),
             number(std::ldexp(std::numbers::pi / 2, -62)));
  return {arith::TruncIOp::create(b, i64, quadrant), rest};
}

Value FunctionEmitter::emitSin(Value x) {
  Value input = widen(x);
  Value size = abs(input);
  Value isSmall = isLess(size, number(0x1p24));
  Angle small = reduceSmall(size);
  Angle large = reduceLarge(math::AbsFOp::create(b, x));
  Value quadrant = select(isSmall, small.quadrant, large.quadrant);
  Value rest = select(isSmall, small.rest, large.rest);
  // Up to |r| = pi / 4 the next terms are 2^-45 and 2^-49.
  SmallVector<double> sines, cosines;
  for (double k = 0, term = 1; k <= 14; ++k, term /= k) {
    double sign = static_cast<int>(k / 2) % 2 ? -1 : 1;
    (static_cast<int>(k) % 2 ? sines : cosines).push_back(sign * term);
  }
  Value square = mul(rest, rest);
  Value sine = mul(rest, emitSeries(square, sines));
  Value cosine = emitSeries(square, cosines);
  auto hasBit = [&](int64_t bit) -> Value {
    return arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, quadrant, integer(bit)), integer(0));
  };
  Value value = select(hasBit(1), cosine, sine);
  value = select(hasBit(2), arith::NegFOp::create(b, value), value);
  // The sign of x; of infinity and NaN there is no sine.
  Value sign = arith::AndIOp::create(
      b, bits(input), integer(std::numeric_limits<int64_t>::min()));
  value = fromBits(arith::XOrIOp::create(b, bits(value), sign));
  return select(isLess(size, number(infinity)), value, number(nan));
}

Value FunctionEmitter::emitMaximum(Value x, Value y) {
  // Equal numbers differ in the sign of zero at most, and + wins.
  Type type = b.getIntegerType(x.getType().getIntOrFloatBitWidth());
  Value both = arith::AndIOp::create(b, arith::BitcastOp::create(b, type, x),
                                     arith::BitcastOp::create(b, type, y));
  Value equal = arith::BitcastOp::create(b, x.getType(), both);
  Value larger = select(compare(x, arith::CmpFPredicate::OGT, y), x, y);
  Value number = select(isEqual(x, y), equal, larger);
  // The sum is NaN where one of them is.
  Value isNumber = compare(x, arith::CmpFPredicate::ORD, y);
  return select(isNumber, number, add(x, y));
}

namespace {

using Emit = Value (*)(FunctionEmitter &emitter, OperandRange operands);

/// An operation, how to emit it, and whether on f32 alone.
struct Expansion {
  StringRef name;
  Emit emit;
  bool isOnlyF32 = true;
};

constexpr Expansion expansions[] = {
    {"arith.maximumf",
     [](FunctionEmitter &e, OperandRange x) {
       return e.emitMaximum(x[0], x[1]);
     },
     /*isOnlyF32=*/false},
    {"arith.remf",
     [](FunctionEmitter &e, OperandRange x) {
       return e.narrow(e.emitRem(e.widen(x[0]), e.widen(x[1])));
     }},
    {"math.exp",
     [](FunctionEmitter &e, OperandRange x) {
       return e.narrow(e.emitExp(e.widen(x[0])));
     }},
    {"math.exp2",
     [](FunctionEmitter &e, OperandRange x) {
       return e.narrow(e.emitExp2(e.widen(x[0])));
     }},
    {"math.log",
     [](FunctionEmitter &e, OperandRange x) {
       return e.narrow(e.emitLog(e.widen(x[0])));
     }},
    {"math.log2",
     [](FunctionEmitter &e, OperandRange x) {
       return e.narrow(e.emitLog2(e.widen(x[0])));
     }},
    {"math.powf",
     [](FunctionEmitter &e, OperandRange x) {
       return e.narrow(e.emitPow(e.widen(x[0]), e.widen(x[1])));
     }},
    {"math.sin", [](FunctionEmitter &e, OperandRange x) {
       return e.narrow(e.emitSin(x[0]));
     }}};

struct ConvertMathToArithPass
    : tinygrad::impl::ConvertMathToArithPassBase<ConvertMathToArithPass> {
  using ConvertMathToArithPassBase::ConvertMathToArithPassBase;

  void runOnOperation() override {
    llvm::StringMap<const Expansion *> wanted;
    for (StringRef name : ops) {
      const Expansion *found = llvm::find_if(
          expansions, [&](const Expansion &e) { return e.name == name; });
      if (found == std::end(expansions)) {
        getOperation()->emitError()
            << "expects option `ops` to name operations that can be expanded, "
               "got `"
            << name << "`";
        return signalPassFailure();
      }
      wanted[name] = found;
    }
    SmallVector<std::pair<Operation *, const Expansion *>> found;
    getOperation()->walk([&](Operation *op) {
      const Expansion *expansion = wanted.lookup(op->getName().getStringRef());
      if (!expansion)
        return;
      Type type = op->getResult(0).getType();
      if (type.isF32() || (isa<FloatType>(type) && !expansion->isOnlyF32))
        found.emplace_back(op, expansion);
    });
    for (auto [op, expansion] : found) {
      OpBuilder builder(op);
      FunctionEmitter emitter(builder, op->getLoc());
      op->getResult(0).replaceAllUsesWith(
          expansion->emit(emitter, op->getOperands()));
      op->erase();
    }
  }
};

} // namespace
