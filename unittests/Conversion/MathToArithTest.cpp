//===- MathToArithTest.cpp - The accuracy of expanded functions -----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the expansions of `convert-math-to-arith` on this machine, and compares
// with the functions of double from the C library, rounded to float.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Conversion/Passes.h"
#include "tinygrad/InitAll.h"
#include "tinygrad/Pipelines/Pipelines.h"
#include "tinygrad/Runtime/Device.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::runtime;

namespace {

constexpr int64_t numValues = 1 << 20;

/// Expands `op` on f32, with one or two operands, and computes it on `x` and
/// `y`.
std::vector<float> compute(const std::string &op, int numOperands,
                           const std::vector<float> &x,
                           const std::vector<float> &y) {
  std::string memory = "memref<" + std::to_string(numValues) + "xf32>";
  std::string text = "func.func @f(%o: " + memory + ", %x: " + memory +
                     ", %y: " + memory + R"() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant )" +
                     std::to_string(numValues) + R"( : index
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.load %x[%i] : )" +
                     memory + "\n %b = memref.load %y[%i] : " + memory +
                     "\n %r = " + op +
                     (numOperands == 1 ? " %a : f32" : " %a, %b : f32") +
                     "\n memref.store %r, %o[%i] : " + memory + "\n } return }";
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  PassManager manager(&context);
  ConvertMathToArithPassOptions options;
  options.ops = {op};
  manager.addPass(createConvertMathToArithPass(options));
  buildLoopsToLLVMPipeline(manager);
  EXPECT_TRUE(succeeded(manager.run(*module)));
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(*module, llvmContext);
  EXPECT_TRUE(translated);
  std::string code;
  llvm::raw_string_ostream os(code);
  translated->print(os, /*AAW=*/nullptr);

  DeviceRef device = llvm::cantFail(createCPUDevice());
  BufferRef buffers[3];
  for (BufferRef &buffer : buffers)
    buffer = llvm::cantFail(device->allocate(DType::Float32, numValues));
  size_t numBytes = numValues * sizeof(float);
  llvm::cantFail(buffers[1]->copyIn(x.data(), numBytes));
  llvm::cantFail(buffers[2]->copyIn(y.data(), numBytes));
  ProgramRef program = llvm::cantFail(
      device->compile("f", {ProgramSource::Language::LLVMIR, code}));
  llvm::cantFail(program->launch(buffers));
  std::vector<float> result(numValues);
  llvm::cantFail(buffers[0]->copyOut(result.data(), numBytes));
  return result;
}

/// Floats of every sign and exponent, infinities and NaN, evenly spread.
std::vector<float> makeAllKinds(uint32_t step) {
  std::vector<float> values(numValues);
  uint32_t bits = 0;
  for (float &value : values) {
    value = llvm::bit_cast<float>(bits);
    bits += step;
  }
  // The first are what is special.
  const float special[] = {
      0.0f,    -0.0f,   1.0f,     -1.0f,       2.0f,         -2.0f,      3.0f,
      -3.0f,   0.5f,    -0.5f,    INFINITY,    -INFINITY,    NAN,        1e-45f,
      -1e-45f, 3.4e38f, -3.4e38f, 16777216.0f, 1.6777214e7f, 0.99999994f};
  llvm::copy(special, values.begin());
  return values;
}

/// Expects results that are the rounded values of `reference`, but for one in
/// a thousand, which may be a neighbour.
void check(const std::string &op, int numOperands, const std::vector<float> &x,
           const std::vector<float> &y,
           llvm::function_ref<double(double, double)> reference) {
  std::vector<float> results = compute(op, numOperands, x, y);
  int64_t numOff = 0, numWrong = 0;
  for (int64_t i = 0; i < numValues; ++i) {
    float expected = static_cast<float>(reference(x[i], y[i]));
    float got = results[i];
    if (std::isnan(expected) && std::isnan(got))
      continue;
    if (llvm::bit_cast<uint32_t>(expected) == llvm::bit_cast<uint32_t>(got))
      continue;
    ++numOff;
    bool isNeighbour = got == std::nextafter(expected, INFINITY) ||
                       got == std::nextafter(expected, -INFINITY);
    if (!isNeighbour && ++numWrong <= 5)
      ADD_FAILURE() << op << " of " << x[i] << " and " << y[i] << ": expects "
                    << expected << ", got " << got;
  }
  EXPECT_LE(numOff, numValues / 1000);
  EXPECT_EQ(numWrong, 0);
}

void checkFunction(const std::string &op, double (*reference)(double)) {
  std::vector<float> x = makeAllKinds(4099);
  check(op, 1, x, x, [&](double value, double) { return reference(value); });
}

/// Operands of two: any pair of special values, then bits by chance.
std::pair<std::vector<float>, std::vector<float>> makePairs() {
  std::vector<float> x = makeAllKinds(2654435761u), y = makeAllKinds(40503u);
  for (int64_t i = 0; i < 400; ++i) {
    x[1000 + i] = x[i / 20];
    y[1000 + i] = y[i % 20];
  }
  // Where a power is neither 0 nor infinite.
  for (int64_t i = numValues / 2; i < numValues; ++i) {
    x[i] = 0.01f + static_cast<float>(i % 1009) * 0.01f;
    y[i] = static_cast<float>(i % 613) * 0.05f - 15.0f;
  }
  return {std::move(x), std::move(y)};
}

} // namespace

TEST(MathToArith, Sin) { checkFunction("math.sin", std::sin); }
TEST(MathToArith, Exp) { checkFunction("math.exp", std::exp); }
TEST(MathToArith, Exp2) { checkFunction("math.exp2", std::exp2); }
TEST(MathToArith, Log) { checkFunction("math.log", std::log); }
TEST(MathToArith, Log2) { checkFunction("math.log2", std::log2); }

TEST(MathToArith, Pow) {
  auto [x, y] = makePairs();
  check("math.powf", 2, x, y,
        [](double base, double exponent) { return std::pow(base, exponent); });
}

TEST(MathToArith, Rem) {
  auto [x, y] = makePairs();
  check("arith.remf", 2, x, y, [](double dividend, double divisor) {
    return std::fmod(dividend, divisor);
  });
}

TEST(MathToArith, Maximum) {
  auto [x, y] = makePairs();
  check("arith.maximumf", 2, x, y, [](double left, double right) {
    if (std::isnan(left) || std::isnan(right))
      return std::nan("");
    // +0 is above -0.
    if (left == right)
      return std::signbit(left) ? right : left;
    return left > right ? left : right;
  });
}
