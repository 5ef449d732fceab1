//===- Jit.cpp - Steps that are captured and run again --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Jit.h"

#include "Capture.h"
#include "ContextImpl.h"

#include <algorithm>
#include <optional>

using namespace tinygrad;
using namespace tinygrad::detail;
using runtime::BufferRef;

namespace {

/// A shape, with free variables where it is symbolic.
class FreeShape {
public:
  FreeShape() = default;
  FreeShape(const Shape &shape, VariableValues &values) : shape(shape) {
    if (shape.isSymbolic())
      exprs = values.add("TinyJit", toExprs(shape));
  }
  Shape bind(const shape::Bindings &values) const {
    return exprs.empty() ? shape : bindShape(exprs, values);
  }
  /// The shape when the step was captured.
  const Shape &getCaptured() const { return shape; }
  bool operator==(const FreeShape &other) const {
    return exprs.empty() && other.exprs.empty() ? shape == other.shape
                                                : exprs == other.exprs;
  }

private:
  Shape shape;
  shape::SymbolicDims exprs;
};

/// An input as it was captured.
struct StepInput {
  FreeShape shape;
  DType type;
};

/// A tensor that a step makes.
struct StepValue {
  BufferSource source;
  FreeShape shape;
  DType type;
  ContextRef context;
  std::string device;
};

/// A variable that a step assigns.
struct StepTarget {
  /// The input that it is, or -1.
  int32_t input = -1;
  std::weak_ptr<TensorImpl> variable;
  StepValue value;
};

/// All that a captured step needs to be called.
struct CapturedCall {
  StepRecord record;
  std::vector<StepInput> inputs;
  /// Extents that were handed in beside the inputs.
  FreeShape extents;
  std::vector<StepValue> results;
  std::vector<StepTarget> targets;
  /// The externals whose buffers the last run overwrites with new values.
  std::vector<int32_t> overwritten;
};

/// One call of a captured step.
class Replay {
public:
  /// `variables` are in the shapes of the inputs.
  Replay(const CapturedCall &captured, const std::vector<Tensor> &inputs,
         const shape::Bindings &variables)
      : captured(captured), inputs(inputs), variables(variables) {}

  /// Finds the buffers from outside. Returns false where variables that were
  /// one no longer are, or one that was a number is another value: the step has
  /// to be captured anew.
  bool bindExternals();
  /// Errors: throws what goes wrong, and nothing has changed then.
  std::vector<Tensor> run();

private:
  bool isAlone(int32_t external) const;
  void copyShared();
  void runAll();
  const BufferRef &getBuffer(const BufferSource &source) const;
  Tensor makeValue(const StepValue &value) const;

  const CapturedCall &captured;
  const std::vector<Tensor> &inputs;
  const shape::Bindings &variables;
  std::vector<BufferRef> externals, parameters;
  std::vector<std::vector<BufferRef>> results;
  /// How many host steps were done.
  size_t numHostSteps = 0;
};

} // namespace

struct CapturedStep::Impl {
  int numCalls = 0;
  bool allowsReads = false, readsValues = false;
  std::optional<CapturedCall> captured;

  std::vector<Tensor> capture(const std::vector<Tensor> &inputs,
                              const StepFunction &function,
                              const Shape &extents);
};

static const BufferRef &getRealizedBuffer(const Tensor &tensor) {
  return resolveAlias(tensor.getImpl()->node)->buffer;
}

static void checkDistinct(const std::vector<Tensor> &inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (getRealizedBuffer(inputs[k]) == getRealizedBuffer(inputs[i]))
        throw Error("TinyJit", "expects each input to be a tensor of its own");
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {

/// The inputs as the function gets them: variables with buffers of their own.
/// One that the function also knows from elsewhere would not be told apart from
/// an input, and a number would become a part of the graph.
class OwnInputs {
public:
  explicit OwnInputs(const std::vector<Tensor> &inputs);

  const std::vector<Tensor> &get() const { return own; }
  /// Gives the caller's tensors what the function assigned to its inputs, and
  /// their gradients.
  void handBack() const;

private:
  const std::vector<Tensor> &inputs;
  std::vector<Tensor> own;
  std::vector<NodeRef> copies;
};

} // namespace

OwnInputs::OwnInputs(const std::vector<Tensor> &inputs) : inputs(inputs) {
  for (const Tensor &input : inputs) {
    const TensorImpl &impl = *input.getImpl();
    copies.push_back(copyRealized(*resolveAlias(impl.node)));
    Tensor tensor = makeTensor(makeDifferentiable(
        copies.back(), {impl.node},
        [](const std::vector<NodeRef> &, const NodeRef &,
           const NodeRef &grad) -> std::vector<NodeRef> { return {grad}; }));
    if (impl.gradMode != TensorImpl::GradMode::Unspecified)
      tensor.requires_grad_(impl.gradMode == TensorImpl::GradMode::Yes);
    tensor.getImpl()->grad = impl.grad;
    own.push_back(std::move(tensor));
  }
}

void OwnInputs::handBack() const {
  for (size_t i = 0; i < own.size(); ++i) {
    const std::shared_ptr<TensorImpl> &impl = own[i].getImpl();
    if (impl->gradMode == TensorImpl::GradMode::Yes)
      inputs[i].getImpl()->grad = impl->grad;
    if (resolveAlias(impl->node) != copies[i])
      setValue(inputs[i].getImpl(), impl->node);
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool Replay::bindExternals() {
  for (const ExternalNumber &external : captured.record.numbers)
    if (std::shared_ptr<TensorImpl> impl = external.variable.lock();
        impl && resolveAlias(impl->node) != external.number)
      return false;
  for (const ExternalBuffer &external : captured.record.externals) {
    BufferRef buffer;
    for (const std::weak_ptr<TensorImpl> &variable : external.variables) {
      std::shared_ptr<TensorImpl> impl = variable.lock();
      if (!impl)
        continue;
      // It may have been assigned, but not computed yet.
      BufferRef current = getRealizedBuffer(Tensor(impl).realize());
      if (buffer && buffer != current)
        return false;
      buffer = std::move(current);
    }
    if (!buffer)
      buffer = external.buffer;
    // A variable may be gone that the function has made another of.
    if (!buffer)
      return false;
    externals.push_back(std::move(buffer));
  }
  return true;
}

/// Returns true if nothing but its variable knows the buffer of an external.
bool Replay::isAlone(int32_t external) const {
  const BufferRef &buffer = externals[external];
  std::shared_ptr<TensorImpl> variable;
  for (const auto &weak : captured.record.externals[external].variables)
    if (std::shared_ptr<TensorImpl> impl = weak.lock()) {
      if (variable)
        return false;
      variable = std::move(impl);
    }
  if (!variable || std::ranges::any_of(inputs, [&](const Tensor &input) {
        return getRealizedBuffer(input) == buffer;
      }))
    return false;
  const NodeRef &node = variable->node;
  bool isAlias = node->form == Node::Form::Alias;
  // The buffer is that of the node, and bound here.
  return node.use_count() == 1 &&
         (!isAlias || node->operands[0].use_count() == 1) &&
         buffer.use_count() == 2 && !buffer->isShared();
}

/// Puts copies in place of those buffers that the call would overwrite and that
/// somebody else can still ask for.
void Replay::copyShared() {
  for (int32_t external : captured.overwritten)
    if (!isAlone(external))
      for (const auto &weak : captured.record.externals[external].variables)
        if (std::shared_ptr<TensorImpl> variable = weak.lock()) {
          externals[external] =
              copyRealized(*resolveAlias(variable->node))->buffer;
          break;
        }
}

const BufferRef &Replay::getBuffer(const BufferSource &source) const {
  switch (source.kind) {
  case BufferSource::Kind::Input:
    return getRealizedBuffer(inputs[source.index]);
  case BufferSource::Kind::Result:
    return results[source.index][source.result];
  case BufferSource::Kind::Parameter:
    return parameters[source.index];
  case BufferSource::Kind::Variable:
    break;
  }
  return externals[source.index];
}

Tensor Replay::makeValue(const StepValue &value) const {
  auto node = std::make_shared<Node>();
  node->shape = value.shape.bind(variables);
  node->type = value.type;
  node->context = value.context;
  node->device = value.device;
  node->buffer = ownResult(getBuffer(value.source));
  return makeTensor(std::move(node));
}

void Replay::runAll() {
  for (const HostStep &step : captured.record.hostSteps) {
    ops::Scalar value = step.read();
    ++numHostSteps;
    parameters.push_back(step.context
                             ? makeScalarBuffer(step.context->getImpl(), value)
                             : nullptr);
  }
  std::vector<BufferRef> buffers;
  for (const CapturedRun &run : captured.record.runs) {
    buffers.clear();
    for (const BufferSource &source : run.inputs)
      buffers.push_back(getBuffer(source));
    engine::RunControl control;
    for (const auto &[name, first] : run.variables)
      control.variables.insert(*variables.find(name));
    results.push_back(runExecutable(run.context->getImpl(), *run.executable,
                                    buffers, std::move(control)));
  }
}

std::vector<Tensor> Replay::run() {
  copyShared();
  try {
    runAll();
  } catch (...) {
    undoHostSteps(
        llvm::ArrayRef(captured.record.hostSteps).take_front(numHostSteps));
    throw;
  }
  std::vector<Tensor> values;
  for (const StepValue &result : captured.results)
    values.push_back(makeValue(result));
  // All values are there before the first variable changes.
  std::vector<Tensor> assigned;
  for (const StepTarget &target : captured.targets)
    assigned.push_back(makeValue(target.value));
  for (size_t i = 0; i < assigned.size(); ++i) {
    const StepTarget &target = captured.targets[i];
    std::shared_ptr<TensorImpl> variable = target.input >= 0
                                               ? inputs[target.input].getImpl()
                                               : target.variable.lock();
    if (variable)
      setValue(variable, assigned[i].getImpl()->node);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Capturing
//===----------------------------------------------------------------------===//

/// Returns how many results and variables of `call` have their value from
/// `source`.
static int64_t countUsers(const CapturedCall &call,
                          const BufferSource &source) {
  return std::ranges::count(call.results, source, &StepValue::source) +
         std::ranges::count(call.targets, source, [](const StepTarget &target) {
           return target.value.source;
         });
}

/// Returns the external whose buffer the last run of `call` may overwrite with
/// the new value of `target`, or -1. The old value must not be asked for after
/// that run, and the new one only through the variable.
static int32_t findOverwritten(const CapturedCall &call,
                               const StepTarget &target) {
  const BufferSource &source = target.value.source;
  if (target.input >= 0 || !target.value.device.empty() ||
      source.kind != BufferSource::Kind::Result ||
      source.index + 1 != std::ssize(call.record.runs) ||
      countUsers(call, source) != 1)
    return -1;
  const std::vector<ExternalBuffer> &externals = call.record.externals;
  for (int32_t i = 0; i < std::ssize(externals); ++i)
    if (externals[i].variables.size() == 1 &&
        externals[i].variables.contains(target.variable))
      return countUsers(call, {BufferSource::Kind::Variable, i}) ? -1 : i;
  return -1;
}

/// Makes the last run of a step overwrite the variables that it computes. Only
/// the last one: those before would have to be undone where it fails.
///
/// While the step is captured, histories refer to the old values; later calls
/// have none. So this is not what `realize` finds by counting, and not what was
/// run while the step was captured. Who else knows a buffer is asked at each
/// call.
static void overwriteVariables(CapturedCall &call) {
  if (call.record.runs.empty())
    return;
  CapturedRun &run = call.record.runs.back();
  CapturedRun changed = run;
  std::vector<int32_t> overwritten;
  for (const StepTarget &target : call.targets) {
    int32_t external = findOverwritten(call, target);
    BufferSource source = {BufferSource::Kind::Variable, external};
    auto place = std::ranges::find(changed.inputs, source);
    if (external < 0 || place == changed.inputs.end() ||
        std::ranges::count(changed.inputs, source) != 1)
      continue;
    ops::Graph &graph = changed.graph;
    int32_t old = graph.inputs[place - changed.inputs.begin()];
    int32_t &output = graph.outputs[target.value.source.result];
    const ops::GraphNode &value = graph.nodes[output];
    if (!value.symbolicShape.empty() || graph.nodes[old].shape != value.shape ||
        graph.nodes[old].type != value.type)
      continue;
    ops::GraphNode assign;
    assign.kind = ops::OpKind::Assign;
    assign.operands = {old, output};
    assign.shape = value.shape;
    assign.type = value.type;
    changed.key.insert(changed.key.end(), {old, output});
    output = static_cast<int32_t>(graph.nodes.size());
    graph.nodes.push_back(std::move(assign));
    overwritten.push_back(external);
  }
  if (overwritten.empty())
    return;
  // Other keys end with the number of an output.
  changed.key.push_back(-1);
  try {
    run.executable = getExecutable(run.context->getImpl(), changed.key,
                                   [&] { return changed.graph; });
    call.overwritten = std::move(overwritten);
  } catch (const Error &) {
    // The call is done, and the step right as it is.
  }
}

std::vector<Tensor>
CapturedStep::Impl::capture(const std::vector<Tensor> &inputs,
                            const StepFunction &function,
                            const Shape &extents) {
  CapturedCall call;
  VariableValues variables;
  for (const Tensor &input : inputs)
    call.inputs.push_back({FreeShape(input.shape(), variables), input.dtype()});
  call.extents = FreeShape(extents, variables);
  OwnInputs own(inputs);
  std::vector<std::shared_ptr<TensorImpl>> inputVariables;
  for (const Tensor &input : own.get())
    inputVariables.push_back(input.getImpl());

  Recorder recorder(own.get(), std::move(variables));
  if (allowsReads)
    recorder.allowReads();
  std::vector<Tensor> results;
  std::vector<std::shared_ptr<TensorImpl>> assigned;
  auto describe = [&](const Tensor &tensor) {
    recorder.noteRead(tensor.getImpl());
    VariableValues used;
    FreeShape shape(tensor.shape(), used);
    recorder.checkVariables(used.get());
    return StepValue{recorder.findSource(getRealizedBuffer(tensor)),
                     std::move(shape), tensor.dtype(), tensor.getContext(),
                     resolveAlias(getNode(tensor))->device};
  };
  try {
    results = function(own.get());
    assigned = recorder.getAssigned();
    std::vector<Tensor> values = results;
    for (const std::shared_ptr<TensorImpl> &variable : assigned)
      values.push_back(Tensor(variable));
    realize(values);
    readsValues = recorder.hasReadValues();
    if (readsValues) {
      for (Tensor &result : results)
        result = result.detach();
      own.handBack();
      return results;
    }
    for (const Tensor &result : results)
      call.results.push_back(describe(result));
    for (const std::shared_ptr<TensorImpl> &variable : assigned) {
      auto input = std::ranges::find(inputVariables, variable);
      int32_t number =
          input == inputVariables.end()
              ? -1
              : static_cast<int32_t>(input - inputVariables.begin());
      call.targets.push_back({number, variable, describe(Tensor(variable))});
    }
  } catch (...) {
    recorder.undo();
    throw;
  }

  for (Tensor &result : results)
    result = result.detach();
  // What only the function knew is gone when the record is made.
  assigned.clear();
  call.record = recorder.takeRecord();
  overwriteVariables(call);
  for (CapturedRun &run : call.record.runs) {
    run.graph = {};
    std::vector<int64_t>().swap(run.key);
  }
  own.handBack();
  captured = std::move(call);
  return results;
}

/// Checks the inputs of a call against those that were captured, and returns
/// the values of the variables in their shapes.
static shape::Bindings checkInputs(const CapturedCall &captured,
                                   const std::vector<Tensor> &inputs,
                                   const Shape &extents) {
  if (inputs.size() != captured.inputs.size())
    throw Error("TinyJit", "expects " + std::to_string(captured.inputs.size()) +
                               " inputs, got " + std::to_string(inputs.size()));
  VariableValues variables;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const StepInput &expected = captured.inputs[i];
    const Shape &shape = inputs[i].shape();
    if (FreeShape(shape, variables) != expected.shape ||
        inputs[i].dtype() != expected.type)
      throw Error("TinyJit",
                  "expects input " + std::to_string(i) + " to be " +
                      std::string(getName(expected.type)) + " " +
                      ops::toString(expected.shape.getCaptured()) +
                      " as it was captured, got " +
                      std::string(getName(inputs[i].dtype())) + " " +
                      ops::toString(shape),
                  {expected.shape.getCaptured(), shape});
  }
  if (FreeShape(extents, variables) != captured.extents)
    throw Error("TinyJit", "expects the extents " +
                               ops::toString(captured.extents.getCaptured()) +
                               " as they were captured, got " +
                               ops::toString(extents));
  return variables.get();
}

CapturedStep::CapturedStep() : impl(std::make_unique<Impl>()) {}
CapturedStep::~CapturedStep() = default;
CapturedStep::CapturedStep(CapturedStep &&) = default;
CapturedStep &CapturedStep::operator=(CapturedStep &&) = default;

std::vector<Tensor> CapturedStep::call(const std::vector<Tensor> &inputs,
                                       const StepFunction &function,
                                       const Shape &extents) {
  if (!impl)
    throw Error("TinyJit", "cannot call what was moved to another TinyJit");
  // Within another step this one is a part of it.
  if (Recorder::getCurrent())
    return function(inputs);
  realize(inputs);
  checkDistinct(inputs);
  if (impl->captured) {
    shape::Bindings variables = checkInputs(*impl->captured, inputs, extents);
    Replay replay(*impl->captured, inputs, variables);
    if (replay.bindExternals())
      return replay.run();
    return impl->capture(inputs, function, extents);
  }
  // The first call may still make what later ones find, such as the state of an
  // optimizer.
  if (impl->numCalls++ == 0 || impl->readsValues) {
    OwnInputs own(inputs);
    std::vector<Tensor> results = function(own.get());
    realize(results);
    for (Tensor &result : results)
      result = result.detach();
    own.handBack();
    return results;
  }
  return impl->capture(inputs, function, extents);
}

void CapturedStep::reset() {
  if (!impl)
    return;
  impl->numCalls = 0;
  impl->readsValues = false;
  impl->captured.reset();
}

void CapturedStep::allowReads() {
  if (impl)
    impl->allowsReads = true;
}

bool CapturedStep::readsValues() const { return impl && impl->readsValues; }

bool CapturedStep::isCaptured() const {
  return impl && impl->captured.has_value();
}

int64_t CapturedStep::getNumKernels() const {
  return std::ssize(getKernelNames());
}

std::vector<std::string> CapturedStep::getKernelNames() const {
  std::vector<std::string> names;
  if (isCaptured())
    for (const CapturedRun &run : impl->captured->record.runs)
      for (const auto &kernel : run.executable->getKernels())
        names.push_back(kernel.name);
  return names;
}
