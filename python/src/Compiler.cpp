//===- Compiler.cpp - Bindings of Tensor/Module.h -------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Module.h"

#include "Bindings.h"
#include "Working.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace tinygrad;
using namespace tinygrad::python;

using NoGIL = nb::call_guard<nb::gil_scoped_release>;

static void bindDiagnostic(nb::module_ &module) {
  nb::class_<Diagnostic>(module, "Diagnostic",
                         "One diagnostic of the compiler.")
      .def_ro("severity", &Diagnostic::severity,
              "\"error\", \"warning\", \"remark\" or \"note\".")
      .def_ro("file", &Diagnostic::file, "The file, or an empty text.")
      .def_ro("line", &Diagnostic::line, "From 1 on; 0 where not known.")
      .def_ro("column", &Diagnostic::column, "From 1 on; 0 where not known.")
      .def_ro("message", &Diagnostic::message)
      .def("__repr__",
           [](const Diagnostic &x) {
             std::string place = x.file;
             if (x.line)
               place += ":" + std::to_string(x.line) + ":" +
                        std::to_string(x.column);
             return (place.empty() ? "" : place + ": ") + x.severity + ": " +
                    x.message;
           })
      // So that another process can be told of an Error.
      .def("__getstate__",
           [](const Diagnostic &x) {
             return std::tuple(x.severity, x.file, x.line, x.column, x.message);
           })
      .def("__setstate__",
           [](Diagnostic &x, const std::tuple<std::string, std::string, int64_t,
                                              int64_t, std::string> &state) {
             const auto &[severity, file, line, column, message] = state;
             new (&x) Diagnostic{severity, file, line, column, message};
           });
}

static void bindFunctions(nb::module_ &module) {
  nb::class_<ops::FunctionRecord>(module, "ModuleFunction",
                                  "A function of a module, at whatever stage.")
      .def_ro("name", &ops::FunctionRecord::name)
      .def_ro("text", &ops::FunctionRecord::text)
      .def_ro("is_kernel", &ops::FunctionRecord::isKernel,
              "True for a kernel in a function of its own.")
      .def_ro("callees", &ops::FunctionRecord::callees,
              "The functions that it calls, in order.")
      .def_ro("flops", &ops::FunctionRecord::flops,
              "Arithmetic operations of its kernels in the lazy dialect.")
      .def_ro("bytes", &ops::FunctionRecord::bytes,
              "Bytes that these read and write.");

  nb::class_<CompiledFunction::Value>(
      module, "Value", "What an input or a result of a function must be.")
      .def_prop_ro("shape",
                   [](const CompiledFunction::Value &x) {
                     return nb::tuple(nb::cast(x.shape));
                   })
      .def_ro("dtype", &CompiledFunction::Value::type)
      .def_ro("device", &CompiledFunction::Value::device);

  nb::class_<CompiledFunction>(module, "CompiledFunction",
                               "A function of a module that is compiled.")
      .def(
          "call",
          [](const CompiledFunction &function,
             const std::vector<Tensor> &inputs,
             const std::map<std::string, int64_t> &variables) {
            std::vector<Tensor> results;
            {
              Working working;
              results = function(inputs, variables);
            }
            return wrap(std::move(results));
          },
          nb::arg("inputs"), nb::arg("variables"),
          "Runs the function on tensors, with values of its variables by name; "
          "returns its results.")
      .def_prop_ro("inputs", &CompiledFunction::getInputs)
      .def_prop_ro("results", &CompiledFunction::getResults)
      .def_prop_ro("variables", &CompiledFunction::getVariables)
      .def_prop_ro("kernels", &CompiledFunction::getKernels);
}

void python::bindCompiler(nb::module_ &module) {
  bindDiagnostic(module);
  bindFunctions(module);
  nb::class_<Module>(module, "Module",
                     "A module of MLIR, which never changes.\n\nErrors: each "
                     "method raises Error, whose `diagnostics` say what is "
                     "wrong and where.")
      .def_static("parse", &Module::parse, nb::arg("text"),
                  nb::arg("file_name") = "module.mlir", NoGIL(),
                  "Parses and verifies text. Diagnostics name it `file_name`.")
      .def_static(
          "trace", &Module::trace, nb::arg("results"),
          nb::arg("inputs") = std::vector<Tensor>(), NoGIL(),
          "Makes a module whose function `main` computes tensors that "
          "are not computed yet. Its arguments are `inputs`, and behind "
          "them what else they are computed from. Nothing runs.")
      .def("print", &Module::print, nb::arg("locations") = false, NoGIL(),
           "Returns the text, and with `locations` where each operation comes "
           "from.")
      .def("run", &Module::run, nb::arg("pipeline"), NoGIL(),
           "Runs a pipeline of passes on a copy, as in `tinygrad-schedule` or "
           "`func.func(lazy-schedule),canonicalize`.")
      .def("llvm_ir", &Module::printLLVMIR, NoGIL(),
           "Returns a module of the llvm dialect as LLVM IR.")
      .def_prop_ro("functions", &Module::getFunctions,
                   "The functions of the module, in order.")
      .def("compile_function", &Module::compile, nb::arg("name") = "main",
           nb::call_guard<Working>(), "Compiles a function of the module.")
      .def("__str__", [](const Module &x) { return x.print(); })
      .def("__repr__", [](const Module &x) {
        std::string names;
        for (const ops::FunctionRecord &function : x.getFunctions())
          names += (names.empty() ? "" : ", ") + function.name;
        return "<Module with functions " + names + ">";
      });
}
