//===- Shape.h - Extents of tensors -----------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An extent is a number, or an expression of variables that get their values
// when a program runs: what is computed of tensors with such extents is
// compiled once for all values.
//
//   Variable i("i", 1, 1024);
//   for (int64_t n : {5, 700, 31}) {
//     Tensor x = Tensor::rand({n, 64}).reshape({i.bind(n), 64});
//     Tensor y = x.matmul(weight).softmax(); // shape [i, 10], compiled once
//     y.reshape({n, 10});                    // shape [n, 10] again
//   }
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_SHAPE_H
#define TINYGRAD_TENSOR_SHAPE_H

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad {

namespace shape {
class IndexExpr;
} // namespace shape

/// The size of an axis, or a position on one: a number, or an expression of
/// bound variables. It converts from and to a number; what has to know the
/// number of an expression cannot be compiled for all of them, and throws
/// Error. Source: `sint`.
class Extent {
public:
  Extent() = default;
  template <std::integral T>
  Extent(T number) : number(static_cast<int64_t>(number)) {}

  /// Errors: throws Error if it is an expression.
  operator int64_t() const { return expr ? failToConvert() : number; }
  bool isSymbolic() const { return expr != nullptr; }
  /// The number, or that of the expression with what its variables are bound
  /// to. Errors: throws Error if one of these has no value, or if it is an
  /// expression and a step is captured: each call would take the number of the
  /// first one.
  int64_t getValue() const { return expr ? evaluate() : number; }
  /// Writes "i * 2".
  std::string toString() const;

  Extent &operator+=(const Extent &other) { return *this = *this + other; }
  Extent &operator-=(const Extent &other) { return *this = *this - other; }
  Extent &operator*=(const Extent &other) { return *this = *this * other; }
  /// Errors: throws Error if it is an expression.
  Extent &operator/=(int64_t divisor) {
    return *this = static_cast<int64_t>(*this) / divisor;
  }

  friend Extent operator+(const Extent &a, const Extent &b) {
    return a.expr || b.expr ? add(a, b) : Extent(a.number + b.number);
  }
  friend Extent operator-(const Extent &a, const Extent &b) {
    return a.expr || b.expr ? sub(a, b) : Extent(a.number - b.number);
  }
  friend Extent operator*(const Extent &a, const Extent &b) {
    return a.expr || b.expr ? mul(a, b) : Extent(a.number * b.number);
  }
  /// Expressions are equal if they are one polynomial of variables of one name,
  /// with one pair of bounds, bound to one value.
  friend bool operator==(const Extent &a, const Extent &b) {
    return a.expr || b.expr ? isEqual(a, b) : a.number == b.number;
  }
  // Beside an integer, which converts to an extent as the extent does to it.
  template <std::integral T>
  friend Extent operator+(const Extent &a, T b) {
    return a + Extent(b);
  }
  template <std::integral T>
  friend Extent operator+(T a, const Extent &b) {
    return Extent(a) + b;
  }
  template <std::integral T>
  friend Extent operator-(const Extent &a, T b) {
    return a - Extent(b);
  }
  template <std::integral T>
  friend Extent operator-(T a, const Extent &b) {
    return Extent(a) - b;
  }
  template <std::integral T>
  friend Extent operator*(const Extent &a, T b) {
    return a * Extent(b);
  }
  template <std::integral T>
  friend Extent operator*(T a, const Extent &b) {
    return Extent(a) * b;
  }
  template <std::integral T>
  friend bool operator==(const Extent &a, T b) {
    return a == Extent(b);
  }
  friend std::ostream &operator<<(std::ostream &os, const Extent &extent);

  /// For the front end's own use: `expr` is no constant.
  explicit Extent(std::shared_ptr<const shape::IndexExpr> expr)
      : expr(std::move(expr)) {}
  /// Null for a number.
  const std::shared_ptr<const shape::IndexExpr> &getExpr() const {
    return expr;
  }

private:
  static Extent add(const Extent &a, const Extent &b);
  static Extent sub(const Extent &a, const Extent &b);
  static Extent mul(const Extent &a, const Extent &b);
  static bool isEqual(const Extent &a, const Extent &b);
  [[noreturn]] int64_t failToConvert() const;
  int64_t evaluate() const;

  int64_t number = 0;
  std::shared_ptr<const shape::IndexExpr> expr;
};

/// The extents of a tensor; empty for a scalar.
class Shape : public std::vector<Extent> {
public:
  using std::vector<Extent>::vector;
  Shape() = default;
  Shape(const std::vector<int64_t> &numbers)
      : vector(numbers.begin(), numbers.end()) {}

  /// Errors: throws Error if an extent is an expression.
  operator std::vector<int64_t>() const { return {begin(), end()}; }
  bool isSymbolic() const;
  /// Returns the shape with the value of each extent.
  /// Errors: see Extent::getValue.
  Shape getValues() const;
  /// Writes "[i, 3]".
  std::string toString() const;

  friend bool operator==(const Shape &a, const Shape &b) {
    return static_cast<const vector &>(a) == static_cast<const vector &>(b);
  }
};

/// Two extents for each axis: begin and end, or what is added before and after.
class Ranges : public std::vector<std::pair<Extent, Extent>> {
public:
  using std::vector<std::pair<Extent, Extent>>::vector;
  Ranges() = default;
  Ranges(const std::vector<std::pair<int64_t, int64_t>> &numbers)
      : vector(numbers.begin(), numbers.end()) {}
};

/// An integer in [min, max] that a compiled program is told each time that it
/// runs. Source: `Variable`.
class Variable {
public:
  /// Errors: throws Error if `name` is not one of letters, digits and `_` that
  /// begins with no digit, or if there is no number of [min, max].
  Variable(std::string name, int64_t min, int64_t max);

  const std::string &getName() const { return name; }
  int64_t getMin() const { return min; }
  int64_t getMax() const { return max; }

  /// Returns the variable as an extent, with a value that is known to who runs
  /// a program, not to the compiler. Errors: throws Error if the value is not
  /// in [min, max]. Source: `Variable.bind`.
  Extent bind(int64_t value) const;

private:
  std::string name;
  int64_t min, max;
};

} // namespace tinygrad

template <std::integral T>
struct std::common_type<tinygrad::Extent, T> {
  using type = tinygrad::Extent;
};
template <std::integral T>
struct std::common_type<T, tinygrad::Extent> {
  using type = tinygrad::Extent;
};

#endif // TINYGRAD_TENSOR_SHAPE_H
