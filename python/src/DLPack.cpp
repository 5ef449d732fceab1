//===- DLPack.cpp - Memory that is exchanged by DLPack --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DLPack describes a tensor in memory by a C structure, which travels in a
// capsule. The layout is that of DLPack 1.0, and for those that don't know it
// that of 0.8, which has no version and no flags.
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "Working.h"

#include "tinygrad/Tensor/Sharing.h"

#include <cstring>
#include <memory>
#include <string>

using namespace tinygrad;
using namespace tinygrad::python;

namespace {

/// Kinds of elements: DLPack's numbers.
enum class TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  BFloat = 4,
  Bool = 6,
};

constexpr int32_t cpuDevice = 1;
constexpr uint64_t readOnlyFlag = 1;
constexpr uint64_t copiedFlag = 2;

struct DLTensor {
  void *data;
  int32_t deviceType;
  int32_t deviceId;
  int32_t numAxes;
  TypeCode code;
  uint8_t bits;
  uint16_t lanes;
  int64_t *shape;
  /// In elements; null for row-major order.
  int64_t *strides;
  uint64_t byteOffset;
};

/// The structure of a capsule "dltensor".
struct Managed {
  DLTensor tensor;
  void *owner;
  void (*deleter)(Managed *self);
};

/// The structure of a capsule "dltensor_versioned".
struct VersionedManaged {
  uint32_t major, minor;
  void *owner;
  void (*deleter)(VersionedManaged *self);
  uint64_t flags;
  DLTensor tensor;
};

} // namespace

template <typename ManagedT>
static constexpr const char *capsuleName = "dltensor";
template <>
constexpr const char *capsuleName<VersionedManaged> = "dltensor_versioned";
template <typename ManagedT>
static constexpr const char *usedName = "used_dltensor";
template <>
constexpr const char *usedName<VersionedManaged> = "used_dltensor_versioned";

static TypeCode getCode(DType type) {
  if (type == DType::Bool)
    return TypeCode::Bool;
  if (type == DType::BFloat16)
    return TypeCode::BFloat;
  if (isFloat(type))
    return TypeCode::Float;
  return isUnsigned(type) ? TypeCode::UInt : TypeCode::Int;
}

//===----------------------------------------------------------------------===//
// Out
//===----------------------------------------------------------------------===//

/// What a capsule of ours holds.
template <typename ManagedT>
struct Exported {
  ManagedT managed = {};
  std::shared_ptr<void> memory;
  std::vector<int64_t> shape, strides;
};

template <typename ManagedT>
static void deleteExported(ManagedT *managed) {
  delete static_cast<Exported<ManagedT> *>(managed->owner);
}

/// Frees what nobody has taken out of a capsule.
template <typename ManagedT>
static void deleteCapsule(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, capsuleName<ManagedT>))
    return;
  auto *managed = static_cast<ManagedT *>(
      PyCapsule_GetPointer(capsule, capsuleName<ManagedT>));
  managed->deleter(managed);
}

template <typename ManagedT>
static nb::object exportTensor(const Tensor &x, SharedElements elements,
                               uint64_t flags) {
  auto result = std::make_unique<Exported<ManagedT>>();
  result->memory = std::move(elements.memory);
  int64_t stride = 1;
  result->strides.resize(x.shape().size());
  for (const Extent &extent : x.shape())
    result->shape.push_back(extent.getValue());
  for (size_t i = result->shape.size(); i-- > 0;) {
    result->strides[i] = stride;
    stride *= result->shape[i];
  }
  DLTensor &tensor = result->managed.tensor;
  tensor.data = result->memory.get();
  tensor.deviceType = cpuDevice;
  tensor.numAxes = static_cast<int32_t>(result->shape.size());
  tensor.code = getCode(x.dtype());
  tensor.bits = static_cast<uint8_t>(8 * getByteWidth(x.dtype()));
  tensor.lanes = 1;
  tensor.shape = result->shape.data();
  tensor.strides = result->strides.data();
  if constexpr (std::is_same_v<ManagedT, VersionedManaged>) {
    result->managed.major = 1;
    result->managed.flags = flags;
  }
  result->managed.owner = result.get();
  result->managed.deleter = &deleteExported<ManagedT>;
  PyObject *capsule = PyCapsule_New(&result->managed, capsuleName<ManagedT>,
                                    &deleteCapsule<ManagedT>);
  if (!capsule)
    nb::raise_python_error();
  result.release();
  return nb::steal(capsule);
}

static nb::object toDLPack(const Tensor &x, bool isVersioned, bool copies) {
  SharedElements elements;
  {
    Working working;
    elements = shareElements(copies ? copyElements(x) : x);
  }
  uint64_t flags =
      (elements.isReadOnly ? readOnlyFlag : 0) | (copies ? copiedFlag : 0);
  if (isVersioned)
    return exportTensor<VersionedManaged>(x, std::move(elements), flags);
  if (elements.isReadOnly)
    throw nb::buffer_error("the tensor shares read-only memory, of which only "
                           "DLPack 1.0 can tell; copy=True copies it");
  return exportTensor<Managed>(x, std::move(elements), flags);
}

//===----------------------------------------------------------------------===//
// In
//===----------------------------------------------------------------------===//

static DType readType(const DLTensor &tensor) {
  for (int i = 0; i < numDTypes; ++i) {
    auto type = static_cast<DType>(i);
    if (tensor.lanes == 1 && getCode(type) == tensor.code &&
        8 * getByteWidth(type) == tensor.bits)
      return type;
  }
  std::string text = "expects elements of bool, of integers or of floats, got "
                     "those of DLPack's kind " +
                     std::to_string(int(tensor.code)) + " with " +
                     std::to_string(tensor.bits) + " bits and " +
                     std::to_string(tensor.lanes) + " lanes";
  throw nb::type_error(text.c_str());
}

static bool isRowMajor(const DLTensor &tensor) {
  int64_t stride = 1;
  for (int32_t i = tensor.numAxes; tensor.strides && i-- > 0;) {
    if (tensor.shape[i] == 0)
      return true;
    if (tensor.shape[i] != 1 && tensor.strides[i] != stride)
      return false;
    stride *= tensor.shape[i];
  }
  return true;
}

template <typename ManagedT>
static Tensor importTensor(nb::handle capsule) {
  auto *managed = static_cast<ManagedT *>(
      PyCapsule_GetPointer(capsule.ptr(), capsuleName<ManagedT>));
  SharedElements elements;
  if constexpr (std::is_same_v<ManagedT, VersionedManaged>) {
    if (managed->major != 1)
      throw nb::buffer_error("expects a tensor of DLPack 1");
    elements.isReadOnly = managed->flags & readOnlyFlag;
  }
  const DLTensor &tensor = managed->tensor;
  Shape shape(tensor.shape, tensor.shape + tensor.numAxes);
  if (tensor.deviceType != cpuDevice)
    throw Error("from_dlpack",
                "expects elements in memory of the host, got some on device "
                "(" +
                    std::to_string(tensor.deviceType) + ", " +
                    std::to_string(tensor.deviceId) + ") of DLPack",
                {shape});
  DType type = readType(tensor);
  if (!isRowMajor(tensor))
    failForStrides("from_dlpack", tensor.strides, tensor.numAxes, "elements",
                   shape);
  // From here on the structure is ours.
  if (PyCapsule_SetName(capsule.ptr(), usedName<ManagedT>))
    nb::raise_python_error();
  elements.memory = std::shared_ptr<void>(
      static_cast<char *>(tensor.data) + tensor.byteOffset, [managed](void *) {
        if (managed->deleter)
          releaseWithGIL([&] { managed->deleter(managed); });
      });
  return fromSharedElements(elements, shape, type);
}

static Tensor fromDLPack(nb::handle capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), capsuleName<VersionedManaged>))
    return importTensor<VersionedManaged>(capsule);
  if (PyCapsule_IsValid(capsule.ptr(), capsuleName<Managed>))
    return importTensor<Managed>(capsule);
  throw nb::type_error("expects a capsule of DLPack that nobody has used yet");
}

void python::bindDLPack(nb::module_ &module) {
  module.def("to_dlpack", &toDLPack, nb::arg("x"), nb::arg("versioned"),
             nb::arg("copy"),
             "Returns a capsule of DLPack with the memory of a tensor, or of a "
             "copy.");
  module.def(
      "from_dlpack",
      [](nb::handle capsule) { return wrap(fromDLPack(capsule)); },
      nb::arg("capsule"),
      "Makes a tensor of the memory that a capsule of DLPack describes.");
}
