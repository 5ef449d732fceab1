//===- ProgramErrorsTest.cpp - Tests of programs that are refused ---------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTestUtils.h"

#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <string>

using namespace tinygrad;
using namespace tinygrad::runtime;

namespace {

class ProgramErrorsTest : public testing::Test {
protected:
  /// Compiles the function `f` of `text` and returns the error.
  std::string compile(const std::string &text) {
    return getMessage(device->compile("f", {{}, text}));
  }
  /// The same for `f(ptr %p)` with `body` in it, behind `declarations`.
  std::string compileBody(const std::string &body,
                          const std::string &declarations = "") {
    return compile(declarations + "\ndefine void @f(ptr %p) {\n" + body +
                   "\n ret void\n}\n");
  }

  DeviceRef device = llvm::cantFail(createCPUDevice(1));
};

TEST_F(ProgramErrorsTest, Text) {
  EXPECT_EQ(compile("define void @f() {\n  banana\n}\n"),
            "line 2: expected instruction opcode");
  EXPECT_EQ(compile("define void @f(ptr %p) {\n  %x = load float, ptr %q\n"
                    "  ret void\n}\n"),
            "line 2: use of undefined value '%q'");
  EXPECT_EQ(compile("hello"), "line 1: expected top-level entity");
  EXPECT_EQ(compile("define void @f() {\n"),
            "line 2: found end of file when expecting more instructions");
  EXPECT_EQ(compile("define void @f() { ret void }\n"
                    "define void @f() { ret void }\n"),
            "line 2: invalid redefinition of function 'f'");
  EXPECT_EQ(compile(std::string("\0\1\2", 3)).find("line 1: "), 0u);
  // Valid text, invalid IR.
  EXPECT_EQ(compileBody(" store i32 %x, ptr %p\n %x = load i32, ptr %p"),
            "invalid LLVM IR: Instruction does not dominate all uses");
}

TEST_F(ProgramErrorsTest, DeepNesting) {
  std::string deep(100000, '{');
  EXPECT_EQ(compile("define void @f() { ret void }\n@g = global " + deep),
            "line 2: brackets are nested more than 256 deep");
  // Brackets in strings and comments nest nothing.
  std::string text = "; " + deep + "\n@g = constant [300 x i8] c\"" +
                     std::string(300, '(') + "\"\n";
  EXPECT_EQ(compileBody("", text), "");
}

TEST_F(ProgramErrorsTest, Function) {
  EXPECT_EQ(compile(""), "no function called `f` in the program");
  EXPECT_EQ(compile("declare void @f(ptr)"),
            "no function called `f` in the program");
  EXPECT_EQ(compile("@f = global i32 0"),
            "no function called `f` in the program");
  EXPECT_EQ(compile("define i32 @f(ptr %p) { ret i32 0 }"),
            "expects that function `f` takes pointers and returns void, got "
            "`i32 (ptr)`");
  EXPECT_EQ(compile("define void @f(ptr %p, i64 %n) { ret void }"),
            "expects that function `f` takes pointers and returns void, got "
            "`void (ptr, i64)`");
  EXPECT_EQ(compile("define void @f(ptr byval([64 x i8]) %p) { ret void }"),
            "expects that function `f` takes pointers and returns void, got "
            "`void (ptr)`");
  EXPECT_EQ(compile("define void @f(ptr %p, ...) { ret void }"),
            "function `f` is not a plain C function");
  EXPECT_EQ(compile("define internal void @f(ptr %p) { ret void }"), "");
  EXPECT_EQ(compile("define fastcc void @f(ptr %p) { ret void }"), "");
}

TEST_F(ProgramErrorsTest, Symbols) {
  EXPECT_EQ(compileBody("call void @missing()", "declare void @missing()"),
            "symbol `missing` is not defined");
  EXPECT_EQ(compileBody("store ptr @variable, ptr %p",
                        "@variable = external global i32"),
            "symbol `variable` is not defined");
  // In the process, but in no library of C.
  EXPECT_EQ(compileBody("call void @LLVMContextCreate()",
                        "declare void @LLVMContextCreate()"),
            "symbol `LLVMContextCreate` is not defined");
}

TEST_F(ProgramErrorsTest, Target) {
  EXPECT_EQ(compileBody("", "target triple = \"armv7-linux-gnueabihf\"")
                .find("expects code for the target `"),
            0u);
  EXPECT_EQ(compileBody("", "target datalayout = \"E-p:32:32\"")
                .find("expects the data layout `"),
            0u);
  EXPECT_EQ(
      compileBody("", "target datalayout = \"nonsense\"").find("line 1: "), 0u);
#if defined(__x86_64__) && defined(__linux__)
  EXPECT_EQ(compileBody("", "target triple = \"x86_64-unknown-linux-gnu\""),
            "");
#endif
  // What the text wants for its functions is not asked for.
  EXPECT_EQ(
      compile("define void @f() \"target-cpu\"=\"nonsense\" "
              "\"target-features\"=\"-64bit,+none\" \"probe-stack\"=\"x\" "
              "\"split-stack\" { ret void }"),
      "");
}

// LLVM's code generator ends the process on each of these, or may.
TEST_F(ProgramErrorsTest, CodeGenerator) {
  EXPECT_EQ(compileBody("call void asm sideeffect \"nonsense\", \"\"()"),
            "function `f` uses inline assembly, which is not supported");
  EXPECT_EQ(compileBody("", "module asm \"nonsense\""),
            "module assembly is not supported");
  EXPECT_EQ(compileBody("%v = load <vscale x 4 x float>, ptr %p"),
            "type `<vscale x 4 x float>` is not supported");
  EXPECT_EQ(compileBody("%v = alloca <vscale x 4 x float>"),
            "type `<vscale x 4 x float>` is not supported");
  EXPECT_EQ(compileBody("%v = load i1000000, ptr %p"),
            "type `i1000000` is not supported");
  EXPECT_EQ(compileBody("%v = load [2 x {ppc_fp128}], ptr %p"),
            "type `ppc_fp128` is not supported");
  EXPECT_EQ(compileBody("%v = load <100000 x float>, ptr %p"),
            "type `<100000 x float>` is not supported");
  EXPECT_EQ(compileBody("%v = load ptr addrspace(3), ptr %p"),
            "type `ptr addrspace(3)` is not supported");
  EXPECT_EQ(compileBody("%v = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
                        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()"),
            "line 1: `llvm.nvvm.read.ptx.sreg.tid.x` is not supported");
  EXPECT_EQ(compileBody("%v = call i32 @llvm.read_register.i32(metadata !0)",
                        "!0 = !{!\"nonsense\"}\n"
                        "declare i32 @llvm.read_register.i32(metadata)"),
            "line 2: `llvm.read_register.i32` is not supported");
  EXPECT_EQ(compileBody("", "declare void @\"llvm.x86.nonsense\"()"),
            "line 1: `llvm.x86.nonsense` is not supported");
  EXPECT_EQ(compileBody("", "declare void @\"\\6clvm.x86.nonsense\"()"),
            "line 1: escaped name `\\6clvm.x86.nonsense` is not supported");
  EXPECT_EQ(compile("define void @f(ptr %p) gc \"nonsense\" { ret void }"),
            "function `f` is not a plain C function");
  EXPECT_EQ(compile("define ghccc void @f(ptr %p) { ret void }"),
            "function `f` does not have C's calling convention");
  EXPECT_EQ(compile("define amdgpu_kernel void @f(ptr %p) { ret void }"),
            "function `f` does not have C's calling convention");
  EXPECT_EQ(compile("declare void @g(ptr byval([64 x i8]))\n"
                    "define void @f(ptr %p) {\n musttail call void @f(ptr %p)"
                    "\n ret void\n}\n"),
            "function `f` has a call that is not a plain C call");
  EXPECT_EQ(compileBody("", "@g = thread_local global i32 0"),
            "thread-local variable `g` is not supported");
  EXPECT_EQ(compileBody("", "@llvm.global_ctors = appending global "
                            "[1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } "
                            "{ i32 1, ptr @init, ptr null }]\n"
                            "define void @init() { ret void }\n"),
            "line 1: `llvm.global_ctors` is not supported");
  EXPECT_EQ(compileBody("", "@g = global i32 0, section \"\""), "");
  EXPECT_EQ(compileBody("", "@g = global i32 0, section \".text\""),
            "variable `g` is not a plain C variable");
  EXPECT_EQ(compileBody("invoke void @g() to label %a unwind label %b\n"
                        "a:\n ret void\nb:\n"
                        "%v = landingpad { ptr, i32 } cleanup",
                        "declare void @g()\n")
                .empty(),
            false);
}

TEST_F(ProgramErrorsTest, Object) {
  auto compileObject = [&](std::string text) {
    return getMessage(device->compile(
        "f", {ProgramSource::Language::Object, std::move(text)}));
  };
  EXPECT_EQ(compileObject("").find("invalid object file: "), 0u);
  EXPECT_EQ(compileObject("no object").find("invalid object file: "), 0u);
  EXPECT_EQ(compileObject(std::string("\x7f"
                                      "ELF\2\1\1",
                                      7) +
                          std::string(100, '\0'))
                .empty(),
            false);
#ifdef __linux__
  // An ELF file, but a program.
  auto self = llvm::MemoryBuffer::getFile("/proc/self/exe");
  ASSERT_TRUE(bool(self));
  EXPECT_EQ(compileObject((*self)->getBuffer().str())
                .find("expects a relocatable object file for `"),
            0u);
#endif
}

} // namespace
