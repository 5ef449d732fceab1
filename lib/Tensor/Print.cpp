//===- Print.cpp - Tensors as text ----------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Capture.h"
#include "Node.h"
#include "Symbolic.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>

using namespace tinygrad;
using namespace tinygrad::detail;

namespace {

/// Writes elements in nested brackets, as numpy does.
class Printer {
public:
  /// `bytes` are those of the elements, row-major.
  Printer(const Shape &shape, DType type, const std::vector<uint8_t> &bytes)
      : shape(shape), type(type), bytes(bytes),
        isShortened(bytes.size() / getByteWidth(type) > 1000) {}

  std::string print() {
    printAxis(0, 0);
    return std::move(text);
  }

private:
  void printAxis(size_t axis, size_t offset);
  void printElement(const ops::Scalar &value);

  const Shape shape;
  DType type;
  const std::vector<uint8_t> &bytes;
  bool isShortened;
  std::string text;
};

} // namespace

void Printer::printElement(const ops::Scalar &value) {
  if (type == DType::Bool) {
    text += value.toInt() != 0 ? "true" : "false";
    return;
  }
  if (!isFloat(type)) {
    text += isUnsigned(type)
                ? std::to_string(static_cast<uint64_t>(value.toInt()))
                : std::to_string(value.toInt());
    return;
  }
  double number = value.toDouble();
  // The sign of a NaN says nothing.
  if (std::isnan(number)) {
    text += "nan";
    return;
  }
  char digits[64];
  // The shortest text that reads back as the same number of the tensor's type.
  auto end = type == DType::Float64
                 ? std::to_chars(std::begin(digits), std::end(digits), number)
                 : std::to_chars(std::begin(digits), std::end(digits),
                                 static_cast<float>(number));
  text.append(digits, end.ptr);
}

void Printer::printAxis(size_t axis, size_t offset) {
  if (axis == shape.size())
    return printElement(
        ops::Scalar::load(type, &bytes[offset * getByteWidth(type)]));
  size_t extent = static_cast<size_t>(shape[axis]), stride = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i)
    stride *= static_cast<size_t>(shape[i]);
  bool isInnermost = axis + 1 == shape.size();
  text += "[";
  for (size_t i = 0; i < extent; ++i) {
    if (i)
      text += isInnermost ? ", " : ",\n" + std::string(axis + 1, ' ');
    if (isShortened && extent > 6 && i == 3) {
      text += "...";
      i = extent - 4;
      continue;
    }
    printAxis(axis + 1, offset + i * stride);
  }
  text += "]";
}

bool Tensor::hasValues() const {
  // Those of a captured step differ from call to call.
  return !Recorder::getCurrent() && !findFreeVariable(toExprs(shape()));
}

std::string Tensor::toString() const {
  std::string text = "...";
  if (hasValues()) {
    std::vector<uint8_t> bytes = data();
    text = Printer(shape().getValues(), dtype(), bytes).print();
  }
  return "Tensor(" + text + ", shape=" + ops::toString(shape()) +
         ", dtype=" + std::string(getName(dtype())) + ", device=" + device() +
         ")";
}

std::ostream &tinygrad::operator<<(std::ostream &os, const Tensor &tensor) {
  return os << tensor.toString();
}
