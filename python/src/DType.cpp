//===- DType.cpp - Bindings of Ops/DType.h --------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

using namespace tinygrad;
using namespace tinygrad::python;

void python::bindDType(nb::module_ &module) {
  nb::enum_<DType> type(module, "DType",
                        "An element type; the order is that of promotion.",
                        nb::is_arithmetic());
  for (int i = 0; i < numDTypes; ++i) {
    // Names are literals, so they end with a zero.
    auto value = static_cast<DType>(i);
    type.value(getName(value).data(), value);
  }
  type.def_prop_ro(
      "itemsize", [](DType type) { return getByteWidth(type); },
      "The size of one element in memory, in bytes.");
  module.def("is_float", &isFloat, nb::arg("dtype"));
  module.def("is_integer", &isInteger, nb::arg("dtype"));
  module.def("is_unsigned", &isUnsigned, nb::arg("dtype"));
  module.def(
      "parse_dtype",
      [](const std::string &name) {
        if (std::optional<DType> type = parseDType(name))
          return *type;
        throw Error("dtype",
                    "expects the name of an element type, got `" + name + "`");
      },
      nb::arg("name"), "Returns the type that numpy calls `name`.");
}
