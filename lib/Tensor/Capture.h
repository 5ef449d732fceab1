//===- Capture.h - What is noted while a step is captured -------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a step is captured, the front end notes which variables it reads and
// assigns, which parameters it makes, and what it runs. From this the step is
// known as a list of runs, each of which takes buffers by where they come from.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_CAPTURE_H
#define TINYGRAD_LIB_TENSOR_CAPTURE_H

#include "Node.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace tinygrad {

namespace engine {
class Executable;
} // namespace engine

namespace detail {

/// Where a buffer of a captured step comes from.
struct BufferSource {
  enum class Kind : uint8_t {
    Input,     ///< input `index` of the step
    Result,    ///< result `result` of run `index`
    Parameter, ///< host step `index`
    Variable,  ///< the value of external `index`
  };
  Kind kind;
  int32_t index;
  int32_t result = 0;
  bool operator==(const BufferSource &) const = default;
};

/// What the host does at each call, in order, before anything runs.
struct HostStep {
  /// Returns the value of a parameter.
  std::function<ops::Scalar()> read;
  /// Where the parameter's buffer is; null for an action without a value.
  ContextRef context;
  /// Takes an action back, for a call that fails; null if nothing is to do.
  std::function<void()> undo;
};

/// A run of a compiled graph.
struct CapturedRun {
  std::shared_ptr<engine::Executable> executable;
  ContextRef context;
  std::vector<BufferSource> inputs;
  /// The values of its variables while the step is captured.
  shape::Bindings variables;
  /// The functions of the host that it calls.
  std::vector<std::shared_ptr<const HostFunctionSlot>> hostFunctions;
  /// The graph and its description, while the step is captured.
  std::vector<int64_t> key;
  ops::Graph graph;
};

/// Variables, by the identity of what they refer to.
using VariableSet = std::set<std::weak_ptr<TensorImpl>, std::owner_less<>>;

/// A buffer from outside of the step.
struct ExternalBuffer {
  /// What it was when the step was captured, if none of the variables was left
  /// then.
  std::shared_ptr<runtime::Buffer> buffer;
  /// The variables that held it then.
  VariableSet variables;
};

/// A variable that held a number, which is a part of the step's graphs.
struct ExternalNumber {
  std::weak_ptr<TensorImpl> variable;
  NodeRef number;
};

/// A step that can be called again.
struct StepRecord {
  std::vector<HostStep> hostSteps;
  std::vector<CapturedRun> runs;
  std::vector<ExternalBuffer> externals;
  std::vector<ExternalNumber> numbers;
};

/// Collects a StepRecord while it lives. At most one is current on a thread.
class Recorder {
public:
  /// The buffers of `inputs` are theirs alone. Each call says the values of
  /// `variables`.
  Recorder(llvm::ArrayRef<Tensor> inputs, VariableValues variables);
  ~Recorder();
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  /// Returns the recorder of this thread, or null.
  static Recorder *getCurrent() { return current; }
  static uint32_t getCurrentNumber() { return current ? current->number : 0; }

  /// Notes that a variable is read. A value from outside that is not computed
  /// yet is computed first: it would be part of the step, and be computed again
  /// from variables that have other values by then.
  void noteRead(const std::shared_ptr<TensorImpl> &variable);
  void noteAssigned(const std::shared_ptr<TensorImpl> &variable);
  void noteHostStep(HostStep step, NodeRef parameter);
  /// Notes that the buffer of `parameter` was made.
  /// Errors: throws Error if nothing says its value at the next call.
  void noteParameter(const Node &parameter,
                     std::shared_ptr<runtime::Buffer> buffer);
  /// Notes a run, whose inputs are not known yet.
  /// Errors: as checkVariables.
  void noteRun(CapturedRun run,
               llvm::ArrayRef<std::shared_ptr<runtime::Buffer>> inputs,
               llvm::ArrayRef<std::shared_ptr<runtime::Buffer>> results);

  /// True for data that the step itself brought, which each call has.
  bool isFixed(const Node &node) const;

  /// From here on values of tensors may be read, after which the step is not
  /// one that can be called again.
  void allowReads() { allowsReads = true; }
  bool hasReadValues() const { return readsValues; }
  /// Notes that the values of a tensor are read.
  /// Errors: throws Error unless that is allowed, or they are those of isFixed.
  void noteValuesRead(const Node &node);

  /// The values of the variables that are inputs, or in their shapes.
  const shape::Bindings &getVariables() const { return variables.get(); }
  /// Checks that `used` are among them.
  /// Errors: throws Error if one is not, so that no call says its value.
  void checkVariables(const shape::Bindings &used) const;

  /// Returns where a buffer comes from.
  BufferSource findSource(const std::shared_ptr<runtime::Buffer> &buffer);

  /// The variables that were assigned and are still in use.
  std::vector<std::shared_ptr<TensorImpl>> getAssigned() const;

  /// Returns the step. The function has returned.
  StepRecord takeRecord();

  /// Gives the variables that were assigned what they held before, and takes
  /// back what the host did.
  void undo();

private:
  static constinit thread_local Recorder *current;

  /// Tells what is made in this step from what comes from others.
  uint32_t number;
  bool allowsReads = false, readsValues = false;
  StepRecord record;
  VariableValues variables;
  llvm::DenseMap<const runtime::Buffer *, BufferSource> sources;
  llvm::DenseMap<const Node *, int32_t> parameters;
  /// The variables that held a buffer from outside when they were read.
  std::map<const runtime::Buffer *, VariableSet> readers;
  /// A variable, and what it held before it was assigned.
  struct Assigned {
    std::weak_ptr<TensorImpl> variable;
    NodeRef node;
    std::weak_ptr<Node> target;
    std::optional<ops::Scalar> number;
  };
  /// What was assigned, in order, and as a set.
  std::vector<Assigned> assigned;
  VariableSet assignedSet;
  /// The variables of record.numbers.
  VariableSet numberSet;
  /// Kept so that no address is used twice.
  std::vector<NodeRef> nodes;
  std::vector<std::shared_ptr<runtime::Buffer>> buffers;
};

/// Makes `action` part of the captured step, if one is captured: what the host
/// has just done, it does at each call, and undoes where a call fails.
void repeatAtEachCall(std::function<void()> action, std::function<void()> undo);

/// Undoes `steps`, the last one first.
void undoHostSteps(llvm::ArrayRef<HostStep> steps);

} // namespace detail
} // namespace tinygrad

#endif // TINYGRAD_LIB_TENSOR_CAPTURE_H
