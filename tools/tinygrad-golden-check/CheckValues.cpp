//===- CheckValues.cpp - Judges values of schedule.jsonl ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckValues.h"
#include "CheckScalars.h"
#include "GoldenProgram.h"
#include "tinygrad/Engine/HostTensor.h"

#include "mlir/IR/Verifier.h"

#include <cmath>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::golden;
using engine::HostTensor;
using ops::Scalar;

/// Returns an element of a LOAD, EMPTY or CUSTOM.
static Scalar getFilled(const ProgramOp &op, int64_t position) {
  const Fill &fill = op.fill;
  // The modulus of Python: never negative.
  int64_t residue = (position * fill.mul + fill.add) % fill.mod;
  if (residue < 0)
    residue += fill.mod;
  double value = static_cast<double>(residue - fill.sub) * fill.scale;
  return ops::cast(Scalar::fromDouble(DType::Float64, value), op.type);
}

static double getTolerance(DType type) {
  return getByteWidth(type) == 2 ? 2e-2 : 2e-4;
}

static bool isClose(const Scalar &actual, const Scalar &expected) {
  if (!isFloat(actual.getType()))
    return actual.isIdentical(expected);
  double a = actual.toDouble(), e = expected.toDouble();
  if (std::isnan(a) || std::isnan(e))
    return std::isnan(a) && std::isnan(e);
  // Infinities have no difference.
  double tolerance = getTolerance(actual.getType());
  return a == e || (std::isfinite(a) && std::isfinite(e) &&
                    std::fabs(a - e) <= tolerance * (1 + std::fabs(e)));
}

/// Returns the first difference, or an empty text.
static std::string compare(const HostTensor &actual,
                           const ExpectedValues &expected) {
  if (actual.getType() != expected.type || actual.getShape() != expected.shape)
    return "another type or shape";
  auto compareAt = [&](int64_t position, const Number &number) -> std::string {
    Scalar a = actual.get(position), e = number.toScalar(expected.type);
    if (isClose(a, e))
      return "";
    return "element " + std::to_string(position) + " is " + toText(a) +
           " instead of " + toText(e);
  };
  std::string difference;
  if (expected.values) {
    for (auto [position, number] : llvm::enumerate(*expected.values))
      if (difference.empty())
        difference = compareAt(static_cast<int64_t>(position), number);
    return difference;
  }
  for (const Sample &sample : expected.samples)
    if (difference.empty())
      difference = compareAt(sample.position, sample.value);
  if (!difference.empty())
    return difference;
  double sum = 0, absSum = 0;
  for (int64_t i = 0; i < actual.getNumElements(); ++i) {
    double value = actual.get(i).toDouble();
    sum += value;
    absSum += std::fabs(value);
  }
  // Errors of the elements add up as their sizes do.
  double tolerance = getTolerance(expected.type) * (1 + expected.absSum);
  if (std::fabs(sum - expected.sum) <= tolerance &&
      std::fabs(absSum - expected.absSum) <= tolerance)
    return "";
  return "the sum is " + std::to_string(sum) + " instead of " +
         std::to_string(expected.sum) + ", that of absolute values " +
         std::to_string(absSum) + " instead of " +
         std::to_string(expected.absSum);
}

static constexpr const char *devices[] = {"INTERP", "CPU"};

llvm::Expected<ValueChecker> ValueChecker::create(int level) {
  ValueChecker checker;
  for (const char *device : devices) {
    engine::Engine::Options options;
    options.device = device;
    options.optLevel = level;
    llvm::Expected<std::shared_ptr<engine::Engine>> engine =
        engine::Engine::create(options);
    if (!engine)
      return engine.takeError();
    checker.engines.push_back(std::move(*engine));
  }
  return checker;
}

static llvm::Expected<runtime::BufferRef> fillBuffer(runtime::Device &device,
                                                     const ProgramOp &op) {
  llvm::Expected<HostTensor> tensor = HostTensor::create(op.type, op.shape);
  if (!tensor)
    return tensor.takeError();
  for (int64_t i = 0; i < tensor->getNumElements(); ++i)
    tensor->set(i, getFilled(op, i));
  llvm::Expected<runtime::BufferRef> buffer =
      device.allocate(op.type, tensor->getNumElements());
  if (!buffer)
    return buffer.takeError();
  if (llvm::Error error =
          (*buffer)->copyIn(tensor->getData(), tensor->getNumBytes()))
    return error;
  return buffer;
}

/// Compiles and runs `text` on arguments that the row says how to fill.
static llvm::Expected<std::vector<HostTensor>>
runProgram(engine::Engine &engine, const ScheduleRow &row,
           const std::string &text, ArrayRef<int64_t> argumentIds) {
  auto executable = engine.compile(text, row.name, "main");
  if (!executable)
    return executable.takeError();
  std::vector<runtime::BufferRef> inputs;
  for (auto [id, input] :
       llvm::zip_equal(argumentIds, (*executable)->getInputs())) {
    llvm::Expected<runtime::DeviceRef> device = engine.getDevice(input.device);
    if (!device)
      return device.takeError();
    llvm::Expected<runtime::BufferRef> buffer =
        fillBuffer(**device, row.program[id]);
    if (!buffer)
      return buffer.takeError();
    inputs.push_back(std::move(*buffer));
  }
  llvm::Expected<std::vector<runtime::BufferRef>> results =
      (*executable)->run(inputs);
  if (!results)
    return results.takeError();
  std::vector<HostTensor> tensors;
  for (auto [buffer, output] :
       llvm::zip_equal(*results, (*executable)->getOutputs())) {
    llvm::Expected<HostTensor> tensor =
        HostTensor::create(output.type, output.shape);
    if (!tensor)
      return tensor.takeError();
    if (llvm::Error error =
            buffer->copyOut(tensor->getData(), tensor->getNumBytes()))
      return error;
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

/// Compares each output of the program on one device.
static Outcome checkDevice(engine::Engine &engine, const std::string &place,
                           const ScheduleRow &row, const std::string &text,
                           ArrayRef<int64_t> argumentIds,
                           ArrayRef<int64_t> resultIds) {
  auto results = runProgram(engine, row, text, argumentIds);
  if (!results)
    return Outcome::fail(place + llvm::toString(results.takeError()));
  for (auto [tensor, id] : llvm::zip_equal(*results, resultIds)) {
    auto expected = row.expected->find(std::to_string(id));
    if (expected == row.expected->end())
      continue;
    std::string difference = compare(tensor, expected->second);
    if (!difference.empty())
      return Outcome::fail(place + "output " + std::to_string(id) + ": " +
                           difference);
  }
  return {};
}

Outcome ValueChecker::check(const ScheduleRow &row, int64_t maxElements) {
  if (!row.expected)
    return Outcome::skip("no expected values");
  int64_t numElements = 0;
  for (const ProgramOp &op : row.program)
    if (!op.shape.empty())
      numElements += std::min(*ops::getNumElements(op.shape), maxElements + 1);
  if (numElements > maxElements)
    return Outcome::skip("buffers of more than " + std::to_string(maxElements) +
                         " elements");

  DialectRegistry registry;
  registry.insert<lazy::LazyDialect, func::FuncDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Outcome outcome;
  std::optional<GoldenProgram> program =
      buildProgram(&context, row, Liveness::Dropped, Purpose::Values, outcome);
  if (!program)
    return outcome;
  std::string text;
  llvm::raw_string_ostream(text) << *program->module;
  for (auto [engine, device] : llvm::zip_equal(engines, devices)) {
    outcome = checkDevice(*engine, std::string("values on ") + device + ": ",
                          row, text, program->argumentIds, program->resultIds);
    if (outcome.kind != Outcome::Passed)
      return outcome;
  }
  return {};
}
