//===- Module.cpp - The compiler as a library -----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Module.h"

#include "Capture.h"
#include "ContextImpl.h"
#include "GraphWalk.h"

#include "tinygrad/Engine/Engine.h"
#include "tinygrad/Engine/IRModule.h"

#include <charconv>
#include <string_view>

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// Takes ":number" from the end of `text`. Returns false where there is none.
static bool takeNumber(std::string_view &text, int64_t &number) {
  size_t colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return false;
  std::string_view digits = text.substr(colon + 1);
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size())
    return false;
  text = text.substr(0, colon);
  return true;
}

/// Reads "file:line:column: severity: message", whose place may be missing.
static bool parseDiagnostic(std::string_view line, Diagnostic &result) {
  // The first severity that follows a place or begins the line.
  size_t found = std::string_view::npos;
  std::string_view severity;
  for (std::string_view word : {"error: ", "warning: ", "remark: ", "note: "}) {
    size_t position =
        line.starts_with(word) ? 0 : line.find(": " + std::string(word));
    if (position >= found)
      continue;
    found = position;
    severity = word;
  }
  if (severity.empty())
    return false;
  size_t begin = found + (line.starts_with(severity) ? 0 : 2);
  std::string_view place = line.substr(0, found);
  int64_t last = 0;
  if (takeNumber(place, last)) {
    result.column = last;
    if (!takeNumber(place, result.line))
      result.line = std::exchange(result.column, 0);
  }
  result.file = place;
  result.severity = severity.substr(0, severity.size() - 2);
  result.message = line.substr(begin + severity.size());
  return true;
}

std::vector<Diagnostic>
tinygrad::parseDiagnostics(const std::string &compilerText) {
  std::vector<Diagnostic> result;
  std::string_view rest = compilerText;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    Diagnostic diagnostic;
    if (parseDiagnostic(line, diagnostic))
      result.push_back(std::move(diagnostic));
    else if (result.empty())
      result.push_back({"error", "", 0, 0, std::string(line)});
    else
      result.back().message += "\n" + std::string(line);
  }
  return result;
}

/// Returns a value, or throws the error in its place.
template <typename T>
static T unwrap(const char *name, const std::string &sentence,
                llvm::Expected<T> value) {
  if (!value)
    throw Error(name, sentence, {}, llvm::toString(value.takeError()));
  return std::move(*value);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Module Module::parse(const std::string &text, const std::string &fileName) {
  return Module(unwrap("parse", "cannot parse the module",
                       engine::IRModule::parse(text, fileName)));
}

Module Module::trace(const std::vector<Tensor> &results,
                     const std::vector<Tensor> &inputs) {
  std::vector<NodeRef> roots;
  for (const Tensor &result : results) {
    const NodeRef &node = resolveAlias(getNode(result));
    if (node->isAboveRebind)
      throw Error(
          "trace",
          "cannot trace a shape that only the values of variables allow",
          {result.shape()});
    roots.push_back(node);
  }
  GraphWalk walk(roots);
  ops::Graph graph = walk.buildGraph();
  keepHostFunctions(walk.getHostFunctions());
  // The arguments in the caller's order, and behind them all others.
  std::vector<int32_t> arguments;
  for (const Tensor &input : inputs) {
    const NodeRef &node = resolveAlias(getNode(input));
    if (!node->buffer)
      throw Error("trace", "expects inputs that are computed, as by realize",
                  {input.shape()});
    int32_t number = -1;
    for (size_t i = 0; i < walk.getInputs().size(); ++i)
      if (walk.getInputs()[i]->buffer == node->buffer)
        number = graph.inputs[i];
    if (number < 0) {
      if (node->shape.isSymbolic())
        throw Error("trace", "expects an input of variable shape to be used",
                    {input.shape()});
      ops::GraphNode unused;
      unused.shape = node->shape;
      unused.type = node->type;
      unused.device = node->device;
      number = static_cast<int32_t>(graph.nodes.size());
      graph.nodes.push_back(std::move(unused));
      graph.inputs.push_back(number);
    }
    if (std::ranges::count(arguments, number))
      throw Error("trace", "expects each input to be a tensor of its own",
                  {input.shape()});
    arguments.push_back(number);
  }
  for (int32_t number : graph.inputs)
    if (!std::ranges::count(arguments, number))
      arguments.push_back(number);
  graph.inputs = std::move(arguments);
  return Module(
      unwrap("trace", "cannot make a module", engine::IRModule::emit(graph)));
}

std::string Module::print(bool locations) const {
  return impl->print(locations);
}

Module Module::run(const std::string &pipeline) const {
  return Module(unwrap("run", "cannot run the pipeline `" + pipeline + "`",
                       impl->run(pipeline)));
}

std::string Module::printLLVMIR() const {
  return unwrap("printLLVMIR", "cannot translate the module to LLVM IR",
                impl->printLLVMIR());
}

std::vector<ops::FunctionRecord> Module::getFunctions() const {
  return impl->getFunctions();
}

//===----------------------------------------------------------------------===//
// Compiled functions
//===----------------------------------------------------------------------===//

CompiledFunction Module::compile(const std::string &name) const {
  CompiledFunction result;
  result.context = Context::getCurrent();
  result.executable =
      unwrap("compile", "cannot compile function `" + name + "`",
             result.context->getImpl().engine->compile(
                 impl->print(/*locations=*/true), "module", name,
                 StopGuard::getToken(), WatchGuard::getCurrent()));
  result.overwritten = impl->getOverwrittenInputs(name);
  return result;
}

static std::string describe(DType type, const Shape &shape,
                            const std::string &device) {
  return std::string(getName(type)) + " " + ops::toString(shape) +
         (device.empty() ? "" : " on " + device);
}

std::vector<Tensor> CompiledFunction::operator()(
    const std::vector<Tensor> &inputs,
    const std::map<std::string, int64_t> &values) const {
  if (Recorder::getCurrent())
    throw Error("TinyJit", "cannot capture a function that calls a compiled "
                           "one; call it outside of it");
  shape::Bindings variables(values.begin(), values.end());
  if (llvm::Error error =
          engine::checkVariables(executable->getVariables(), variables))
    throw Error("call", llvm::toString(std::move(error)));
  const std::vector<engine::Signature> &signatures = executable->getInputs();
  if (inputs.size() != signatures.size())
    throw Error("call", "expects " + std::to_string(signatures.size()) +
                            " inputs, got " + std::to_string(inputs.size()));
  realize(inputs);
  std::vector<runtime::BufferRef> buffers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const engine::Signature &expected = signatures[i];
    const Node &node = *resolveAlias(getNode(inputs[i]));
    Shape shape = expected.getShape(variables);
    if (node.shape != shape || node.type != expected.type ||
        node.device != expected.device)
      throw Error("call",
                  "expects input " + std::to_string(i) + " to be " +
                      describe(expected.type, shape, expected.device) +
                      ", got " + describe(node.type, node.shape, node.device),
                  {shape, node.shape});
    bool isOverwritten =
        std::ranges::count(overwritten, static_cast<int>(i)) > 0;
    buffers.push_back(isOverwritten ? copyRealized(node)->buffer : node.buffer);
  }
  std::vector<runtime::BufferRef> outputs =
      runExecutable(context->getImpl(), *executable, buffers,
                    {.variables = std::move(variables)});
  Context::Scope scope(context);
  std::vector<Tensor> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const engine::Signature &signature = executable->getOutputs()[i];
    results.push_back(makeTensor(makeFromBuffer(
        std::move(outputs[i]),
        signature.getShape({values.begin(), values.end()}), signature.device)));
  }
  return results;
}

static std::vector<CompiledFunction::Value>
toValues(const std::vector<engine::Signature> &signatures) {
  std::vector<CompiledFunction::Value> values;
  for (const engine::Signature &signature : signatures)
    values.push_back({signature.type, signature.shape, signature.device});
  return values;
}

std::vector<CompiledFunction::Value> CompiledFunction::getInputs() const {
  return toValues(executable->getInputs());
}

std::vector<CompiledFunction::Value> CompiledFunction::getResults() const {
  return toValues(executable->getOutputs());
}

std::vector<std::string> CompiledFunction::getVariables() const {
  std::vector<std::string> names;
  for (const engine::Variable &variable : executable->getVariables())
    names.push_back(variable.name);
  return names;
}

std::vector<Context::KernelSummary> CompiledFunction::getKernels() const {
  std::vector<Context::KernelSummary> kernels;
  for (const engine::KernelStatistics &kernel : executable->getKernels())
    kernels.push_back(
        {kernel.name, kernel.runs, kernel.seconds, kernel.flops, kernel.bytes});
  return kernels;
}
