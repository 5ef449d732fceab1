//===- ErrorBounds.h - How far results of a graph may differ - h ----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_ENGINE_ERRORBOUNDS_H
#define TINYGRAD_UNITTESTS_ENGINE_ERRORBOUNDS_H

#include "tinygrad/Engine/HostTensor.h"
#include "tinygrad/Ops/Graph.h"

#include <vector>

namespace tinygrad::test {

/// Returns for each node of `graph` the largest difference that right
/// evaluations of it may show, by the usual rules for rounding errors. `values`
/// holds the value of each node. 0 where there is one right result.
std::vector<double>
computeErrorBounds(const ops::Graph &graph,
                   const std::vector<engine::HostTensor> &values);

/// Compares two values of a node that may differ by `bound`. Where `bound` is 0
/// the bits are equal, but for those of NaN. Returns what is wrong, or nothing.
std::string compareTensors(const engine::HostTensor &got,
                           const engine::HostTensor &expected, double bound);

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_ENGINE_ERRORBOUNDS_H
