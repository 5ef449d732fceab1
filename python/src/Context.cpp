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

using namespace tinygrad;
using namespace tinygrad::python;

void python::bindContext(nb::module_ &module) {
  nb::class_<Context> context(module, "Context",
                              "An engine with what tensors share.");

  nb::class_<Context::Statistics>(context, "Statistics")
      .def_ro("hits", &Context::Statistics::hits)
      .def_ro("misses", &Context::Statistics::misses)
      .def_ro("kernels", &Context::Statistics::kernels)
      .def_ro("compile_seconds", &Context::Statistics::compileSeconds)
      .def_ro("warm_seconds", &Context::Statistics::warmSeconds)
      .def_ro("run_seconds", &Context::Statistics::runSeconds);
  nb::class_<Context::KernelSummary>(context, "KernelSummary")
      .def_ro("name", &Context::KernelSummary::name)
      .def_ro("runs", &Context::KernelSummary::runs)
      .def_ro("seconds", &Context::KernelSummary::seconds)
      .def_ro("flops", &Context::KernelSummary::flops)
      .def_ro("bytes", &Context::KernelSummary::bytes);

  context.def_static("get_default", &Context::getDefault)
      .def_static("get_current", &Context::getCurrent)
      .def_prop_ro("device", &Context::getDevice)
      .def("manual_seed", &Context::manual_seed, nb::arg("seed") = 0)
      .def("get_statistics", &Context::getStatistics)
      .def("get_kernels", &Context::getKernels);
}
