//===- StateDict.cpp - Tensors by name ------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"

#include "tinygrad/Tensor/State.h"

using namespace tinygrad;

StateDict tinygrad::get_state_dict(const StateCollector &collector) {
  StateDict result;
  for (const auto &[name, tensor] : collector.getEntries())
    if (!result.emplace(name, tensor).second)
      throw Error("get_state_dict",
                  "expects one tensor for each name, got two called `" + name +
                      "`");
  return result;
}

/// Returns the names in backquotes.
static std::string quote(const std::vector<std::string> &names) {
  std::string result;
  for (const std::string &name : names)
    result += (result.empty() ? "`" : ", `") + name + "`";
  return result;
}

static bool isOneElement(const Shape &shape) {
  return shape.empty() || shape == Shape{1};
}

KeyDifference tinygrad::load_state_dict(const StateDict &target,
                                        const StateDict &source, bool strict,
                                        Place place) {
  detail::PlaceScope scope(place);
  KeyDifference difference;
  std::string mismatches;
  std::vector<Shape> shapes;
  for (const auto &[name, tensor] : target) {
    auto found = source.find(name);
    if (found == source.end()) {
      difference.missing.push_back(name);
      continue;
    }
    const Shape &shape = found->second.shape();
    if (shape == tensor.shape() ||
        (isOneElement(shape) && isOneElement(tensor.shape())))
      continue;
    mismatches += (mismatches.empty() ? "expects `" : ", and `") + name +
                  "` to be " + ops::toString(tensor.shape()) + ", got " +
                  ops::toString(shape);
    shapes.push_back(tensor.shape());
    shapes.push_back(shape);
  }
  for (const auto &[name, tensor] : source)
    if (!target.contains(name))
      difference.unexpected.push_back(name);

  if (strict &&
      (!difference.missing.empty() || !difference.unexpected.empty())) {
    std::string sentence = "expects the names of the model, got";
    if (!difference.missing.empty())
      sentence += " none of " + quote(difference.missing);
    if (!difference.unexpected.empty())
      sentence += std::string(difference.missing.empty() ? "" : ", and") +
                  " also " + quote(difference.unexpected);
    throw Error("load_state_dict", sentence);
  }
  if (!mismatches.empty())
    throw Error("load_state_dict", mismatches, shapes);

  // The values are there before anything changes.
  std::vector<std::pair<Tensor, Tensor>> changes;
  std::vector<Tensor> values;
  for (const auto &[name, tensor] : target) {
    auto found = source.find(name);
    if (found == source.end())
      continue;
    Tensor value = found->second.detach()
                       .to(tensor.device())
                       .cast(tensor.dtype())
                       .reshape(tensor.shape());
    changes.emplace_back(tensor, value);
    values.push_back(value);
  }
  realize(values);
  for (const auto &[tensor, value] : changes)
    tensor.assign(value);
  return difference;
}
