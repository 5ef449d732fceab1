//===- RandomGraph.h - Random small graphs - h ----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_ENGINE_RANDOMGRAPH_H
#define TINYGRAD_UNITTESTS_ENGINE_RANDOMGRAPH_H

#include "GraphBuilder.h"

#include <random>

namespace tinygrad::test {

/// Numbers that depend on the seed alone, on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// Returns a number from 0 to `count` - 1.
  int64_t below(int64_t count) {
    return static_cast<int64_t>(engine() % static_cast<uint64_t>(count));
  }
  int64_t between(int64_t first, int64_t last) {
    return first + below(last - first + 1);
  }
  bool oneIn(int64_t count) { return below(count) == 0; }
  uint64_t bits() { return engine(); }

private:
  std::mt19937_64 engine;
};

/// Makes a graph of up to four inputs and about a dozen operations:
/// elementwise, reduces, movement, of mixed types. Small shapes, a zero extent
/// among them now and then. Operations in which a small difference becomes a
/// large one (casts to integers, comparisons, mod, functions of libm) get
/// operands only whose value is exact: no float sum and no function of libm is
/// behind them.
ops::Graph makeRandomGraph(Random &random);

/// Makes a tensor of `type`: small numbers, now and then the edges of the type,
/// NaN and infinities.
engine::HostTensor makeRandomTensor(Random &random, DType type,
                                    const ops::Shape &shape);

/// Returns true if `kind` on operands of `type` is rounded once or not at all,
/// so that there is one right result.
bool isExact(ops::OpKind kind, DType type);

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_ENGINE_RANDOMGRAPH_H
