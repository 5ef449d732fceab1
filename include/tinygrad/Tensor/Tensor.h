//===- Tensor.h - The C++ front end -----------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `Tensor` reads like tinygrad's in Python. Operations are lazy: they build an
// expression graph, which is compiled and run when values are asked for. A
// graph that was seen before is not compiled again.
//
// Methods forward to the functions of Ops.h, where they are described;
// Gradient.h has what concerns gradients of functions.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_TENSOR_H
#define TINYGRAD_TENSOR_TENSOR_H

#include "tinygrad/Ops/DType.h"
#include "tinygrad/Tensor/Context.h"
#include "tinygrad/Tensor/Error.h"
#include "tinygrad/Tensor/Ops.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tinygrad {

class NoGradGuard;
class Operand;
class TrainingGuard;

namespace detail {
/// The element type that holds the C++ type `T`.
template <typename T>
constexpr DType dtypeOf() {
  if constexpr (std::is_same_v<T, bool>)
    return DType::Bool;
  else if constexpr (std::is_same_v<T, float>)
    return DType::Float32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::Float64;
  else {
    static_assert(std::is_integral_v<T>, "no element type holds this type");
    constexpr bool isSigned = std::is_signed_v<T>;
    switch (sizeof(T)) {
    case 1:
      return isSigned ? DType::Int8 : DType::UInt8;
    case 2:
      return isSigned ? DType::Int16 : DType::UInt16;
    case 4:
      return isSigned ? DType::Int32 : DType::UInt32;
    default:
      return isSigned ? DType::Int64 : DType::UInt64;
    }
  }
}
} // namespace detail

/// A tensor: a cheap handle to a variable that refers to an immutable node of
/// an expression graph. Copies refer to the same variable: `assign`,
/// `requires_grad_` and `backward` act on all of them.
class Tensor {
public:
  //===--------------------------------------------------------------------===//
  // Creation
  //===--------------------------------------------------------------------===//

  /// Makes a scalar constant from a C++ number: float32, int32 (int64 where it
  /// does not fit) or bool. Beside another tensor it adapts (see Ops.h).
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Tensor(T value) {
    if constexpr (std::is_same_v<T, bool>)
      initScalar(DType::Bool, 0, value);
    else if constexpr (std::is_floating_point_v<T>)
      initScalar(DType::Float64, static_cast<double>(value), 0);
    else
      initScalar(DType::Int64, 0, static_cast<int64_t>(value));
  }

  /// Makes a tensor of `shape` (by default one axis) from row-major elements.
  /// Errors: throws Error if their number is not that of the shape.
  template <typename T>
  explicit Tensor(const std::vector<T> &data)
      : Tensor(data, {static_cast<int64_t>(data.size())}) {}
  template <typename T>
  Tensor(const std::vector<T> &data, const Shape &shape,
         Place place = Place::current()) {
    detail::PlaceScope scope(place);
    if constexpr (std::is_same_v<T, bool>) {
      std::vector<uint8_t> bytes(data.begin(), data.end());
      initData(bytes.data(), bytes.size(), shape, DType::Bool);
    } else {
      initData(data.data(), data.size(), shape, detail::dtypeOf<T>());
    }
  }
  /// The same from a list: `Tensor({1, 2, 3})`, `Tensor({1, 2}, {2, 1})`.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  explicit Tensor(std::initializer_list<T> data)
      : Tensor(std::vector<T>(data)) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Tensor(std::initializer_list<T> data, const Shape &shape,
         Place place = Place::current())
      : Tensor(std::vector<T>(data), shape, place) {}
  /// Makes a tensor from `shape`'s elements of `type` in the host's memory.
  static Tensor fromMemory(const void *data, const Shape &shape, DType type);

  /// Makes a scalar whose value is handed over when a graph runs: graphs that
  /// differ in it alone are compiled once. Use it for what changes from step
  /// to step.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  static Tensor parameter(T value, DType type = std::is_floating_point_v<T>
                                                    ? DType::Float32
                                                    : DType::Int32) {
    if constexpr (std::is_floating_point_v<T>)
      return makeParameter(static_cast<double>(value), 0, type);
    else
      return makeParameter(0, static_cast<int64_t>(value), type);
  }

  /// Makes a parameter with the value that `read` returns: now, and at each
  /// call where this is part of a captured step (see TinyJit).
  static Tensor parameter(std::function<double()> read,
                          DType type = DType::Float32);

  /// Makes a tensor whose elements are not set, on a device (see `to`). On a
  /// `DISK:path` they are what the file holds.
  /// Errors: throws Error, with the path, if there is no such file or it is
  /// shorter than the tensor.
  static Tensor empty(const Shape &shape, DType type = DType::Float32,
                      const std::string &device = "");
  static Tensor zeros(const Shape &shape, DType type = DType::Float32,
                      Place place = Place::current());
  static Tensor ones(const Shape &shape, DType type = DType::Float32,
                     Place place = Place::current());
  static Tensor full(const Shape &shape, double value,
                     DType type = DType::Float32,
                     Place place = Place::current());
  Tensor zeros_like() const;
  Tensor ones_like() const;
  Tensor full_like(double value) const;
  /// Makes start, start + step, … before stop. The elements are computed on
  /// the host: the graph sees a buffer, not a reduce over n*n elements.
  /// Without a type they are int32 if all three are whole numbers, else
  /// float32. Errors: throws Error if the step is 0 or an end is not finite.
  static Tensor arange(int64_t stop, Place place = Place::current());
  static Tensor arange(double start, double stop, double step = 1,
                       std::optional<DType> type = std::nullopt,
                       Place place = Place::current());
  /// Makes the n by n matrix with ones on its diagonal.
  static Tensor eye(int64_t n, DType type = DType::Float32);

  //===--------------------------------------------------------------------===//
  // Random numbers
  //===--------------------------------------------------------------------===//

  // The numbers come from Philox 4x32-10, keyed by the seed of the current
  // context and counted by its calls: the same seed and the same calls give
  // the same numbers on every device.

  /// Starts the current context's numbers anew. Without a call the seed is 0.
  static void manual_seed(uint64_t seed = 0);
  /// Uniform in [0, 1).
  static Tensor rand(const Shape &shape, DType type = DType::Float32);
  /// Normal with mean 0 and variance 1, by Box and Muller's transform.
  static Tensor randn(const Shape &shape, DType type = DType::Float32);
  static Tensor uniform(const Shape &shape, double low = 0, double high = 1,
                        DType type = DType::Float32);
  static Tensor normal(const Shape &shape, double mean = 0, double std = 1,
                       DType type = DType::Float32);
  /// Integers in [low, high), at most 2^24 of them.
  static Tensor randint(const Shape &shape, int64_t low = 0, int64_t high = 10,
                        DType type = DType::Int32);
  /// Uniform in (-1, 1) over the square root of the number of elements.
  static Tensor scaled_uniform(const Shape &shape, DType type = DType::Float32);
  static Tensor glorot_uniform(const Shape &shape, DType type = DType::Float32);
  static Tensor kaiming_uniform(const Shape &shape, double a = 0.01,
                                DType type = DType::Float32);
  static Tensor kaiming_normal(const Shape &shape, double a = 0.01,
                               DType type = DType::Float32);
  /// Draws positions with the probabilities that this tensor's last axis is
  /// proportional to. Shapes: [n] or [b, n] gives [num_samples] or [b,
  /// num_samples], int32. Errors: throws Error for other ranks, and for several
  /// samples without replacement. Source: `Tensor.multinomial`.
  Tensor multinomial(int64_t num_samples = 1, bool replacement = false,
                     Place place = Place::current()) const;

  //===--------------------------------------------------------------------===//
  // Facts and values
  //===--------------------------------------------------------------------===//

  const Shape &shape() const;
  /// The extent of an axis; a negative one counts from the end.
  Extent shape(int64_t axis, Place place = Place::current()) const;
  int64_t ndim() const { return static_cast<int64_t>(shape().size()); }
  Extent numel() const;
  DType dtype() const;
  /// The bytes of one element, and of all.
  int64_t element_size() const { return getByteWidth(dtype()); }
  int64_t nbytes() const { return numel() * element_size(); }
  bool is_floating_point() const { return isFloat(dtype()); }
  ContextRef getContext() const;

  /// Computes the tensor and keeps its value. Errors: see tinygrad::realize.
  Tensor realize(Place place = Place::current()) const;
  bool isRealized() const;
  /// The name of the device where the value is, such as "CPU" or "DISK:/path".
  std::string device() const;

  /// Returns the value on another device: the context's for an empty name or
  /// its own; "HOST", memory of the host; "DISK:/path", a file; or one that was
  /// registered with the engine. On HOST and DISK nothing is computed but
  /// views. Realizing a tensor on a DISK writes the file, from its first byte
  /// on: it is made where there is none, made longer where it is too short, and
  /// never made shorter. What nobody has set, an `empty`, is not written: it
  /// becomes what the file holds. Views of a file read nothing; `to` of a view
  /// reads no more than from its first to its last element. Beside a tensor of
  /// another device one of a DISK is copied there. Errors: throws Error if
  /// there is no such device. Source: `Tensor.to`.
  Tensor to(const std::string &device, Place place = Place::current()) const;
  /// Moves the variable, and its gradient. Errors: as `to`.
  Tensor to_(const std::string &device, Place place = Place::current()) const;
  /// Short for `to` with the name of a device. Errors: as `to`.
  Tensor cpu(Place place = Place::current()) const { return to("CPU", place); }
  Tensor cuda(Place place = Place::current()) const {
    return to("CUDA", place);
  }
  Tensor gpu(Place place = Place::current()) const { return to("GPU", place); }
  Tensor metal(Place place = Place::current()) const {
    return to("METAL", place);
  }
  Tensor disk(const std::string &path, Place place = Place::current()) const {
    return to("DISK:" + path, place);
  }

  /// Returns the row-major elements converted to `T` as `cast` does; realizes.
  template <typename T>
  std::vector<T> toVector(Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    size_t count = static_cast<size_t>(numel().getValue());
    if constexpr (std::is_same_v<T, bool>) {
      std::vector<uint8_t> bytes(count);
      copyTo(bytes.data(), DType::Bool);
      return std::vector<bool>(bytes.begin(), bytes.end());
    } else {
      std::vector<T> result(count);
      copyTo(result.data(), detail::dtypeOf<T>());
      return result;
    }
  }
  /// Returns the bytes of the row-major elements; realizes.
  std::vector<uint8_t> data() const;
  /// Writes the row-major elements, converted to `type`, to memory; realizes.
  void copyTo(void *memory, DType type) const;
  /// Returns the only element. Errors: throws Error if there is not just one.
  template <typename T = double>
  T item(Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return static_cast<T>(scalarAs(detail::dtypeOf<T>()).template get<T>());
  }
  /// Returns false where values cannot be asked for yet: while a step is
  /// captured, and where a variable in the shape has no value.
  bool hasValues() const;
  /// Writes values, shape, type and device, of many elements the first and last
  /// three along each axis; realizes. Without values they are "...".
  std::string toString() const;

  //===--------------------------------------------------------------------===//
  // Gradients
  //===--------------------------------------------------------------------===//

  /// Says whether gradients are wanted for this tensor, and returns it. Only
  /// graphs that are built afterwards know of it.
  Tensor requires_grad_(bool value = true,
                        Place place = Place::current()) const;
  /// True if gradients are wanted, or if the tensor was computed from one
  /// whose are.
  bool requires_grad() const;
  /// Returns true if `requires_grad_` was called on this tensor, or refused
  /// gradients of all that it was computed from.
  bool isGradSpecified() const;
  /// Adds to `grad` of every tensor that wants one the gradient of this
  /// tensor, and returns it. Errors: throws Error, and leaves every `grad` as
  /// it was, unless this tensor has one element of a float type and was
  /// computed from a tensor that wants a gradient. Source: `Tensor.backward`.
  Tensor backward(Place place = Place::current()) const;
  /// Returns the values from which gradients would flow into this tensor and
  /// which were computed themselves, each after what it was computed from.
  /// Source: `Tensor.deepwalk`.
  std::vector<Tensor> deepwalk() const;
  // The names of tinygrad for guards (see Gradient.h and Ops.h).
  using no_grad = NoGradGuard;
  using train = TrainingGuard;
  using wino = WinogradGuard;
  /// The gradient so far. Errors: throws Error if there is none.
  Tensor grad(Place place = Place::current()) const;
  bool hasGrad() const;
  void clearGrad() const;
  /// Makes `grad` the gradient so far. Errors: throws Error if it has another
  /// shape.
  void setGrad(const Tensor &grad) const;
  /// Says that `backward` gives this tensor its gradient though it was
  /// computed, as long as a handle to it lives, and returns it. Nothing changes
  /// where no gradient flows.
  Tensor retain_grad() const;

  /// Gives the variable a new value, of the same shape and type. What was
  /// computed from the old one keeps it. Once the new value is realized, it
  /// lies in the memory of the old one, unless that can still be asked for:
  /// through another tensor, or by `backward`.
  /// On a DISK the value, of any device, is computed and written at once where
  /// the tensor, which may be a view, lies in the file; all tensors of the file
  /// show it. Errors: throws Error if shapes, types or devices differ, or the
  /// file cannot be written. Source: `Tensor.assign`.
  Tensor assign(const Tensor &value, Place place = Place::current()) const;

  //===--------------------------------------------------------------------===//
  // Operations: see Ops.h
  //===--------------------------------------------------------------------===//

  Tensor detach() const { return tinygrad::detach(*this); }
  Tensor contiguous() const { return tinygrad::contiguous(*this); }
  Tensor contiguous_backward() const {
    return tinygrad::contiguous_backward(*this);
  }
  /// Computes all in one graph. Source: `Tensor.corealize`.
  static void corealize(const std::vector<Tensor> &tensors) {
    tinygrad::realize(tensors);
  }
  Tensor cast(DType type, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::cast(*this, type);
  }
  Tensor bitcast(DType type, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::bitcast(*this, type);
  }
  /// Casts to float32 and to float16. Source: `Tensor.float`, `Tensor.half`.
  Tensor float_() const { return cast(DType::Float32); }
  Tensor half() const { return cast(DType::Float16); }

  Tensor neg() const { return tinygrad::neg(*this); }
  Tensor logical_not() const { return tinygrad::logical_not(*this); }
  Tensor exp() const { return tinygrad::exp(*this); }
  Tensor exp2() const { return tinygrad::exp2(*this); }
  Tensor log() const { return tinygrad::log(*this); }
  Tensor log2() const { return tinygrad::log2(*this); }
  Tensor sin() const { return tinygrad::sin(*this); }
  Tensor cos() const { return tinygrad::cos(*this); }
  Tensor tan() const { return tinygrad::tan(*this); }
  Tensor sqrt() const { return tinygrad::sqrt(*this); }
  Tensor rsqrt() const { return tinygrad::rsqrt(*this); }
  Tensor reciprocal() const { return tinygrad::reciprocal(*this); }
  Tensor sigmoid() const { return tinygrad::sigmoid(*this); }
  Tensor tanh() const { return tinygrad::tanh(*this); }
  Tensor sinh() const { return tinygrad::sinh(*this); }
  Tensor cosh() const { return tinygrad::cosh(*this); }
  Tensor asinh() const { return tinygrad::asinh(*this); }
  Tensor acosh() const { return tinygrad::acosh(*this); }
  Tensor atanh() const { return tinygrad::atanh(*this); }
  Tensor quick_gelu() const { return tinygrad::quick_gelu(*this); }
  Tensor swish() const { return tinygrad::swish(*this); }
  Tensor mish() const { return tinygrad::mish(*this); }
  Tensor softsign() const { return tinygrad::softsign(*this); }
  Tensor hardswish() const { return tinygrad::hardswish(*this); }
  Tensor gelu() const { return tinygrad::gelu(*this); }
  Tensor silu() const { return tinygrad::silu(*this); }
  Tensor softplus(double beta = 1, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::softplus(*this, beta);
  }
  Tensor elu(double alpha = 1, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::elu(*this, alpha);
  }
  Tensor celu(double alpha = 1, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::celu(*this, alpha);
  }
  Tensor hardtanh(double min_val = -1, double max_val = 1,
                  Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::hardtanh(*this, min_val, max_val);
  }
  Tensor relu() const { return tinygrad::relu(*this); }
  Tensor relu6() const { return tinygrad::relu6(*this); }
  Tensor leakyrelu(double slope = 0.01, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::leakyrelu(*this, slope);
  }
  Tensor abs() const { return tinygrad::abs(*this); }
  Tensor sign() const { return tinygrad::sign(*this); }
  Tensor square() const { return tinygrad::square(*this); }
  Tensor trunc() const { return tinygrad::trunc(*this); }
  Tensor floor() const { return tinygrad::floor(*this); }
  Tensor ceil() const { return tinygrad::ceil(*this); }
  Tensor clip(double low, double high, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::clip(*this, low, high);
  }
  // With `reverse` the operands change places. Source: `Tensor.add`, ….
  Tensor add(const Tensor &y, bool reverse = false,
             Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return reverse ? tinygrad::add(y, *this) : tinygrad::add(*this, y);
  }
  Tensor sub(const Tensor &y, bool reverse = false,
             Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return reverse ? tinygrad::sub(y, *this) : tinygrad::sub(*this, y);
  }
  Tensor mul(const Tensor &y, bool reverse = false,
             Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return reverse ? tinygrad::mul(y, *this) : tinygrad::mul(*this, y);
  }
  Tensor div(const Tensor &y, bool reverse = false,
             Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return reverse ? tinygrad::div(y, *this) : tinygrad::div(*this, y);
  }
  Tensor pow(const Tensor &y, bool reverse = false,
             Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return reverse ? tinygrad::pow(y, *this) : tinygrad::pow(*this, y);
  }
  Tensor bitwise_xor(const Tensor &y, bool reverse = false,
                     Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return reverse ? tinygrad::bitwise_xor(y, *this)
                   : tinygrad::bitwise_xor(*this, y);
  }
  Tensor mod(const Tensor &y, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::mod(*this, y);
  }
  Tensor maximum(const Tensor &y, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::maximum(*this, y);
  }
  Tensor minimum(const Tensor &y, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::minimum(*this, y);
  }
  /// This tensor is the condition. Source: `Tensor.where`.
  Tensor where(const Tensor &x, const Tensor &y,
               Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::where(*this, x, y);
  }
  // As in Python, these give the variable a new value.
  Tensor &operator+=(const Operand &y);
  Tensor &operator-=(const Operand &y);
  Tensor &operator*=(const Operand &y);
  Tensor &operator/=(const Operand &y);
  Tensor &operator^=(const Operand &y);
  Tensor &pow_(const Tensor &y);
  Tensor &matmul_(const Tensor &y);

  Tensor reshape(const Shape &shape, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::reshape(*this, shape);
  }
  Tensor permute(const std::vector<int64_t> &order,
                 Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::permute(*this, order);
  }
  Tensor transpose(int64_t axis0 = 1, int64_t axis1 = 0,
                   Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::transpose(*this, axis0, axis1);
  }
  Tensor T() const { return transpose(); }
  Tensor expand(const Shape &shape, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::expand(*this, shape);
  }
  Tensor pad(const Ranges &padding, double value = 0,
             Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::pad(*this, padding, value);
  }
  Tensor pad2d(const std::vector<int64_t> &padding, double value = 0,
               Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::pad2d(*this, padding, value);
  }
  Tensor shrink(const Ranges &ranges, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::shrink(*this, ranges);
  }
  Tensor flip(const Axes &axes, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::flip(*this, axes);
  }
  Tensor stride(const std::vector<int64_t> &steps,
                Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::stride(*this, steps);
  }
  Tensor unsqueeze(int64_t axis, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::unsqueeze(*this, axis);
  }
  Tensor squeeze(const Axes &axes = {}, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::squeeze(*this, axes);
  }
  Tensor flatten(int64_t startAxis = 0, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::flatten(*this, startAxis);
  }
  Tensor slice(const std::vector<std::pair<int64_t, int64_t>> &ranges,
               double value = 0, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::slice(*this, ranges, value);
  }
  Tensor triu(int64_t k = 0, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::triu(*this, k);
  }
  Tensor tril(int64_t k = 0, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::tril(*this, k);
  }
  Tensor repeat(const std::vector<int64_t> &counts,
                Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::repeat(*this, counts);
  }
  Tensor getitem(const std::vector<Index> &indices,
                 Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::getitem(*this, indices);
  }
  Tensor operator[](const Index &index) const {
    detail::PlaceScope scope(index.place);
    return tinygrad::getitem(*this, {index});
  }
  /// Gives the variable the value of `tinygrad::setitem`, as `assign` does. On
  /// a DISK it assigns to the view that the indices show, which writes that
  /// part. Source: `Tensor.__setitem__`.
  Tensor setitem(const std::vector<Index> &indices, const Tensor &value,
                 Place place = Place::current()) const;
  Tensor gather(const Tensor &index, int64_t axis,
                Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::gather(*this, index, axis);
  }
  static Tensor cat(const std::vector<Tensor> &tensors, int64_t axis = 0,
                    Place place = Place::current()) {
    detail::PlaceScope scope(place);
    return tinygrad::cat(tensors, axis);
  }
  static Tensor stack(const std::vector<Tensor> &tensors, int64_t axis = 0,
                      Place place = Place::current()) {
    detail::PlaceScope scope(place);
    return tinygrad::stack(tensors, axis);
  }
  std::vector<Tensor> chunk(int64_t count, int64_t axis = 0,
                            Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::chunk(*this, count, axis);
  }
  std::vector<Tensor> split(int64_t size, int64_t axis = 0,
                            Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::split(*this, size, axis);
  }

  Tensor sum(const Axes &axes = {}, bool keepdim = false,
             Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::sum(*this, axes, keepdim);
  }
  Tensor max(const Axes &axes = {}, bool keepdim = false,
             Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::max(*this, axes, keepdim);
  }
  Tensor min(const Axes &axes = {}, bool keepdim = false,
             Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::min(*this, axes, keepdim);
  }
  Tensor mean(const Axes &axes = {}, bool keepdim = false,
              Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::mean(*this, axes, keepdim);
  }
  Tensor var(const Axes &axes = {}, bool keepdim = false,
             int64_t correction = 1, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::var(*this, axes, keepdim, correction);
  }
  Tensor std(const Axes &axes = {}, bool keepdim = false,
             int64_t correction = 1, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::std(*this, axes, keepdim, correction);
  }
  Tensor cumsum(int64_t axis = 0, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::cumsum(*this, axis);
  }
  Tensor softmax(const Axes &axes = -1, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::softmax(*this, axes);
  }
  Tensor log_softmax(const Axes &axes = -1,
                     Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::log_softmax(*this, axes);
  }
  Tensor argmax(std::optional<int64_t> axis = std::nullopt,
                bool keepdim = false, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::argmax(*this, axis, keepdim);
  }
  Tensor argmin(std::optional<int64_t> axis = std::nullopt,
                bool keepdim = false, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::argmin(*this, axis, keepdim);
  }

  Tensor dot(const Tensor &w, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::dot(*this, w);
  }
  Tensor matmul(const Tensor &w, bool reverse = false,
                Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return reverse ? tinygrad::matmul(w, *this) : tinygrad::matmul(*this, w);
  }
  static Tensor einsum(const std::string &formula,
                       const std::vector<Tensor> &operands,
                       Place place = Place::current()) {
    detail::PlaceScope scope(place);
    return tinygrad::einsum(formula, operands);
  }
  Tensor linear(const Tensor &weight, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::linear(*this, weight);
  }
  Tensor linear(const Tensor &weight, const Tensor &bias,
                Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::linear(*this, weight, bias);
  }
  Tensor conv2d(const Tensor &weight, const ConvOptions &options = {},
                Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::conv2d(*this, weight, options);
  }
  Tensor conv2d(const Tensor &weight, const Tensor &bias,
                const ConvOptions &options = {},
                Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::conv2d(*this, weight, bias, options);
  }
  Tensor conv_transpose2d(const Tensor &weight,
                          const ConvTransposeOptions &options = {},
                          Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::conv_transpose2d(*this, weight, options);
  }
  Tensor conv_transpose2d(const Tensor &weight, const Tensor &bias,
                          const ConvTransposeOptions &options = {},
                          Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::conv_transpose2d(*this, weight, bias, options);
  }
  Tensor max_pool2d(const std::vector<int64_t> &kernel = {2, 2},
                    const PoolOptions &options = {},
                    Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::max_pool2d(*this, kernel, options);
  }
  Tensor avg_pool2d(const std::vector<int64_t> &kernel = {2, 2},
                    const PoolOptions &options = {},
                    Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::avg_pool2d(*this, kernel, options);
  }
  Tensor dropout(double p = 0.5, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::dropout(*this, p);
  }
  Tensor scaled_dot_product_attention(
      const Tensor &key, const Tensor &value,
      const std::optional<Tensor> &attn_mask = std::nullopt,
      double dropout_p = 0, bool is_causal = false,
      Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::scaled_dot_product_attention(*this, key, value, attn_mask,
                                                  dropout_p, is_causal);
  }
  Tensor batchnorm(const std::optional<Tensor> &weight,
                   const std::optional<Tensor> &bias, const Tensor &mean,
                   const Tensor &invstd, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::batchnorm(*this, weight, bias, mean, invstd);
  }
  Tensor layernorm(const Axes &axes = -1, double eps = 1e-5,
                   Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::layernorm(*this, axes, eps);
  }
  Tensor sparse_categorical_crossentropy(const Tensor &labels,
                                         int64_t ignoreIndex = -1,
                                         Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::sparse_categorical_crossentropy(*this, labels,
                                                     ignoreIndex);
  }
  Tensor binary_crossentropy(const Tensor &y,
                             Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::binary_crossentropy(*this, y);
  }
  Tensor binary_crossentropy_logits(const Tensor &y,
                                    Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::binary_crossentropy_logits(*this, y);
  }
  Tensor one_hot(int64_t count, Place place = Place::current()) const {
    detail::PlaceScope scope(place);
    return tinygrad::one_hot(*this, count);
  }
  /// Applies functions one after the other. Source: `Tensor.sequential`.
  Tensor sequential(
      const std::vector<std::function<Tensor(const Tensor &)>> &layers) const;

  /// For the front end's own use.
  explicit Tensor(std::shared_ptr<detail::TensorImpl> impl)
      : impl(std::move(impl)) {}
  const std::shared_ptr<detail::TensorImpl> &getImpl() const { return impl; }

private:
  /// One element's bytes.
  struct Element {
    alignas(8) unsigned char bytes[8];
    template <typename T>
    T get() const {
      return *reinterpret_cast<const T *>(bytes);
    }
  };

  void initScalar(DType type, double real, int64_t integer);
  void initData(const void *data, size_t count, const Shape &shape, DType type);
  static Tensor makeParameter(double real, int64_t integer, DType type);
  Element scalarAs(DType type) const;

  std::shared_ptr<detail::TensorImpl> impl;
};

/// An operand of an operator: a tensor or a number, and where it is one.
class Operand {
public:
  Operand(const Tensor &tensor, Place place = Place::current())
      : value(tensor), place(place) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Operand(T number, Place place = Place::current())
      : value(number), place(place) {}

  Tensor value;
  Place place;
};

/// Writes `tensor.toString()`.
std::ostream &operator<<(std::ostream &os, const Tensor &tensor);

} // namespace tinygrad

#include "tinygrad/Tensor/Gradient.h"

#endif // TINYGRAD_TENSOR_TENSOR_H
