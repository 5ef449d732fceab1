//===- SplitReduce.cpp - Large reduces in two steps -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SPL. Flag: none, REDUCEOP_SPLIT_THRESHOLD. Place: LazyBuffer.r.
//
// A reduce of many elements to few becomes two: one axis is split, and the
// first reduce keeps the outer part, so that it has more results to compute at
// a time. Not where there are more results than a bound: the outer parts of all
// of them would only be memory to write and read.
//
//===----------------------------------------------------------------------===//

#include "LazyBuilder.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy::schedule;

namespace {

class SplitReduceRule : public Rule {
public:
  SplitReduceRule(int64_t threshold, int64_t maxResults)
      : Rule("SPL", "", 0), threshold(threshold), maxResults(maxResults) {}

  BufferTask reduce(LazyBuilder &builder, const Reduce &op) const override {
    // How often to split depends on what is not known of an expression.
    if (op.source->getLayout().isSymbolic())
      return {};
    const shape::ShapeTracker &tracker = op.source->getLayout().getTracker();
    const shape::Dims &from = tracker.getShape();
    const shape::Dims &to = op.shape.getNumbers();
    if (llvm::is_contained(from, 0))
      return {};
    int64_t ratio = 1, numResults = 1;
    for (auto [old, kept] : llvm::zip_equal(from, to)) {
      ratio *= old / kept;
      numResults *= kept;
    }
    if (ratio < threshold || (maxResults && numResults > maxResults))
      return {};
    auto strides = tracker.getRealStrides();
    // The largest share of a small stride wins; of equal ones the last axis.
    double bestScore = -std::numeric_limits<double>::infinity();
    int64_t bestDivisor = 0;
    size_t bestAxis = 0;
    for (size_t i = 0; i < from.size(); ++i) {
      if (from[i] == to[i])
        continue;
      int64_t divisor = std::gcd<int64_t>(256, from[i]);
      double score = strides[i].value_or(0) != 0
                         ? double(divisor) / double(*strides[i])
                         : 0.0;
      if (std::tuple(score, divisor, i) >=
          std::tuple(bestScore, bestDivisor, bestAxis)) {
        bestScore = score;
        bestDivisor = divisor;
        bestAxis = i;
      }
    }
    if (bestDivisor < 16 || bestScore < 0.1)
      return {};
    return split(builder, op, bestAxis, bestDivisor);
  }

private:
  static BufferTask split(LazyBuilder &builder, Reduce op, size_t axis,
                          int64_t divisor) {
    shape::Dims outer = op.source->getShape().getNumbers();
    outer[axis] /= divisor;
    auto withInner = [&](int64_t extent) {
      shape::Dims result = outer;
      result.insert(result.begin() + axis + 1, extent);
      return result;
    };
    BufferRef value =
        co_await builder.reshape(op.source, withInner(divisor), op.loc);
    value = co_await builder.reduceOp({op.kind, value, withInner(1), op.loc});
    builder.getGraph().note(*value, "SPL");
    value = co_await builder.reshape(value, outer, op.loc);
    co_return co_await builder.reduceOp({op.kind, value, op.shape, op.loc});
  }

  int64_t threshold, maxResults;
};

} // namespace

std::unique_ptr<Rule>
tinygrad::lazy::schedule::createSplitReduceRule(int64_t threshold,
                                                int64_t maxResults) {
  return std::make_unique<SplitReduceRule>(threshold, maxResults);
}
