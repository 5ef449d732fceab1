//===- Error.cpp - Bindings of Tensor/Error.h -----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "Working.h"

#include "tinygrad/Tensor/Module.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace tinygrad;
using namespace tinygrad::python;

/// Raises `error` as the Python exception `type`, with the op, the shapes and
/// the compiler's text as attributes. Its text is one line; a note has what
/// else the compiler says. What stopped this thread is raised in its place.
static void raise(PyObject *type, const Error &error) {
  if (raiseInterrupt())
    return;
  std::string text = error.what(), rest = error.getCompilerText();
  if (!rest.empty()) {
    text.resize(text.size() - rest.size() - 1);
    size_t end = rest.find('\n');
    text += ": " + rest.substr(0, end);
    rest = end == rest.npos ? "" : rest.substr(end + 1);
  }
  nb::object exception =
      nb::steal(PyObject_CallFunction(type, "s", text.c_str()));
  if (!exception.is_valid())
    return;
  // Python has notes from 3.11 on.
  if (!rest.empty() && nb::hasattr(exception, "add_note"))
    exception.attr("add_note")(rest);
  nb::list shapes;
  for (const Shape &shape : error.getShapes())
    shapes.append(nb::tuple(nb::cast(shape)));
  exception.attr("op") = error.getOp();
  exception.attr("shapes") = shapes;
  exception.attr("compiler_text") = error.getCompilerText();
  exception.attr("diagnostics") =
      nb::cast(parseDiagnostics(error.getCompilerText()));
  PyErr_SetObject(type, exception.ptr());
}

/// The class of exceptions; the module holds it.
static nb::handle errorType;

void python::raiseCaught() noexcept {
  try {
    throw;
  } catch (const Error &error) {
    raise(errorType.ptr(), error);
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

void python::bindError(nb::module_ &module) {
  // tinygrad asserts, numpy raises ValueError and IndexError, and PyTorch
  // RuntimeError: programs that catch these go on.
  nb::object bases = nb::make_tuple(
      nb::borrow(PyExc_RuntimeError), nb::borrow(PyExc_AssertionError),
      nb::borrow(PyExc_ValueError), nb::borrow(PyExc_IndexError));
  nb::object type = nb::steal(
      PyErr_NewExceptionWithDoc("tinygrad_mlir.Error",
                                "A call that cannot be done.\n\nIts text reads "
                                "`op: sentence`; `op`, `shapes` "
                                "and `compiler_text` hold its parts, and "
                                "`diagnostics` what the compiler said.",
                                bases.ptr(), nullptr));
  if (!type.is_valid())
    nb::raise_python_error();
  // What Python raises itself has no parts.
  type.attr("op") = "";
  type.attr("compiler_text") = "";
  type.attr("shapes") = nb::list();
  type.attr("diagnostics") = nb::list();
  errorType = type;
  module.attr("Error") = type;
  nb::register_exception_translator(
      [](const std::exception_ptr &pointer, void *type) {
        try {
          std::rethrow_exception(pointer);
        } catch (const Error &error) {
          raise(static_cast<PyObject *>(type), error);
        }
      },
      type.ptr());
}
