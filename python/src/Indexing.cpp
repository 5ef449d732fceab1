//===- Indexing.cpp - Bindings of Tensor/Indexing.h -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "Working.h"

#include <nanobind/stl/optional.h>

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

/// Returns the tensor that `item` is or, as a list or an array, becomes;
/// nothing for what is no tensor.
static std::optional<Tensor> readTensor(nb::handle item) {
  if (nb::isinstance<Tensor>(item))
    return *nb::inst_ptr<Tensor>(item);
  if (Argument positions; readArrayArgument(item.ptr(), positions))
    return positions.tensor;
  return std::nullopt;
}

static bool isMask(const Tensor &tensor) {
  return tensor.dtype() == DType::Bool && tensor.ndim() > 0;
}

/// Adds an index for each axis of `mask`: the positions where it is true. It is
/// realized, since the result's shape depends on it.
static void addMask(const Tensor &x, size_t axis, const Tensor &mask,
                    std::vector<Index> &indices) {
  std::vector<int64_t> extents = mask.shape().getValues();
  size_t rank = extents.size();
  for (size_t i = 0; i < rank; ++i)
    if (axis + i >= x.shape().size() || x.shape()[axis + i] != extents[i])
      throw Error("getitem",
                  "expects a mask that has the shape of axes of " +
                      x.shape().toString() + ", got one of shape " +
                      mask.shape().toString(),
                  {x.shape(), mask.shape()});
  std::vector<bool> values;
  {
    Working working;
    values = mask.toVector<bool>();
  }
  std::vector<std::vector<int64_t>> positions(rank);
  for (size_t place = 0; place < values.size(); ++place) {
    if (!values[place])
      continue;
    int64_t rest = static_cast<int64_t>(place);
    for (size_t i = rank; i-- > 0; rest /= extents[i])
      positions[i].push_back(rest % extents[i]);
  }
  for (const std::vector<int64_t> &list : positions)
    indices.emplace_back(list);
}

/// Throws Error where a list or an array has a position that is out of range:
/// it is known, other than that of a tensor that may be computed.
static void checkPositions(const Tensor &x, size_t axis,
                           const Tensor &positions) {
  if (axis >= x.shape().size() || x.shape()[axis].isSymbolic())
    return;
  int64_t extent = x.shape()[axis];
  for (int64_t position : positions.toVector<int64_t>())
    if (position < -extent || position >= extent)
      throw Error("getitem",
                  "index " + std::to_string(position) +
                      " is out of bounds for dimension " +
                      std::to_string(axis) + " with size " +
                      std::to_string(extent),
                  {x.shape()});
}

[[noreturn]] static void failForIndex(nb::handle item) {
  std::string text = "expects indices that are integers, slices, None, ..., or "
                     "tensors or lists of integers or bools, got " +
                     describe(item);
  throw nb::type_error(text.c_str());
}

static std::vector<Index> readIndices(const Tensor &x, nb::handle key) {
  nb::tuple items = listIndices(key);
  std::vector<std::optional<Tensor>> tensors;
  size_t numTaken = 0;
  for (nb::handle item : items) {
    if (PyFloat_Check(item.ptr()) || PyBool_Check(item.ptr()))
      throw nb::index_error(
          "an index is no float and no bool: expects integers, slices, None, "
          "..., and tensors or lists of integers or bools");
    bool isPlain = item.is_none() || item.ptr() == Py_Ellipsis ||
                   nb::isinstance<nb::slice>(item) ||
                   (isPosition(item) && !nb::hasattr(item, "__len__"));
    tensors.push_back(isPlain ? std::nullopt : readTensor(item));
    if (!isPlain && !tensors.back())
      failForIndex(item);
    if (tensors.back() && isMask(*tensors.back()))
      numTaken += tensors.back()->shape().size();
    else if (!item.is_none() && item.ptr() != Py_Ellipsis)
      ++numTaken;
  }

  std::vector<Index> result;
  size_t axis = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    nb::handle item = items[i];
    if (item.is_none()) {
      result.emplace_back(newaxis);
      continue;
    }
    if (item.ptr() == Py_Ellipsis) {
      result.emplace_back(ellipsis);
      axis += std::max(x.shape().size(), numTaken) - numTaken;
      continue;
    }
    if (tensors[i] && isMask(*tensors[i])) {
      addMask(x, axis, *tensors[i], result);
      axis += tensors[i]->shape().size();
      continue;
    }
    if (tensors[i] && !nb::isinstance<Tensor>(item))
      checkPositions(x, axis, *tensors[i]);
    ++axis;
    if (tensors[i])
      result.emplace_back(readPositions(*tensors[i]));
    else if (nb::isinstance<nb::slice>(item))
      result.emplace_back(Slice{readBound(item.attr("start")),
                                readBound(item.attr("stop")),
                                readBound(item.attr("step")).value_or(1)});
    else
      result.emplace_back(*readBound(item));
  }
  return result;
}

/// Returns `x` with one value where a mask of its shape is true, or nothing if
/// the indices and the value are others. Nothing is realized for it.
static std::optional<Tensor> fillMasked(const Tensor &x, nb::handle key,
                                        const Tensor &value) {
  if (!nb::isinstance<Tensor>(key) || value.ndim() > 0)
    return std::nullopt;
  const Tensor &mask = *nb::inst_ptr<Tensor>(key);
  if (mask.dtype() != DType::Bool || mask.shape() != x.shape())
    return std::nullopt;
  return cast(where(mask, value, x), x.dtype());
}

void python::bindIndexing(TensorClass &tensor) {
  tensor
      .def(
          "__getitem__",
          [](const Tensor &x, nb::handle key) {
            return wrap(getitem(x, readIndices(x, key)));
          },
          nb::arg("indices").none(),
          "Returns what numpy's x[indices] does. A tensor of positions that "
          "are "
          "out of range gives 0 there. A mask is realized.")
      .def(
          "__setitem__",
          [](const Tensor &x, nb::handle key, const Argument &value) {
            if (auto filled = fillMasked(x, key, value.tensor))
              x.assign(*filled);
            else
              x.setitem(readIndices(x, key), value.tensor);
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
