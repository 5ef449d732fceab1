//===- ErrorBounds.cpp - How far results of a graph may differ - c --------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ErrorBounds.h"
#include "RandomGraph.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace tinygrad;
using namespace tinygrad::engine;
using ops::OpKind;

/// Returns the largest error of one rounding, relative to the result.
static double getRoundoff(DType type) {
  switch (type) {
  case DType::Float16:
    return std::ldexp(1, -11);
  case DType::BFloat16:
    return std::ldexp(1, -8);
  case DType::Float32:
    return std::ldexp(1, -24);
  default:
    return std::ldexp(1, -53);
  }
}

/// Returns the largest error of one rounding near 0.
static double getSmallest(DType type) {
  switch (type) {
  case DType::Float16:
    return std::ldexp(1, -24);
  case DType::BFloat16:
    return std::ldexp(1, -133);
  case DType::Float32:
    return std::ldexp(1, -149);
  default:
    return std::ldexp(1, -1074);
  }
}

/// Returns the largest finite magnitude.
static double getMagnitude(const HostTensor &tensor) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    double value = std::abs(tensor.get(i).toDouble());
    if (std::isfinite(value))
      largest = std::max(largest, value);
  }
  return largest;
}

std::vector<double>
test::computeErrorBounds(const ops::Graph &graph,
                         const std::vector<HostTensor> &values) {
  std::vector<double> bounds(graph.nodes.size(), 0);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ops::GraphNode &node = graph.nodes[i];
    if (!node.kind || !isFloat(node.type) || node.operands.empty())
      continue;
    double error[3] = {}, magnitude[3] = {}, largest = 0;
    bool isInexact = !isExact(*node.kind, node.type);
    for (size_t k = 0; k < node.operands.size(); ++k) {
      error[k] = bounds[node.operands[k]];
      magnitude[k] = getMagnitude(values[node.operands[k]]);
      largest = std::max(largest, error[k]);
      isInexact |= error[k] != 0;
    }
    if (!isInexact)
      continue;
    double roundoff = 2 * getRoundoff(node.type);
    double result = getMagnitude(values[i]);
    double product =
        error[0] * magnitude[1] + error[1] * magnitude[0] + error[0] * error[1];
    double &bound = bounds[i];
    switch (*node.kind) {
    case OpKind::Add:
    case OpKind::Sub:
      bound = error[0] + error[1];
      break;
    case OpKind::Mul:
      bound = product;
      break;
    case OpKind::MulAcc:
      // Rounded once or twice.
      bound = product + error[2] +
              roundoff * (magnitude[0] * magnitude[1] + magnitude[2]);
      break;
    case OpKind::ReduceSum: {
      double count =
          static_cast<double>(values[node.operands[0]].getNumElements() /
                              std::max<int64_t>(values[i].getNumElements(), 1));
      double accumulated =
          2 * getRoundoff(getAccumulationType(node.type)) * count;
      // One more rounding where a product is rounded before it is added.
      bound = count * (error[0] + (accumulated + roundoff) * magnitude[0]);
      break;
    }
    case OpKind::Exp2:
    case OpKind::Log2:
    case OpKind::Exp:
    case OpKind::Log:
    case OpKind::Sin:
    case OpKind::Pow:
      // A few units in the last place.
      bound = 4 * roundoff * result;
      break;
    default:
      bound = largest;
      break;
    }
    bound += roundoff * (result + bound) + 4 * getSmallest(node.type);
  }
  return bounds;
}

/// Returns true if the values are equal, or differ by `bound` at most.
static bool isClose(const ops::Scalar &got, const ops::Scalar &expected,
                    double bound) {
  double a = got.toDouble(), b = expected.toDouble();
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (bound == 0)
    return got.isIdentical(expected);
  return a == b || std::abs(a - b) <= bound;
}

std::string test::compareTensors(const HostTensor &got,
                                 const HostTensor &expected, double bound) {
  if (got.getType() != expected.getType() ||
      got.getShape() != expected.getShape())
    return "another type or shape";
  for (int64_t i = 0; i < got.getNumElements(); ++i)
    if (!isClose(got.get(i), expected.get(i), bound))
      return llvm::formatv(
                 "element {0} of {1} {2}: expects {3:E8}, got "
                 "{4:E8}, may differ by {5:E2}",
                 i, getName(got.getType()), ops::toString(got.getShape()),
                 expected.get(i).toDouble(), got.get(i).toDouble(), bound)
          .str();
  return "";
}
