//===- Gradient.h - Gradients of functions ----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `grad(f)` and `value_and_grad(f)` turn a function of tensors into one that
// computes its gradient. What these return is such a function again, so that
// nesting gives higher orders:
//
//   auto cube = [](const Tensor &x) { return x * x * x; };
//   grad(grad(cube))(2.0).item(); // 12
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_GRADIENT_H
#define TINYGRAD_TENSOR_GRADIENT_H

#include "tinygrad/Tensor/Tensor.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace tinygrad {

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// While one lives, this thread records no history for `backward`.
class NoGradGuard {
public:
  NoGradGuard();
  ~NoGradGuard();
  NoGradGuard(const NoGradGuard &) = delete;
  NoGradGuard &operator=(const NoGradGuard &) = delete;

private:
  std::optional<bool> previous;
};

/// While one lives, this thread trains, or does not: `dropout` drops, and
/// batch norms use the statistics of the batch. Source: `Tensor.train`.
class TrainingGuard {
public:
  explicit TrainingGuard(bool value = true);
  ~TrainingGuard();
  TrainingGuard(const TrainingGuard &) = delete;
  TrainingGuard &operator=(const TrainingGuard &) = delete;

private:
  std::optional<bool> previous;
};

/// Returns true within a TrainingGuard(true).
bool isTraining();

/// Returns true unless a NoGradGuard lives on this thread.
bool isGradEnabled();
/// Say what holds on threads without a guard, as tinygrad's `Tensor.no_grad`,
/// `Tensor.training` and `Tensor.wino` do, which programs in Python set.
void setGradEnabled(bool value);
void setTraining(bool value);
void setWinograd(bool value);
/// Returns true within a WinogradGuard(true).
bool isWinograd();

/// Returns true if `x` was computed from a tensor whose gradient is wanted, but
/// none flows there, because of a comparison on the way. What is realized is
/// not looked into.
bool isGradCutOff(const Tensor &x);

//===----------------------------------------------------------------------===//
// Functions with a gradient of their own
//===----------------------------------------------------------------------===//

/// A differentiable function with a gradient of the user's own.
/// Source: `tensor.Function`.
struct Function {
  /// Computes the result. It is given the inputs without their history.
  std::function<Tensor(const std::vector<Tensor> &inputs)> forward;
  /// Computes the gradients of the inputs, each of its input's shape and type,
  /// from the inputs, the result and the result's gradient. A missing entry
  /// means that none flows.
  std::function<std::vector<std::optional<Tensor>>(
      const std::vector<Tensor> &inputs, const Tensor &result,
      const Tensor &grad)>
      backward;

  /// Applies the function. Errors: throws Error if there is no `forward`, and
  /// from `Tensor::backward` if there is no `backward`, or it returns too many
  /// gradients or one of another shape or type.
  Tensor apply(const std::vector<Tensor> &inputs) const;
};

//===----------------------------------------------------------------------===//
// Gradients of functions
//===----------------------------------------------------------------------===//

namespace detail {

/// Computes `fn(inputs)` and its gradients by the inputs of `numbers`.
std::pair<Tensor, std::vector<Tensor>>
valueAndGrad(const std::function<Tensor(const std::vector<Tensor> &)> &fn,
             const std::vector<Tensor> &inputs,
             const std::vector<int64_t> &numbers);

template <typename F, size_t... I, typename... Args>
std::pair<Tensor, std::vector<Tensor>>
applyValueAndGrad(const F &fn, const std::vector<int64_t> &numbers,
                  std::index_sequence<I...>, const Args &...args) {
  return valueAndGrad(
      [&](const std::vector<Tensor> &in) -> Tensor { return fn(in[I]...); },
      {Tensor(args)...}, numbers);
}

} // namespace detail

/// Returns a function of the same arguments, tensors or numbers, that gives the
/// value of `fn` and its gradients by the arguments with `numbers`, counted
/// from 0 (negative ones from the end). No `grad` of a tensor changes. Where
/// `fn` does not use an argument its gradient is 0. Errors: that function
/// throws Error if `fn` does not return one element of a float type, a number
/// is out of range, or its argument is not of a float type.
template <typename F>
auto value_and_grad(F fn, std::vector<int64_t> numbers) {
  return [fn = std::move(fn), numbers = std::move(numbers)](
             const auto &...args) -> std::pair<Tensor, std::vector<Tensor>> {
    return detail::applyValueAndGrad(
        fn, numbers, std::make_index_sequence<sizeof...(args)>(), args...);
  };
}

/// The same with the gradient by one argument.
template <typename F>
auto value_and_grad(F fn, int64_t number = 0) {
  return [fn = std::move(fn),
          number](const auto &...args) -> std::pair<Tensor, Tensor> {
    auto [value, grads] = detail::applyValueAndGrad(
        fn, {number}, std::make_index_sequence<sizeof...(args)>(), args...);
    return {value, grads[0]};
  };
}

/// Returns a function that gives the gradients of `value_and_grad` alone.
template <typename F>
auto grad(F fn, std::vector<int64_t> numbers) {
  return [fn = value_and_grad(std::move(fn), std::move(numbers))](
             const auto &...args) -> std::vector<Tensor> {
    return fn(args...).second;
  };
}

/// The same with the gradient by one argument.
template <typename F>
auto grad(F fn, int64_t number = 0) {
  return [fn = value_and_grad(std::move(fn), number)](
             const auto &...args) -> Tensor { return fn(args...).second; };
}

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_GRADIENT_H
