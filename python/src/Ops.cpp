//===- Ops.cpp - Bindings of Tensor/Ops.h ---------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

using namespace tinygrad;
using namespace tinygrad::python;

/// A function of two operands.
using Binary = Tensor (*)(const Tensor &, const Tensor &);
/// A reduce over axes.
using Reduce = Tensor (*)(const Tensor &, const Axes &, bool);

/// Adds a method and its operators, both of which may be null.
static void defBinary(TensorClass &tensor, Binary function, const char *method,
                      const char *op = nullptr,
                      const char *reflected = nullptr) {
  auto forward = [function](const Tensor &x, const Argument &y) {
    return wrap(function(x, y.tensor));
  };
  auto backward = [function](const Tensor &y, const Argument &x) {
    return wrap(function(x.tensor, y));
  };
  if (method)
    tensor.def(method, forward, nb::arg("y"));
  // Python asks the other operand where these know nothing of it.
  if (op)
    tensor.def(op, forward, nb::is_operator());
  if (reflected)
    tensor.def(reflected, backward, nb::is_operator());
}

static void defReduce(TensorClass &tensor, const char *name, Reduce function) {
  tensor.def(name, lift(function), nb::arg("axis").none() = nb::none(),
             nb::arg("keepdim") = false);
}

static void bindElementwise(TensorClass &tensor) {
  tensor.def("neg", lift(&tinygrad::neg))
      .def("logical_not", lift(&tinygrad::logical_not))
      .def("exp", lift(&tinygrad::exp))
      .def("exp2", lift(&tinygrad::exp2))
      .def("log", lift(&tinygrad::log))
      .def("log2", lift(&tinygrad::log2))
      .def("sin", lift(&tinygrad::sin))
      .def("cos", lift(&tinygrad::cos))
      .def("tan", lift(&tinygrad::tan))
      .def("sqrt", lift(&tinygrad::sqrt))
      .def("rsqrt", lift(&tinygrad::rsqrt))
      .def("reciprocal", lift(&tinygrad::reciprocal))
      .def("sigmoid", lift(&tinygrad::sigmoid))
      .def("tanh", lift(&tinygrad::tanh))
      .def("gelu", lift(&tinygrad::gelu))
      .def("silu", lift(&tinygrad::silu))
      .def("relu", lift(&tinygrad::relu))
      .def("relu6", lift(&tinygrad::relu6))
      .def("abs", lift(&tinygrad::abs))
      .def("sign", lift(&tinygrad::sign))
      .def("square", lift(&tinygrad::square))
      .def("trunc", lift(&tinygrad::trunc))
      .def("floor", lift(&tinygrad::floor))
      .def("ceil", lift(&tinygrad::ceil))
      .def("detach", lift(&tinygrad::detach))
      .def("contiguous", lift(&tinygrad::contiguous))
      .def("softplus", lift(&softplus), nb::arg("beta") = 1.0)
      .def("elu", lift(&elu), nb::arg("alpha") = 1.0)
      .def("leakyrelu", lift(&leakyrelu), nb::arg("neg_slope") = 0.01)
      .def("clip", lift(&clip), nb::arg("min_"), nb::arg("max_"))
      .def("cast", lift(&cast), nb::arg("dtype"))
      .def("bitcast", lift(&bitcast), nb::arg("dtype"))
      .def("__neg__", lift(&neg))
      .def(
          "where",
          [](const Tensor &condition, const Argument &x, const Argument &y) {
            return wrap(where(condition, x.tensor, y.tensor));
          },
          nb::arg("x"), nb::arg("y"));
  defBinary(tensor, &add, "add", "__add__", "__radd__");
  defBinary(tensor, &sub, "sub", "__sub__", "__rsub__");
  defBinary(tensor, &mul, "mul", "__mul__", "__rmul__");
  defBinary(tensor, &div, "div", "__truediv__", "__rtruediv__");
  defBinary(tensor, &mod, "mod", "__mod__", "__rmod__");
  defBinary(tensor, &pow, "pow", "__pow__", "__rpow__");
  defBinary(tensor, &maximum, "maximum");
  defBinary(tensor, &minimum, "minimum");
  defBinary(tensor, &bitwise_xor, "bitwise_xor", "__xor__", "__rxor__");
  defBinary(
      tensor, +[](const Tensor &x, const Tensor &y) { return x < y; }, nullptr,
      "__lt__");
  defBinary(
      tensor, +[](const Tensor &x, const Tensor &y) { return x > y; }, nullptr,
      "__gt__");
  defBinary(
      tensor, +[](const Tensor &x, const Tensor &y) { return x <= y; }, nullptr,
      "__le__");
  defBinary(
      tensor, +[](const Tensor &x, const Tensor &y) { return x >= y; }, nullptr,
      "__ge__");
  defBinary(
      tensor, +[](const Tensor &x, const Tensor &y) { return x == y; }, nullptr,
      "__eq__");
  defBinary(
      tensor, +[](const Tensor &x, const Tensor &y) { return x != y; }, nullptr,
      "__ne__");
}

/// Reads what stands between the brackets of `x[...]`.
static std::vector<Index> readIndices(nb::handle key) {
  nb::tuple keys = nb::isinstance<nb::tuple>(key) ? nb::borrow<nb::tuple>(key)
                                                  : nb::make_tuple(key);
  auto readBound = [](nb::handle bound) {
    return nb::cast<std::optional<int64_t>>(bound);
  };
  std::vector<Index> result;
  for (nb::handle item : keys) {
    int64_t position;
    if (item.is_none())
      result.emplace_back(newaxis);
    else if (item.ptr() == Py_Ellipsis)
      result.emplace_back(ellipsis);
    else if (nb::isinstance<nb::slice>(item))
      result.emplace_back(Slice{readBound(item.attr("start")),
                                readBound(item.attr("stop")),
                                readBound(item.attr("step")).value_or(1)});
    else if (nb::try_cast<int64_t>(item, position, false))
      result.emplace_back(position);
    else
      throw nb::type_error(
          "expects indices that are integers, slices, None or ...");
  }
  return result;
}

/// Adds a movement that takes its integers as Python does.
static void defMovement(TensorClass &tensor, const char *name,
                        Tensor (*function)(const Tensor &,
                                           const std::vector<int64_t> &)) {
  tensor.def(name, [function](const Tensor &x, const nb::args &args) {
    return wrap(function(x, readInts(args)));
  });
}

static void bindMovement(TensorClass &tensor, nb::module_ &module) {
  defMovement(
      tensor, "reshape",
      +[](const Tensor &x, const std::vector<int64_t> &shape) {
        return reshape(x, shape);
      });
  defMovement(tensor, "permute", &permute);
  defMovement(
      tensor, "expand",
      +[](const Tensor &x, const std::vector<int64_t> &shape) {
        return expand(x, shape);
      });
  defMovement(tensor, "repeat", &repeat);
  defMovement(tensor, "stride", &tinygrad::stride);
  tensor
      .def("transpose", lift(&transpose), nb::arg("ax1") = 1,
           nb::arg("ax2") = 0)
      .def("pad", lift(&pad), nb::arg("arg"), nb::arg("value") = 0.0)
      .def("shrink", lift(&shrink), nb::arg("arg"))
      .def("flip", lift(&flip), nb::arg("axis"))
      .def("unsqueeze", lift(&unsqueeze), nb::arg("dim"))
      .def("squeeze", lift(&squeeze), nb::arg("dim").none() = nb::none())
      .def("flatten", lift(&flatten), nb::arg("start_dim") = 0)
      .def("chunk", lift(&chunk), nb::arg("num"), nb::arg("dim") = 0)
      .def("split", lift(&split), nb::arg("sizes"), nb::arg("dim") = 0)
      .def("__getitem__", [](const Tensor &x, nb::handle key) {
        return wrap(getitem(x, readIndices(key)));
      });
  module.def("cat", lift(&cat), nb::arg("tensors"), nb::arg("dim") = 0);
  module.def("stack", lift(&stack), nb::arg("tensors"), nb::arg("dim") = 0);
}

static void bindReduce(TensorClass &tensor) {
  defReduce(tensor, "sum", &sum);
  defReduce(tensor, "max", &tinygrad::max);
  defReduce(tensor, "min", &tinygrad::min);
  defReduce(tensor, "mean", &mean);
  tensor
      .def("var", lift(&var), nb::arg("axis").none() = nb::none(),
           nb::arg("keepdim") = false, nb::arg("correction") = 1)
      .def("std", lift(&tinygrad::std), nb::arg("axis").none() = nb::none(),
           nb::arg("keepdim") = false, nb::arg("correction") = 1)
      .def("softmax", lift(&softmax), nb::arg("axis") = -1)
      .def("log_softmax", lift(&log_softmax), nb::arg("axis") = -1)
      .def("argmax", lift(&argmax), nb::arg("axis").none() = nb::none(),
           nb::arg("keepdim") = false)
      .def("argmin", lift(&argmin), nb::arg("axis").none() = nb::none(),
           nb::arg("keepdim") = false);
}

void python::bindOps(TensorClass &tensor, nb::module_ &module) {
  bindElementwise(tensor);
  bindMovement(tensor, module);
  bindReduce(tensor);
  defBinary(tensor, &dot, "dot");
  defBinary(tensor, &matmul, "matmul", "__matmul__", "__rmatmul__");
  module.def("realize", &realize, nb::arg("tensors"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Computes several tensors in one compiled graph.");
}
