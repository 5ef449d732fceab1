//===- Indexing.cpp - Bindings of Tensor/Indexing.h -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::python;

/// Returns positions as integers: those that Python's lists become are float32.
static Tensor readPositions(const Tensor &positions) {
  return isFloat(positions.dtype()) ? cast(positions, DType::Int32) : positions;
}

/// True for what may be a position. A bool is none.
static bool isPosition(nb::handle object) {
  return PyIndex_Check(object.ptr()) && !PyBool_Check(object.ptr()) &&
         !nb::isinstance<Tensor>(object);
}

/// Returns what is between the brackets of `x[...]` as a tuple.
static nb::tuple listIndices(nb::handle key) {
  if (nb::isinstance<nb::tuple>(key))
    return nb::borrow<nb::tuple>(key);
  // A list of numbers is one index, any other one lists indices.
  if (nb::isinstance<nb::list>(key)) {
    auto list = nb::borrow<nb::list>(key);
    for (nb::handle item : list)
      if (!PyIndex_Check(item.ptr()) || nb::isinstance<Tensor>(item))
        return nb::tuple(list);
  }
  return nb::make_tuple(key);
}

static std::optional<int64_t> readBound(nb::handle bound) {
  if (bound.is_none())
    return std::nullopt;
  if (!isPosition(bound) && !PyBool_Check(bound.ptr()))
    throw nb::type_error("slice indices must be integers or None");
  // What is out of range is far enough out of it.
  Py_ssize_t value = PyNumber_AsSsize_t(bound.ptr(), nullptr);
  if (value == -1 && PyErr_Occurred())
    nb::raise_python_error();
  return value;
}

static std::vector<Index> readIndices(nb::handle key) {
  nb::tuple items = listIndices(key);
  for (nb::handle item : items)
    if (PyFloat_Check(item.ptr()) || PyBool_Check(item.ptr()))
      throw nb::index_error(
          "an index is no float and no bool: expects integers, slices, None, "
          "..., and tensors or lists of integers");
  std::vector<Index> result;
  for (nb::handle item : items) {
    if (item.is_none()) {
      result.emplace_back(newaxis);
    } else if (item.ptr() == Py_Ellipsis) {
      result.emplace_back(ellipsis);
    } else if (nb::isinstance<nb::slice>(item)) {
      result.emplace_back(Slice{readBound(item.attr("start")),
                                readBound(item.attr("stop")),
                                readBound(item.attr("step")).value_or(1)});
    } else if (isPosition(item) && !nb::hasattr(item, "__len__")) {
      result.emplace_back(*readBound(item));
    } else if (Argument positions;
               nb::isinstance<Tensor>(item) ||
               readArrayArgument(item.ptr(), positions)) {
      Tensor tensor = nb::isinstance<Tensor>(item)
                          ? *nb::inst_ptr<Tensor>(item)
                          : positions.tensor;
      if (tensor.dtype() == DType::Bool)
        throw nb::index_error(
            "the shape of x[mask] would depend on the mask's values: use "
            "mask.where(x, other)");
      result.emplace_back(readPositions(tensor));
    } else {
      throw nb::type_error("expects indices that are integers, slices, None, "
                           "..., or tensors or lists of integers");
    }
  }
  return result;
}

void python::bindIndexing(TensorClass &tensor) {
  tensor
      .def(
          "__getitem__",
          [](const Tensor &x, nb::handle key) {
            return wrap(getitem(x, readIndices(key)));
          },
          nb::arg("indices").none(),
          "Returns what numpy's x[indices] does. A tensor of positions that are "
          "out of range gives 0 there.")
      .def(
          "__setitem__",
          [](const Tensor &x, nb::handle key, const Argument &value) {
            x.setitem(readIndices(key), value.tensor);
          },
          nb::arg("indices").none(), nb::arg("v"),
          "Changes the elements that x[indices] are; what was computed of the "
          "old ones keeps them.")
      .def(
          "gather",
          [](const Tensor &x, const Tensor &positions, int64_t axis) {
            return wrap(gather(x, readPositions(positions), axis));
          },
          nb::arg("idx"), nb::arg("dim"),
          "Returns x[.., idx[.., i, ..], ..] with idx along dim. Errors: Error "
          "unless idx has as many axes, none longer but dim.");
}
