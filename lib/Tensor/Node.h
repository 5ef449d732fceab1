//===- Node.h - A node of the expression graph ------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The expression graph behind `Tensor`, and the functions that build it.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_NODE_H
#define TINYGRAD_LIB_TENSOR_NODE_H

#include "LiveVariable.h"
#include "Symbolic.h"

#include "tinygrad/Ops/Graph.h"
#include "tinygrad/Tensor/Tensor.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tinygrad {

namespace runtime {
class Buffer;
} // namespace runtime

namespace detail {

struct HostFunctionSlot;
struct Node;
using NodeRef = std::shared_ptr<Node>;

/// Returns the gradients of `inputs`, null where none flows.
using BackwardRule = std::function<std::vector<NodeRef>(
    const std::vector<NodeRef> &inputs, const NodeRef &result,
    const NodeRef &grad)>;

/// One value. What it is never changes; realizing it adds its buffer and takes
/// away what is not needed any more.
struct Node : std::enable_shared_from_this<Node> {
  enum class Form : uint8_t {
    /// The result of `kind`, or a realized buffer.
    Op,
    /// A scalar that is handed over at each run: attributes.value.
    Parameter,
    /// The value of operands[0], which is no alias, with a history of its own:
    /// none, or `backward` over operands[1..].
    Alias,
    /// The elements of operands[0] in another shape, which has as many with
    /// the values that variables are bound to, and only with these. It is no
    /// operation: the value is realized, and its buffer is this node's.
    Rebind,
  };

  Form form = Form::Op;
  ops::OpKind kind = ops::OpKind::Empty;
  DType type = DType::Float32;
  /// True if a gradient may flow to this node.
  bool requiresGrad = false;
  /// True if gradients are refused of what the value is computed from, numbers
  /// aside.
  bool refusesGrad = false;
  /// True for what is made of constants and parameters alone: it is made again
  /// on the device of what it stands beside.
  bool isAnywhere = false;
  /// True for a buffer whose elements nobody has set.
  bool isUnset = false;
  /// True if a Rebind was below the node when it was made.
  bool isAboveRebind = false;
  Shape shape;
  std::vector<NodeRef> operands;
  ops::OpAttributes attributes;
  /// `attributes.ints` where one of them is an expression.
  Shape symbolicInts;
  std::shared_ptr<const BackwardRule> backward;
  /// The variable that collects this node's gradient. Weak, since the gradient
  /// refers to the node.
  std::weak_ptr<TensorImpl> owner;
  /// The value, once it is known.
  std::shared_ptr<runtime::Buffer> buffer;
  /// The registration of the function of the host that computes the value,
  /// where it ends with the last that needs it.
  std::shared_ptr<const HostFunctionSlot> hostFunction;
  /// Null for a constant, which fits every context.
  ContextRef context;
  /// The number of the captured step that made the node, or 0.
  uint32_t captureNumber;
  /// Grows from node to node, so that operands have smaller ones than users.
  uint64_t number;
  /// Where the value is, by its canonical name; empty for the context's device.
  std::string device;

  Node();
  /// Destroys what only this node refers to without recursion.
  ~Node();
};

/// A variable. Tensors are handles to it.
struct TensorImpl : LiveVariable {
  enum class GradMode : uint8_t { Unspecified, No, Yes };

  NodeRef node;
  /// What was assigned over since `node` was realized last: a realized node,
  /// whose buffer may be written again (see Overwrite.h).
  std::weak_ptr<Node> target;
  GradMode gradMode = GradMode::Unspecified;
  std::shared_ptr<TensorImpl> grad;
  /// The number that made a scalar constant, which adapts its type.
  std::optional<ops::Scalar> number;
};

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Makes an operation. Throws Error in the name of `name` (by default that of
/// `kind`) if shapes, types or contexts do not fit. `symbolicInts` stand for
/// `attributes.ints` where there are any.
NodeRef makeOp(ops::OpKind kind, std::vector<NodeRef> operands, DType type,
               ops::OpAttributes attributes = {}, const char *name = nullptr,
               Shape symbolicInts = {});
/// Makes an operation whose `attributes.ints` are `ints`.
NodeRef makeMovement(ops::OpKind kind, const NodeRef &x, Shape ints,
                     const char *name = nullptr);
NodeRef makeConst(ops::Scalar value);
/// Makes a tensor of `shape` that holds `value` everywhere.
NodeRef makeFull(ops::Scalar value, const Shape &shape);
/// The same for the shape of a node, which is not checked again; it has no
/// expression.
NodeRef makeFullBeside(ops::Scalar value, const Shape &shape);
NodeRef makeParameter(ops::Scalar value, ContextRef context);
/// Makes a parameter with the value that `read` returns, now and at each call
/// of a step that is captured.
NodeRef makeParameter(std::function<ops::Scalar()> read, ContextRef context);
/// Makes the value of `x` without its history.
NodeRef makeDetached(const NodeRef &x);
/// Makes `value` with the gradient `backward` over `inputs`.
NodeRef makeDifferentiable(const NodeRef &value, std::vector<NodeRef> inputs,
                           BackwardRule backward);
/// Makes the elements of `node`, which is realized, read as another type.
NodeRef makeReinterpreted(const char *name, const Node &node, DType type);
/// Makes a realized node from `shape`'s elements in the host's memory.
NodeRef makeFromMemory(const char *name, const void *data, const Shape &shape,
                       DType type);
/// Makes a realized node whose elements are not set, or what `device` holds.
NodeRef makeUnset(const char *name, const Shape &shape, DType type,
                  const std::string &device);
/// Makes a realized node around `buffer`, which is on `device`.
NodeRef makeFromBuffer(std::shared_ptr<runtime::Buffer> buffer,
                       const Shape &shape, const std::string &device);
/// Fills `buffer` with the bytes of `source`, which has as many. Throws Error
/// in the name of the function `name`.
void fillBuffer(const char *name, runtime::Buffer &buffer,
                runtime::Buffer &source);
/// Makes the value of `x` on `device`.
NodeRef makeCopy(const NodeRef &x, const std::string &device);
/// Returns `device` as nodes have it. Throws Error if it is not registered.
std::string resolveDevice(const char *name, const std::string &device,
                          Context &context);

/// Returns the node that computes the value of `node`.
inline const NodeRef &resolveAlias(const NodeRef &node) {
  return node->form == Node::Form::Alias ? node->operands[0] : node;
}

//===----------------------------------------------------------------------===//
// Tensors and nodes
//===----------------------------------------------------------------------===//

/// Tells the step that is captured on this thread, if there is one, that it
/// reads `variable`.
void noteRead(const std::shared_ptr<TensorImpl> &variable);

inline const NodeRef &getNode(const Tensor &tensor) {
  noteRead(tensor.getImpl());
  return tensor.getImpl()->node;
}
Tensor makeTensor(NodeRef node);
/// Makes `node`, of the variable's shape and type, its value.
void setValue(const std::shared_ptr<TensorImpl> &variable, NodeRef node);

/// Returns the product of the extents. Throws Error if it is too large.
Extent countElements(const char *name, const Shape &shape);

/// Returns `axis` counted from the front. Throws Error if it is not one of
/// `rank` axes.
int64_t resolveAxis(const char *name, int64_t axis, size_t rank);

/// Returns the type in which functions such as exp compute `type`.
inline DType toFloatType(DType type) {
  return isFloat(type) ? type : DType::Float32;
}

/// Returns the type of `number` beside an operand of `type`.
DType adaptType(const ops::Scalar &number, DType type);
/// Casts `x` to the type of what it stands beside. In kernels it is part of the
/// operations that read it.
Tensor castImplicitly(const Tensor &x, DType type);
/// Brings operands to one type, and numbers to the type of what they stand
/// beside; shapes are left alone.
std::vector<Tensor> promote(const std::vector<Tensor> &operands);
/// Returns the shape to which all `shapes` broadcast. Throws Error if there is
/// none.
Shape broadcastShapes(const char *name, const std::vector<Shape> &shapes);
/// Adds axes of size 1 in front and repeats axes of size 1.
Tensor broadcastTo(const char *name, const Tensor &x, const Shape &shape);

} // namespace detail
} // namespace tinygrad

#endif // TINYGRAD_LIB_TENSOR_NODE_H
