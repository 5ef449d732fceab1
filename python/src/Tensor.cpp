//===- Tensor.cpp - Bindings of Tensor/Tensor.h ---------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Realize.h"

#include "Bindings.h"
#include "Working.h"

#include "tinygrad/Tensor/Gradient.h"
#include "tinygrad/Tensor/Lazy.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>
#include <optional>

using namespace tinygrad;
using namespace tinygrad::python;

/// Python's class of tensors, once it has told of itself; the module holds it.
static nb::handle tensorSubclass;

TensorObject python::wrap(Tensor tensor) {
  nb::handle type = tensorSubclass ? tensorSubclass : nb::type<Tensor>();
  nb::object object = nb::inst_alloc(type);
  // In Python every tensor on the way to a loss has a gradient after it.
  if (tensor.requires_grad())
    tensor.retain_grad();
  new (nb::inst_ptr<Tensor>(object)) Tensor(std::move(tensor));
  nb::inst_mark_ready(object);
  return nb::borrow<TensorObject>(object);
}

nb::typed<nb::list, TensorObject> python::wrap(std::vector<Tensor> tensors) {
  nb::typed<nb::list, TensorObject> result;
  for (Tensor &tensor : tensors)
    result.append(wrap(std::move(tensor)));
  return result;
}

bool python::isSequence(nb::handle object) {
  if (PyTuple_Check(object.ptr()) || PyList_Check(object.ptr()))
    return true;
  // An array without an axis is a number.
  return PySequence_Check(object.ptr()) && !PyUnicode_Check(object.ptr()) &&
         !PyBytes_Check(object.ptr()) && !nb::isinstance<Tensor>(object) &&
         nb::len_hint(object) > 0;
}

nb::list python::listArguments(nb::handle first, const nb::args &rest) {
  if (rest.size() == 0 && isSequence(first))
    return nb::list(first);
  nb::list result;
  result.append(first);
  for (nb::handle item : rest)
    result.append(item);
  return result;
}

void python::failForInteger(const char *name, nb::handle item) {
  std::string text = std::string(name) +
                     "() expects integers, or one tuple or list of them, got " +
                     describe(item);
  throw nb::type_error(text.c_str());
}

std::vector<int64_t> python::readInts(const char *name, nb::handle first,
                                      const nb::args &rest) {
  std::vector<int64_t> result;
  for (nb::handle item : listArguments(first, rest)) {
    int64_t number;
    if (!nb::try_cast<int64_t>(item, number))
      failForInteger(name, item);
    result.push_back(number);
  }
  return result;
}

bool python::readArray(PyObject *object, Argument &result) {
  bool isList = PyList_Check(object) || PyTuple_Check(object);
  if (!isList && !PyObject_HasAttrString(object, "__array__"))
    return false;
  // A scalar of numpy is a number.
  nb::handle source = object;
  if (nb::hasattr(source, "item") && !nb::hasattr(source, "__len__")) {
    nb::object number = source.attr("item")();
    return !number.is(source) && nb::try_cast<Argument>(number, result);
  }
  nb::object tensor = tensorSubclass.attr("_read")(source);
  result.tensor = *nb::inst_ptr<Tensor>(tensor);
  return true;
}

bool python::readArrayArgument(PyObject *object, Argument &result) noexcept {
  try {
    return readArray(object, result);
  } catch (nb::python_error &) {
    return false;
  }
}

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

void python::computeToRead(const Tensor &tensor) {
  // What is on a file, or memory of others, is copied from there.
  if (!tensor.isRealized() && !tensor.device().starts_with("DISK") &&
      tensor.device() != "HOST")
    realizeWithShared({tensor});
}

/// Returns the only element as a bool, an int or a float.
static nb::object getItem(const Tensor &tensor) {
  DType type = tensor.dtype();
  auto read = [&]<typename T>(T) {
    Working working;
    computeToRead(tensor);
    return tensor.item<T>();
  };
  if (type == DType::Bool)
    return nb::bool_(read(bool()));
  if (isFloat(type))
    return nb::float_(read(double()));
  if (isUnsigned(type))
    return nb::int_(read(uint64_t()));
  return nb::int_(read(int64_t()));
}

/// None where nobody has said whether gradients are wanted.
static nb::object getRequiresGrad(const Tensor &x) {
  if (x.requires_grad())
    return nb::bool_(true);
  return x.isGradSpecified() ? nb::object(nb::bool_(false)) : nb::none();
}

/// Reads a setting as an `if` of Python does.
static bool isSet(nb::handle value) {
  int result = PyObject_IsTrue(value.ptr());
  if (result < 0)
    nb::raise_python_error();
  return result;
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// Python's tensors of which somebody has said that gradients are wanted, by
/// their address; the module holds it.
static nb::handle leaves;

/// The attribute that holds the object of the gradient, so that it is one
/// object: programs compare it, and the garbage collector lists it.
static constexpr const char *heldGradient = "_grad";

/// Returns the gradient of a tensor of Python, or None.
static nb::object getGradient(nb::handle_t<Tensor> self) {
  const Tensor &x = *nb::inst_ptr<Tensor>(self);
  // A bare handle holds none.
  bool isBare = self.type().is(nb::type<Tensor>());
  if (!x.hasGrad()) {
    if (!isBare)
      nb::setattr(self, heldGradient, nb::none());
    return nb::none();
  }
  Tensor grad = x.grad();
  if (isBare)
    return wrap(grad);
  nb::object held = nb::getattr(self, heldGradient, nb::none());
  // The gradient may have come to be another one behind Python's back.
  if (!nb::isinstance<Tensor>(held) ||
      nb::inst_ptr<Tensor>(held)->getImpl() != grad.getImpl()) {
    held = wrap(std::move(grad));
    nb::setattr(self, heldGradient, held);
  }
  return held;
}

static void setGradient(nb::handle_t<Tensor> self,
                        const std::optional<TensorObject> &value) {
  const Tensor &x = *nb::inst_ptr<Tensor>(self);
  if (value)
    x.setGrad(*nb::inst_ptr<Tensor>(*value));
  else
    x.clearGrad();
  if (!self.type().is(nb::type<Tensor>()))
    nb::setattr(self, heldGradient, value ? nb::object(*value) : nb::none());
}

static void setRequiresGrad(nb::handle_t<Tensor> self,
                            std::optional<Flag> value) {
  const Tensor &x = *nb::inst_ptr<Tensor>(self);
  if (!value && !x.isGradSpecified())
    return;
  bool isWanted = value.value_or(Flag());
  x.requires_grad_(isWanted);
  if (isWanted)
    leaves[nb::int_(reinterpret_cast<uintptr_t>(self.ptr()))] = self;
}

static TensorObject backward(nb::handle_t<Tensor> self) {
  const Tensor &x = *nb::inst_ptr<Tensor>(self);
  // Nobody asks: as in tinygrad, no error.
  if (x.numel() == 1 && !x.requires_grad() && !isGradCutOff(x)) {
    x.setGrad(tinygrad::cast(Tensor(1.0), x.dtype()).reshape(x.shape()));
  } else {
    x.backward();
    // The gradients are objects from now on, and those before are none.
    for (nb::handle leaf : nb::list(leaves.attr("values")()))
      getGradient(nb::handle_t<Tensor>(leaf));
  }
  return nb::borrow<TensorObject>(self);
}

static void bindGradients(nb::module_ &module, TensorClass &tensor) {
  leaves =
      nb::module_::import_("weakref").attr("WeakValueDictionary")().release();
  module.attr("leaves") = leaves;
  tensor
      .def_prop_rw("requires_grad", &getRequiresGrad, &setRequiresGrad,
                   nb::for_setter(nb::arg("value").none()),
                   "Whether gradients are wanted; None where nobody has said.")
      .def_prop_rw("grad", &getGradient, &setGradient,
                   nb::for_setter(nb::arg("value").none()),
                   "The gradient so far, or None.")
      .def("backward", &backward,
           "Adds to `grad` of every tensor that wants one, and that this one "
           "was computed from, the gradient of this one, and returns it. "
           "Errors: Error unless it has one element.")
      .def(
          "deepwalk", [](const Tensor &x) { return wrap(x.deepwalk()); },
          "The computed tensors on the way of the gradient, each after what it "
          "was computed from.")
      .def(
          "assign",
          [](nb::handle_t<Tensor> self, const Argument &value) {
            Tensor &x = *nb::inst_ptr<Tensor>(self);
            x.assign(castToStore(value.tensor, x.dtype()));
            return nb::borrow<TensorObject>(self);
          },
          nb::arg("x"),
          "Gives the tensor new elements, converted to its type, and returns "
          "it. Errors: Error unless x has its shape.")
      .def_prop_rw_static(
          "training", [](nb::handle) { return isTraining(); },
          [](nb::handle, nb::handle value) { setTraining(isSet(value)); },
          "True while dropout drops and batch norms use statistics of a batch.")
      .def_prop_rw_static(
          "no_grad", [](nb::handle) { return !isGradEnabled(); },
          [](nb::handle, nb::handle value) { setGradEnabled(!isSet(value)); },
          "True while no history is recorded for `backward`.")
      .def_prop_rw_static(
          "wino", [](nb::handle) { return isWinograd(); },
          [](nb::handle, nb::handle value) { setWinograd(isSet(value)); },
          "True while convolutions of 3 by 3 are computed by Winograd's way.")
      .def_prop_rw_static(
          "_seed", [](nb::handle) { return Context::getCurrent()->getSeed(); },
          [](nb::handle, nb::handle value) {
            uint64_t seed;
            if (!nb::try_cast<uint64_t>(value, seed)) {
              std::string text =
                  "manual_seed() expects an integer in [0, 2^64), got " +
                  describe(value);
              throw nb::type_error(text.c_str());
            }
            Tensor::manual_seed(seed);
          });
}

TensorClass python::bindTensor(nb::module_ &module) {
  std::vector<PyType_Slot> slots = {
      {Py_bf_getbuffer, reinterpret_cast<void *>(getBuffer)},
      {Py_bf_releasebuffer, reinterpret_cast<void *>(releaseBuffer)}};
  for (const PyType_Slot *slot = operatorSlots; slot->slot; ++slot)
    slots.push_back(*slot);
  slots.push_back({0, nullptr});
  TensorClass tensor(module, "Tensor",
                     "A handle to a tensor of the C++ front end.",
                     nb::type_slots(slots.data()), nb::is_weak_referenceable());
  module.def(
      "set_tensor_class", [](nb::handle type) { tensorSubclass = type; },
      nb::arg("type"), "Says of which subclass of Tensor results are made.");

  // Creation. The constructor of Python's class chooses among them.
  tensor.def(
      "__init__",
      [](Tensor *self, const Argument &value) {
        new (self) Tensor(value.tensor);
      },
      nb::arg("value"));
  module.def(
      "to",
      [](const Tensor &x, const std::string &device) {
        return wrap(x.to(readDevice(device)));
      },
      nb::arg("x"), nb::arg("device"));
  module.def(
      "move_to",
      [](const Tensor &x, const std::string &device) {
        x.to_(readDevice(device));
      },
      nb::arg("x"), nb::arg("device"));

  // Facts and values.
  tensor
      .def_prop_ro(
          "shape",
          [](const Tensor &x) { return nb::tuple(nb::cast(x.shape())); },
          "The number of elements along each axis.")
      .def_prop_ro("dtype", &Tensor::dtype, "The type of the elements.")
      .def_prop_ro("ndim", &Tensor::ndim, "The number of axes.")
      .def_prop_ro(
          "device", [](const Tensor &x) { return showDevice(x.device()); },
          "The name of the device where the value is.")
      .def("numel", &Tensor::numel, "The number of elements.")
      .def(
          "realize",
          [](nb::handle_t<Tensor> self) {
            const Tensor &x = *nb::inst_ptr<Tensor>(self);
            {
              Working working;
              realizeWithShared({x});
            }
            return nb::borrow<TensorObject>(self);
          },
          "Computes the tensor, keeps its value and returns it. Values on the "
          "way that others refer to are kept, too, where they take a reduce.")
      .def("is_realized", &Tensor::isRealized,
           "True if the values are known, so that nothing need be computed.")
      .def("item", &getItem, "Returns the only element as a number.")
      .def("element_size", &Tensor::element_size, "The bytes of one element.")
      .def("nbytes", &Tensor::nbytes, "The bytes of all elements.")
      .def("is_floating_point", &Tensor::is_floating_point,
           "True for elements of a float type.")
      .def("to_string", &Tensor::toString, nb::call_guard<Working>(),
           "Returns values, shape, type and device as C++ prints them.");
  module.def("has_values", &Tensor::hasValues, nb::arg("tensor"),
             "False for values that are not known yet: those of a step that "
             "is captured, and of shapes with a variable that has none.");

  bindGradients(module, tensor);
  module.def(
      "replace", [](Tensor &tensor, const Tensor &value) { tensor = value; },
      nb::arg("tensor"), nb::arg("value"),
      "Makes a tensor of Python a handle to what another one is a handle to.");
  return tensor;
}
