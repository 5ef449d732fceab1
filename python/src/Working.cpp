//===- Working.cpp - Threads of Python while the library works ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Working.h"

#include "tinygrad/Engine/Watch.h"

#include <nanobind/stl/optional.h>

#include <chrono>
#include <csignal>

using namespace tinygrad;
using namespace tinygrad::python;
using engine::Progress;

namespace {

using Clock = std::chrono::steady_clock;

/// Looks for Ctrl-C, and shows how far the main thread is.
class PythonWatch : public engine::Watch {
public:
  /// The main thread begins to work.
  void begin() {
    reset();
    hasStarted = false;
  }
  /// It ends, and has the GIL.
  void end();
  bool isChecking() const { return checks; }

  /// What is called with a stage and the numbers of kernels that are done and
  /// in all, and with "" at the end; None for nothing.
  nb::object observer;
  Clock::duration delay = std::chrono::seconds(1);
  Clock::duration interval = std::chrono::milliseconds(100);

protected:
  bool check(const Progress &progress) override;

private:
  void show(const char *stage, int64_t done, int64_t total);

  bool checks = false, isShown = false, hasStarted = false;
  Clock::time_point start, last;
};

} // namespace

/// True if Ctrl-C raises KeyboardInterrupt. Other handlers of programs run when
/// the work is done: they may want to use tensors. No code of Python runs here,
/// in which handlers would.
static bool isInterruptDefault() {
  nb::module_ signal = nb::module_::import_("_signal");
  return signal.attr("getsignal")(SIGINT).is(
      signal.attr("default_int_handler"));
}

bool PythonWatch::check(const Progress &progress) {
  Clock::time_point now = Clock::now();
  if (!hasStarted) {
    start = last = now;
    hasStarted = true;
  }
  if (now - last < interval)
    return false;
  last = now;
  nb::gil_scoped_acquire gil;
  checks = true;
  bool stops = false;
  try {
    if (PyOS_InterruptOccurred()) {
      stops = isInterruptDefault();
      // Its handler runs where this thread is back in Python.
      PyErr_SetInterrupt();
    } else if (observer.is_valid() && now - start >= delay) {
      static constexpr const char *names[] = {"schedule", "compile", "run"};
      isShown = true;
      show(names[static_cast<int>(progress.stage)], progress.done,
           progress.total);
    }
  } catch (nb::python_error &error) {
    // Handlers of signals may have run in there.
    if (error.matches(PyExc_KeyboardInterrupt)) {
      PyErr_SetInterrupt();
      stops = true;
    } else {
      error.discard_as_unraisable("showing progress");
    }
  }
  checks = false;
  return stops;
}

void PythonWatch::end() {
  if (!isShown)
    return;
  isShown = false;
  // What stopped the work is not for the observer.
  bool isInterrupted = PyOS_InterruptOccurred();
  try {
    show("", 0, 0);
  } catch (nb::python_error &) {
    isInterrupted = true;
  }
  if (isInterrupted)
    PyErr_SetInterrupt();
}

/// Throws only what stops the work.
void PythonWatch::show(const char *stage, int64_t done, int64_t total) {
  if (!observer.is_valid())
    return;
  try {
    observer(stage, done, total);
  } catch (nb::python_error &error) {
    if (error.matches(PyExc_KeyboardInterrupt))
      throw;
    error.discard_as_unraisable("showing progress");
    observer.reset();
  }
}

/// Python has one main thread, and it alone handles signals. Never destroyed:
/// what it holds may not outlive Python.
static PythonWatch &getWatch() {
  static auto *watch = new PythonWatch;
  return *watch;
}

static unsigned long mainThread = 0;

static bool isMainThread() { return PyThread_get_thread_ident() == mainThread; }

Working::Working()
    : isMain(isMainThread()), guard(isMain ? &getWatch() : nullptr) {
  if (isMain) {
    if (getWatch().isChecking())
      throw std::runtime_error(
          "expects no computation in a handler of a signal "
          "while another one shows its progress");
    getWatch().begin();
  }
  state = PyEval_SaveThread();
}

Working::~Working() {
  PyEval_RestoreThread(state);
  if (isMain)
    getWatch().end();
}

/// Releases the GIL where operations compile that hold it, as in a function
/// that is captured: who asks a watch while it compiles needs it.
static void *beginCompile() {
  return PyGILState_Check() ? PyEval_SaveThread() : nullptr;
}

static void endCompile(void *state) {
  if (state)
    PyEval_RestoreThread(static_cast<PyThreadState *>(state));
}

bool python::raiseInterrupt() noexcept {
  if (!isMainThread() || !getWatch().isStopped())
    return false;
  getWatch().reset();
  return PyErr_CheckSignals() < 0;
}

void python::bindWorking(nb::module_ &module) {
  mainThread = nb::cast<unsigned long>(
      nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  Context::setCompileHooks(&beginCompile, &endCompile);
  module.def(
      "set_progress_observer",
      [](nb::object observer, double delay, double interval) {
        PythonWatch &watch = getWatch();
        watch.observer = observer.is_none() ? nb::object() : observer;
        auto read = [](double seconds) {
          return std::chrono::duration_cast<Clock::duration>(
              std::chrono::duration<double>(seconds));
        };
        watch.delay = read(delay);
        watch.interval = read(interval);
      },
      nb::arg("observer").none(), nb::arg("delay") = 1.0,
      nb::arg("interval") = 0.1,
      "Says what is called with a stage, `schedule`, `compile` or `run`, and "
      "the numbers of kernels that are done and of all: while the main thread "
      "works for longer than `delay` seconds, about every `interval` seconds, "
      "and with an empty stage at the end.");
}
