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

#include "tinygrad/Shape/SymbolicShapeTracker.h"
#include "tinygrad/Tensor/Tensor.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
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
void bindIndexing(TensorClass &tensorClass);
void bindCreation(nb::module_ &module);
void bindBuffer(nb::module_ &module);
void bindCompiler(nb::module_ &module);
void bindContext(nb::module_ &module);
void bindDLPack(nb::module_ &module);
void bindShape(nb::module_ &module);
void bindGradient(nb::module_ &module);
void bindHostFunction(nb::module_ &module);
void bindJit(nb::module_ &module);
void bindNN(nb::module_ &module);
void bindState(nb::module_ &module);
void bindLazy(nb::module_ &module);
void bindTools(nb::module_ &module);
/// Gives the functions signatures and errors that a user can read.
void describeFunctions(nb::module_ &module);
void bindWorking(nb::module_ &module);

/// A Python object that is a tensor.
class TensorObject : public nb::object {
  NB_OBJECT(TensorObject, nb::object, "tinygrad_mlir.tensor.Tensor", isTensor)

  static bool isTensor(nb::handle object) {
    return nb::isinstance<Tensor>(object);
  }
};

/// Reads a number or a node of symbolic.py; nothing for other objects.
std::optional<shape::IndexExpr> readExpr(nb::handle object) noexcept;
/// Returns a number, or a node of symbolic.py.
nb::object wrapExpr(const shape::IndexExpr &expr);
/// Returns a ShapeTracker of Python.
nb::object wrapTracker(const shape::SymbolicShapeTracker &tracker);
/// Returns a new reference to Python's object for `type`.
PyObject *getDTypeObject(DType type);
/// Returns the type that `object` stands for, or nothing.
std::optional<DType> readDType(PyObject *object) noexcept;

/// Throws for elements that cannot be shared because of their strides, which
/// are in `unit`.
[[noreturn]] void failForStrides(const char *operation, const int64_t *strides,
                                 int rank, const char *unit,
                                 const Shape &shape);

/// tinygrad has several devices for the processor: programs see the one of ours
/// under the name that they chose. The first returns the name for programs, the
/// second the library's.
std::string showDevice(const std::string &device);
std::string readDevice(const std::string &device);

/// Computes `tensor` as its method `realize` does, before its values are read.
/// The GIL is not held.
void computeToRead(const Tensor &tensor);

/// Returns `tensor` as an object of Python's class. The GIL is held.
TensorObject wrap(Tensor tensor);
/// Returns a list of such objects.
nb::typed<nb::list, TensorObject> wrap(std::vector<Tensor> tensors);

/// A yes or no: a bool, a number of Python or a bool of numpy.
struct Flag {
  bool value = false;
  operator bool() const { return value; }
};

/// What a function that takes a T takes from Python.
template <typename T>
using Taken = std::conditional_t<std::is_same_v<T, bool>, Flag, T>;

/// Returns `function` with its result wrapped.
template <typename ResultT, typename... ArgTs>
auto lift(ResultT (*function)(ArgTs...)) {
  return [function](Taken<ArgTs>... args) {
    return wrap(function(std::forward<Taken<ArgTs>>(args)...));
  };
}

/// Holds what Python calls until the last graph that refers to it is gone, on
/// whichever thread that is. A graph may outlive the interpreter.
inline std::shared_ptr<nb::object> hold(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object *held) {
            if (!nb::is_alive())
              return;
            nb::gil_scoped_acquire gil;
            delete held;
          }};
}

/// Raises what is caught as a Python exception; called where it is.
void raiseCaught() noexcept;

/// True for a tuple, a list, a range and other sequences, such as arrays.
bool isSequence(nb::handle object);
/// Lists what Python's movement methods take: one by one, or as one sequence.
nb::list listArguments(nb::handle first, const nb::args &rest);
/// Reads integers that the function `name` is given so. Throws nb::type_error.
std::vector<int64_t> readInts(const char *name, nb::handle first,
                              const nb::args &rest);
[[noreturn]] void failForInteger(const char *name, nb::handle item);
/// Says in an error what a value is; computes nothing.
std::string describe(nb::handle value);

/// A tensor, a number that adapts to the tensor beside it, or what becomes a
/// tensor: an array or nested lists.
struct Argument {
  Tensor tensor = Tensor(0);
};

/// Reads `object`, which is neither a tensor nor a number of Python, as a
/// number or a tensor. Returns false if it is none; throws what is wrong with
/// an array or a list.
bool readArray(PyObject *object, Argument &result);
/// The same, with false for what cannot be read.
bool readArrayArgument(PyObject *object, Argument &result) noexcept;

/// One integer, or several in a tuple or list.
struct Ints {
  std::vector<int64_t> values;
  bool isNumber = false;
};

/// The slots of the buffer protocol, for the class of tensors.
int getBuffer(PyObject *object, Py_buffer *view, int flags);
void releaseBuffer(PyObject *object, Py_buffer *view);

/// Calls `release` with the GIL held, which this thread need not have; never
/// once Python has ended.
void releaseWithGIL(const std::function<void()> &release);

/// The slots of operators and of the hash, for the class of tensors.
extern PyType_Slot operatorSlots[];

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
    return tinygrad::python::readArrayArgument(object, value);
  }
};

template <>
struct type_caster<tinygrad::python::Flag> {
  NB_TYPE_CASTER(tinygrad::python::Flag, const_name("bool"))

  bool from_python(handle source, uint8_t, cleanup_list *) noexcept {
    value.value = source.ptr() == Py_True;
    if (PyBool_Check(source.ptr()))
      return true;
    const char *name = Py_TYPE(source.ptr())->tp_name;
    if (!PyLong_Check(source.ptr()) && std::strcmp(name, "numpy.bool") != 0 &&
        std::strcmp(name, "numpy.bool_") != 0)
      return false;
    int result = PyObject_IsTrue(source.ptr());
    value.value = result > 0;
    return result >= 0;
  }
};

template <>
struct type_caster<tinygrad::python::Ints> {
  NB_TYPE_CASTER(tinygrad::python::Ints, const_name("int | Sequence[int]"))

  bool from_python(handle source, uint8_t flags, cleanup_list *) noexcept {
    int64_t number;
    value.isNumber = try_cast<int64_t>(source, number, flags);
    if (value.isNumber) {
      value.values = {number};
      return true;
    }
    return tinygrad::python::isSequence(source) &&
           try_cast<std::vector<int64_t>>(source, value.values, flags);
  }
};

template <>
struct type_caster<tinygrad::DType> {
  NB_TYPE_CASTER(tinygrad::DType, const_name("tinygrad_mlir.dtype.DType"))

  bool from_python(handle source, uint8_t, cleanup_list *) noexcept {
    std::optional<tinygrad::DType> type =
        tinygrad::python::readDType(source.ptr());
    if (type)
      value = *type;
    return type.has_value();
  }

  static handle from_cpp(tinygrad::DType type, rv_policy, cleanup_list *) {
    return tinygrad::python::getDTypeObject(type);
  }
};

/// A number, or a node of symbolic.py.
template <>
struct type_caster<tinygrad::Extent> {
  NB_TYPE_CASTER(tinygrad::Extent,
                 const_name("int | tinygrad_mlir.shape.symbolic.Node"))

  bool from_python(handle source, uint8_t flags, cleanup_list *) noexcept {
    int64_t number;
    if (try_cast<int64_t>(source, number, flags)) {
      value = tinygrad::Extent(number);
      return true;
    }
    std::optional<tinygrad::shape::IndexExpr> expr =
        tinygrad::python::readExpr(source);
    if (!expr)
      return false;
    value = expr->isConstant()
                ? tinygrad::Extent(expr->getValue())
                : tinygrad::Extent(
                      std::make_shared<const tinygrad::shape::IndexExpr>(
                          *std::move(expr)));
    return true;
  }

  static handle from_cpp(const tinygrad::Extent &extent, rv_policy,
                         cleanup_list *) {
    if (extent.isSymbolic())
      return tinygrad::python::wrapExpr(*extent.getExpr()).release();
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
    std::vector<int64_t> axes;
    if (!tinygrad::python::isSequence(source) ||
        !try_cast<std::vector<int64_t>>(source, axes, flags))
      return false;
    value = tinygrad::Axes(std::move(axes));
    return true;
  }
};

} // namespace nanobind::detail

#endif // TINYGRAD_PYTHON_SRC_BINDINGS_H
