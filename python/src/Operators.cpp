//===- Operators.cpp - Operators of tensors in Python ---------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators are slots of the class: Python calls them without looking for a
// method and without a list of arguments.
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "Working.h"

#include "tinygrad/Tensor/Gradient.h"

using namespace tinygrad;
using namespace tinygrad::python;

namespace {

/// A function of two operands.
using Binary = Tensor (*)(const Tensor &, const Tensor &);

/// An operand, which is not copied if it is a tensor.
class OperandReader {
public:
  explicit OperandReader(PyObject *object) {
    if (nb::try_cast<Tensor *>(nb::handle(object), tensor, false) && tensor)
      return;
    tensor = nullptr;
    nb::detail::make_caster<Argument> caster;
    if (caster.from_python(object, 0, nullptr)) {
      argument = std::move(caster.value);
      tensor = &argument.tensor;
    }
  }

  /// Returns null if the object is no operand.
  const Tensor *get() const { return tensor; }

private:
  Tensor *tensor = nullptr;
  Argument argument;
};

} // namespace

/// Returns what `compute` gives; raises what it throws.
template <typename F>
static PyObject *guard(F compute) noexcept {
  try {
    return compute();
  } catch (...) {
    raiseCaught();
    return nullptr;
  }
}

template <Binary function>
static PyObject *binary(PyObject *left, PyObject *right) {
  return guard([&]() -> PyObject * {
    OperandReader x(left), y(right);
    if (!x.get() || !y.get()) {
      // Says what is wrong with an array, which numpy would not.
      Argument unused;
      readArray(x.get() ? right : left, unused);
      return Py_NewRef(Py_NotImplemented);
    }
    return wrap(function(*x.get(), *y.get())).release().ptr();
  });
}

static PyObject *power(PyObject *left, PyObject *right, PyObject *modulus) {
  if (modulus != Py_None)
    return Py_NewRef(Py_NotImplemented);
  return binary<&tinygrad::pow>(left, right);
}

/// The remainder with the sign of `y`, as Python, numpy and PyTorch have it.
static Tensor remainder(const Tensor &x, const Tensor &y) {
  Tensor rest = mod(x, y);
  if (isUnsigned(rest.dtype()))
    return rest;
  Tensor isOther = bitwise_xor(less(rest, 0), less(y, 0));
  return where(mul(isOther, rest != 0), add(rest, y), rest);
}

/// Gives the variable the value of an operation, as `x += y` does.
template <Tensor &(*function)(Tensor &, const Tensor &), Binary pure>
static PyObject *inPlace(PyObject *left, PyObject *right) {
  return guard([&]() -> PyObject * {
    OperandReader y(right);
    if (!y.get())
      return Py_NewRef(Py_NotImplemented);
    Tensor &x = *nb::inst_ptr<Tensor>(left);
    // A parameter is stepped where no history is recorded.
    if (isGradEnabled())
      function(x, *y.get());
    else
      x.assign(pure(x, *y.get()));
    return Py_NewRef(left);
  });
}

static PyObject *powerInPlace(PyObject *left, PyObject *right, PyObject *) {
  return inPlace<+[](Tensor &x, const Tensor &y) -> Tensor & {
    return x.pow_(y);
  },
                 &tinygrad::pow>(left, right);
}

static PyObject *compare(PyObject *left, PyObject *right, int op) {
  return guard([&]() -> PyObject * {
    OperandReader y(right);
    if (!y.get())
      return Py_NewRef(Py_NotImplemented);
    const Tensor &x = *nb::inst_ptr<Tensor>(left);
    switch (op) {
    case Py_LT:
      return wrap(x < *y.get()).release().ptr();
    case Py_LE:
      return wrap(x <= *y.get()).release().ptr();
    case Py_GT:
      return wrap(x > *y.get()).release().ptr();
    case Py_GE:
      return wrap(x >= *y.get()).release().ptr();
    case Py_EQ:
      return wrap(x == *y.get()).release().ptr();
    default:
      return wrap(x != *y.get()).release().ptr();
    }
  });
}

/// A bool of one element is its value. Anything else is true, as every object
/// is: programs ask `if bias:` where there may be None.
static int isTrue(PyObject *object) {
  const Tensor &x = *nb::inst_ptr<Tensor>(object);
  if (x.dtype() != DType::Bool || x.shape().isSymbolic() || x.numel() != 1)
    return 1;
  try {
    Working working;
    return x.item<bool>();
  } catch (...) {
    nb::gil_scoped_acquire GIL;
    raiseCaught();
    return -1;
  }
}

template <Tensor (*function)(const Tensor &)>
static PyObject *unary(PyObject *object) {
  return guard([&] {
    return wrap(function(*nb::inst_ptr<Tensor>(object))).release().ptr();
  });
}

/// The bits turned round; of a bool, its opposite.
static Tensor invert(const Tensor &x) {
  if (x.dtype() == DType::Bool)
    return logical_not(x);
  return bitwise_xor(x, cast(Tensor::full({}, -1, DType::Int8), x.dtype()));
}

/// Throws Error in the name of `name` unless both are of bools.
static void checkBools(const char *name, const Tensor &x, const Tensor &y) {
  if (x.dtype() != DType::Bool || y.dtype() != DType::Bool)
    throw Error(name, "expects two tensors of bools");
}

static Tensor logicalAnd(const Tensor &x, const Tensor &y) {
  checkBools("and", x, y);
  return mul(x, y);
}

static Tensor logicalOr(const Tensor &x, const Tensor &y) {
  checkBools("or", x, y);
  return maximum(x, y);
}

/// Tensors are told apart by what they are, not by their elements.
static Py_hash_t hash(PyObject *object) {
  return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(object) >> 4);
}

template <typename F>
static void *slot(F *function) {
  return reinterpret_cast<void *>(function);
}

#define INPLACE(op, function)                                                  \
  slot(&inPlace<+[](Tensor &x, const Tensor &y) -> Tensor & { return op; },    \
                &tinygrad::function>)

PyType_Slot python::operatorSlots[] = {
    {Py_nb_add, slot(&binary<&tinygrad::add>)},
    {Py_nb_subtract, slot(&binary<&tinygrad::sub>)},
    {Py_nb_multiply, slot(&binary<&tinygrad::mul>)},
    {Py_nb_true_divide, slot(&binary<&tinygrad::div>)},
    {Py_nb_remainder, slot(&binary<&remainder>)},
    {Py_nb_matrix_multiply, slot(&binary<&tinygrad::matmul>)},
    {Py_nb_xor, slot(&binary<&tinygrad::bitwise_xor>)},
    {Py_nb_power, slot(&power)},
    {Py_nb_inplace_add, INPLACE(x += y, add)},
    {Py_nb_inplace_subtract, INPLACE(x -= y, sub)},
    {Py_nb_inplace_multiply, INPLACE(x *= y, mul)},
    {Py_nb_inplace_true_divide, INPLACE(x /= y, div)},
    {Py_nb_inplace_matrix_multiply, INPLACE(x.matmul_(y), matmul)},
    {Py_nb_inplace_xor, INPLACE(x ^= y, bitwise_xor)},
    {Py_nb_inplace_power, slot(&powerInPlace)},
    {Py_nb_and, slot(&binary<&logicalAnd>)},
    {Py_nb_or, slot(&binary<&logicalOr>)},
    {Py_nb_negative, slot(&unary<&neg>)},
    {Py_nb_invert, slot(&unary<&invert>)},
    {Py_nb_absolute, slot(&unary<&tinygrad::abs>)},
    {Py_nb_bool, slot(&isTrue)},
    {Py_tp_richcompare, slot(&compare)},
    {Py_tp_hash, slot(&hash)},
    {0, nullptr}};
