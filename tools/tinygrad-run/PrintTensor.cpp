//===- PrintTensor.cpp - A tensor as a readable table - c -----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrintTensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace tinygrad;
using namespace tinygrad::engine;
using llvm::StringRef;

/// Digits after the point, columns of a line, elements that are printed in full
/// and elements at each edge otherwise: numpy's defaults.
static constexpr int maxPrecision = 8;
static constexpr size_t lineWidth = 75;
static constexpr int64_t threshold = 1000;
static constexpr int64_t numEdge = 3;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static std::string format(const char *pattern, int precision, double value) {
  // Long enough for all digits of a float64.
  char text[400];
  std::snprintf(text, sizeof(text), pattern, precision, value);
  return text;
}

/// Returns the fewest digits after the first that give `value` back when they
/// are read as its type.
static int getNumDigits(const ops::Scalar &value) {
  for (int digits = 0; digits < 17; ++digits) {
    double read =
        std::strtod(format("%.*e", digits, value.toDouble()).c_str(), nullptr);
    if (ops::Scalar::fromDouble(value.getType(), read).isIdentical(value))
      return digits;
  }
  return 17;
}

/// Splits at the first `separator`.
static std::pair<std::string, std::string> split(StringRef text,
                                                 char separator) {
  auto [first, second] = text.split(separator);
  return {first.str(), second.str()};
}

/// Returns the parts of a finite number before and after the point, the latter
/// without zeros at its end.
static std::pair<std::string, std::string>
formatPositional(const ops::Scalar &value, int precision) {
  double number = value.toDouble();
  int numDigits = getNumDigits(value), exponent = 0;
  if (number != 0)
    exponent =
        std::atoi(split(format("%.*e", numDigits, number), 'e').second.c_str());
  int digits = std::clamp(numDigits - exponent, 0, precision);
  auto [whole, fraction] = split(format("%.*f", digits, number), '.');
  return {whole, StringRef(fraction).rtrim('0').str()};
}

namespace {

/// The parts of "-1.25e-07": "-1", "25", "-07". The fraction may be empty.
struct Scientific {
  std::string whole, fraction, exponent;
};

/// Formats the elements of one tensor, all to one width.
class ElementFormat {
public:
  ElementFormat(DType type, const std::vector<ops::Scalar> &shown);
  std::string operator()(const ops::Scalar &value) const;

private:
  void measureFloats(const std::vector<ops::Scalar> &shown);

  DType type;
  /// Columns before and after the point.
  size_t left = 0, right = 0;
  bool isScientific = false;
  size_t fractionDigits = 0;
};

} // namespace

static Scientific formatScientific(const ops::Scalar &value, int digits) {
  auto [mantissa, exponent] =
      split(format("%.*e", digits, value.toDouble()), 'e');
  auto [whole, fraction] = split(mantissa, '.');
  return {whole, fraction, exponent};
}

static std::string formatSpecial(const ops::Scalar &value) {
  double number = value.toDouble();
  if (std::isnan(number))
    return "nan";
  return number < 0 ? "-inf" : "inf";
}

static std::string formatInteger(const ops::Scalar &value) {
  if (value.getType() == DType::Bool)
    return value.isTrue() ? "True" : "False";
  return isUnsigned(value.getType())
             ? std::to_string(static_cast<uint64_t>(value.toInt()))
             : std::to_string(value.toInt());
}

void ElementFormat::measureFloats(const std::vector<ops::Scalar> &shown) {
  double largest = 0, smallest = INFINITY;
  for (const ops::Scalar &value : shown) {
    double magnitude = std::abs(value.toDouble());
    if (magnitude == 0 || !std::isfinite(magnitude))
      continue;
    largest = std::max(largest, magnitude);
    smallest = std::min(smallest, magnitude);
  }
  isScientific = largest > 0 && (largest >= 1e8 || smallest < 1e-4 ||
                                 largest / smallest > 1000);
  size_t specialWidth = 0;
  for (const ops::Scalar &value : shown) {
    if (!std::isfinite(value.toDouble())) {
      specialWidth = std::max(specialWidth, formatSpecial(value).size());
    } else if (isScientific) {
      Scientific parts =
          formatScientific(value, std::min(getNumDigits(value), maxPrecision));
      left = std::max(left, parts.whole.size());
      fractionDigits =
          std::max(fractionDigits, StringRef(parts.fraction).rtrim('0').size());
      right = std::max(right, parts.exponent.size() + 1);
    } else {
      auto [whole, fraction] = formatPositional(value, maxPrecision);
      left = std::max(left, whole.size());
      right = std::max(right, fraction.size());
    }
  }
  if (isScientific)
    right += fractionDigits;
  if (specialWidth > right + 1)
    left = std::max(left, specialWidth - right - 1);
}

ElementFormat::ElementFormat(DType type, const std::vector<ops::Scalar> &shown)
    : type(type) {
  if (isFloat(type)) {
    measureFloats(shown);
    return;
  }
  // numpy leaves room for False.
  left = type == DType::Bool ? 5 : 0;
  for (const ops::Scalar &value : shown)
    left = std::max(left, formatInteger(value).size());
}

static std::string padLeft(const std::string &text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string ElementFormat::operator()(const ops::Scalar &value) const {
  if (!isFloat(type))
    return padLeft(formatInteger(value), left);
  if (!std::isfinite(value.toDouble()))
    return padLeft(formatSpecial(value), left + right + 1);
  if (isScientific) {
    // All have as many digits, those that this one did not need among them.
    Scientific parts =
        formatScientific(value, static_cast<int>(fractionDigits));
    return padLeft(parts.whole, left) + "." + parts.fraction + "e" +
           parts.exponent;
  }
  auto [whole, fraction] = formatPositional(value, maxPrecision);
  fraction.resize(right, ' ');
  return padLeft(whole, left) + "." + fraction;
}

/// Formats a tensor without axes as numpy does a number.
static std::string formatScalar(const ops::Scalar &value) {
  if (!isFloat(value.getType()))
    return formatInteger(value);
  double magnitude = std::abs(value.toDouble());
  if (!std::isfinite(magnitude))
    return formatSpecial(value);
  if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
    auto [mantissa, exponent] =
        split(format("%.*e", getNumDigits(value), value.toDouble()), 'e');
    return mantissa + "e" + exponent;
  }
  // Digits that a number alone does not need are zeros, also before the point.
  double shortest = std::strtod(
      format("%.*e", getNumDigits(value), value.toDouble()).c_str(), nullptr);
  constexpr int allDigits = 340;
  auto [whole, fraction] = formatPositional(
      ops::Scalar::fromDouble(DType::Float64, shortest), allDigits);
  return whole + "." + (fraction.empty() ? "0" : fraction);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {

class TablePrinter {
public:
  TablePrinter(llvm::raw_ostream &stream, const HostTensor &tensor)
      : stream(stream), tensor(tensor),
        isSummary(tensor.getNumElements() > threshold) {}

  void print();

private:
  /// Calls `visit` for each position of an axis that is shown; with -1 where
  /// the middle is left out.
  template <typename VisitT>
  void forEachShown(size_t axis, VisitT visit) const {
    int64_t extent = tensor.getShape()[axis];
    for (int64_t i = 0; i < extent; ++i) {
      if (isSummary && extent > 2 * numEdge && i == numEdge) {
        visit(-1);
        i = extent - numEdge;
      }
      visit(i);
    }
  }
  void collect(size_t axis, int64_t offset,
               std::vector<ops::Scalar> &shown) const;
  void printAxis(const ElementFormat &format, size_t axis, int64_t offset);
  void printRow(const ElementFormat &format, size_t axis, int64_t offset);

  llvm::raw_ostream &stream;
  const HostTensor &tensor;
  bool isSummary;
};

} // namespace

void TablePrinter::collect(size_t axis, int64_t offset,
                           std::vector<ops::Scalar> &shown) const {
  if (axis == tensor.getShape().size()) {
    shown.push_back(tensor.get(offset));
    return;
  }
  forEachShown(axis, [&](int64_t position) {
    if (position >= 0)
      collect(axis + 1, offset * tensor.getShape()[axis] + position, shown);
  });
}

void TablePrinter::printRow(const ElementFormat &format, size_t axis,
                            int64_t offset) {
  // Rows begin below their first element.
  std::string indent(axis + 1, ' ');
  std::string line = indent, text;
  size_t width = lineWidth - std::min(lineWidth, axis + 1);
  bool isFirst = true;
  forEachShown(axis, [&](int64_t position) {
    std::string word =
        position < 0
            ? "..."
            : format(tensor.get(offset * tensor.getShape()[axis] + position));
    if (!isFirst)
      line += ' ';
    isFirst = false;
    if (line.size() + word.size() > width && line.size() > indent.size()) {
      text += StringRef(line).rtrim(' ').str() + "\n";
      line = indent;
    }
    line += word;
  });
  text += line;
  stream << '[' << StringRef(text).drop_front(indent.size()) << ']';
}

void TablePrinter::printAxis(const ElementFormat &format, size_t axis,
                             int64_t offset) {
  size_t rank = tensor.getShape().size();
  if (axis + 1 == rank)
    return printRow(format, axis, offset);
  stream << '[';
  bool isFirst = true;
  forEachShown(axis, [&](int64_t position) {
    if (!isFirst) {
      stream << std::string(rank - axis - 1, '\n');
      stream.indent(static_cast<unsigned>(axis + 1));
    }
    isFirst = false;
    if (position < 0)
      stream << "...";
    else
      printAxis(format, axis + 1, offset * tensor.getShape()[axis] + position);
  });
  stream << ']';
}

void TablePrinter::print() {
  if (tensor.getShape().empty()) {
    stream << formatScalar(tensor.get(0)) << '\n';
    return;
  }
  if (tensor.getNumElements() == 0) {
    stream << "[]\n";
    return;
  }
  std::vector<ops::Scalar> shown;
  collect(0, 0, shown);
  printAxis(ElementFormat(tensor.getType(), shown), 0, 0);
  stream << '\n';
}

void tinygrad::printTensor(llvm::raw_ostream &stream,
                           const HostTensor &tensor) {
  TablePrinter(stream, tensor).print();
}
