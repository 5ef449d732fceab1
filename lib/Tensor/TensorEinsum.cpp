//===- TensorEinsum.cpp - Sums of products by a formula -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <algorithm>
#include <cctype>
#include <map>

using namespace tinygrad;
using namespace tinygrad::detail;

/// Axes that an ellipsis stands for, from the last one on, are letters too: the
/// ones from this one on.
static constexpr int ellipsisLetter = 256;

namespace {

/// An operand, and the letter of each of its axes.
struct Lettered {
  Tensor value;
  std::vector<int> letters;
};

} // namespace

[[noreturn]] static void fail(const std::string &sentence,
                              const std::vector<Tensor> &operands) {
  std::vector<Shape> shapes;
  for (const Tensor &operand : operands)
    shapes.push_back(operand.shape());
  throw Error("einsum", sentence, shapes);
}

/// Reads the letters of one operand or of the result. An ellipsis stands for
/// `numRest` axes.
static std::vector<int> readLetters(const std::string &formula,
                                    const std::string &text, size_t numRest) {
  std::vector<int> letters;
  bool hasEllipsis = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(text[i]))) {
      letters.push_back(text[i]);
    } else if (!hasEllipsis && text.compare(i, 3, "...") == 0) {
      hasEllipsis = true;
      i += 2;
      for (size_t k = numRest; k-- > 0;)
        letters.push_back(ellipsisLetter + static_cast<int>(k));
    } else {
      fail("expects letters and at most one `...` per operand, got `" +
               formula + "`",
           {});
    }
  }
  return letters;
}

/// Takes the diagonal of two axes of one letter until no letter occurs twice.
static void takeDiagonals(Lettered &operand, const std::vector<Tensor> &all) {
  for (size_t i = 0; i < operand.letters.size(); ++i) {
    auto first = operand.letters.begin() + i;
    auto other = std::find(first + 1, operand.letters.end(), *first);
    if (other == operand.letters.end())
      continue;
    size_t k = other - operand.letters.begin();
    Extent extent = operand.value.shape()[i];
    if (operand.value.shape()[k] != extent)
      fail("expects axes of one size for a letter that shape " +
               ops::toString(operand.value.shape()) + " has twice, got " +
               extent.toString() + " and " +
               operand.value.shape()[k].toString(),
           all);
    // Both axes become one, of which every (n + 1)-th element is taken.
    std::vector<int64_t> order;
    Shape joined;
    for (size_t axis = 0; axis < operand.letters.size(); ++axis)
      if (axis != i && axis != k) {
        order.push_back(static_cast<int64_t>(axis));
        joined.push_back(operand.value.shape()[axis]);
      }
    order.insert(order.end(),
                 {static_cast<int64_t>(i), static_cast<int64_t>(k)});
    joined.push_back(extent * extent);
    std::vector<int64_t> steps(joined.size(), 1);
    steps.back() = extent + 1;
    operand.value =
        stride(reshape(permute(operand.value, order), joined), steps);
    int letter = operand.letters[i];
    operand.letters.erase(operand.letters.begin() + k);
    operand.letters.erase(operand.letters.begin() + i);
    operand.letters.push_back(letter);
    --i;
  }
}

Tensor tinygrad::einsum(const std::string &formula,
                        const std::vector<Tensor> &operands) {
  std::string text = formula;
  std::erase(text, ' ');
  size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    size_t comma = left.find(',', begin);
    parts.push_back(left.substr(begin, comma - begin));
    if (comma == std::string::npos)
      break;
    begin = comma + 1;
  }
  if (operands.empty() || parts.size() != operands.size())
    fail("expects an operand for each part of `" + formula + "`, got " +
             std::to_string(operands.size()),
         operands);

  // Match letters with axes.
  std::vector<Lettered> inputs;
  size_t numRest = 0;
  std::map<int, Extent> extents;
  std::map<int, int> uses;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Shape &shape = operands[i].shape();
    size_t named = readLetters(formula, parts[i], 0).size();
    bool hasEllipsis = parts[i].find("...") != std::string::npos;
    if (named > shape.size() || (!hasEllipsis && named != shape.size()))
      fail("expects a letter for each axis of shape " + ops::toString(shape) +
               ", got `" + parts[i] + "`",
           operands);
    size_t rest = shape.size() - named;
    numRest = hasEllipsis ? std::max(numRest, rest) : numRest;
    inputs.push_back({operands[i], readLetters(formula, parts[i], rest)});
    for (size_t k = 0; k < shape.size(); ++k) {
      int letter = inputs.back().letters[k];
      ++uses[letter];
      Extent &extent = extents.emplace(letter, 1).first->second;
      if (extent != 1 && shape[k] != 1 && extent != shape[k])
        fail("expects one size for each letter of `" + formula + "`, got " +
                 extent.toString() + " and " + shape[k].toString(),
             operands);
      if (extent == 1)
        extent = shape[k];
    }
  }

  std::vector<int> output;
  if (arrow != std::string::npos) {
    output = readLetters(formula, text.substr(arrow + 2), numRest);
  } else {
    for (size_t k = numRest; k-- > 0;)
      output.push_back(ellipsisLetter + static_cast<int>(k));
    for (auto [letter, count] : uses)
      if (count == 1 && letter < ellipsisLetter)
        output.push_back(letter);
  }
  for (int letter : output)
    if (!extents.contains(letter) || std::ranges::count(output, letter) != 1)
      fail("expects letters of the operands in the result, each once, got `" +
               formula + "`",
           operands);

  // The result's letters come first, in order, then those that are summed over.
  std::vector<int> order = output;
  for (auto [letter, extent] : extents)
    if (!std::ranges::count(output, letter))
      order.push_back(letter);
  std::optional<Tensor> product;
  for (Lettered &input : inputs) {
    takeDiagonals(input, operands);
    std::vector<int64_t> axes;
    Shape aligned;
    for (int letter : order) {
      auto found = std::ranges::find(input.letters, letter);
      if (found == input.letters.end()) {
        aligned.push_back(1);
        continue;
      }
      axes.push_back(found - input.letters.begin());
      aligned.push_back(input.value.shape()[axes.back()]);
    }
    Tensor value = reshape(permute(input.value, axes), aligned);
    product = product ? mul(*product, value) : value;
  }
  std::vector<int64_t> summed;
  for (size_t i = output.size(); i < order.size(); ++i)
    summed.push_back(static_cast<int64_t>(i));
  return summed.empty() ? *product : sumProducts(*product, summed);
}
