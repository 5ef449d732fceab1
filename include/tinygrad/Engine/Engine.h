//===- Engine.h - Compile and run graphs ------------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bridge from a front end to the compiler and a device. No MLIR header is
// needed to use it. An engine owns contexts, a device and caches; several
// engines work at once in several threads, and one engine may be shared.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_ENGINE_ENGINE_H
#define TINYGRAD_ENGINE_ENGINE_H

#include "tinygrad/Engine/Watch.h"
#include "tinygrad/Ops/Graph.h"
#include "tinygrad/Ops/ScheduleRecord.h"
#include "tinygrad/Runtime/DeviceRegistry.h"
#include "tinygrad/Shape/IndexExpr.h"

#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace tinygrad::engine {

/// What one kernel of a schedule is and did, summed over all runs.
struct KernelStatistics {
  std::string name;
  /// How often it ran, and for how long in all. Runs that fail do not count.
  int64_t runs = 0;
  double seconds = 0;
  /// Arithmetic operations, and bytes read and written, of one run with each
  /// variable at its largest value.
  int64_t flops = 0;
  int64_t bytes = 0;
};

/// The kernels of one run, and what they do, as in KernelStatistics.
struct Totals {
  int64_t kernels = 0, flops = 0, bytes = 0;
};

/// A function that fills the result of a `lazy.custom`. The operands' buffers
/// come first in `buffers`, the result's last. An exception that it throws
/// becomes an error of the run.
using Callback =
    std::function<llvm::Error(std::span<const runtime::BufferRef> buffers)>;

/// One kernel of one run.
struct KernelRecord {
  /// Such as `r_64_32`: a reduce over a kernel of 64 by 32.
  std::string name;
  /// The name of the device that it ran on.
  std::string device;
  double seconds = 0;
  /// As in KernelStatistics.
  int64_t flops = 0;
  int64_t bytes = 0;
  /// True if its code came from a cache, false if it was compiled.
  bool isFromCache = false;
};

/// One run of an executable that ended well.
struct RunRecord {
  /// In the order in which they ran; none where the graph is interpreted.
  std::vector<KernelRecord> kernels;
  /// The whole run, with its allocations and callbacks.
  double seconds = 0;
};

/// The code of one kernel at one stage of its compilation.
struct CodeRecord {
  /// As KernelRecord::name.
  std::string kernel;
  /// "loops" for MLIR's loops, "llvm" for LLVM IR before LLVM's own passes.
  std::string stage;
  std::string text;
};

/// What one run is told besides its inputs.
struct RunControl {
  /// The run ends between two kernels once a stop was requested, with the error
  /// "cancelled".
  std::stop_token stop = {};
  /// Who is asked between two kernels; may be null. The run cannot be stopped
  /// so once it has overwritten an input that it does not keep for other
  /// reasons.
  Watch *watch = nullptr;
  /// The values of the program's variables.
  shape::Bindings variables = {};
  /// Where the run notes, before it calls the first callback, that it does: to
  /// run again what failed repeats what callbacks do. May be null.
  bool *hasCalledBack = nullptr;
};

/// What an input or output of an executable must be.
struct Signature {
  DType type;
  /// Where an extent is an expression of variables: the largest it may be.
  ops::Shape shape;
  /// Where the buffer is; empty for the engine's device.
  std::string device = {};
  /// All extents, if one of them is an expression; else empty.
  shape::SymbolicDims expressions = {};

  /// Returns the shape for these values of all variables.
  ops::Shape getShape(const shape::Bindings &variables) const;
  /// Returns the number of its elements.
  int64_t getNumElements(const shape::Bindings &variables) const;
};

/// An integer in [min, max] that a program is told each time that it runs.
struct Variable {
  std::string name;
  int64_t min, max;
};

/// Checks that `bindings` has a value within its bounds for each of
/// `variables`, and no other.
llvm::Error checkVariables(const std::vector<Variable> &variables,
                           const shape::Bindings &bindings);

/// A compiled schedule. Running it is safe from several threads.
class Executable {
public:
  virtual ~Executable() = default;

  virtual const std::vector<Signature> &getInputs() const = 0;
  virtual const std::vector<Signature> &getOutputs() const = 0;
  /// The variables, in the order of the arguments that bind them.
  virtual const std::vector<Variable> &getVariables() const = 0;

  /// Runs the schedule. Buffers hold row-major elements; their types and
  /// numbers of elements must be those of the signatures, and
  /// `control.variables` must have a value within its bounds for each variable
  /// and no other, or the call fails and nothing runs. Where memory runs out,
  /// it fails and names the tensor, and what it took is given back. An input to
  /// which the program assigns is overwritten, all of it or the part that a
  /// view shows. Returns one new buffer per output, but an output that is an
  /// input, or that is assigned to all of one in the end, comes back as that
  /// input's buffer.
  ///
  /// A run that fails or is cancelled leaves every input as it was and frees
  /// all that it allocated. What it overwrites is kept until its end where it
  /// may still fail: if `control.stop` may ask for it, or where a callback
  /// comes after the first input is overwritten.
  virtual llvm::Expected<std::vector<runtime::BufferRef>>
  run(std::span<const runtime::BufferRef> inputs,
      const RunControl &control = {}) = 0;

  /// The most bytes that a run takes at once beside its inputs and outputs,
  /// whatever the variables are; 0 on devices that do not compile. A run that
  /// may be stopped takes a copy of each input that it overwrites, too.
  virtual int64_t getPeakBytes() const { return 0; }

  /// The kernels in the order in which they run.
  virtual std::vector<KernelStatistics> getKernels() const = 0;
  /// Their number and cost, without looking at each; all 0 on devices that do
  /// not compile.
  virtual const Totals &getTotals() const {
    static const Totals nothing;
    return nothing;
  }
};

/// Compiles graphs and runs them. Values whose type names no device are on the
/// engine's own; others are on devices that are registered. These are "HOST"
/// and "DISK", "CPU", and those of the caller (docs/Adding-a-device.md).
class Engine {
public:
  struct Options {
    /// The engine's device: "CPU", "INTERP" to interpret without code
    /// generation, wherever a value is, or one of `devices`.
    std::string device = "CPU";
    /// Devices of the caller, by name.
    std::map<std::string, runtime::DeviceFactory> devices = {};
    /// Threads that run kernels; 0 means one per core.
    int numThreads = 0;
    /// The level of lazy.py's rules, 0 to 4.
    int optLevel = 2;
    /// The most results of a large reduce that becomes two; 0 for no bound, as
    /// in lazy.py.
    int64_t maxSplitResults = 4096;
    /// Measure each kernel (see KernelStatistics::seconds).
    bool profile = false;
    /// Threads that compile kernels; 0 means one per core. What is compiled
    /// does not depend on it.
    int numCompileThreads = 0;
    /// Where what is compiled is kept for other engines and processes, which
    /// may use the folder at the same time; it is made if it is missing. Empty:
    /// nowhere. A folder that cannot be used is no error.
    std::string cacheDirectory;
    /// About how much is kept; what was not used for longest goes first.
    int64_t maxCacheBytes = int64_t{256} << 20;
    /// Where a pipeline that fails is kept for `tinygrad-opt --run-reproducer`;
    /// the error names the file. Empty: nowhere.
    std::string reproducerDirectory;
    /// Verify the IR after each pass, for those who work on passes.
    bool verifyPasses = false;
    /// Called at the end of each run, on its thread; several threads may call
    /// at once. Each kernel is measured for it. It must not throw.
    std::function<void(const RunRecord &)> onRun;
    /// How the engine's device and "HOST" keep their memory, each by itself: a
    /// bound is one of each.
    runtime::MemoryOptions memory;
    /// Called for each stage of each kernel that is compiled, by the threads
    /// that compile. Of one whose code comes from the folder they are made
    /// again for it; those that the engine has already were shown. It must not
    /// throw.
    std::function<void(const CodeRecord &)> onCode;
  };

  /// Fails with one sentence if an option is not valid.
  static llvm::Expected<std::shared_ptr<Engine>> create(const Options &options);
  virtual ~Engine() = default;

  virtual runtime::Device &getDevice() = 0;

  /// Returns the device of a name, which may be in lower case up to a colon, as
  /// in "disk:/tmp/weights"; the engine's own for its name or an empty one.
  /// Fails where it is not registered or cannot be made.
  virtual llvm::Expected<runtime::DeviceRef>
  getDevice(const std::string &name) = 0;

  /// Registers the devices `name` and `name:…`. Graphs that name them can be
  /// compiled from then on. Fails where the name is not in capitals, or taken.
  virtual llvm::Error registerDevice(const std::string &name,
                                     runtime::DeviceFactory factory) = 0;

  /// Compiles `graph`. Fails with the compiler's diagnostics, or with the
  /// sentence "cancelled" soon after a stop was requested, or when `watch`
  /// stops it.
  virtual llvm::Expected<std::shared_ptr<Executable>>
  compile(const ops::Graph &graph, std::stop_token stop = {},
          Watch *watch = nullptr) = 0;

  /// Compiles the function `entry` of an MLIR module, as above. Diagnostics
  /// name places in `text` by `fileName`.
  virtual llvm::Expected<std::shared_ptr<Executable>>
  compile(const std::string &text, const std::string &fileName,
          const std::string &entry, std::stop_token stop = {},
          Watch *watch = nullptr) = 0;

  /// Forms the kernels of `graph` as `compile` does and compiles none of them:
  /// what it would run, in order. Fails as `compile` does.
  virtual llvm::Expected<std::vector<ops::ScheduleRecord>>
  schedule(const ops::Graph &graph) = 0;

  /// Registers the callback of `lazy.custom "name"`, replacing an older one. An
  /// empty one takes the older one away.
  virtual void registerCallback(const std::string &name, Callback callback) = 0;

  /// What `compile` did so far.
  struct CompileStatistics {
    /// Graphs and their kernels, and the seconds that they took.
    int64_t schedules = 0;
    int64_t kernels = 0;
    double seconds = 0;
    /// Those of them that were kept in the folder of the cache as a whole, so
    /// that no pass ran, and their seconds.
    int64_t warmSchedules = 0;
    double warmSeconds = 0;
    /// Where kernels came from: this engine had them loaded, the folder kept
    /// them, or they were compiled. One that a graph runs twice counts once.
    int64_t kernelsInMemory = 0;
    int64_t kernelsOnDisk = 0;
    int64_t kernelsCompiled = 0;
  };
  virtual CompileStatistics getCompileStatistics() const = 0;
};

} // namespace tinygrad::engine

#endif // TINYGRAD_ENGINE_ENGINE_H
