//===- NN.h - Layers --------------------------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers hold their tensors under tinygrad's names, which are PyTorch's, and
// are called like functions. `collect` names the tensors for State.h. The
// weights of layers that multiply are drawn from a uniform distribution whose
// bound is 1/sqrt(k), where k is the number of products that are summed for a
// result; they want gradients.
//
// A call throws Error if the input does not have the shape that is given.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_NN_H
#define TINYGRAD_TENSOR_NN_H

#include "tinygrad/Tensor/State.h"
#include "tinygrad/Tensor/Tensor.h"

#include <optional>

namespace tinygrad::nn {

/// x.linear(weight.transpose(), bias). Shapes: weight [out, in], bias [out];
/// [.., in] gives [.., out]. Source: `nn.Linear`.
class Linear {
public:
  Linear(int64_t inFeatures, int64_t outFeatures, bool hasBias = true);

  Tensor operator()(const Tensor &x, Place place = Place::current()) const;
  void collect(StateCollector &collector) const;

  Tensor weight;
  std::optional<Tensor> bias;
};

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// x.conv2d(weight, bias, options). Shapes: weight [out, in/groups, kh, kw],
/// bias [out]; [N, in, H, W] gives [N, out, ..]. One number as kernel holds for
/// both axes. Errors: throws Error if groups do not share the channels evenly
/// or the kernel has neither one nor two extents, all positive.
/// Source: `nn.Conv2d`.
class Conv2d {
public:
  Conv2d(int64_t inChannels, int64_t outChannels,
         const std::vector<int64_t> &kernel, const ConvOptions &options = {},
         bool hasBias = true);

  Tensor operator()(const Tensor &x, Place place = Place::current()) const;
  void collect(StateCollector &collector) const;

  Tensor weight;
  std::optional<Tensor> bias;
  ConvOptions options;

protected:
  /// For a kernel of any rank.
  Conv2d(const Shape &weightShape, const ConvOptions &options, bool hasBias);
};

/// The same along one axis: weight [out, in/groups, k], input [N, in, L].
/// Source: `nn.Conv1d`.
class Conv1d : public Conv2d {
public:
  Conv1d(int64_t inChannels, int64_t outChannels, int64_t kernel,
         const ConvOptions &options = {}, bool hasBias = true);
};

/// x.conv_transpose2d(weight, bias, options). Shapes: weight
/// [in, out/groups, kh, kw], bias [out]; [N, in, H, W] gives [N, out, ..].
/// Errors: as Conv2d. Source: `nn.ConvTranspose2d`.
class ConvTranspose2d {
public:
  ConvTranspose2d(int64_t inChannels, int64_t outChannels,
                  const std::vector<int64_t> &kernel,
                  const ConvTransposeOptions &options = {},
                  bool hasBias = true);

  Tensor operator()(const Tensor &x, Place place = Place::current()) const;
  void collect(StateCollector &collector) const;

  Tensor weight;
  std::optional<Tensor> bias;
  ConvTransposeOptions options;

protected:
  /// For a kernel of any rank.
  ConvTranspose2d(const Shape &weightShape, const ConvTransposeOptions &options,
                  bool hasBias);
};

/// The same along one axis: weight [in, out/groups, k], input [N, in, L].
/// Source: `nn.ConvTranspose1d`.
class ConvTranspose1d : public ConvTranspose2d {
public:
  ConvTranspose1d(int64_t inChannels, int64_t outChannels, int64_t kernel,
                  const ConvTransposeOptions &options = {},
                  bool hasBias = true);
};

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// Normalizes the channels of [N, C, H, W] by the batch's mean and variance
/// while training, else by the running ones. The next realization after a
/// training call brings these up to date, unless `trackRunningStats` is false:
/// then they stay as they are. Shapes: all [C], but num_batches_tracked [1].
/// Source: `nn.BatchNorm2d`.
class BatchNorm2d {
public:
  explicit BatchNorm2d(int64_t channels, double eps = 1e-5, bool affine = true,
                       bool trackRunningStats = true, double momentum = 0.1);

  Tensor operator()(const Tensor &x, Place place = Place::current()) const;
  void collect(StateCollector &collector) const;

  std::optional<Tensor> weight, bias;
  Tensor running_mean, running_var, num_batches_tracked;
  double eps, momentum;
  bool trackRunningStats;
};

/// Normalizes the last axes, which are `normalizedShape`, to mean 0 and
/// variance 1. Shapes: weight and bias are `normalizedShape`.
/// Source: `nn.LayerNorm`.
class LayerNorm {
public:
  explicit LayerNorm(const Shape &normalizedShape, double eps = 1e-5,
                     bool elementwiseAffine = true);

  Tensor operator()(const Tensor &x, Place place = Place::current()) const;
  void collect(StateCollector &collector) const;

  std::optional<Tensor> weight, bias;
  Shape normalizedShape;
  double eps;
};

/// Normalizes the channels of [N, C, H, W] at each place. Shapes: weight and
/// bias are [C]. Source: `nn.LayerNorm2d`.
class LayerNorm2d : public LayerNorm {
public:
  explicit LayerNorm2d(int64_t channels, double eps = 1e-5,
                       bool elementwiseAffine = true);

  Tensor operator()(const Tensor &x, Place place = Place::current()) const;
};

/// Normalizes each of `numGroups` groups of channels of [N, C, ..]. Shapes:
/// weight and bias are [C]. Errors: throws Error if groups do not share the
/// channels evenly. Source: `nn.GroupNorm`.
class GroupNorm {
public:
  GroupNorm(int64_t numGroups, int64_t numChannels, double eps = 1e-5,
            bool affine = true);

  Tensor operator()(const Tensor &x, Place place = Place::current()) const;
  void collect(StateCollector &collector) const;

  std::optional<Tensor> weight, bias;
  int64_t numGroups, numChannels;
  double eps;
};

/// Normalizes each channel of [N, C, ..] alone. Shapes: weight and bias are
/// [C]. Source: `nn.InstanceNorm`.
class InstanceNorm : public GroupNorm {
public:
  explicit InstanceNorm(int64_t numFeatures, double eps = 1e-5,
                        bool affine = true);
};

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

/// Returns for each index a row of the weight; zeros where there is none.
/// Shapes: weight [vocabulary, size]; [..] of numbers gives [.., size]. Floats
/// are truncated.
/// Errors: throws Error for bools. Source: `Embedding.__call__`.
Tensor embed(const Tensor &weight, const Tensor &indices);

/// embed(weight, indices). The weight is drawn as by glorot_uniform.
/// Source: `nn.Embedding`.
class Embedding {
public:
  Embedding(int64_t vocabularySize, int64_t embedSize);

  Tensor operator()(const Tensor &indices,
                    Place place = Place::current()) const;
  void collect(StateCollector &collector) const;

  Tensor weight;
};

/// What recurrent cells share: weight_ih [gates*hidden, in], weight_hh
/// [gates*hidden, hidden], biases [gates*hidden], drawn from a uniform
/// distribution with the bound 1/sqrt(hidden). Names, shapes and the order of
/// gates are those of PyTorch's cells.
class RecurrentCell {
public:
  void collect(StateCollector &collector) const;

  Tensor weight_ih, weight_hh;
  std::optional<Tensor> bias_ih, bias_hh;

protected:
  RecurrentCell(int64_t numGates, int64_t inputSize, int64_t hiddenSize,
                bool hasBias);

  /// Throws Error in the name of `name` unless `x` is [N, in], and `hidden`
  /// [N, hidden].
  void check(const char *name, const Tensor &x, const Tensor &hidden) const;
  /// Returns zeros [N, hidden] for an input [N, in].
  Tensor makeHidden(const char *name, const Tensor &x) const;
  /// Returns what the input and the hidden state add to the gates.
  Tensor applyToInput(const Tensor &x) const;
  Tensor applyToHidden(const Tensor &hidden) const;
};

/// tanh(x*W_ih + b_ih + h*W_hh + b_hh), or relu instead of tanh. Shapes: x
/// [N, in], hidden and result [N, hidden]; no hidden state means zeros.
/// Source: PyTorch's `nn.RNNCell`.
class RNNCell : public RecurrentCell {
public:
  enum class Nonlinearity { Tanh, Relu };

  RNNCell(int64_t inputSize, int64_t hiddenSize, bool hasBias = true,
          Nonlinearity nonlinearity = Nonlinearity::Tanh);

  Tensor operator()(const Tensor &x, const Tensor &hidden,
                    Place place = Place::current()) const;
  Tensor operator()(const Tensor &x, Place place = Place::current()) const;

  Nonlinearity nonlinearity;
};

/// A cell with long short-term memory: with the gates i, f, g and o, c becomes
/// f*c + i*g and h becomes o*tanh(c). Shapes: x [N, in], h and c [N, hidden];
/// no state means zeros. Source: PyTorch's `nn.LSTMCell`; `LSTMCell` of
/// tinygrad's extra/models/rnnt.py.
class LSTMCell : public RecurrentCell {
public:
  struct State {
    Tensor h, c;
  };

  LSTMCell(int64_t inputSize, int64_t hiddenSize, bool hasBias = true);

  State operator()(const Tensor &x, const State &state,
                   Place place = Place::current()) const;
  State operator()(const Tensor &x, Place place = Place::current()) const;
};

/// A cell with the gates r, z and n, of which r is applied to what the hidden
/// state adds to n: h becomes (1-z)*n + z*h. Shapes: as RNNCell.
/// Source: PyTorch's `nn.GRUCell`.
class GRUCell : public RecurrentCell {
public:
  GRUCell(int64_t inputSize, int64_t hiddenSize, bool hasBias = true);

  Tensor operator()(const Tensor &x, const Tensor &hidden,
                    Place place = Place::current()) const;
  Tensor operator()(const Tensor &x, Place place = Place::current()) const;
};

} // namespace tinygrad::nn

#endif // TINYGRAD_TENSOR_NN_H
