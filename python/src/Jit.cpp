//===- Jit.cpp - Bindings of Tensor/Jit.h ---------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Jit.h"

#include "Bindings.h"
#include "Working.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace tinygrad;
using namespace tinygrad::python;

/// Calls `step`, which calls `function` with a list of tensors where it is not
/// captured; that returns a list of tensors.
static nb::list call(CapturedStep &step, const std::vector<Tensor> &inputs,
                     const Shape &extents, nb::callable function) {
  auto callFunction = [&](const std::vector<Tensor> &own) {
    nb::gil_scoped_acquire gil;
    return nb::cast<std::vector<Tensor>>(function(wrap(own)));
  };
  std::vector<Tensor> results;
  {
    Working working;
    results = step.call(inputs, callFunction, extents);
  }
  return wrap(std::move(results));
}

void python::bindJit(nb::module_ &module) {
  nb::class_<CapturedStep>(
      module, "CapturedStep",
      "A function of tensors that is captured at its second call.")
      .def(nb::init<>())
      .def("call", &call, nb::arg("inputs"), nb::arg("extents"),
           nb::arg("function"),
           "Calls the function with a list of the inputs, or repeats what its "
           "second call did; returns the list that it returns. Variables of "
           "the extents are inputs, too.")
      .def("allow_reads", &CapturedStep::allowReads,
           "Says that a function which reads values is run at each call, "
           "instead of an Error.")
      .def_prop_ro("reads_values", &CapturedStep::readsValues)
      .def("reset", &CapturedStep::reset,
           "Forgets what was captured: the next two calls run the function.")
      .def_prop_ro("is_captured", &CapturedStep::isCaptured)
      .def_prop_ro("kernel_names", &CapturedStep::getKernelNames,
                   "The kernels that a captured call runs, in order.");
}
