//===- Lazy.h - What stands behind a tensor ---------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The graph behind tensors, for those who look at it or add operations of their
// own to it. Source: `LazyBuffer`.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_LAZY_H
#define TINYGRAD_TENSOR_LAZY_H

#include "tinygrad/Ops/OpKind.h"
#include "tinygrad/Ops/Scalar.h"
#include "tinygrad/Shape/SymbolicShapeTracker.h"
#include "tinygrad/Tensor/Tensor.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad {

namespace runtime {
class Buffer;
} // namespace runtime

namespace detail {
struct Node;
} // namespace detail

/// What makes a value, one operation deep.
struct LazyValue {
  /// Nothing for memory, and for a number that is handed over at each run.
  std::optional<ops::OpKind> kind;
  std::vector<Tensor> operands;
  /// As ops::OpAttributes::ints.
  Shape ints;
  /// Of a constant, or of a number that is handed over.
  ops::Scalar value;
  /// The callback of a custom.
  std::string name;
  /// True for memory whose elements nobody has set.
  bool isUnset = false;
};

/// Returns what makes the value of `x`.
LazyValue inspect(const Tensor &x);

/// Returns a number that two tensors share if they have one value, from one
/// operation; it grows in the order in which values are made.
uint64_t getValueNumber(const Tensor &x);

/// Returns what two tensors share if their elements lie in one buffer: its
/// identity, null if `x` is not realized.
const void *getBufferIdentity(const Tensor &x);

/// Writes `numBytes` bytes to the buffer of `x`, which is realized and all of
/// it. Whatever else lies there changes, too.
/// Errors: throws Error if it is not realized or has another size.
void writeElements(const Tensor &x, const void *data, size_t numBytes);

/// The memory in which a value lies, for somebody who looks at it. It is there
/// as long as this is, but not the value: a new one of the tensor may be
/// written to the same memory, as if nobody looked. Source: `Buffer`.
class MemoryView {
public:
  /// Errors: throws Error unless `x` is realized.
  explicit MemoryView(const Tensor &x);
  ~MemoryView();
  MemoryView(const MemoryView &) = delete;
  MemoryView &operator=(const MemoryView &) = delete;

  /// As getBufferIdentity.
  const void *getIdentity() const { return buffer.get(); }
  /// Returns a tensor of the elements that lie there now, which keeps them.
  Tensor getTensor() const;

private:
  std::shared_ptr<runtime::Buffer> buffer;
  std::weak_ptr<detail::Node> node;
  std::string device;
};

/// Returns the value of which `x` shows elements by movement operations alone,
/// and which elements these are. It is no view itself.
std::pair<Tensor, shape::SymbolicShapeTracker> getBase(const Tensor &x);

/// Makes an operation of the graph, without a history. `ints` is laid out as
/// ops::OpAttributes::ints.
/// Errors: throws Error if shapes, types or devices do not fit. Nothing is
/// promoted or broadcast.
Tensor makeLazy(ops::OpKind kind, const std::vector<Tensor> &operands,
                DType type, const Shape &ints = {});

/// Returns `x` as `type` for a tensor whose value it becomes. Where `x` is
/// contiguous of something, that is cast, so that one kernel does both.
Tensor castToStore(const Tensor &x, DType type);

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_LAZY_H
