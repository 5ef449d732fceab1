//===- Autograd.cpp - Gradients of tensors --------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"

#include "tinygrad/Ops/Gradient.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <unordered_set>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

// What guards of this thread say, and what holds where there is none.
static thread_local std::optional<bool> gradEnabled;
static thread_local std::optional<bool> training;
static std::atomic<bool> gradEnabledByDefault = true;
static std::atomic<bool> trainingByDefault = false;

bool tinygrad::isGradEnabled() {
  return gradEnabled.value_or(gradEnabledByDefault);
}

void tinygrad::setGradEnabled(bool value) { gradEnabledByDefault = value; }

NoGradGuard::NoGradGuard() : previous(std::exchange(gradEnabled, false)) {}

NoGradGuard::~NoGradGuard() { gradEnabled = previous; }

TrainingGuard::TrainingGuard(bool value)
    : previous(std::exchange(training, value)) {}

TrainingGuard::~TrainingGuard() { training = previous; }

bool tinygrad::isTraining() { return training.value_or(trainingByDefault); }

void tinygrad::setTraining(bool value) { trainingByDefault = value; }

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

static std::vector<NodeRef> passThrough(const std::vector<NodeRef> &,
                                        const NodeRef &, const NodeRef &grad) {
  return {grad};
}

Tensor Tensor::requires_grad_(bool value, Place place) const {
  PlaceScope scope(place);
  if (!value) {
    impl->gradMode = TensorImpl::GradMode::No;
    impl->node = makeDetached(impl->node);
    impl->node->refusesGrad = true;
    return *this;
  }
  if (!isFloat(dtype()))
    throw Error("requires_grad_", "expects a tensor of a float type, got " +
                                      std::string(getName(dtype())));
  if (impl->gradMode == TensorImpl::GradMode::Yes)
    return *this;
  impl->gradMode = TensorImpl::GradMode::Yes;
  // A number adapts its type as a constant, to which no gradient flows.
  impl->number.reset();
  // A tensor with a history keeps it, and collects its gradient as well.
  NodeRef node = makeDifferentiable(impl->node, {impl->node}, passThrough);
  if (node == impl->node)
    node = makeDetached(impl->node);
  node->requiresGrad = true;
  node->refusesGrad = false;
  node->owner = impl;
  impl->node = std::move(node);
  return *this;
}

bool Tensor::requires_grad() const { return impl->node->requiresGrad; }

bool Tensor::isGradSpecified() const {
  return impl->gradMode != TensorImpl::GradMode::Unspecified;
}

Tensor Tensor::grad(Place place) const {
  PlaceScope scope(place);
  if (!impl->grad)
    throw Error("grad",
                "expects a tensor that `backward` has given a gradient, got "
                "one without, of shape " +
                    ops::toString(shape()),
                {shape()});
  return Tensor(impl->grad);
}

bool Tensor::hasGrad() const { return impl->grad != nullptr; }

void Tensor::clearGrad() const { impl->grad.reset(); }

void Tensor::setGrad(const Tensor &grad) const {
  if (grad.shape() != shape())
    throw Error("grad",
                "expects a gradient of the tensor's shape " +
                    ops::toString(shape()) + ", got " +
                    ops::toString(grad.shape()),
                {shape(), grad.shape()});
  impl->grad = grad.getImpl();
}

Tensor Tensor::retain_grad() const {
  if (!requires_grad())
    return *this;
  std::shared_ptr<TensorImpl> owner = impl->node->owner.lock();
  // Another tensor has the node: an operation that changes nothing gives it.
  if (owner && owner != impl)
    impl->node = makeDifferentiable(impl->node, {impl->node}, passThrough);
  if (impl->node->owner.expired())
    impl->node->owner = impl;
  return *this;
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

namespace {

/// Makes nodes. Keeps all of them alive, since a Ref does not.
class NodeBuilder : public ops::GradientBuilder {
public:
  shape::Sizes getShape(ops::Ref value) override {
    return toSizes(get(value)->shape);
  }
  DType getType(ops::Ref value) override { return get(value)->type; }

  ops::Ref create(ops::OpKind kind, std::span<const ops::Ref> operands,
                  DType type, const shape::Sizes &ints) override {
    std::vector<NodeRef> nodes;
    for (ops::Ref operand : operands)
      nodes.push_back(get(operand));
    if (ints.isSymbolic())
      return keep(makeOp(kind, std::move(nodes), type, {}, nullptr,
                         toShape(ints.getExprs())));
    return keep(
        makeOp(kind, std::move(nodes), type, {ints.getNumbers(), {}, {}}));
  }

  ops::Ref createConst(double value, DType type,
                       const shape::Sizes &shape) override {
    return keep(makeFull(ops::Scalar::fromDouble(type, value),
                         toShape(shape.getExprs())));
  }

  /// Returns a reference to a node that something else keeps alive.
  static ops::Ref refer(const NodeRef &node) { return {node.get()}; }
  static NodeRef get(ops::Ref value) {
    const Node *node = static_cast<const Node *>(value.handle);
    return const_cast<Node *>(node)->shared_from_this();
  }

private:
  ops::Ref keep(NodeRef node) {
    nodes.push_back(std::move(node));
    return {nodes.back().get()};
  }

  std::vector<NodeRef> nodes;
};

/// Walks back from a loss and collects gradients. Makes nodes with a history of
/// their own if gradients are enabled.
class Backward {
public:
  /// Finds the gradients of variables; `commit` hands them over.
  explicit Backward(const NodeRef &loss);
  /// Finds the gradients of `leaves`; see `take`.
  Backward(const NodeRef &loss, std::span<const NodeRef> leaves);

  void commit();
  /// Returns the gradient of a leaf, null where none flows to it.
  NodeRef take(const NodeRef &leaf) { return grads[leaf.get()]; }

private:
  void run(const NodeRef &loss);
  void visit(const NodeRef &node, const NodeRef &grad);
  void add(const NodeRef &node, NodeRef grad);

  NodeBuilder builder;
  /// The nodes with a gradient, each after its operands.
  std::vector<NodeRef> nodes;
  std::unordered_set<const Node *> leaves;
  /// The nodes on the way to a leaf; not used without leaves.
  std::unordered_set<const Node *> needed;
  std::unordered_map<const Node *, NodeRef> grads;
  std::vector<std::pair<std::shared_ptr<TensorImpl>, NodeRef>> results;
};

} // namespace

/// Returns the operands to which the gradient of `node` goes.
static std::span<const NodeRef> getGradOperands(const Node &node) {
  std::span<const NodeRef> operands = node.operands;
  if (node.form != Node::Form::Alias)
    return operands;
  return node.backward ? operands.subspan(1) : std::span<const NodeRef>();
}

/// Lists what `root` was computed from and gradients flow to, each node after
/// its operands. Does not go beyond `leaves`.
static std::vector<NodeRef>
listHistory(const NodeRef &root,
            const std::unordered_set<const Node *> &leaves = {}) {
  struct Frame {
    NodeRef node;
    size_t next;
  };
  std::vector<NodeRef> nodes;
  std::unordered_set<const Node *> seen = {root.get()};
  std::vector<Frame> stack = {{root, 0}};
  while (!stack.empty()) {
    Frame &frame = stack.back();
    std::span<const NodeRef> operands = getGradOperands(*frame.node);
    if (frame.next == operands.size() || leaves.contains(frame.node.get())) {
      nodes.push_back(std::move(frame.node));
      stack.pop_back();
      continue;
    }
    const NodeRef &operand = operands[frame.next++];
    if (operand->requiresGrad && seen.insert(operand.get()).second)
      stack.push_back({operand, 0});
  }
  return nodes;
}

Backward::Backward(const NodeRef &loss) : nodes(listHistory(loss)) {
  NoGradGuard noGrad;
  run(loss);
}

Backward::Backward(const NodeRef &loss, std::span<const NodeRef> wanted) {
  for (const NodeRef &leaf : wanted)
    leaves.insert(leaf.get());
  nodes = listHistory(loss, leaves);
  for (const NodeRef &node : nodes)
    if (leaves.contains(node.get()) ||
        std::ranges::any_of(getGradOperands(*node),
                            [&](const NodeRef &operand) {
                              return needed.contains(operand.get());
                            }))
      needed.insert(node.get());
  run(loss);
}

void Backward::run(const NodeRef &loss) {
  grads[loss.get()] =
      makeFull(ops::Scalar::fromDouble(loss->type, 1), loss->shape);
  for (size_t i = nodes.size(); i-- > 0;) {
    auto found = grads.find(nodes[i].get());
    if (found == grads.end() || leaves.contains(nodes[i].get()))
      continue;
    NodeRef grad = std::move(found->second);
    grads.erase(found);
    visit(nodes[i], grad);
  }
}

void Backward::commit() {
  NoGradGuard noGrad;
  for (auto &[owner, grad] : results) {
    NodeRef total = grad;
    if (owner->grad)
      total = makeOp(ops::OpKind::Add, {owner->grad->node, grad}, grad->type);
    owner->grad = makeTensor(std::move(total)).getImpl();
  }
}

void Backward::visit(const NodeRef &node, const NodeRef &grad) {
  std::shared_ptr<TensorImpl> owner = node->owner.lock();
  if (owner && leaves.empty())
    results.emplace_back(std::move(owner), grad);
  std::span<const NodeRef> operands = getGradOperands(*node);
  if (operands.empty())
    return;
  if (node->backward) {
    std::vector<NodeRef> inputs(operands.begin(), operands.end());
    std::vector<NodeRef> results = (*node->backward)(inputs, node, grad);
    for (size_t i = 0; i < results.size(); ++i)
      if (results[i])
        add(inputs[i], std::move(results[i]));
    return;
  }
  std::vector<ops::Ref> refs;
  for (const NodeRef &operand : operands)
    refs.push_back(NodeBuilder::refer(operand));
  shape::Sizes ints = node->symbolicInts.empty()
                          ? shape::Sizes(node->attributes.ints)
                          : toSizes(node->symbolicInts);
  auto results =
      ops::gradient(builder, node->kind, ints, refs, NodeBuilder::refer(node),
                    NodeBuilder::refer(grad));
  if (ops::getInfo(node->kind).group == ops::OpGroup::Movement && !results[0]) {
    std::string name(ops::getInfo(node->kind).name);
    const Shape &source = operands[0]->shape;
    if (ints.isSymbolic() || source.isSymbolic())
      throw Error("backward",
                  "cannot prove that the gradient of `" + name +
                      "` has the shape " + ops::toString(source),
                  {source});
    throw Error("backward",
                "expects gradients of fewer than 2^62 elements, but that of `" +
                    name + "` takes more");
  }
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i])
      add(operands[i], NodeBuilder::get(*results[i]));
}

void Backward::add(const NodeRef &node, NodeRef grad) {
  if (!node->requiresGrad || (!leaves.empty() && !needed.contains(node.get())))
    return;
  NodeRef &total = grads[node.get()];
  total = total ? makeOp(ops::OpKind::Add, {total, grad}, grad->type)
                : std::move(grad);
}

Tensor Tensor::backward(Place place) const {
  PlaceScope scope(place);
  const NodeRef &loss = impl->node;
  if (numel() != 1)
    throw Error("backward",
                "expects a tensor with one element, got shape " +
                    ops::toString(shape()),
                {shape()});
  if (!loss->requiresGrad)
    throw Error("backward", "expects a tensor computed from one that requires "
                            "a gradient");
  Backward(loss).commit();
  return *this;
}

bool tinygrad::isGradCutOff(const Tensor &x) {
  std::vector<const Node *> stack = {x.getImpl()->node.get()};
  std::unordered_set<const Node *> seen = {stack.back()};
  while (!stack.empty()) {
    const Node *node = stack.back();
    stack.pop_back();
    // Somebody wants no history of what is detached.
    if (node->requiresGrad || node->form == Node::Form::Alias)
      continue;
    bool isComparison =
        node->kind == ops::OpKind::CmpLt || node->kind == ops::OpKind::CmpEq;
    for (const NodeRef &operand : node->operands) {
      if (isComparison && operand->requiresGrad)
        return true;
      if (seen.insert(operand.get()).second)
        stack.push_back(operand.get());
    }
  }
  return false;
}

std::vector<Tensor> Tensor::deepwalk() const {
  std::vector<Tensor> result;
  if (impl->node->requiresGrad)
    for (const NodeRef &node : listHistory(impl->node))
      if (!getGradOperands(*node).empty()) {
        std::shared_ptr<TensorImpl> owner = node->owner.lock();
        bool isCurrent = owner && owner->node == node;
        result.push_back(isCurrent ? Tensor(owner) : makeTensor(node));
      }
  return result;
}

//===----------------------------------------------------------------------===//
// Gradients of functions
//===----------------------------------------------------------------------===//

namespace {

/// While one lives, this thread records histories.
struct GradGuard {
  std::optional<bool> previous = std::exchange(gradEnabled, true);
  ~GradGuard() { gradEnabled = previous; }
};

} // namespace

/// Returns true if `node` has a history of others than `leaves`, those that
/// have none of their own.
static bool hasOtherHistory(const NodeRef &node,
                            std::span<const NodeRef> leaves) {
  if (!node->requiresGrad)
    return false;
  for (const NodeRef &part : listHistory(node))
    if (getGradOperands(*part).empty() && !std::ranges::count(leaves, part))
      return true;
  return false;
}

std::pair<Tensor, std::vector<Tensor>> detail::valueAndGrad(
    const std::function<Tensor(const std::vector<Tensor> &)> &fn,
    const std::vector<Tensor> &inputs, const std::vector<int64_t> &numbers) {
  bool keepsHistory = isGradEnabled();
  std::vector<Tensor> args = inputs;
  std::vector<NodeRef> leaves;
  std::optional<Tensor> value;
  {
    GradGuard enabled;
    for (int64_t number : numbers) {
      int64_t count = static_cast<int64_t>(inputs.size());
      if (number < -count || number >= count)
        throw Error("grad", "expects the number of one of " +
                                std::to_string(count) + " arguments, got " +
                                std::to_string(number));
      size_t place = static_cast<size_t>(number < 0 ? number + count : number);
      const NodeRef &input = getNode(inputs[place]);
      if (!isFloat(input->type))
        throw Error("grad", "expects an argument of a float type, got " +
                                std::string(getName(input->type)));
      const NodeRef &known = args[place].getImpl()->node;
      if (std::ranges::count(leaves, known)) {
        leaves.push_back(known);
        continue;
      }
      // What is computed from the leaf goes on to the history of the argument.
      NodeRef leaf = makeDetached(input);
      if (keepsHistory && input->requiresGrad)
        leaf = makeDifferentiable(input, {input}, passThrough);
      leaf->requiresGrad = true;
      args[place] = makeTensor(leaf);
      leaves.push_back(std::move(leaf));
    }
    value = fn(args);
  }
  if (value->numel() != 1 || !isFloat(value->dtype()))
    throw Error("grad",
                "expects a function that returns one element of a float type, "
                "got shape " +
                    ops::toString(value->shape()) + " of " +
                    std::string(getName(value->dtype())),
                {value->shape()});

  const NodeRef &loss = getNode(*value);
  std::vector<NodeRef> found(leaves.size());
  if (loss->requiresGrad) {
    std::optional<NoGradGuard> noGrad;
    if (!keepsHistory)
      noGrad.emplace();
    Backward walk(loss, leaves);
    std::ranges::transform(leaves, found.begin(), [&](const NodeRef &leaf) {
      return walk.take(leaf);
    });
  }
  auto finish = [&](const NodeRef &node) {
    bool keeps = keepsHistory && hasOtherHistory(node, leaves);
    return makeTensor(keeps ? node : makeDetached(node));
  };
  std::vector<Tensor> grads;
  for (size_t i = 0; i < leaves.size(); ++i)
    grads.push_back(found[i] ? finish(found[i])
                             : makeTensor(makeFull(
                                   ops::Scalar::fromDouble(leaves[i]->type, 0),
                                   leaves[i]->shape)));
  return {finish(loss), std::move(grads)};
}

//===----------------------------------------------------------------------===//
// Function
//===----------------------------------------------------------------------===//

Tensor Function::apply(const std::vector<Tensor> &inputs) const {
  if (!forward)
    throw Error("Function", "expects a function `forward`, got none");
  std::vector<Tensor> values;
  std::vector<NodeRef> nodes;
  for (const Tensor &input : inputs) {
    values.push_back(input.detach());
    nodes.push_back(getNode(input));
  }
  NodeRef result;
  {
    NoGradGuard noGrad;
    result = getNode(forward(values));
  }
  auto rule = [backward = backward](const std::vector<NodeRef> &inputs,
                                    const NodeRef &result,
                                    const NodeRef &grad) {
    if (!backward)
      throw Error("Function", "expects a function `backward` where a gradient "
                              "flows, got none");
    std::vector<Tensor> values;
    for (const NodeRef &input : inputs)
      values.push_back(makeTensor(input));
    std::vector<std::optional<Tensor>> grads =
        backward(values, makeTensor(result), makeTensor(grad));
    if (grads.size() > inputs.size())
      throw Error("Function", "expects at most one gradient per input, got " +
                                  std::to_string(grads.size()) + " for " +
                                  std::to_string(inputs.size()));
    std::vector<NodeRef> nodes(inputs.size());
    for (size_t i = 0; i < grads.size(); ++i) {
      if (!grads[i])
        continue;
      if (grads[i]->shape() != inputs[i]->shape ||
          grads[i]->dtype() != inputs[i]->type)
        throw Error(
            "Function",
            "expects the gradient of an input to have its shape and type, " +
                ops::toString(inputs[i]->shape) + " " +
                std::string(getName(inputs[i]->type)) + ", got " +
                ops::toString(grads[i]->shape()) + " " +
                std::string(getName(grads[i]->dtype())),
            {inputs[i]->shape, grads[i]->shape()});
      nodes[i] = getNode(*grads[i]);
    }
    return nodes;
  };
  return makeTensor(makeDifferentiable(result, std::move(nodes), rule));
}
