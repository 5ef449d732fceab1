//===- Gradient.cpp - Bindings of Tensor/Gradient.h -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Gradient.h"

#include "Bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

using namespace tinygrad;
using namespace tinygrad::python;

using OptionalTensors = std::vector<std::optional<Tensor>>;

static TensorObject applyFunction(const std::vector<Tensor> &inputs,
                                  nb::object forward, nb::object backward) {
  Function function;
  // Called at once, while Python's lock is held.
  function.forward = [&](const std::vector<Tensor> &values) {
    return nb::cast<Tensor>(forward(wrap(values)));
  };
  function.backward = [held = hold(std::move(backward))](
                          const std::vector<Tensor> &inputs,
                          const Tensor &result, const Tensor &grad) {
    nb::gil_scoped_acquire gil;
    return nb::cast<OptionalTensors>(
        (*held)(wrap(inputs), wrap(result), wrap(grad)));
  };
  return wrap(function.apply(inputs));
}

void python::bindGradient(nb::module_ &module) {
  module.def("apply_function", &applyFunction, nb::arg("inputs"),
             nb::arg("forward"), nb::arg("backward"),
             "Returns `forward(inputs)` with the gradient that "
             "`backward(inputs, result, grad)` computes: a list with a tensor "
             "or None for each input.");
}
