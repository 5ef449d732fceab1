//===- Tools.cpp - Bindings of tools/Tools.h ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../tools/Tools.h"

#include "Bindings.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

using namespace tinygrad::python;

/// Runs a tool with `args`; the first one is its name in messages.
static int runTool(const std::string &name, std::vector<std::string> args) {
  using Main = int (*)(int, char **);
  Main main = name == "opt"         ? &tinygrad::tools::opt
              : name == "run"       ? &tinygrad::tools::run
              : name == "translate" ? &tinygrad::tools::translate
                                    : nullptr;
  if (!main)
    throw nb::value_error("expects one of the tools opt, run and translate");
  std::vector<char *> pointers;
  for (std::string &arg : args)
    pointers.push_back(arg.data());
  pointers.push_back(nullptr);
  return main(static_cast<int>(args.size()), pointers.data());
}

void tinygrad::python::bindTools(nb::module_ &module) {
  module.def(
      "run_tool", &runTool, nb::arg("name"), nb::arg("args"),
      "Runs a tool once and returns its exit code. A command line that is not "
      "valid ends the process.");
}
