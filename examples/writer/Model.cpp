//===- Model.cpp - A small transformer ------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

using namespace writer;
using namespace tinygrad;

/// Texts are short: without it the model soon knows them by heart.
static constexpr double dropoutRate = 0.1;

Attention::Attention(const Sizes &sizes)
    : numHeads(sizes.numHeads), input(sizes.width, 3 * sizes.width),
      output(sizes.width, sizes.width) {}

Tensor Attention::operator()(const Tensor &x) const {
  int64_t length = x.shape(1), width = x.shape(2), perHead = width / numHeads;
  // Queries, keys and values: [N, heads, length, perHead] each.
  Tensor all = input(x)
                   .reshape({-1, length, 3, numHeads, perHead})
                   .permute({2, 0, 3, 1, 4});
  // Nobody looks ahead.
  Tensor mixed = all[0].scaled_dot_product_attention(
      all[1], all[2], std::nullopt, /*dropout_p=*/0, /*is_causal=*/true);
  return output(mixed.permute({0, 2, 1, 3}).reshape({-1, length, width}));
}

void Attention::collect(StateCollector &collector) const {
  collector.add("input", input);
  collector.add("output", output);
}

Block::Block(const Sizes &sizes)
    : norm1({sizes.width}), norm2({sizes.width}), attention(sizes),
      up(sizes.width, 4 * sizes.width), down(4 * sizes.width, sizes.width) {}

Tensor Block::operator()(const Tensor &x) const {
  Tensor y = x + attention(norm1(x)).dropout(dropoutRate);
  return y + down(up(norm2(y)).gelu()).dropout(dropoutRate);
}

void Block::collect(StateCollector &collector) const {
  collector.add("norm1", norm1);
  collector.add("attention", attention);
  collector.add("norm2", norm2);
  collector.add("up", up);
  collector.add("down", down);
}

Model::Model(const Sizes &sizes)
    : sizes(sizes),
      character(Tensor::normal({sizes.alphabet, sizes.width}, 0, 0.1)),
      position(Tensor::normal({sizes.context, sizes.width}, 0, 0.1)),
      norm({sizes.width}), head(sizes.width, sizes.alphabet) {
  // Each has tensors of its own: a copy would share them.
  for (int64_t i = 0; i < sizes.numLayers; ++i)
    blocks.emplace_back(sizes);
}

Tensor Model::operator()(const Tensor &characters) const {
  // A row of the table for each character, as a product.
  Tensor oneHot = characters.one_hot(sizes.alphabet).cast(DType::Float32);
  Tensor x = oneHot.matmul(character) + position;
  for (const Block &block : blocks)
    x = block(x);
  return head(norm(x));
}

void Model::collect(StateCollector &collector) const {
  collector.add("character", character);
  collector.add("position", position);
  collector.add("blocks", blocks);
  collector.add("norm", norm);
  collector.add("head", head);
}
