//===- Context.cpp - Bindings of Tensor/Context.h -------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Context.h"

#include "Bindings.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cctype>
#include <string_view>

using namespace tinygrad;
using namespace tinygrad::python;

/// What tinygrad calls its devices for the processor.
static constexpr std::string_view processorNames[] = {"CLANG", "LLVM", "CPU",
                                                      "TORCH"};

/// The one of them that programs see.
static std::string processorName = "CPU";

std::string python::showDevice(const std::string &device) {
  return device == "CPU" ? processorName : device;
}

std::string python::readDevice(const std::string &device) {
  std::string name = device;
  std::ranges::transform(name, name.begin(), [](unsigned char character) {
    return static_cast<char>(std::toupper(character));
  });
  // There is one processor, whatever number programs give it.
  size_t colon = name.find(':');
  if (colon != std::string::npos && colon + 1 < name.size() &&
      std::all_of(name.begin() + colon + 1, name.end(),
                  [](char c) { return c >= '0' && c <= '9'; }))
    name.resize(colon);
  return std::ranges::count(processorNames, name) ? "CPU" : device;
}

/// The counters of a context, under the names that helpers.py reads.
struct Totals {
  int64_t kernels, flops, bytes, memory;
  double seconds;
};

static Totals getCounters(const Context &context) {
  Context::Counters counters = context.getCounters();
  return {counters.kernels, counters.flops, counters.bytes,
          context.getMemoryStatistics().liveBytes,
          context.getStatistics().runSeconds};
}

static void setRunObserver(Context &context, nb::object observer) {
  if (observer.is_none())
    return context.setRunObserver(nullptr);
  // The last copy may go away on any thread.
  std::shared_ptr<nb::object> shared(new nb::object(std::move(observer)),
                                     [](nb::object *object) {
                                       nb::gil_scoped_acquire gil;
                                       delete object;
                                     });
  context.setRunObserver([shared](const std::vector<std::string> &names) {
    nb::gil_scoped_acquire gil;
    try {
      (*shared)(names);
    } catch (nb::python_error &error) {
      error.discard_as_unraisable("an observer of runs");
    }
  });
}

void python::bindContext(nb::module_ &module) {
  module.def(
      "set_processor_name",
      [](const std::string &name) {
        if (readDevice(name) != "CPU")
          throw nb::value_error("expects a name of the processor");
        processorName = name;
      },
      nb::arg("name"), "Says under which name programs see the device CPU.");
  nb::list names;
  for (std::string_view name : processorNames)
    names.append(nb::str(name.data(), name.size()));
  module.attr("processor_names") = nb::tuple(names);
  module.def("read_device", &readDevice, nb::arg("device"),
             "Returns the library's name of a device.");
  nb::class_<Totals>(module, "Totals")
      .def_ro("kernels", &Totals::kernels)
      .def_ro("flops", &Totals::flops)
      .def_ro("bytes", &Totals::bytes)
      .def_ro("memory", &Totals::memory)
      .def_ro("seconds", &Totals::seconds);
  nb::class_<Context> context(module, "Context",
                              "An engine with what tensors share.");

  nb::class_<Context::Statistics>(context, "Statistics",
                                  "What was compiled and run so far.")
      .def_ro("hits", &Context::Statistics::hits)
      .def_ro("misses", &Context::Statistics::misses)
      .def_ro("kernels", &Context::Statistics::kernels)
      .def_ro("compile_seconds", &Context::Statistics::compileSeconds)
      .def_ro("warm_seconds", &Context::Statistics::warmSeconds)
      .def_ro("run_seconds", &Context::Statistics::runSeconds);
  nb::class_<Context::KernelSummary>(context, "KernelSummary",
                                     "What a kernel did so far.")
      .def_ro("name", &Context::KernelSummary::name)
      .def_ro("runs", &Context::KernelSummary::runs)
      .def_ro("seconds", &Context::KernelSummary::seconds)
      .def_ro("flops", &Context::KernelSummary::flops)
      .def_ro("bytes", &Context::KernelSummary::bytes);

  context
      .def_static("get_default", &Context::getDefault,
                  "Returns the context of the process.")
      .def_static("get_current", &Context::getCurrent,
                  "Returns the context in which this thread makes tensors.")
      .def_prop_ro("device",
                   [](const Context &context) {
                     return showDevice(context.getDevice());
                   })
      .def("manual_seed", &Context::manual_seed, nb::arg("seed") = 0,
           "Starts the random numbers anew.")
      .def("get_statistics", &Context::getStatistics,
           "Returns how much was compiled and run, and how long it took.")
      .def("get_kernels", &Context::getKernels,
           "Returns what each kernel did; those that took longest come first.")
      .def("get_counters", &getCounters,
           "Returns what ran so far, and the bytes that tensors take.")
      .def("set_run_observer", &setRunObserver, nb::arg("observer").none(),
           "Says what is called after each run with the names of its kernels.")
      .def("trim", &Context::trim, nb::arg("max_idle_bytes") = 0,
           "Gives memory that no tensor uses back to the system.")
      .def(
          "check_device",
          [](Context &self, const std::string &name) {
            Context::Scope scope(self.shared_from_this());
            Tensor::empty({0}, DType::Float32, readDevice(name));
          },
          nb::arg("name"), "Raises an Error if there is no such device.");
  module.def(
      "set_reference_level",
      [](int level) {
        Context::Options options = Context::readEnvironment();
        options.optLevel = level;
        options.countsHolders = true;
        Context::setDefaultOptions(options);
      },
      nb::arg("level"),
      "Makes the default context form the kernels of tinygrad at a level.");
}
