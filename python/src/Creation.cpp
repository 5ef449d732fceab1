//===- Creation.cpp - Bindings of what makes tensors ----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of the module; the class in Python reads what users give.
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include <nanobind/stl/string.h>

using namespace tinygrad;
using namespace tinygrad::python;

void python::bindCreation(nb::module_ &module) {
  module.def(
      "empty",
      [](const Shape &shape, DType type, const std::string &device) {
        return wrap(Tensor::empty(shape, type, readDevice(device)));
      },
      nb::arg("shape"), nb::arg("dtype"), nb::arg("device") = "");
  module.def(
      "full",
      [](const Shape &shape, const Argument &value, DType type) {
        // A number beside which no tensor stands takes the type with all its
        // bits, and is no number any more.
        Tensor scalar = cast(value.tensor, type);
        return wrap(
            expand(reshape(scalar, Shape(shape.size(), Extent(1))), shape));
      },
      nb::arg("shape"), nb::arg("value"), nb::arg("dtype"));
  module.def(
      "arange",
      [](double start, double stop, double step, DType type) {
        return wrap(Tensor::arange(start, stop, step, type));
      },
      nb::arg("start"), nb::arg("stop"), nb::arg("step"), nb::arg("dtype"));
  module.def("eye", lift(&Tensor::eye), nb::arg("n"), nb::arg("dtype"));
  module.def("rand", lift(&Tensor::rand), nb::arg("shape"), nb::arg("dtype"));
  module.def("randn", lift(&Tensor::randn), nb::arg("shape"), nb::arg("dtype"));
  module.def("uniform", lift(&Tensor::uniform), nb::arg("shape"),
             nb::arg("low"), nb::arg("high"), nb::arg("dtype"));
  module.def("normal", lift(&Tensor::normal), nb::arg("shape"), nb::arg("mean"),
             nb::arg("std"), nb::arg("dtype"));
  module.def("randint", lift(&Tensor::randint), nb::arg("shape"),
             nb::arg("low"), nb::arg("high"), nb::arg("dtype"));
  module.def("scaled_uniform", lift(&Tensor::scaled_uniform), nb::arg("shape"),
             nb::arg("dtype"));
  module.def("glorot_uniform", lift(&Tensor::glorot_uniform), nb::arg("shape"),
             nb::arg("dtype"));
  module.def("kaiming_uniform", lift(&Tensor::kaiming_uniform),
             nb::arg("shape"), nb::arg("a"), nb::arg("dtype"));
  module.def("kaiming_normal", lift(&Tensor::kaiming_normal), nb::arg("shape"),
             nb::arg("a"), nb::arg("dtype"));
}
