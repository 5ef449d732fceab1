//===- GraphWalk.h - The nodes of a realization, and their key --*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is described by a list of words that holds all that compiling it
// depends on: kinds, attributes, shapes and types of its nodes, the bits of
// constants and which inputs are the same buffer; not the values of parameters
// and of variables.
// Compiled graphs are found by a hash of the words, and the words are compared.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_GRAPHWALK_H
#define TINYGRAD_LIB_TENSOR_GRAPHWALK_H

#include "Node.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace tinygrad::detail {

/// Returns the hash under which a key is found.
uint64_t hashKey(llvm::ArrayRef<int64_t> key);

using NodeSet = llvm::DenseSet<const Node *>;

/// The nodes that a realization computes, in order, and their description. The
/// nodes outlive it. A small graph needs no memory from the heap.
class GraphWalk {
public:
  /// `outputs` are neither aliases nor realized. With `countsHolders` the nodes
  /// are in the order in which they were made, and those that are used by other
  /// variables that live are there with these uses (see Context::Options).
  /// Nodes of `known` are inputs without a buffer.
  explicit GraphWalk(llvm::ArrayRef<NodeRef> outputs,
                     bool countsHolders = false,
                     const NodeSet *known = nullptr);

  /// Builds what the engine compiles.
  ops::Graph buildGraph() const;

  llvm::ArrayRef<int64_t> getKey() const { return key; }
  /// What the graph's variables are bound to.
  const shape::Bindings &getVariables() const { return variables.get(); }
  /// The functions of the host that it calls and that end with who needs them.
  std::vector<std::shared_ptr<const HostFunctionSlot>> getHostFunctions() const;
  /// The nodes whose values are handed over at a run.
  llvm::ArrayRef<const Node *> getInputs() const { return inputs; }

  /// The nodes of `numbers` that a live variable needs once `outputs` are
  /// realized.
  std::vector<NodeRef> findNeeded(llvm::ArrayRef<int32_t> numbers,
                                  llvm::ArrayRef<NodeRef> outputs) const;

  /// The nodes, inputs and others, in the order of Graph::nodes.
  llvm::ArrayRef<const Node *> getNodes() const { return nodes; }

private:
  bool isInput(const Node &node) const {
    return node.buffer || node.form == Node::Form::Parameter ||
           (known && known->contains(&node));
  }
  void walk(llvm::ArrayRef<NodeRef> outputs);
  void walkInOrder(llvm::ArrayRef<NodeRef> outputs);
  void addUsers(NodeSet &nodes) const;
  void collect(const Node *node, NodeSet &nodes) const;
  void finish(const Node *node);
  /// Returns the node that has the same buffer and reads it alike, or -1.
  int32_t findSameInput(const Node &node) const;
  void append(int64_t word) { key.push_back(word); }
  void append(const std::vector<int64_t> &words) {
    append(std::ssize(words));
    key.append(words.begin(), words.end());
  }
  void append(const Shape &shape);
  void append(const std::string &text);

  const NodeSet *known;
  /// What somebody holds; empty where that does not count.
  NodeSet kept;
  llvm::SmallVector<int64_t, 256> key;
  VariableValues variables;
  llvm::SmallVector<const Node *, 32> nodes;
  llvm::SmallVector<const Node *, 16> inputs;
  llvm::SmallVector<int32_t, 8> outputNumbers;
  /// The place of each node in `nodes`; -1 while its operands are on the way.
  llvm::SmallDenseMap<const Node *, int32_t, 64> numbers;
  /// The place of the last input with a buffer, and of the one before it, by
  /// the place of the input.
  llvm::SmallDenseMap<const runtime::Buffer *, int32_t, 16> buffers;
  llvm::SmallDenseMap<int32_t, int32_t, 4> previousInputs;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_GRAPHWALK_H
