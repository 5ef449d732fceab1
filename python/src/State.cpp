//===- State.cpp - Bindings of Tensor/State.h -----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/State.h"

#include "Bindings.h"
#include "Working.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace tinygrad;
using namespace tinygrad::python;

static nb::dict toDict(StateDict &&tensors) {
  nb::dict result;
  for (auto &[name, tensor] : tensors)
    result[nb::str(name.data(), name.size())] = python::wrap(std::move(tensor));
  return result;
}

static nb::object toObject(TorchValue &&value);

static nb::list toList(std::vector<TorchValue> &&values) {
  nb::list result;
  for (TorchValue &value : values)
    result.append(toObject(std::move(value)));
  return result;
}

static nb::object toObject(TorchValue &&value) {
  using Kind = TorchValue::Kind;
  switch (value.kind) {
  case Kind::None:
    break;
  case Kind::Bool:
    return nb::bool_(value.integer != 0);
  case Kind::Int:
    return nb::int_(value.integer);
  case Kind::Float:
    return nb::float_(value.real);
  case Kind::String:
    return nb::str(value.text.data(), value.text.size());
  case Kind::Bytes:
    return nb::bytes(value.text.data(), value.text.size());
  case Kind::Tensor:
    return python::wrap(std::move(*value.tensor));
  case Kind::Tuple:
    return nb::tuple(toList(std::move(value.items)));
  case Kind::List:
    return toList(std::move(value.items));
  case Kind::Dict: {
    nb::dict result;
    for (size_t i = 0; i < value.items.size(); i += 2) {
      nb::object key = toObject(std::move(value.items[i]));
      result[key] = toObject(std::move(value.items[i + 1]));
    }
    return result;
  }
  }
  return nb::none();
}

void python::bindState(nb::module_ &module) {
  module.def(
      "load_state_dict",
      [](const StateDict &target, const StateDict &source, Flag strict) {
        Working working;
        KeyDifference difference = load_state_dict(target, source, strict);
        return std::pair(difference.missing, difference.unexpected);
      },
      nb::arg("target"), nb::arg("source"), nb::arg("strict") = true,
      "Gives each tensor of `target` the value of that name in `source`; "
      "returns the names that are missing and those that are unexpected.");
  module.def("safe_save", &safe_save, nb::arg("tensors"), nb::arg("path"),
             nb::arg("metadata") = Metadata(), nb::call_guard<Working>());
  module.def(
      "safe_load",
      [](const std::string &path, const std::string &device) {
        return toDict(safe_load(path, readDevice(device)));
      },
      nb::arg("path"), nb::arg("device") = "");
  module.def("safe_load_metadata", &safe_load_metadata, nb::arg("path"));
  module.def(
      "torch_load",
      [](const std::string &path, const std::string &device) {
        return toObject(torch_load_value(path, readDevice(device)));
      },
      nb::arg("path"), nb::arg("device") = "");
}
