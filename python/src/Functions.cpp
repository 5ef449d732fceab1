//===- Functions.cpp - What Python sees of bound functions ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of nanobind have no signature that Python's tools can read, and
// say in many lines that arguments don't fit. Each is replaced by an object
// that calls it. What signatures.py makes of it is only made when somebody
// asks, or when a call has failed: a call that succeeds takes one jump more.
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include <nanobind/stl/string.h>

#include <structmember.h>

#include <cstddef>
#include <string_view>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::python;

namespace {

/// A function or method of Python that calls one of nanobind.
struct BoundFunction {
  // clang-format off
  PyObject_HEAD
  vectorcallfunc call;
  // clang-format on
  PyObject *target;
  vectorcallfunc targetCall;
};

} // namespace

static BoundFunction *get(PyObject *self) {
  return reinterpret_cast<BoundFunction *>(self);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Calls `name` of signatures.py.
template <typename... ArgTs>
static nb::object callSignatures(const char *name, const ArgTs &...args) {
  return nb::module_::import_("tinygrad_mlir.signatures").attr(name)(args...);
}

std::string python::describe(nb::handle value) {
  return nb::cast<std::string>(callSignatures("describe", value));
}

/// Replaces nanobind's exception about arguments by one with a sentence.
static void explain(PyObject *function, PyObject *const *args, size_t count,
                    PyObject *names) noexcept {
  if (!PyErr_ExceptionMatches(PyExc_TypeError))
    return;
  try {
    nb::python_error error;
    nb::str message(error.value());
    std::string_view text = message.c_str();
    if (text.find("(): incompatible function arguments.") == text.npos) {
      error.restore();
      return;
    }
    nb::list values;
    for (size_t i = 0; i < count; ++i)
      values.append(nb::handle(args[i]));
    nb::dict keywords;
    for (size_t i = 0; names && i < nb::len(nb::handle(names)); ++i)
      keywords[nb::handle(PyTuple_GET_ITEM(names, i))] =
          nb::handle(args[count + i]);
    nb::object sentence =
        callSignatures("explain", nb::handle(function), values, keywords);
    PyErr_SetObject(PyExc_TypeError, sentence.ptr());
  } catch (...) {
    raiseCaught();
  }
}

static PyObject *call(PyObject *self, PyObject *const *args, size_t flags,
                      PyObject *names) {
  BoundFunction *function = get(self);
  PyObject *result = function->targetCall(function->target, args, flags, names);
  if (!result) [[unlikely]]
    explain(self, args, PyVectorcall_NARGS(flags), names);
  return result;
}

static PyObject *bind(PyObject *self, PyObject *object, PyObject *) {
  return object ? PyMethod_New(self, object) : Py_NewRef(self);
}

/// `help` takes for a function what can be bound.
static PyObject *bindStatic(PyObject *self, PyObject *, PyObject *) {
  return Py_NewRef(self);
}

/// What calls the constructors of bound classes.
static vectorcallfunc construct;

static PyObject *callConstructor(PyObject *type, PyObject *const *args,
                                 size_t flags, PyObject *names) {
  PyObject *result = construct(type, args, flags, names);
  if (result) [[likely]]
    return result;
  nb::object function = nb::borrow(PyDict_GetItemString(
      reinterpret_cast<PyTypeObject *>(type)->tp_dict, "__init__"));
  std::vector<PyObject *> all = {Py_None};
  size_t count = PyVectorcall_NARGS(flags);
  all.insert(all.end(), args,
             args + count + (names ? PyTuple_GET_SIZE(names) : 0));
  explain(function.ptr(), all.data(), count + 1, names);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Returns the attribute of the function of nanobind whose name is `name`.
static PyObject *getFact(PyObject *self, void *name) {
  return PyObject_GetAttrString(get(self)->target,
                                static_cast<const char *>(name));
}

/// Returns what the function `name` of signatures.py makes of the function.
static PyObject *makeFact(PyObject *self, void *name) {
  try {
    return callSignatures(static_cast<const char *>(name), nb::handle(self))
        .release()
        .ptr();
  } catch (...) {
    raiseCaught();
    return nullptr;
  }
}

/// The module is that of the function of nanobind. It is no fact of the list:
/// those are attributes of the type, too, which has a module of its own.
static PyObject *getAttribute(PyObject *self, PyObject *name) {
  if (PyUnicode_CompareWithASCIIString(name, "__module__") == 0)
    return PyObject_GetAttr(get(self)->target, name);
  return PyObject_GenericGetAttr(self, name);
}

static PyObject *repr(PyObject *self) {
  nb::object name =
      nb::steal(getFact(self, const_cast<char *>("__qualname__")));
  return name.is_valid() ? PyUnicode_FromFormat("<function %U>", name.ptr())
                         : nullptr;
}

/// Pickles find a function by its name.
static PyObject *reduce(PyObject *self, PyObject *) {
  return getFact(self, const_cast<char *>("__qualname__"));
}

//===----------------------------------------------------------------------===//
// The types
//===----------------------------------------------------------------------===//

static int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(get(self)->target);
  return 0;
}

static void deallocate(PyObject *self) {
  PyObject_GC_UnTrack(self);
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(get(self)->target);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

static nb::object makeType(bool isMethod) {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(BoundFunction, call), READONLY,
                                   nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
  auto fact = [](const char *name) {
    return PyGetSetDef{name, getFact, nullptr, nullptr,
                       const_cast<char *>(name)};
  };
  auto made = [](const char *name, const char *function) {
    return PyGetSetDef{name, makeFact, nullptr, nullptr,
                       const_cast<char *>(function)};
  };
  static PyGetSetDef facts[] = {fact("__name__"),
                                fact("__qualname__"),
                                fact("__nb_signature__"),
                                made("__doc__", "get_doc"),
                                made("__signature__", "get_signature"),
                                {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {
      {Py_tp_members, members},
      {Py_tp_getset, facts},
      {Py_tp_methods, methods},
      {Py_tp_getattro, reinterpret_cast<void *>(getAttribute)},
      {Py_tp_repr, reinterpret_cast<void *>(repr)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
      {Py_tp_descr_get, reinterpret_cast<void *>(isMethod ? bind : bindStatic)},
      {0, nullptr}};
  unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                   Py_TPFLAGS_HAVE_VECTORCALL |
                   (isMethod ? Py_TPFLAGS_METHOD_DESCRIPTOR : 0);
  // Under nanobind's names, by which its generator of stubs knows functions.
  PyType_Spec spec = {isMethod ? "nanobind.nb_method" : "nanobind.nb_func",
                      sizeof(BoundFunction), 0, flags, slots};
  nb::object type = nb::steal(PyType_FromSpec(&spec));
  if (!type.is_valid())
    nb::raise_python_error();
  return type;
}

//===----------------------------------------------------------------------===//
// Replacement
//===----------------------------------------------------------------------===//

namespace {

/// Replaces the functions of a module and of its classes.
class Replacer {
public:
  void visit(nb::handle scope);

private:
  /// Returns what stands for `value`, or nothing where it stays.
  nb::object replace(nb::handle value);

  nb::object methodType = makeType(true), functionType = makeType(false);
};

} // namespace

nb::object Replacer::replace(nb::handle value) {
  std::string_view kind = Py_TYPE(value.ptr())->tp_name;
  if (kind == "property") {
    // Getters take nothing that could be wrong.
    nb::object setter = replace(value.attr("fset"));
    if (!setter.is_valid())
      return {};
    return nb::handle(reinterpret_cast<PyObject *>(&PyProperty_Type))(
        value.attr("fget"), setter, nb::none(), value.attr("__doc__"));
  }
  bool isMethod = kind == "nanobind.nb_method";
  bool isKnown =
      nb::isinstance(value, methodType) || nb::isinstance(value, functionType);
  if (isKnown || (!isMethod && kind != "nanobind.nb_func"))
    return {};
  PyTypeObject *type = reinterpret_cast<PyTypeObject *>(
      (isMethod ? methodType : functionType).ptr());
  nb::object result = nb::steal(PyType_GenericAlloc(type, 0));
  if (!result.is_valid())
    nb::raise_python_error();
  BoundFunction *function = get(result.ptr());
  function->call = call;
  function->target = Py_NewRef(value.ptr());
  function->targetCall = PyVectorcall_Function(value.ptr());
  return result;
}

void Replacer::visit(nb::handle scope) {
  nb::object members = scope.attr("__dict__");
  for (nb::handle item : nb::list(members.attr("items")())) {
    nb::handle name = item[0], value = item[1];
    if (nb::object function = replace(value); function.is_valid())
      nb::setattr(scope, name, function);
    else if (nb::isinstance<nb::type_object>(value) && nb::type_check(value))
      visit(value);
  }
  if (!nb::type_check(scope))
    return;
  auto *type = reinterpret_cast<PyTypeObject *>(scope.ptr());
  if (type->tp_vectorcall && type->tp_vectorcall != callConstructor)
    construct = std::exchange(type->tp_vectorcall, callConstructor);
}

void python::describeFunctions(nb::module_ &module) {
  Replacer().visit(module);
}
