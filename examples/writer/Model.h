//===- Model.h - A small transformer ----------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_WRITER_MODEL_H
#define TINYGRAD_EXAMPLES_WRITER_MODEL_H

#include "tinygrad/Tensor/NN.h"

#include <vector>

namespace writer {

struct Sizes {
  /// The number of different characters.
  int64_t alphabet;
  /// How many characters the model sees.
  int64_t context = 64;
  int64_t numLayers = 3;
  int64_t numHeads = 4;
  /// Numbers per character: `numHeads` times those of a head.
  int64_t width = 128;
};

/// Each position takes from itself and those before it what it needs.
class Attention {
public:
  explicit Attention(const Sizes &sizes);
  tinygrad::Tensor operator()(const tinygrad::Tensor &x) const;
  void collect(tinygrad::StateCollector &collector) const;

private:
  int64_t numHeads;
  tinygrad::nn::Linear input, output;
};

/// Attention and two linear layers, each added to what came in.
class Block {
public:
  explicit Block(const Sizes &sizes);
  tinygrad::Tensor operator()(const tinygrad::Tensor &x) const;
  void collect(tinygrad::StateCollector &collector) const;

private:
  tinygrad::nn::LayerNorm norm1, norm2;
  Attention attention;
  tinygrad::nn::Linear up, down;
};

/// A transformer that says which character comes next.
class Model {
public:
  explicit Model(const Sizes &sizes);

  /// Returns the logits of each next character. Shapes: int32 [N, context]
  /// gives [N, context, alphabet].
  tinygrad::Tensor operator()(const tinygrad::Tensor &characters) const;
  void collect(tinygrad::StateCollector &collector) const;
  const Sizes &getSizes() const { return sizes; }

private:
  Sizes sizes;
  tinygrad::Tensor character, position;
  std::vector<Block> blocks;
  tinygrad::nn::LayerNorm norm;
  tinygrad::nn::Linear head;
};

} // namespace writer

#endif // TINYGRAD_EXAMPLES_WRITER_MODEL_H
