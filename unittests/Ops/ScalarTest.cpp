//===- ScalarTest.cpp - Arithmetic of one element -------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Ops/Scalar.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::ops;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static const double notANumber = std::numeric_limits<double>::quiet_NaN();

static constexpr DType floats[] = {DType::Float16, DType::BFloat16,
                                   DType::Float32, DType::Float64};

static int64_t evaluateInt(OpKind kind, DType type,
                           const std::vector<int64_t> &values) {
  std::vector<Scalar> operands;
  operands.reserve(values.size());
  for (int64_t value : values)
    operands.push_back(Scalar::fromInt(type, value));
  return evaluate(kind, type, operands).toInt();
}

static double evaluateFloat(OpKind kind, DType type,
                            const std::vector<double> &values) {
  std::vector<Scalar> operands;
  operands.reserve(values.size());
  for (double value : values)
    operands.push_back(Scalar::fromDouble(type, value));
  return evaluate(kind, type, operands).toDouble();
}

TEST(ScalarInteger, divisionAndRemainder) {
  for (DType type : {DType::Int8, DType::Int16, DType::Int32, DType::Int64}) {
    int64_t min = getIdentity(OpKind::ReduceMax, type).toInt();
    EXPECT_EQ(evaluateInt(OpKind::Div, type, {min, -1}), min);
    EXPECT_EQ(evaluateInt(OpKind::Mod, type, {min, -1}), 0);
    EXPECT_EQ(evaluateInt(OpKind::Neg, type, {min}), min);
    EXPECT_EQ(evaluateInt(OpKind::Div, type, {min, 0}), 0);
    EXPECT_EQ(evaluateInt(OpKind::Mod, type, {min, 0}), 0);
    EXPECT_EQ(evaluateInt(OpKind::Div, type, {-7, 2}), -3);
    EXPECT_EQ(evaluateInt(OpKind::Mod, type, {-7, 2}), -1);
    EXPECT_EQ(evaluateInt(OpKind::Div, type, {7, -2}), -3);
    EXPECT_EQ(evaluateInt(OpKind::Mod, type, {7, -2}), 1);
    EXPECT_EQ(evaluateInt(OpKind::Max, type, {min, -1}), -1);
    EXPECT_EQ(evaluateInt(OpKind::CmpLt, type, {min, 0}), 1);
  }
  for (DType type :
       {DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64}) {
    int64_t max = Scalar::fromInt(type, -1).toInt();
    EXPECT_EQ(evaluateInt(OpKind::Div, type, {max, 0}), 0);
    EXPECT_EQ(evaluateInt(OpKind::Mod, type, {max, 0}), 0);
    EXPECT_EQ(evaluateInt(OpKind::Div, type, {1, max}), 0);
    EXPECT_EQ(evaluateInt(OpKind::Max, type, {1, max}), max);
    EXPECT_EQ(evaluateInt(OpKind::CmpLt, type, {1, max}), 1);
    EXPECT_EQ(evaluateInt(OpKind::Sub, type, {0, 1}), max);
    EXPECT_EQ(evaluateInt(OpKind::Neg, type, {1}), max);
  }
  EXPECT_EQ(evaluateInt(OpKind::Div, DType::UInt64, {-1, 2}), INT64_MAX);
  EXPECT_EQ(evaluateInt(OpKind::Mod, DType::UInt64, {-1, 10}), 5);
}

TEST(ScalarInteger, pow) {
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::Int32, {3, 4}), 81);
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::Int32, {-3, 3}), -27);
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::Int32, {0, 0}), 1);
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::Int32, {0, 5}), 0);
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::Int32, {0, -1}), 0);
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::Int32, {2, -1}), 0);
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::Int32, {1, -7}), 1);
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::Int32, {-1, -7}), -1);
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::Int32, {-1, -8}), 1);
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::Int8, {2, 7}), -128);
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::Int8, {3, 5}), -13) << "243 wraps";
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::UInt8, {3, 255}), 171);
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::Int64, {2, 64}), 0);
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::UInt64, {1, -1}), 1);
  EXPECT_EQ(evaluateInt(OpKind::Pow, DType::Int64, {INT64_MIN, INT64_MIN}), 0);
}

TEST(ScalarInteger, other) {
  EXPECT_EQ(evaluateInt(OpKind::Add, DType::Int64, {INT64_MAX, 1}), INT64_MIN);
  EXPECT_EQ(evaluateInt(OpKind::Mul, DType::Int64, {INT64_MIN, -1}), INT64_MIN);
  EXPECT_EQ(evaluateInt(OpKind::Mul, DType::UInt16, {65535, 65535}), 1);
  EXPECT_EQ(evaluateInt(OpKind::MulAcc, DType::Int8, {100, 3, 1}), 45);
  EXPECT_EQ(evaluateInt(OpKind::Xor, DType::Int8, {-1, 127}), -128);
  EXPECT_EQ(evaluateInt(OpKind::Not, DType::Int32, {0}), 1);
  EXPECT_EQ(evaluateInt(OpKind::Not, DType::Int32, {-2}), 0);
  EXPECT_EQ(evaluateInt(OpKind::Noop, DType::Int16, {-2}), -2);
  EXPECT_EQ(evaluateInt(OpKind::CmpEq, DType::UInt8, {255, -1}), 1);
  // Not verified IR; the interpreter and folds still must not fail.
  EXPECT_EQ(evaluateInt(OpKind::Recip, DType::Int32, {0}), 0);
  EXPECT_EQ(evaluateInt(OpKind::Recip, DType::Int32, {-1}), -1);
  EXPECT_EQ(evaluateInt(OpKind::Exp2, DType::Int8, {9}), 127);
  EXPECT_EQ(evaluateInt(OpKind::Log2, DType::Int32, {0}), INT32_MIN);
}

TEST(ScalarBool, algebra) {
  auto table = [](OpKind kind) {
    std::vector<int64_t> values;
    for (int64_t x : {0, 1})
      for (int64_t y : {0, 1})
        values.push_back(evaluateInt(kind, DType::Bool, {x, y}));
    return values;
  };
  using Table = std::vector<int64_t>; // 0 0, 0 1, 1 0, 1 1
  EXPECT_EQ(table(OpKind::Add), Table({0, 1, 1, 1}));
  EXPECT_EQ(table(OpKind::Max), Table({0, 1, 1, 1}));
  EXPECT_EQ(table(OpKind::Mul), Table({0, 0, 0, 1}));
  EXPECT_EQ(table(OpKind::Div), Table({0, 0, 0, 1}));
  EXPECT_EQ(table(OpKind::Sub), Table({0, 1, 1, 0}));
  EXPECT_EQ(table(OpKind::Xor), Table({0, 1, 1, 0}));
  EXPECT_EQ(table(OpKind::Mod), Table({0, 0, 0, 0}));
  EXPECT_EQ(table(OpKind::CmpLt), Table({0, 1, 0, 0}));
  EXPECT_EQ(table(OpKind::CmpEq), Table({1, 0, 0, 1}));
  EXPECT_EQ(table(OpKind::Pow), Table({1, 0, 1, 1}));
  EXPECT_EQ(evaluateInt(OpKind::Neg, DType::Bool, {0}), 1);
  EXPECT_EQ(evaluateInt(OpKind::Not, DType::Bool, {1}), 0);
  EXPECT_EQ(evaluateInt(OpKind::MulAcc, DType::Bool, {1, 1, 1}), 1);
  EXPECT_EQ(evaluateInt(OpKind::MulAcc, DType::Bool, {1, 0, 0}), 0);
}

TEST(ScalarFloat, edgesOfEveryType) {
  for (DType type : floats) {
    SCOPED_TRACE(std::string(getName(type)));
    auto f = [&](OpKind kind, const std::vector<double> &values) {
      return evaluateFloat(kind, type, values);
    };
    // IEEE maximum: NaN wins on either side, +0 over -0 in either order.
    EXPECT_TRUE(std::isnan(f(OpKind::Max, {notANumber, infinity})));
    EXPECT_TRUE(std::isnan(f(OpKind::Max, {1, notANumber})));
    EXPECT_FALSE(std::signbit(f(OpKind::Max, {0.0, -0.0})));
    EXPECT_FALSE(std::signbit(f(OpKind::Max, {-0.0, 0.0})));
    EXPECT_TRUE(std::signbit(f(OpKind::Max, {-0.0, -0.0})));
    EXPECT_EQ(f(OpKind::Max, {-infinity, -1}), -1);

    EXPECT_EQ(f(OpKind::Div, {1, 0.0}), infinity);
    EXPECT_EQ(f(OpKind::Div, {1, -0.0}), -infinity);
    EXPECT_TRUE(std::isnan(f(OpKind::Div, {0, 0})));
    EXPECT_EQ(f(OpKind::Recip, {-0.0}), -infinity);
    EXPECT_EQ(f(OpKind::Mod, {-7, 2}), -1);
    EXPECT_EQ(f(OpKind::Mod, {7, -2}), 1);
    EXPECT_TRUE(std::signbit(f(OpKind::Mod, {-4, 2})));
    EXPECT_EQ(f(OpKind::Mod, {5, infinity}), 5);
    EXPECT_TRUE(std::isnan(f(OpKind::Mod, {5, 0})));
    EXPECT_TRUE(std::isnan(f(OpKind::Mod, {infinity, 5})));
    EXPECT_TRUE(std::isnan(f(OpKind::Mul, {0, infinity})));
    EXPECT_TRUE(std::isnan(f(OpKind::Sub, {infinity, infinity})));
    EXPECT_TRUE(std::signbit(f(OpKind::Add, {-0.0, -0.0})));
    EXPECT_FALSE(std::signbit(f(OpKind::Sub, {0.0, 0.0})));
    EXPECT_TRUE(std::signbit(f(OpKind::Neg, {0.0})));

    EXPECT_EQ(f(OpKind::Pow, {0, 0}), 1);
    EXPECT_EQ(f(OpKind::Pow, {notANumber, 0}), 1);
    EXPECT_EQ(f(OpKind::Pow, {1, notANumber}), 1);
    EXPECT_EQ(f(OpKind::Pow, {0.0, -1}), infinity);
    EXPECT_EQ(f(OpKind::Pow, {-0.0, -1}), -infinity);
    EXPECT_EQ(f(OpKind::Pow, {-2, 3}), -8);
    EXPECT_TRUE(std::isnan(f(OpKind::Pow, {-2, 0.5})));
    EXPECT_EQ(f(OpKind::Pow, {0.5, -infinity}), infinity);

    EXPECT_EQ(f(OpKind::Exp2, {3}), 8);
    EXPECT_EQ(f(OpKind::Exp2, {-infinity}), 0);
    EXPECT_EQ(f(OpKind::Log2, {0}), -infinity);
    EXPECT_TRUE(std::isnan(f(OpKind::Log2, {-1})));
    EXPECT_EQ(f(OpKind::Exp, {0}), 1);
    EXPECT_EQ(f(OpKind::Log, {1}), 0);
    EXPECT_EQ(f(OpKind::Sqrt, {9}), 3);
    EXPECT_TRUE(std::signbit(f(OpKind::Sqrt, {-0.0})));
    EXPECT_TRUE(std::isnan(f(OpKind::Sqrt, {-1})));
    EXPECT_TRUE(std::isnan(f(OpKind::Sin, {infinity})));
    EXPECT_TRUE(std::signbit(f(OpKind::Sin, {-0.0})));
    EXPECT_EQ(f(OpKind::Not, {notANumber}), 0);
    EXPECT_EQ(f(OpKind::Not, {-0.0}), 1);
    EXPECT_EQ(f(OpKind::CmpLt, {notANumber, 1}), 0);
    EXPECT_EQ(f(OpKind::CmpEq, {notANumber, notANumber}), 0);
    EXPECT_EQ(f(OpKind::CmpEq, {0.0, -0.0}), 1);
    EXPECT_EQ(f(OpKind::CmpLt, {-0.0, 0.0}), 0);
  }
}

TEST(ScalarFloat, overflowsInItsType) {
  EXPECT_EQ(evaluateFloat(OpKind::Add, DType::Float16, {65504, 15}), 65504);
  EXPECT_EQ(evaluateFloat(OpKind::Add, DType::Float16, {65504, 16}), infinity);
  EXPECT_EQ(evaluateFloat(OpKind::Mul, DType::Float16, {256, 256}), infinity);
  EXPECT_EQ(evaluateFloat(OpKind::Add, DType::Float16, {2048, 1}), 2048);
  EXPECT_EQ(evaluateFloat(OpKind::Add, DType::Float16, {2048, 3}), 2052);
  EXPECT_EQ(evaluateFloat(OpKind::Exp2, DType::Float16, {16}), infinity);
  EXPECT_EQ(evaluateFloat(OpKind::Exp2, DType::Float32, {128}), infinity);
  EXPECT_EQ(evaluateFloat(OpKind::Exp2, DType::Float32, {-149}), 0x1p-149);
  EXPECT_EQ(evaluateFloat(OpKind::Exp2, DType::Float32, {-151}), 0);
  EXPECT_EQ(evaluateFloat(OpKind::Mul, DType::Float32, {0x1p-100, 0x1p-49}),
            0x1p-149);
  EXPECT_EQ(evaluateFloat(OpKind::Div, DType::BFloat16, {1, 3}), 0x1.56p-2);
}

// Float32 through double must be what float32 arithmetic is.
TEST(ScalarFloat, float32MatchesHardware) {
  std::mt19937 random(3);
  for (int i = 0; i < 200000; ++i) {
    uint32_t bits[3] = {static_cast<uint32_t>(random()),
                        static_cast<uint32_t>(random()),
                        static_cast<uint32_t>(random())};
    if (i % 2) // close exponents: cancellation and ties
      for (uint32_t &word : bits)
        word = (word & 0x83ff00ff) | 0x3c000000;
    Scalar x = Scalar::load(DType::Float32, &bits[0]);
    Scalar y = Scalar::load(DType::Float32, &bits[1]);
    Scalar z = Scalar::load(DType::Float32, &bits[2]);
    float a = static_cast<float>(x.toDouble());
    float b = static_cast<float>(y.toDouble());
    float c = static_cast<float>(z.toDouble());
    auto check = [&](OpKind kind, std::vector<Scalar> operands, float value) {
      double result = evaluate(kind, DType::Float32, operands).toDouble();
      EXPECT_TRUE(result == value || (std::isnan(result) && std::isnan(value)))
          << getInfo(kind).name << " " << a << " " << b << " " << c << ": "
          << result << ", expected " << value;
    };
    check(OpKind::Add, {x, y}, a + b);
    check(OpKind::Sub, {x, y}, a - b);
    check(OpKind::Mul, {x, y}, a * b);
    check(OpKind::Div, {x, y}, a / b);
    check(OpKind::Sqrt, {x}, std::sqrt(a));
    check(OpKind::Recip, {x}, 1 / a);
    check(OpKind::Mod, {x, y}, std::fmod(a, b));
    check(OpKind::MulAcc, {x, y, z}, std::fma(a, b, c));
  }
}

// The product is a tie of the type, and the third operand, which a double loses
// beside it, says to which side it goes.
TEST(ScalarFloat, mulaccRoundsOnce) {
  auto mulacc = [](DType type, double a, double b, double c) {
    return evaluateFloat(OpKind::MulAcc, type, {a, b, c});
  };
  EXPECT_EQ(mulacc(DType::BFloat16, 7, 37, 0), 260) << "259: a tie";
  EXPECT_EQ(mulacc(DType::BFloat16, 7, 37, -0x1p-100), 258);
  EXPECT_EQ(mulacc(DType::BFloat16, 9, 29, 0), 260) << "261: a tie";
  EXPECT_EQ(mulacc(DType::BFloat16, 9, 29, 0x1p-100), 262);
  EXPECT_EQ(mulacc(DType::BFloat16, -9, 29, -0x1p-100), -262);
  EXPECT_EQ(mulacc(DType::Float32, 97, 172961, 0), 0x1p24) << "2^24 + 1: a tie";
  EXPECT_EQ(mulacc(DType::Float32, 97, 172961, 0x1p-100), 0x1p24 + 2);
  EXPECT_EQ(mulacc(DType::Float64, 1 + 0x1p-52, 1 - 0x1p-52, -1), -0x1p-104);
  EXPECT_EQ(mulacc(DType::Float16, 0x1p-24, 0x1p-24, 1), 1);
  EXPECT_EQ(mulacc(DType::Float16, 256, 256, -1), infinity);
  EXPECT_EQ(mulacc(DType::Float16, 256, 256, -65504), 32)
      << "the product alone overflows";
  EXPECT_TRUE(std::isnan(mulacc(DType::Float16, infinity, 0, 1)));
  EXPECT_EQ(mulacc(DType::Float32, infinity, 1, 1), infinity);
}

TEST(Scalar, whereTakesAnyCondition) {
  auto pick = [](Scalar condition) {
    Scalar operands[] = {condition, Scalar::fromInt(DType::Int8, 1),
                         Scalar::fromInt(DType::Int8, 2)};
    Scalar result = evaluate(OpKind::Where, DType::Int8, operands);
    EXPECT_EQ(result.getType(), DType::Int8);
    return result.toInt();
  };
  EXPECT_EQ(pick(Scalar::fromInt(DType::Bool, 1)), 1);
  EXPECT_EQ(pick(Scalar::fromInt(DType::UInt64, 0)), 2);
  EXPECT_EQ(pick(Scalar::fromInt(DType::Int16, 256)), 1);
  EXPECT_EQ(pick(Scalar::fromDouble(DType::Float16, notANumber)), 1);
  EXPECT_EQ(pick(Scalar::fromDouble(DType::Float64, -0.0)), 2);
}

TEST(Scalar, comparisonsGiveEitherType) {
  Scalar operands[] = {Scalar::fromDouble(DType::Float32, 1),
                       Scalar::fromDouble(DType::Float32, 2)};
  Scalar asBool = evaluate(OpKind::CmpLt, DType::Bool, operands);
  EXPECT_TRUE(asBool.isIdentical(Scalar::fromInt(DType::Bool, 1)));
  Scalar asFloat = evaluate(OpKind::CmpLt, DType::Float32, operands);
  EXPECT_TRUE(asFloat.isIdentical(Scalar::fromInt(DType::Float32, 1)));
}

TEST(ScalarReduce, identities) {
  for (int i = 0; i < numDTypes; ++i) {
    DType type = static_cast<DType>(i);
    Scalar zero = getIdentity(OpKind::ReduceSum, type);
    EXPECT_TRUE(zero.isIdentical(Scalar::fromInt(type, 0)));
    // The lowest value: any element replaces it, itself too.
    Scalar lowest = getIdentity(OpKind::ReduceMax, type);
    double low = isFloat(type) ? -infinity : lowest.toDouble();
    EXPECT_TRUE(lowest.isIdentical(Scalar::fromDouble(type, -infinity)) ||
                type == DType::Bool);
    EXPECT_EQ(accumulate(OpKind::ReduceMax, lowest, lowest).toDouble(), low);
  }
  EXPECT_EQ(getIdentity(OpKind::ReduceMax, DType::Int8).toInt(), -128);
  EXPECT_EQ(getIdentity(OpKind::ReduceMax, DType::Int64).toInt(), INT64_MIN);
  EXPECT_EQ(getIdentity(OpKind::ReduceMax, DType::UInt32).toInt(), 0);
  EXPECT_EQ(getIdentity(OpKind::ReduceMax, DType::Bool).toInt(), 0);
}
