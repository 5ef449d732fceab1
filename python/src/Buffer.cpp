//===- Buffer.cpp - The buffer protocol, and Tensor/Sharing.h -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "Working.h"

#include "tinygrad/Tensor/Sharing.h"

#include <nanobind/stl/optional.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>

using namespace tinygrad;
using namespace tinygrad::python;

void python::releaseWithGIL(const std::function<void()> &release) {
  if (!Py_IsInitialized())
    return;
  nb::gil_scoped_acquire gil;
  release();
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// The format of the buffer protocol for each type; null where it has none.
static const char *getFormat(DType type) {
  switch (type) {
  case DType::Bool:
    return "?";
  case DType::Int8:
    return "b";
  case DType::UInt8:
    return "B";
  case DType::Int16:
    return "h";
  case DType::UInt16:
    return "H";
  case DType::Int32:
    return "i";
  case DType::UInt32:
    return "I";
  case DType::Int64:
    return "q";
  case DType::UInt64:
    return "Q";
  case DType::Float16:
    return "e";
  case DType::BFloat16:
    return nullptr;
  case DType::Float32:
    return "f";
  case DType::Float64:
    return "d";
  }
  return nullptr;
}

/// Returns the type of elements with a format and a size, or nothing. `l` and
/// `L` have the size of the machine's long, and `c` is a byte.
static std::optional<DType> parseFormat(const char *format, Py_ssize_t size) {
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  if (std::strlen(format) != 1)
    return std::nullopt;
  char code = *format;
  if (code == 'l')
    code = size == 8 ? 'q' : 'i';
  if (code == 'L')
    code = size == 8 ? 'Q' : 'I';
  if (code == 'c')
    code = 'B';
  for (int i = 0; i < numDTypes; ++i) {
    auto type = static_cast<DType>(i);
    const char *known = getFormat(type);
    if (known && *known == code && getByteWidth(type) == size)
      return type;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// From buffers
//===----------------------------------------------------------------------===//

namespace {

/// A view of another object's memory, while it lives.
class BufferView {
public:
  /// Throws what the object raises.
  BufferView(nb::handle source, int flags) {
    if (PyObject_GetBuffer(source.ptr(), &view, flags))
      nb::raise_python_error();
  }
  ~BufferView() { PyBuffer_Release(&view); }
  BufferView(const BufferView &) = delete;
  BufferView &operator=(const BufferView &) = delete;

  Py_buffer &get() { return view; }
  Shape getShape() const { return Shape(view.shape, view.shape + view.ndim); }
  /// Returns the type of the elements: `wanted`, which must be as wide, or what
  /// the view says. Throws nb::type_error.
  DType getType(std::optional<DType> wanted) const {
    const char *format = view.format ? view.format : "B";
    std::optional<DType> type = parseFormat(format, view.itemsize);
    if (wanted && getByteWidth(*wanted) == view.itemsize)
      return *wanted;
    if (type)
      return *type;
    std::string text = "expects elements of bool, of integers or of floats in "
                       "the machine's byte order, got the format `" +
                       std::string(format) + "`";
    throw nb::type_error(text.c_str());
  }

private:
  Py_buffer view;
};

} // namespace

/// Makes a tensor from a copy of what `source` shows, whatever its strides are.
static Tensor fromBuffer(nb::handle source, std::optional<DType> wanted) {
  BufferView buffer(source, PyBUF_FULL_RO);
  Py_buffer &view = buffer.get();
  DType type = buffer.getType(wanted);
  Shape shape = buffer.getShape();
  if (PyBuffer_IsContiguous(&view, 'C')) {
    nb::gil_scoped_release noGIL;
    return Tensor::fromMemory(view.buf, shape, type);
  }
  std::vector<char> bytes(static_cast<size_t>(view.len));
  if (PyBuffer_ToContiguous(bytes.data(), &view, view.len, 'C'))
    nb::raise_python_error();
  return Tensor::fromMemory(bytes.data(), shape, type);
}

void python::failForStrides(const char *operation, const int64_t *strides,
                            int rank, const char *unit, const Shape &shape) {
  std::string text;
  for (int i = 0; i < rank; ++i)
    text += (i ? ", " : "") + std::to_string(strides[i]);
  throw Error(operation,
              "expects elements that lie side by side in row-major order, got "
              "strides of [" +
                  text + "] " + unit + "; Tensor(...) copies them",
              {shape});
}

/// Makes a tensor of the memory that `source` shows.
static Tensor shareBuffer(nb::handle source, std::optional<DType> wanted) {
  auto buffer = std::make_unique<BufferView>(source, PyBUF_FULL_RO);
  Py_buffer &view = buffer->get();
  DType type = buffer->getType(wanted);
  if (!PyBuffer_IsContiguous(&view, 'C')) {
    std::vector<int64_t> strides(view.strides, view.strides + view.ndim);
    failForStrides("from_buffer", strides.data(), view.ndim, "bytes",
                   buffer->getShape());
  }
  Shape shape = buffer->getShape();
  SharedElements elements;
  elements.isReadOnly = view.readonly;
  elements.memory =
      std::shared_ptr<void>(view.buf, [buffer = buffer.get()](void *) {
        releaseWithGIL([&] { delete buffer; });
      });
  buffer.release();
  return fromSharedElements(elements, shape, type);
}

static nb::bytes toBytes(const Tensor &tensor) {
  std::vector<uint8_t> bytes;
  {
    Working working;
    computeToRead(tensor);
    bytes = tensor.data();
  }
  return nb::bytes(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

/// Makes a tensor from what `toBytes` returned.
static Tensor fromBytes(nb::handle source, const Shape &shape, DType type) {
  BufferView buffer(source, PyBUF_SIMPLE);
  int64_t size = getByteWidth(type);
  for (const Extent &extent : shape)
    size *= extent.getValue();
  if (buffer.get().len != size)
    throw nb::value_error("expects as many bytes as the tensor has");
  nb::gil_scoped_release noGIL;
  return Tensor::fromMemory(buffer.get().buf, shape, type);
}

/// Copies the elements of `tensor` to the memory that `target` shows.
static void copyTo(const Tensor &tensor, nb::handle target) {
  BufferView buffer(target, PyBUF_ND | PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS);
  if (buffer.get().len != tensor.nbytes())
    throw nb::value_error("expects memory of as many bytes as the tensor has");
  Working working;
  computeToRead(tensor);
  tensor.copyTo(buffer.get().buf, tensor.dtype());
}

//===----------------------------------------------------------------------===//
// To buffers
//===----------------------------------------------------------------------===//

namespace {

/// What a view of the elements of a tensor keeps.
struct Elements {
  std::shared_ptr<void> memory;
  std::vector<Py_ssize_t> shape, strides;
};

} // namespace

/// Fills `view` with the elements of a tensor, where they are.
static void fillView(const Tensor &tensor, const char *format, Py_buffer *view,
                     int flags) {
  auto elements = std::make_unique<Elements>();
  const Shape &shape = tensor.shape();
  for (const Extent &extent : shape)
    elements->shape.push_back(extent.getValue());
  elements->strides.resize(shape.size());
  Py_ssize_t size = getByteWidth(tensor.dtype());
  for (size_t i = shape.size(); i-- > 0;) {
    elements->strides[i] = size;
    size *= elements->shape[i];
  }
  SharedElements shared;
  {
    Working working;
    computeToRead(tensor);
    shared = shareElements(tensor);
  }
  if (shared.isReadOnly && flags & PyBUF_WRITABLE)
    throw std::runtime_error("expects memory that may be written, but the "
                             "tensor shares some that is read-only");
  elements->memory = std::move(shared.memory);
  view->buf = elements->memory.get();
  view->len = size;
  view->readonly = shared.isReadOnly;
  view->itemsize = getByteWidth(tensor.dtype());
  view->format = flags & PyBUF_FORMAT ? const_cast<char *>(format) : nullptr;
  view->ndim = static_cast<int>(shape.size());
  view->shape = flags & PyBUF_ND ? elements->shape.data() : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES
                      ? elements->strides.data()
                      : nullptr;
  view->suboffsets = nullptr;
  view->internal = elements.release();
}

int python::getBuffer(PyObject *object, Py_buffer *view, int flags) {
  auto &tensor = *nb::inst_ptr<Tensor>(object);
  view->obj = nullptr;
  try {
    const char *format = getFormat(tensor.dtype());
    if (!format)
      throw std::runtime_error("the buffer protocol has no bfloat16: bitcast "
                               "to uint16, or cast to float32");
    fillView(tensor, format, view, flags);
    view->obj = Py_NewRef(object);
    return 0;
  } catch (const std::exception &error) {
    if (raiseInterrupt())
      return -1;
    PyErr_SetString(PyExc_BufferError, error.what());
    return -1;
  }
}

void python::releaseBuffer(PyObject *, Py_buffer *view) {
  delete static_cast<Elements *>(view->internal);
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

void python::bindBuffer(nb::module_ &module) {
  module.def(
      "from_buffer",
      [](nb::handle source, std::optional<DType> dtype) {
        return wrap(fromBuffer(source, dtype));
      },
      nb::arg("source"), nb::arg("dtype").none() = nb::none(),
      "Makes a tensor from a copy of what an object shows by the buffer "
      "protocol, read as another type of the same width if it is given.");
  module.def(
      "share_buffer",
      [](nb::handle source, std::optional<DType> dtype) {
        return wrap(shareBuffer(source, dtype));
      },
      nb::arg("source"), nb::arg("dtype").none() = nb::none(),
      "Makes a tensor of the memory that an object shows by the buffer "
      "protocol. Errors: Error unless its elements lie side by side.");
  module.def("copy_to", &copyTo, nb::arg("tensor"), nb::arg("target"),
             "Copies the elements to what an object shows by the buffer "
             "protocol.");
  module.def("to_bytes", &toBytes, nb::arg("tensor"),
             "Returns the row-major elements.");
  module.def(
      "from_bytes",
      [](nb::handle source, const Shape &shape, DType dtype) {
        return wrap(fromBytes(source, shape, dtype));
      },
      nb::arg("source"), nb::arg("shape"), nb::arg("dtype"),
      "Makes a tensor from row-major elements.");
  module.def(
      "copy_elements",
      [](const Tensor &x) {
        Tensor result = Tensor(0);
        {
          Working working;
          result = copyElements(x);
        }
        return wrap(std::move(result));
      },
      nb::arg("x"), "Makes a tensor of the value in memory of its own.");
  module.def(
      "copy_variable", [](const Tensor &x) { return wrap(copyVariable(x)); },
      nb::arg("x"), "Makes another variable of the same value and history.");
}
