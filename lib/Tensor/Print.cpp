//===- Print.cpp - Tensors as text ----------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"

#include <algorithm>
#include <charconv>
#include <ostream>

using namespace tinygrad;
using namespace tinygrad::detail;

namespace {

/// Writes elements in nested brackets, as numpy does.
class Printer {
public:
  Printer(const Shape &shape, DType type, const std::vector<double> &values)
      : shape(shape), type(type), values(values),
        isShortened(values.size() > 1000) {}

  std::string print() {
    printAxis(0, 0);
    return std::move(text);
  }

private:
  void printAxis(size_t axis, size_t offset);
  void printElement(double value);

  const Shape shape;
  DType type;
  const std::vector<double> &values;
  bool isShortened;
  std::string text;
};

} // namespace

void Printer::printElement(double value) {
  if (type == DType::Bool) {
    text += value != 0 ? "true" : "false";
    return;
  }
  char digits[64];
  // The shortest text that reads back as the same number of the tensor's type.
  auto end = type == DType::Float64
                 ? std::to_chars(std::begin(digits), std::end(digits), value)
             : isFloat(type)
                 ? std::to_chars(std::begin(digits), std::end(digits),
                                 static_cast<float>(value))
                 : std::to_chars(std::begin(digits), std::end(digits), value,
                                 std::chars_format::fixed);
  text.append(digits, end.ptr);
}

void Printer::printAxis(size_t axis, size_t offset) {
  if (axis == shape.size())
    return printElement(values[offset]);
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

std::string Tensor::toString() const {
  std::vector<double> values = toVector<double>();
  std::string text = Printer(shape().getValues(), dtype(), values).print();
  return "Tensor(" + text + ", shape=" + ops::toString(shape()) +
         ", dtype=" + std::string(getName(dtype())) + ", device=" + device() +
         ")";
}

std::ostream &tinygrad::operator<<(std::ostream &os, const Tensor &tensor) {
  return os << tensor.toString();
}
