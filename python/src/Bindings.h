//===- Bindings.h - What the binding files share ----------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The extension has one file per public header, each with a function `bind…`
// that adds what the header declares. Bound tensors are handles; Python's
// `Tensor` is a subclass of them, of which all results are made.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_PYTHON_SRC_BINDINGS_H
#define TINYGRAD_PYTHON_SRC_BINDINGS_H

#include "tinygrad/Tensor/Tensor.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

namespace tinygrad::python {

namespace nb = nanobind;

/// The class of bound tensors.
using TensorClass = nb::class_<Tensor>;

// In the order in which they have to be called.
void bindError(nb::module_ &module);
void bindDType(nb::module_ &module);
TensorClass bindTensor(nb::module_ &module);
void bindOps(TensorClass &tensorClass, nb::module_ &module);
void bindContext(nb::module_ &module);
void bindTools(nb::module_ &module);

/// A Python object that is a tensor.
class TensorObject : public nb::object {
  NB_OBJECT(TensorObject, nb::object, "Tensor", isTensor)

  static bool isTensor(nb::handle object) {
    return nb::isinstance<Tensor>(object);
  }
};

/// Returns `tensor` as an object of Python's class. The GIL is held.
TensorObject wrap(Tensor tensor);
/// Returns a list of such objects.
nb::list wrap(std::vector<Tensor> tensors);

/// Returns `function` with its result wrapped.
template <typename ResultT, typename... ArgTs>
auto lift(ResultT (*function)(ArgTs...)) {
  return [function](ArgTs... args) {
    return wrap(function(std::forward<ArgTs>(args)...));
  };
}

/// Reads integers as Python's movement methods take them: one by one, or as one
/// tuple or list. Throws nb::type_error.
std::vector<int64_t> readInts(const nb::args &args);

/// A tensor, or a number that adapts to the tensor beside it.
struct Argument {
  Tensor tensor = Tensor(0);
};

} // namespace tinygrad::python

namespace nanobind::detail {

template <>
struct type_caster<tinygrad::python::Argument> {
  NB_TYPE_CASTER(tinygrad::python::Argument,
                 const_name("Tensor | bool | int | float"))

  bool from_python(handle source, uint8_t, cleanup_list *) noexcept {
    PyObject *object = source.ptr();
    if (tinygrad::Tensor *tensor;
        try_cast<tinygrad::Tensor *>(source, tensor, false)) {
      if (!tensor)
        return false;
      value.tensor = *tensor;
      return true;
    }
    if (PyBool_Check(object)) {
      value.tensor = tinygrad::Tensor(object == Py_True);
      return true;
    }
    if (PyFloat_Check(object)) {
      value.tensor = tinygrad::Tensor(PyFloat_AS_DOUBLE(object));
      return true;
    }
    if (PyLong_Check(object)) {
      int overflow = 0;
      long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
      if (overflow)
        return false;
      value.tensor = tinygrad::Tensor(static_cast<int64_t>(number));
      return true;
    }
    return false;
  }
};

/// Numbers, for now: Python has no variables yet.
template <>
struct type_caster<tinygrad::Extent> {
  NB_TYPE_CASTER(tinygrad::Extent, const_name("int"))

  bool from_python(handle source, uint8_t flags, cleanup_list *) noexcept {
    int64_t number;
    if (!try_cast<int64_t>(source, number, flags))
      return false;
    value = tinygrad::Extent(number);
    return true;
  }

  static handle from_cpp(const tinygrad::Extent &extent, rv_policy,
                         cleanup_list *) {
    return PyLong_FromLongLong(extent.getValue());
  }
};

template <>
struct type_caster<tinygrad::Shape>
    : list_caster<tinygrad::Shape, tinygrad::Extent> {};

template <>
struct type_caster<tinygrad::Ranges>
    : list_caster<tinygrad::Ranges,
                  std::pair<tinygrad::Extent, tinygrad::Extent>> {};

template <>
struct type_caster<tinygrad::Axes> {
  NB_TYPE_CASTER(tinygrad::Axes, const_name("int | Sequence[int] | None"))

  bool from_python(handle source, uint8_t flags, cleanup_list *) noexcept {
    if (source.is_none()) {
      value = tinygrad::Axes();
      return true;
    }
    int64_t axis;
    if (try_cast<int64_t>(source, axis, flags & uint8_t(cast_flags::convert))) {
      value = tinygrad::Axes(axis);
      return true;
    }
    if (!PyTuple_Check(source.ptr()) && !PyList_Check(source.ptr()))
      return false;
    std::vector<int64_t> axes;
    for (handle item : source) {
      if (!try_cast<int64_t>(item, axis, false))
        return false;
      axes.push_back(axis);
    }
    value = tinygrad::Axes(std::move(axes));
    return true;
  }
};

} // namespace nanobind::detail

#endif // TINYGRAD_PYTHON_SRC_BINDINGS_H
