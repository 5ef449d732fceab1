//===- Ops.h - Functions on tensors -----------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions behind the methods of `Tensor`, under tinygrad's names. All
// are lazy: they add to an expression graph and run nothing. All throw
// tinygrad::Error at the call if shapes, types or axes do not fit.
//
// Binary functions broadcast as numpy does: shapes are aligned at their last
// axis, missing axes count as 1, and an axis of 1 is repeated. The result has
// the type of highest priority (see DType); a C++ number adapts to the other
// operand: to its type where it can hold it, a real number beside integers
// gives float32, an integer beside bools gives int32.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_OPS_H
#define TINYGRAD_TENSOR_OPS_H

#include "tinygrad/Ops/DType.h"
#include "tinygrad/Tensor/Error.h"
#include "tinygrad/Tensor/Indexing.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad {

class Tensor;
class Operand;

/// How a window moves over the last axes of a tensor. A list of one entry
/// holds for every axis.
struct ConvOptions {
  int64_t groups = 1;
  std::vector<int64_t> stride = {1};
  std::vector<int64_t> dilation = {1};
  /// One entry, one per axis, or before and after per axis beginning with the
  /// last axis, as in tinygrad. A negative one cuts.
  std::vector<int64_t> padding = {0};
};

/// How the window of a transposed convolution moves. `padding` has one entry,
/// or one per axis: it is cut off the result; `output_padding` is added at its
/// end.
struct ConvTransposeOptions : ConvOptions {
  std::vector<int64_t> output_padding = {0};
};

/// How a pooling window moves; no stride means that of the window.
struct PoolOptions {
  std::vector<int64_t> stride = {};
  std::vector<int64_t> dilation = {1};
};

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Tensor neg(const Tensor &x);
/// Returns true where `x` is 0, as bool.
Tensor logical_not(const Tensor &x);
// The functions of this block compute integers and bools as float32.
Tensor exp(const Tensor &x);
Tensor exp2(const Tensor &x);
Tensor log(const Tensor &x);
Tensor log2(const Tensor &x);
Tensor sin(const Tensor &x);
/// Computed by a sine: of pi/2 - x, or for a large `x` of x/2.
Tensor cos(const Tensor &x);
Tensor tan(const Tensor &x);
Tensor sqrt(const Tensor &x);
Tensor rsqrt(const Tensor &x);
Tensor reciprocal(const Tensor &x);
Tensor sigmoid(const Tensor &x);
Tensor tanh(const Tensor &x);
Tensor sinh(const Tensor &x);
Tensor cosh(const Tensor &x);
/// Right for large `x` too, where x + sqrt(x*x + 1) would overflow or cancel.
Tensor asinh(const Tensor &x);
/// NaN below 1.
Tensor acosh(const Tensor &x);
/// NaN outside of [-1, 1], and infinite at its ends.
Tensor atanh(const Tensor &x);
/// The approximation by tanh. Source: `Tensor.gelu`.
Tensor gelu(const Tensor &x);
/// x times the sigmoid of 1.702*x. Source: `Tensor.quick_gelu`.
Tensor quick_gelu(const Tensor &x);
/// x times its sigmoid; `swish` is another name for it.
Tensor silu(const Tensor &x);
Tensor swish(const Tensor &x);
/// log(1 + exp(beta*x)) / beta, without overflow. Source: `Tensor.softplus`.
Tensor softplus(const Tensor &x, double beta = 1);
/// x times the tanh of its softplus.
Tensor mish(const Tensor &x);
/// x / (1 + |x|).
Tensor softsign(const Tensor &x);
/// Returns `x` above 0, else alpha*(exp(x) - 1); its gradient at 0 is alpha, as
/// in PyTorch. Source: `Tensor.elu`.
Tensor elu(const Tensor &x, double alpha = 1);
/// Returns `x` above 0, else alpha*(exp(x/alpha) - 1). Source: `Tensor.celu`.
Tensor celu(const Tensor &x, double alpha = 1);

/// Returns max(x, 0). The gradient at 0 is 0. Source: `mlops.Relu`.
Tensor relu(const Tensor &x);
/// Returns min(max(x, 0), 6). The gradient at 0 and 6 is 0.
Tensor relu6(const Tensor &x);
/// x * relu6(x + 3) / 6.
Tensor hardswish(const Tensor &x);
/// Returns `x` between both, where the gradient is 1. Source: `clip`.
Tensor hardtanh(const Tensor &x, double min_val = -1, double max_val = 1);
/// Returns `x` above 0, else slope*x; the gradient at 0 is `slope`.
Tensor leakyrelu(const Tensor &x, double slope = 0.01);
Tensor abs(const Tensor &x);
/// The gradient is 0 everywhere, as in PyTorch.
Tensor sign(const Tensor &x);
Tensor square(const Tensor &x);
/// Rounds toward zero, down and up. No gradient flows.
Tensor trunc(const Tensor &x);
Tensor floor(const Tensor &x);
Tensor ceil(const Tensor &x);
Tensor clip(const Tensor &x, double low, double high);

Tensor add(const Tensor &x, const Tensor &y);
Tensor sub(const Tensor &x, const Tensor &y);
Tensor mul(const Tensor &x, const Tensor &y);
/// True division: integers and bools are computed as float32, as numpy's and
/// PyTorch's are; x/0 is infinite or NaN. tinygrad truncates integers.
Tensor div(const Tensor &x, const Tensor &y);
/// The remainder with the sign of `x`, as in C.
Tensor mod(const Tensor &x, const Tensor &y);
Tensor pow(const Tensor &x, const Tensor &y);
/// The larger of both; equal ones share the gradient. NaN wins.
Tensor maximum(const Tensor &x, const Tensor &y);
Tensor minimum(const Tensor &x, const Tensor &y);
Tensor bitwise_xor(const Tensor &x, const Tensor &y);

// Comparisons give bool. A comparison with NaN is false, but for `!=`.
Tensor less(const Tensor &x, const Tensor &y);
Tensor equal(const Tensor &x, const Tensor &y);
Tensor operator<(const Operand &x, const Operand &y);
Tensor operator>(const Operand &x, const Operand &y);
Tensor operator<=(const Operand &x, const Operand &y);
Tensor operator>=(const Operand &x, const Operand &y);
Tensor operator==(const Operand &x, const Operand &y);
Tensor operator!=(const Operand &x, const Operand &y);

Tensor operator+(const Operand &x, const Operand &y);
Tensor operator-(const Operand &x, const Operand &y);
Tensor operator*(const Operand &x, const Operand &y);
Tensor operator/(const Operand &x, const Operand &y);
Tensor operator-(const Operand &x);
/// The bits of one operand or the other; of integers and bools.
Tensor operator^(const Operand &x, const Operand &y);

/// Returns `x` where `condition` is not 0, else `y`; all three broadcast.
Tensor where(const Tensor &condition, const Tensor &x, const Tensor &y);

/// Converts the elements to `type`. On a DISK nothing is computed: bytes
/// (uint8) are read as numbers of `type` there, and floats as unsigned numbers,
/// as many as there were, from the first byte on; what is beyond the end of the
/// file cannot be read. Others are an error when they are computed.
Tensor cast(const Tensor &x, DType type);
/// Reads the bits of `x` as `type`, which has the same width.
Tensor bitcast(const Tensor &x, DType type);

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// Returns the elements of `x` in row-major order as `shape`, in which one
/// extent may be -1: what is left over. Between shapes that have as many
/// elements only with the values of their variables, as [3, 7] and [3, i], `x`
/// is computed first when the result is.
Tensor reshape(const Tensor &x, const Shape &shape);
/// Axis `i` of the result is axis `order[i]` of `x`.
Tensor permute(const Tensor &x, const std::vector<int64_t> &order);
Tensor transpose(const Tensor &x, int64_t axis0 = 1, int64_t axis1 = 0);
/// Repeats axes of size 1; -1 keeps an axis. Missing axes are added in front.
Tensor expand(const Tensor &x, const Shape &shape);
/// Adds `before` and `after` elements of `value` per axis.
Tensor pad(const Tensor &x, const Ranges &padding, double value = 0);
/// Pads the last axes: left, right, top, bottom, … Source: `Tensor.pad2d`.
Tensor pad2d(const Tensor &x, const std::vector<int64_t> &padding,
             double value = 0);
/// Keeps the elements [begin, end) of each axis.
Tensor shrink(const Tensor &x, const Ranges &ranges);
Tensor flip(const Tensor &x, const Axes &axes);
/// Keeps every step-th element of each axis, from its end where the step is
/// negative.
Tensor stride(const Tensor &x, const std::vector<int64_t> &steps);
Tensor unsqueeze(const Tensor &x, int64_t axis);
/// Removes the axes of size 1 among `axes`.
Tensor squeeze(const Tensor &x, const Axes &axes = {});
Tensor flatten(const Tensor &x, int64_t startAxis = 0);
/// Keeps the elements [begin, end) of each axis. Positions before 0 or beyond
/// the axis hold `value`. Source: `Tensor.slice`.
Tensor slice(const Tensor &x,
             const std::vector<std::pair<int64_t, int64_t>> &ranges,
             double value = 0);
/// Sets to 0 what is below, or above, the k-th diagonal of the last two axes.
/// Errors: throws Error if there are fewer axes.
Tensor triu(const Tensor &x, int64_t k = 0);
Tensor tril(const Tensor &x, int64_t k = 0);
Tensor repeat(const Tensor &x, const std::vector<int64_t> &counts);
/// Returns what Python's `x[indices]` gives; axes without an index are kept.
///
/// Tensors of positions broadcast to one shape, whose axes take the place of
/// theirs in the result, or come first where the tensors do not stand side by
/// side. Negative positions count from the end; one out of range gives 0, since
/// it is not known before the graph runs. Positions that are numbers are taken
/// before those in tensors, as in PyTorch and tinygrad.
/// Errors: throws Error if there are too many indices, a number is out of
/// range, or a tensor is not of an integer type. Source: `Tensor.__getitem__`.
Tensor getitem(const Tensor &x, const std::vector<Index> &indices);
/// Returns `x` with `value`, which is broadcast and cast, in place of
/// `getitem(x, indices)`. Of several values for one element the last one is
/// taken; those for positions out of range are left out. Errors: as `getitem`.
Tensor setitem(const Tensor &x, const std::vector<Index> &indices,
               const Tensor &value);
/// Returns x[.., index[.., i, ..], ..] with `index` along `axis`. Shapes: as
/// many axes as `x`, none longer but `axis`; the result has that of `index`. A
/// position out of range gives 0. Source: `Tensor.gather`.
Tensor gather(const Tensor &x, const Tensor &index, int64_t axis);
/// Joins tensors along an axis that they have. Source: `Tensor.cat`.
Tensor cat(const std::vector<Tensor> &tensors, int64_t axis = 0);
/// Joins tensors of one shape along a new axis.
Tensor stack(const std::vector<Tensor> &tensors, int64_t axis = 0);
/// Cuts an axis into at most `count` parts of equal size but for the last.
std::vector<Tensor> chunk(const Tensor &x, int64_t count, int64_t axis = 0);
std::vector<Tensor> split(const Tensor &x, int64_t size, int64_t axis = 0);

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

/// Returns the sum over `axes`, which go away or, with `keepdim`, have size 1.
/// Bools and integers narrower than int32 are summed as int32; other integers
/// in their own type, where a sum that it does not hold wraps round. (numpy and
/// PyTorch sum integers in int64: cast first where that matters.)
Tensor sum(const Tensor &x, const Axes &axes = {}, bool keepdim = false);
/// NaN wins; equal maxima share the gradient evenly.
Tensor max(const Tensor &x, const Axes &axes = {}, bool keepdim = false);
Tensor min(const Tensor &x, const Axes &axes = {}, bool keepdim = false);
/// The mean of integers is a float32.
Tensor mean(const Tensor &x, const Axes &axes = {}, bool keepdim = false);
/// The sum of squares of distances from the mean, over n - correction.
Tensor var(const Tensor &x, const Axes &axes = {}, bool keepdim = false,
           int64_t correction = 1);
Tensor std(const Tensor &x, const Axes &axes = {}, bool keepdim = false,
           int64_t correction = 1);
/// Returns the sums of the first, the first two, … elements along `axis`, in
/// the type that `sum` has. Source: `Tensor.cumsum`.
Tensor cumsum(const Tensor &x, int64_t axis = 0);
/// A row of -inf alone gives NaN. A scalar is a row of one.
Tensor softmax(const Tensor &x, const Axes &axes = -1);
Tensor log_softmax(const Tensor &x, const Axes &axes = -1);
/// Returns as int32 the first position of the maximum along `axis`, or in the
/// flattened tensor where no axis is given.
Tensor argmax(const Tensor &x, std::optional<int64_t> axis = std::nullopt,
              bool keepdim = false);
Tensor argmin(const Tensor &x, std::optional<int64_t> axis = std::nullopt,
              bool keepdim = false);

//===----------------------------------------------------------------------===//
// Contractions and networks
//===----------------------------------------------------------------------===//

/// Multiplies matrices. Shapes: [.., n, k] by [.., k, m] gives [.., n, m],
/// leading axes broadcast; a vector on either side is a row or a column whose
/// axis goes away. Integers keep their type. Source: `Tensor.dot`.
Tensor dot(const Tensor &x, const Tensor &w);
Tensor matmul(const Tensor &x, const Tensor &w);
/// Multiplies tensors whose axes have letters, and sums over the letters that
/// the part after `->` does not have; without an arrow the letters that occur
/// once are kept, in order. `...` stands for axes that broadcast; a letter that
/// an operand has twice takes its diagonal. Errors: throws Error if the formula
/// is not one, or its letters do not fit the shapes. Source: `Tensor.einsum`.
Tensor einsum(const std::string &formula, const std::vector<Tensor> &operands);
/// Returns x.dot(weight) + bias. Shapes: [.., in], [in, out], [out].
Tensor linear(const Tensor &x, const Tensor &weight);
Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias);

/// Correlates `x` with `weight`. Shapes: [N, groups*C, H, W] and
/// [K, C, kh, kw] give [N, K, oh, ow] with oh = (H + pads - dilation*(kh-1) -
/// 1)/stride + 1; bias is [K]. Any number of spatial axes. The forward pass is
/// a product and one sum over views of `x`. Source: `Tensor.conv2d`.
Tensor conv2d(const Tensor &x, const Tensor &weight,
              const ConvOptions &options = {});
Tensor conv2d(const Tensor &x, const Tensor &weight, const Tensor &bias,
              const ConvOptions &options = {});
/// While one lives, this thread builds convolutions with kernels of 3 and
/// stride and dilation 1 by Winograd's F(4, 3): fewer products, whose results
/// differ by rounding. Source: `Tensor.wino`, and A. Lavin and S. Gray, "Fast
/// Algorithms for Convolutional Neural Networks" (2015).
class WinogradGuard {
public:
  explicit WinogradGuard(bool value = true);
  ~WinogradGuard();
  WinogradGuard(const WinogradGuard &) = delete;
  WinogradGuard &operator=(const WinogradGuard &) = delete;

private:
  std::optional<bool> previous;
};
/// The gradient of `conv2d` by its input, as a function. Shapes: [N, groups*K,
/// H, W] and [groups*K, C, kh, kw] give [N, groups*C, oh, ow] with oh = (H - 1)
/// * stride - 2*padding + dilation*(kh - 1) + output_padding + 1; bias is
/// [groups*C]. Any number of spatial axes. Source: `Tensor.conv_transpose2d`.
Tensor conv_transpose2d(const Tensor &x, const Tensor &weight,
                        const ConvTransposeOptions &options = {});
Tensor conv_transpose2d(const Tensor &x, const Tensor &weight,
                        const Tensor &bias,
                        const ConvTransposeOptions &options = {});
/// The maximum and the mean of each window over the last axes.
Tensor max_pool2d(const Tensor &x, const std::vector<int64_t> &kernel = {2, 2},
                  const PoolOptions &options = {});
Tensor avg_pool2d(const Tensor &x, const std::vector<int64_t> &kernel = {2, 2},
                  const PoolOptions &options = {});

/// While training (see TrainingGuard), sets each element to 0 with probability
/// `p` and divides the others by 1 - p; else returns `x`.
Tensor dropout(const Tensor &x, double p = 0.5);
/// Returns softmax(x @ key^T / sqrt(E) + mask) @ value. Shapes: [.., L, E],
/// [.., S, E], [.., S, V] give [.., L, V]. Where a bool `attn_mask` is false,
/// and with `is_causal` for keys after the query, nothing is attended to; a
/// mask of numbers is added. A query that attends to nothing gives NaN. The
/// probabilities go through `dropout`. Errors: throws Error if the shapes do
/// not fit, or both masks are given. Source:
/// `Tensor.scaled_dot_product_attention`.
Tensor scaled_dot_product_attention(const Tensor &x, const Tensor &key,
                                    const Tensor &value,
                                    const std::optional<Tensor> &attn_mask,
                                    double dropout_p = 0,
                                    bool is_causal = false);
/// Normalizes axis 1. Shapes: `x` is [N, C, ..]; the others are [C], or, for
/// `invstd`, have as many axes as `x`. Weight and bias may be missing.
Tensor batchnorm(const Tensor &x, const std::optional<Tensor> &weight,
                 const std::optional<Tensor> &bias, const Tensor &mean,
                 const Tensor &invstd);
/// Normalizes the last `axis`.. axes to mean 0 and variance 1.
Tensor layernorm(const Tensor &x, const Axes &axes = -1, double eps = 1e-5);

/// Returns the mean of -log_softmax(x) at the labels. Shapes: `x` is [.., C],
/// `labels` the same without C, of an integer type. Labels equal to
/// `ignoreIndex` do not count. Source:
/// `Tensor.sparse_categorical_crossentropy`.
Tensor sparse_categorical_crossentropy(const Tensor &x, const Tensor &labels,
                                       int64_t ignoreIndex = -1);
/// The mean of the cross entropy of probabilities, and of logits.
Tensor binary_crossentropy(const Tensor &x, const Tensor &y);
Tensor binary_crossentropy_logits(const Tensor &x, const Tensor &y);
/// Returns as bool whether `labels` equals 0, 1, … count - 1 along a new last
/// axis.
Tensor one_hot(const Tensor &labels, int64_t count);

//===----------------------------------------------------------------------===//
// Graph
//===----------------------------------------------------------------------===//

/// Returns the values of `x` without its history.
Tensor detach(const Tensor &x);
/// Returns `x` as a value that is stored row-major before anything uses it.
Tensor contiguous(const Tensor &x);
/// Returns `x`, whose gradient is stored before anything uses it.
Tensor contiguous_backward(const Tensor &x);

/// Computes `tensors` in one compiled graph and keeps their values.
/// Errors: throws Error with the compiler's text if compiling or running
/// fails; no tensor has changed then.
void realize(const std::vector<Tensor> &tensors);

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_OPS_H
