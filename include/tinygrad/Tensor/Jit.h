//===- Jit.h - Steps that are captured and run again ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of tensors that is called again and again with the same shapes,
// such as a step of training, builds the same graph each time. `TinyJit` keeps
// what the graph was compiled to and runs it without the function:
//
//   TinyJit step([&](const Tensor &x, const Tensor &y) {
//     optimizer.zero_grad();
//     Tensor loss = model(x).sparse_categorical_crossentropy(y);
//     loss.backward();
//     optimizer.step({loss});
//     return loss;
//   });
//   for (...)
//     losses.push_back(step(images, labels).item());
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_JIT_H
#define TINYGRAD_TENSOR_JIT_H

#include "tinygrad/Tensor/Tensor.h"

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tinygrad {

/// What a TinyJit captured, without the type of its function.
class CapturedStep {
public:
  using StepFunction =
      std::function<std::vector<Tensor>(const std::vector<Tensor> &inputs)>;

  CapturedStep();
  ~CapturedStep();
  CapturedStep(CapturedStep &&);
  CapturedStep &operator=(CapturedStep &&);

  /// Calls `function`, or repeats what its second call did. The variables of
  /// `extents` are inputs, too: each call has its own values of them.
  std::vector<Tensor> call(const std::vector<Tensor> &inputs,
                           const StepFunction &function,
                           const Shape &extents = {});

  /// Says that a function which reads values of tensors is no error: it is not
  /// captured, and each call runs it.
  void allowReads();
  /// True if the function has read values while it was to be captured.
  bool readsValues() const;

  /// Forgets what was captured: the next two calls run the function again.
  void reset();
  bool isCaptured() const;
  /// The number of kernels that a captured call runs, and their names in the
  /// order in which it runs them.
  int64_t getNumKernels() const;
  std::vector<std::string> getKernelNames() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// A function of tensors that is captured at its second call. It returns a
/// tensor, a vector of them, or nothing. Source: `TinyJit`.
///
/// Calls from the third on run no code of the function. They hand the inputs to
/// the kernels, give a new value to each variable that the function assigned
/// (the parameters of a model, the state of an optimizer or of a batch norm),
/// and return new results, which have no history for `backward`.
///
/// The function gets its inputs as variables of their own, with copies of the
/// buffers while it runs. What it assigns to one of them the caller's tensor
/// has after the call, and a variable that the function refers to is not an
/// input, even if it is handed in as one. A number that is handed in is a
/// tensor like others, of a fixed type.
///
/// What changes between calls must be an input, a variable, the random numbers,
/// an optimizer's `lr`, or a `Tensor::parameter` that reads its value from a
/// function. All other numbers of C++ stay as they were at the second call. A
/// variable that is assigned outside of the function between two calls counts
/// with its new value. Optimizers and what such functions refer to must live as
/// long as the jit. Gradients are not kept: `grad()` is that of the second
/// call.
///
/// The last graph that a call runs writes new values of variables into the
/// memory of the old ones: `optimizer.step({loss})` puts all in one. Where
/// something else still knows an old value, such as a tensor that `detach`
/// returned, that call copies it first.
///
/// Errors: throws Error if an input has another shape or type than at the
/// second call (see reset), if two inputs are one buffer, if the function reads
/// the values of a tensor (see allowReads) or makes a parameter of a plain
/// number while it is captured, what tinygrad::realize throws, and what the
/// function throws; also if the jit was moved from. From the second call on,
/// variables, inputs and the optimizers' counts of steps are what they were
/// before then; the first call is one without a jit.
template <typename FunctionT>
class TinyJit : public CapturedStep {
public:
  explicit TinyJit(FunctionT function) : function(std::move(function)) {}

  template <typename... TensorTs>
  auto operator()(const TensorTs &...tensors) {
    static_assert((std::is_same_v<TensorTs, Tensor> && ...),
                  "the inputs of a captured function are tensors");
    using ResultT = std::invoke_result_t<FunctionT &, const TensorTs &...>;
    std::vector<Tensor> results =
        call({tensors...}, [this](const std::vector<Tensor> &inputs) {
          return apply<ResultT>(inputs, std::index_sequence_for<TensorTs...>());
        });
    if constexpr (std::is_same_v<ResultT, Tensor>)
      return results.front();
    else if constexpr (!std::is_void_v<ResultT>)
      return results;
  }

private:
  template <typename ResultT, size_t... indices>
  std::vector<Tensor> apply(const std::vector<Tensor> &inputs,
                            std::index_sequence<indices...>) {
    if constexpr (std::is_void_v<ResultT>) {
      function(inputs[indices]...);
      return {};
    } else if constexpr (std::is_same_v<ResultT, Tensor>) {
      return {function(inputs[indices]...)};
    } else {
      static_assert(std::is_same_v<ResultT, std::vector<Tensor>>,
                    "the results of a captured function are tensors");
      return function(inputs[indices]...);
    }
  }

  FunctionT function;
};

/// Returns a TinyJit of `function`. Source: `TinyJit` as a decorator.
template <typename FunctionT>
TinyJit<std::decay_t<FunctionT>> jit(FunctionT &&function) {
  return TinyJit<std::decay_t<FunctionT>>(std::forward<FunctionT>(function));
}

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_JIT_H
