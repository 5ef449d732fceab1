//===- Capture.cpp - What is noted while a step is captured ---------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Capture.h"

#include "ContextImpl.h"

#include "tinygrad/Engine/Engine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace tinygrad;
using namespace tinygrad::detail;

constinit thread_local Recorder *Recorder::current = nullptr;

void detail::noteRead(const std::shared_ptr<TensorImpl> &variable) {
  if (Recorder *recorder = Recorder::getCurrent())
    recorder->noteRead(variable);
}

void detail::repeatAtEachCall(std::function<void()> action,
                              std::function<void()> undo) {
  if (Recorder *recorder = Recorder::getCurrent())
    recorder->noteHostStep({[action = std::move(action)] {
                              action();
                              return ops::Scalar();
                            },
                            nullptr, std::move(undo)},
                           nullptr);
}

void detail::undoHostSteps(llvm::ArrayRef<HostStep> steps) {
  for (const HostStep &step : llvm::reverse(steps))
    if (step.undo)
      step.undo();
}

Recorder::Recorder(llvm::ArrayRef<Tensor> inputs, VariableValues variables)
    : variables(std::move(variables)) {
  for (const Tensor &input : inputs) {
    buffers.push_back(resolveAlias(input.getImpl()->node)->buffer);
    BufferSource source = {BufferSource::Kind::Input,
                           static_cast<int32_t>(sources.size())};
    sources.try_emplace(buffers.back().get(), source);
  }
  Context::Impl &context = Context::getCurrent()->getImpl();
  {
    std::lock_guard lock(context.mutex);
    number = ++context.numCaptures;
  }
  current = this;
}

Recorder::~Recorder() { current = nullptr; }

void Recorder::noteRead(const std::shared_ptr<TensorImpl> &variable) {
  const NodeRef &node = resolveAlias(variable->node);
  bool isOutside = node->captureNumber != number;
  // A number takes the type of what it stands beside, so that it has no buffer.
  if (variable->number) {
    if (isOutside && numberSet.insert(variable).second)
      record.numbers.push_back({variable, node});
    return;
  }
  if (!node->buffer && isOutside) {
    Recorder *recorder = std::exchange(current, nullptr);
    llvm::scope_exit restore([&] { current = recorder; });
    // What else waits may be a part of the step.
    realizeAlone(Tensor(variable));
  }
  const std::shared_ptr<runtime::Buffer> &buffer = node->buffer;
  // What was assigned does not hold at the next call what it holds now.
  if (!buffer || sources.contains(buffer.get()) ||
      assignedSet.contains(variable))
    return;
  if (readers[buffer.get()].insert(variable).second)
    buffers.push_back(buffer);
}

void Recorder::noteAssigned(const std::shared_ptr<TensorImpl> &variable) {
  if (assignedSet.insert(variable).second)
    assigned.push_back(
        {variable, variable->node, variable->target, variable->number});
}

void Recorder::noteHostStep(HostStep step, NodeRef parameter) {
  if (parameter) {
    parameters[parameter.get()] = static_cast<int32_t>(record.hostSteps.size());
    nodes.push_back(std::move(parameter));
  }
  record.hostSteps.push_back(std::move(step));
}

void Recorder::noteParameter(const Node &parameter,
                             std::shared_ptr<runtime::Buffer> buffer) {
  auto found = parameters.find(&parameter);
  if (found == parameters.end())
    throw Error("TinyJit",
                "cannot capture a parameter whose next value is not known; "
                "make it an input, or let it read its value from a function");
  sources[buffer.get()] = {BufferSource::Kind::Parameter, found->second};
  buffers.push_back(std::move(buffer));
}

bool Recorder::isFixed(const Node &node) const {
  return node.captureNumber == number && node.buffer &&
         !sources.contains(node.buffer.get());
}

void Recorder::noteValuesRead(const Node &node) {
  if (isFixed(node))
    return;
  if (!allowsReads)
    throw Error("TinyJit", "cannot capture a function that reads values of "
                           "tensors; return them instead");
  readsValues = true;
}

void Recorder::checkVariables(const shape::Bindings &used) const {
  for (const auto &[name, value] : used)
    if (!getVariables().contains(name))
      throw Error("TinyJit", "cannot capture a function that binds variable `" +
                                 name +
                                 "`, which is in the shape of no input; each "
                                 "call would have its first value");
    else if (getVariables().find(name)->second != value)
      throw Error("TinyJit",
                  "expects one value of variable `" + name + "`, got " +
                      std::to_string(getVariables().find(name)->second) +
                      " in the shape of an input, and " +
                      std::to_string(value));
}

void Recorder::noteRun(
    CapturedRun run, llvm::ArrayRef<std::shared_ptr<runtime::Buffer>> inputs,
    llvm::ArrayRef<std::shared_ptr<runtime::Buffer>> results) {
  checkVariables(run.variables);
  for (const std::shared_ptr<runtime::Buffer> &input : inputs)
    run.inputs.push_back(findSource(input));
  int32_t index = static_cast<int32_t>(record.runs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    buffers.push_back(results[i]);
    // A buffer that is passed on stays where it is from.
    sources.try_emplace(results[i].get(),
                        BufferSource{BufferSource::Kind::Result, index,
                                     static_cast<int32_t>(i)});
  }
  record.runs.push_back(std::move(run));
}

BufferSource
Recorder::findSource(const std::shared_ptr<runtime::Buffer> &buffer) {
  auto [entry, isNew] = sources.try_emplace(
      buffer.get(),
      BufferSource{BufferSource::Kind::Variable,
                   static_cast<int32_t>(record.externals.size())});
  if (isNew)
    record.externals.push_back({buffer, readers[buffer.get()]});
  return entry->second;
}

std::vector<std::shared_ptr<TensorImpl>> Recorder::getAssigned() const {
  std::vector<std::shared_ptr<TensorImpl>> result;
  for (const Assigned &entry : assigned)
    if (std::shared_ptr<TensorImpl> impl = entry.variable.lock())
      result.push_back(std::move(impl));
  return result;
}

StepRecord Recorder::takeRecord() {
  // What a variable holds at a call is asked for then.
  for (ExternalBuffer &external : record.externals) {
    std::erase_if(external.variables,
                  [](const auto &variable) { return variable.expired(); });
    if (!external.variables.empty())
      external.buffer = nullptr;
  }
  return std::move(record);
}

void Recorder::undo() {
  for (const Assigned &entry : assigned) {
    std::shared_ptr<TensorImpl> impl = entry.variable.lock();
    if (!impl)
      continue;
    impl->node = entry.node;
    impl->target = entry.target;
    impl->number = entry.number;
  }
  undoHostSteps(record.hostSteps);
}
