//===- ObjectProgramTest.cpp - Tests of kernels in object files -----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTestUtils.h"
#include "tinygrad/Target/CPUTarget.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

#include <string>
#include <thread>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::runtime;

namespace {

/// Two kernels: out[i] = in[i] + 1, and out[i] = in[i] * 2.
const char *kernelText = R"(
define void @increment(ptr %buffers, i64 %begin, i64 %end) {
entry:
  %out = load ptr, ptr %buffers
  %second = getelementptr ptr, ptr %buffers, i64 1
  %in = load ptr, ptr %second
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %source = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %source
  %y = add i32 %x, 1
  %target = getelementptr i32, ptr %out, i64 %i
  store i32 %y, ptr %target
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
define void @double(ptr %buffers, i64 %begin, i64 %end) {
entry:
  %out = load ptr, ptr %buffers
  %second = getelementptr ptr, ptr %buffers, i64 1
  %in = load ptr, ptr %second
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %source = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %source
  %y = shl i32 %x, 1
  %target = getelementptr i32, ptr %out, i64 %i
  store i32 %y, ptr %target
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
)";

/// Compiles LLVM IR text as the engine compiles a module; with `isChecked` also
/// what the engine never makes.
llvm::Expected<std::string>
compileText(const std::string &text,
            const target::CPUTarget &target = target::CPUTarget::getHost(),
            int optLevel = 2, bool isChecked = false) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, diagnostic, context);
  if (!module)
    return llvm::createStringError(diagnostic.getMessage().str());
  target::ObjectOptions options;
  options.optLevel = optLevel;
  options.isChecked = isChecked;
  auto object = target::compileToObject(*module, target, options);
  if (!object)
    return object.takeError();
  return (*object)->getBuffer().str();
}

class ObjectProgramTest : public testing::Test {
protected:
  DeviceRef device = llvm::cantFail(createCPUDevice(3));
};

TEST_F(ObjectProgramTest, TwoKernelsRunInParallel) {
  for (int optLevel : {0, 1, 2, 3}) {
    ProgramSource source{
        ProgramSource::Language::Object,
        llvm::cantFail(
            compileText(kernelText, target::CPUTarget::getHost(), optLevel))};
    std::string names[] = {"double", "increment"};
    std::vector<ProgramRef> programs =
        llvm::cantFail(device->compileAll(names, source));
    ASSERT_EQ(programs.size(), 2u);
    auto run = [&](Program &program, int32_t factor, int32_t summand) {
      constexpr int n = 10007;
      std::vector<int32_t> input(n), expected(n);
      for (int i = 0; i < n; ++i) {
        input[i] = i;
        expected[i] = i * factor + summand;
      }
      BufferRef buffers[] = {makeBuffer(*device, std::vector<int32_t>(n)),
                             makeBuffer(*device, input)};
      for (int round = 0; round < 20; ++round)
        EXPECT_EQ(getMessage(program.launch(buffers, n)), "");
      EXPECT_EQ(readBuffer<int32_t>(*buffers[0]), expected);
    };
    std::thread other([&] { run(*programs[1], 1, 1); });
    run(*programs[0], 2, 0);
    other.join();
    EXPECT_EQ(getMessage(programs[0]->launch({}, 0)), "");
  }
}

TEST_F(ObjectProgramTest, MissingFunctionsAndSymbols) {
  std::string object = llvm::cantFail(compileText(kernelText));
  std::string names[] = {"double", "triple"};
  EXPECT_EQ(getMessage(device->compileAll(
                names, {ProgramSource::Language::Object, object})),
            "no function called `triple` in the object file");

  object = llvm::cantFail(
      compileText("declare void @missing()\n"
                  "define void @f(ptr %b, i64 %begin, i64 %end) {\n"
                  " call void @missing()\n ret void\n}\n"));
  EXPECT_EQ(getMessage(device->compile(
                "f", {ProgramSource::Language::Object, object})),
            "symbol `missing` is not defined");

  object = llvm::cantFail(
      compileText("@g = thread_local global i32 0\n"
                  "define void @f(ptr %b, i64 %begin, i64 %end) {\n"
                  " store i32 1, ptr @g\n ret void\n}\n",
                  target::CPUTarget::getHost(), 2, /*isChecked=*/true));
  EXPECT_EQ(getMessage(device->compile(
                "f", {ProgramSource::Language::Object, object})),
            "thread-local variable `g` is not supported");
}

TEST_F(ObjectProgramTest, CompileToObjectReportsErrors) {
  target::CPUTarget target = target::CPUTarget::getHost();
  // The code generator's own errors come back and do not end the process.
  std::string message =
      getMessage(compileText("define void @f() {\n"
                             " call void asm sideeffect \"nonsense\", \"\"()\n"
                             " ret void\n}\n",
                             target, 2, /*isChecked=*/true));
  EXPECT_EQ(message, "invalid instruction mnemonic 'nonsense'");
  message = getMessage(compileText(
      "define i32 @f() {\n %x = call i32 asm \"\", \"={nonsense}\"()\n"
      " ret i32 %x\n}\n",
      target, 2, /*isChecked=*/true));
  EXPECT_NE(message, "");

  std::string text = "define void @f() { ret void }";
  EXPECT_EQ(getMessage(compileText(text, target, 4)),
            "expects an optimization level of 0 to 3, got 4");
  target.cpu = "nonsense";
  EXPECT_EQ(getMessage(compileText(text, target)),
            "the target `" + target.triple +
                "` has no processor called `nonsense`");
  target.cpu = "generic";
  target.features = "+nonsense";
  EXPECT_EQ(getMessage(compileText(text, target)),
            "the target `" + target.triple +
                "` has no feature called `+nonsense`");
  target.triple = "nonsense";
  EXPECT_EQ(getMessage(compileText(text, target)),
            "no code generator for the target `nonsense`");
}

// LLVM's code generator ends the process on some of these, and takes minutes
// for others.
TEST_F(ObjectProgramTest, CompileToObjectRefusesWhatCannotBeCompiled) {
  auto compileBody = [](const std::string &body, const std::string &more = "") {
    return getMessage(compileText("define void @f(ptr %p) {\n" + body +
                                  "\n ret void\n}\n" + more));
  };
  auto compileCopy = [&](const std::string &type) {
    return compileBody(" %x = load " + type + ", ptr %p\n store " + type +
                       " %x, ptr %p");
  };
  EXPECT_EQ(compileCopy("<8 x float>"), "");
  for (const char *type : {"<vscale x 4 x float>", "<65536 x float>", "fp128",
                           "x86_fp80", "ppc_fp128", "i129", "ptr addrspace(1)",
                           "x86_amx", "target(\"spirv.Image\")"})
    EXPECT_EQ(compileCopy(type),
              "type `" + std::string(type) + "` is not supported");
  EXPECT_EQ(compileCopy("{ i32, fp128 }"), "type `fp128` is not supported");

  auto expectRefused = [&](const std::string &name, const std::string &type,
                           const std::string &call) {
    EXPECT_EQ(compileBody(" " + call, "declare " + type),
              "function `f` uses the intrinsic `" + name +
                  "`, which is not supported");
  };
  expectRefused("llvm.nvvm.barrier.cta.sync.aligned.all",
                "void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)",
                "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)");
  expectRefused("llvm.x86.sse2.pause", "void @llvm.x86.sse2.pause()",
                "call void @llvm.x86.sse2.pause()");
  expectRefused("llvm.canonicalize.v8bf16",
                "<8 x bfloat> @llvm.canonicalize.v8bf16(<8 x bfloat>)",
                "%x = call <8 x bfloat> @llvm.canonicalize.v8bf16("
                "<8 x bfloat> zeroinitializer)");
  EXPECT_EQ(compileBody(" call void asm sideeffect \"nonsense\", \"\"()"),
            "function `f` uses inline assembly, which is not supported");
  EXPECT_EQ(
      compileBody(" %x = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p,"
                  " <8 x i1> splat (i1 true), <8 x float> zeroinitializer)\n"
                  " store <8 x float> %x, ptr %p",
                  "declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, <8 x "
                  "i1>, <8 x float>)"),
      "");
}

TEST_F(ObjectProgramTest, CompileToObjectIsDeterministic) {
  EXPECT_EQ(llvm::cantFail(compileText(kernelText)),
            llvm::cantFail(compileText(kernelText)));
}

TEST_F(ObjectProgramTest, HostTargetIsKnown) {
  target::CPUTarget target = target::CPUTarget::getHost();
  EXPECT_FALSE(target.triple.empty());
  EXPECT_FALSE(target.cpu.empty());
  EXPECT_GE(target.vectorBits, 128);
  EXPECT_GE(target.numFMAUnits, 0);
  EXPECT_EQ(target.features, target::CPUTarget::getHost().features);
}

TEST_F(ObjectProgramTest, NothingContracts) {
  // x*x - x*x rounded: 0 where the product is rounded first.
  const char *text = R"(
declare float @llvm.fmuladd.f32(float, float, float)
define void @f(ptr %buffers, i64 %begin, i64 %end) {
  %data = load ptr, ptr %buffers
  %x = load float, ptr %data
  %square = fmul float %x, %x
  %negative = fneg float %square
  %sum = call float @llvm.fmuladd.f32(float %x, float %x, float %negative)
  store float %sum, ptr %data
  ret void
}
)";
  ProgramRef program =
      llvm::cantFail(device->compile("f", {ProgramSource::Language::Object,
                                           llvm::cantFail(compileText(text))}));
  BufferRef buffers[] = {makeBuffer<float>(*device, {1.0f + 0x1p-12f})};
  EXPECT_EQ(getMessage(program->launch(buffers)), "");
  EXPECT_EQ(readBuffer<float>(*buffers[0])[0], 0.0f);
}

} // namespace
