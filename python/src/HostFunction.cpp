//===- HostFunction.cpp - Bindings of Tensor/HostFunction.h ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/HostFunction.h"

#include "Bindings.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace tinygrad;
using namespace tinygrad::python;

/// Calls `function` with a memoryview of bytes for each array.
static void call(nb::handle function, std::span<const HostArray> arrays) {
  nb::gil_scoped_acquire gil;
  nb::list views;
  for (const HostArray &array : arrays) {
    bool isResult = &array == &arrays.back();
    PyObject *view =
        PyMemoryView_FromMemory(static_cast<char *>(array.data),
                                array.numElements * getByteWidth(array.type),
                                isResult ? PyBUF_WRITE : PyBUF_READ);
    if (!view)
      nb::raise_python_error();
    views.append(nb::steal(view));
  }
  try {
    function(views);
  } catch (nb::python_error &error) {
    // Its text has many lines: those of the traceback.
    nb::object line = nb::module_::import_("tinygrad_mlir.signatures")
                          .attr("describe_exception")(error.value());
    throw std::runtime_error(nb::cast<std::string>(line));
  }
  // The memory is gone after the call: so are views that the function kept.
  for (nb::handle view : views)
    view.attr("release")();
}

void python::bindHostFunction(nb::module_ &module) {
  module.def(
      "call_host_function",
      [](const std::string &name, nb::callable function,
         const std::vector<Tensor> &inputs, const Shape &shape, DType type) {
        auto run = [held = hold(std::move(function))](
                       std::span<const HostArray> arrays) {
          call(*held, arrays);
        };
        return wrap(callHostFunction(name, run, inputs, shape, type));
      },
      nb::arg("name"), nb::arg("function"), nb::arg("inputs"), nb::arg("shape"),
      nb::arg("dtype"),
      "Makes the tensor that the function computes when it is realized: it is "
      "called with a list of memoryviews of bytes, those of the inputs and, to "
      "be filled, that of the result.");
}
