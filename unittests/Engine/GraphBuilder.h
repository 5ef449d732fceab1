//===- GraphBuilder.h - Graphs and runs for tests - h ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_ENGINE_GRAPHBUILDER_H
#define TINYGRAD_UNITTESTS_ENGINE_GRAPHBUILDER_H

#include "tinygrad/Engine/Engine.h"
#include "tinygrad/Engine/HostTensor.h"

#include <string>
#include <vector>

namespace tinygrad::test {

/// Adds nodes to a graph. Shapes are inferred; a node that is not valid ends
/// the program.
class GraphBuilder {
public:
  int32_t input(DType type, ops::Shape shape);
  int32_t constant(const ops::Scalar &value, ops::Shape shape);
  /// `type`: the result's; that of the last operand where absent.
  int32_t op(ops::OpKind kind, std::vector<int32_t> operands,
             std::vector<int64_t> ints = {},
             std::optional<DType> type = std::nullopt);
  int32_t custom(std::string name, std::vector<int32_t> operands, DType type,
                 ops::Shape shape);

  const ops::GraphNode &getNode(int32_t node) const {
    return graph.nodes[node];
  }
  ops::Graph build(std::vector<int32_t> outputs);

private:
  int32_t add(ops::GraphNode node);
  ops::Graph graph;
};

/// Makes a tensor of `type` from `values`, each converted as `cast` does.
engine::HostTensor makeTensor(DType type, ops::Shape shape,
                              const std::vector<double> &values);
/// Returns the elements as doubles.
using Values = std::vector<double>;
Values getValues(const engine::HostTensor &tensor);

/// Compiles `graph` and runs it once.
llvm::Expected<std::vector<engine::HostTensor>>
runGraph(engine::Engine &engine, const ops::Graph &graph,
         const std::vector<engine::HostTensor> &inputs);

/// Makes buffers of `tensors` on the engine's device, and tensors of buffers.
llvm::Expected<std::vector<runtime::BufferRef>>
toBuffers(engine::Engine &engine,
          const std::vector<engine::HostTensor> &tensors);
llvm::Expected<std::vector<engine::HostTensor>>
toTensors(const std::vector<runtime::BufferRef> &buffers,
          const std::vector<engine::Signature> &signatures);

/// Returns the text of an error, or nothing where there is none.
template <typename T>
std::string getError(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

/// A predicate of texts, for EXPECT_PRED2.
inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_ENGINE_GRAPHBUILDER_H
