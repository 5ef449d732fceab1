//===- DType.cpp - Bindings of Ops/DType.h --------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include <array>

using namespace tinygrad;
using namespace tinygrad::python;

/// Python's objects for the types, once dtype.py has told of them. Never
/// released: the module holds them.
static std::array<PyObject *, numDTypes> dtypeObjects;
/// Other objects that stand for a type, each with that type.
static PyObject *aliases;

PyObject *python::getDTypeObject(DType type) {
  PyObject *object = dtypeObjects[static_cast<size_t>(type)];
  return Py_NewRef(object ? object : Py_None);
}

std::optional<DType> python::readDType(PyObject *object) noexcept {
  for (int i = 0; i < numDTypes; ++i)
    if (dtypeObjects[i] == object)
      return static_cast<DType>(i);
  // One that was made again, or a pointer to elements of a type.
  if (!dtypeObjects[0] || !PyObject_HasAttrString(object, "priority"))
    return std::nullopt;
  for (int i = 0; i < numDTypes; ++i) {
    int isEqual = PyObject_RichCompareBool(object, dtypeObjects[i], Py_EQ);
    if (isEqual < 0)
      PyErr_Clear();
    if (isEqual > 0)
      return static_cast<DType>(i);
  }
  PyObject *target = PyDict_GetItem(aliases, object);
  return target ? readDType(target) : std::nullopt;
}

void python::bindDType(nb::module_ &module) {
  module.def(
      "set_dtypes",
      [](const nb::list &types, const nb::dict &others) {
        if (types.size() != dtypeObjects.size())
          throw nb::value_error("expects an object for each element type");
        for (size_t i = 0; i < dtypeObjects.size(); ++i)
          dtypeObjects[i] = Py_NewRef(nb::object(types[i]).ptr());
        aliases = Py_NewRef(others.ptr());
      },
      nb::arg("types"), nb::arg("aliases"),
      "Says which objects stand for the element types, in the order of "
      "promotion, and which others for one of these.");
}
