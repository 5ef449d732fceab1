//===- IRProgram.cpp - Compiles LLVM IR text ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IRProgram.h"

#include "tinygrad/Target/IRCheck.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace tinygrad;
using namespace tinygrad::runtime;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {
/// Keeps the parser from printing its warnings.
struct Silence : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo &) override { return true; }
};
} // namespace

/// Parses and verifies `text`.
static llvm::Expected<std::unique_ptr<llvm::Module>>
parse(const std::string &text, llvm::LLVMContext &context) {
  if (llvm::Error error = target::checkText(text))
    return error;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, diagnostic, context);
  if (!module) {
    std::string line;
    if (diagnostic.getLineNo() > 0)
      line = "line " + std::to_string(diagnostic.getLineNo()) + ": ";
    return makeError(line +
                     diagnostic.getMessage().split('\n').first.rtrim(".! "));
  }

  std::string message;
  llvm::raw_string_ostream os(message);
  if (llvm::verifyModule(*module, &os))
    return makeError("invalid LLVM IR: " +
                     llvm::StringRef(message).split('\n').first.rtrim(".! "));
  return module;
}

/// Drops what the text says about code generation: the caller decides, and the
/// code generator prints or exits where it does not know a value.
static void dropTuning(llvm::Module &module) {
  llvm::StripDebugInfo(module);
  if (llvm::NamedMDNode *flags = module.getModuleFlagsMetadata())
    flags->eraseFromParent();
  llvm::AttributeMask strings;
  for (llvm::Function &function : module) {
    for (llvm::Attribute attribute : function.getAttributes().getFnAttrs())
      if (attribute.isStringAttribute())
        strings.addAttribute(attribute);
    function.setSection("");
    function.setComdat(nullptr);
  }
  for (llvm::Function &function : module)
    function.removeFnAttrs(strings);
}

/// Returns true if a pointer is passed in `argument` as it is.
static bool isPlainPointer(const llvm::Argument &argument) {
  return argument.getType()->isPointerTy() &&
         !argument.hasPassPointeeByValueCopyAttr() &&
         !argument.hasPointeeInMemoryValueAttr() &&
         !argument.hasSwiftErrorAttr() && !argument.hasSwiftSelfAttr() &&
         !argument.hasNestAttr() && !argument.hasInRegAttr();
}

/// Adds `void entry(ptr buffers, i64 begin, i64 end)`, which calls the function
/// `name` with the pointers in `buffers`.
static llvm::Expected<IRProgram::Entry> addEntry(llvm::Module &module,
                                                 const std::string &name) {
  llvm::Function *function = module.getFunction(name);
  if (!function || function->isDeclaration())
    return makeError("no function called `" + name + "` in the program");
  if (!function->getReturnType()->isVoidTy() ||
      !llvm::all_of(function->args(), isPlainPointer)) {
    std::string type;
    llvm::raw_string_ostream(type) << *function->getFunctionType();
    return makeError("expects that function `" + name +
                     "` takes pointers and returns void, got `" + type + "`");
  }

  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  llvm::Type *index = llvm::Type::getInt64Ty(context);
  // The module makes the name unique.
  llvm::Function *entry = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {pointer, index, index}, /*isVarArg=*/false),
      llvm::Function::ExternalLinkage, name + ".entry", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", entry));
  llvm::SmallVector<llvm::Value *> arguments;
  for (unsigned i = 0; i < function->arg_size(); ++i) {
    llvm::Value *slot =
        builder.CreateConstGEP1_64(pointer, entry->getArg(0), i);
    arguments.push_back(builder.CreateLoad(pointer, slot));
  }
  llvm::CallInst *call = builder.CreateCall(function, arguments);
  call->setCallingConv(function->getCallingConv());
  builder.CreateRetVoid();
  return IRProgram::Entry{entry->getName().str(), int(function->arg_size())};
}

llvm::Expected<IRProgram>
tinygrad::runtime::compileIR(const std::string &text,
                             llvm::ArrayRef<std::string> names,
                             const target::CPUTarget &target) {
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<Silence>());
  llvm::Expected<std::unique_ptr<llvm::Module>> module = parse(text, context);
  if (!module)
    return module.takeError();
  if (llvm::Error error = target::checkForCodeGenerator(**module))
    return error;
  dropTuning(**module);

  IRProgram program;
  for (const std::string &name : names) {
    llvm::Expected<IRProgram::Entry> entry = addEntry(**module, name);
    if (!entry)
      return entry.takeError();
    program.entries.push_back(std::move(*entry));
  }

  target::ObjectOptions options;
  options.isChecked = true;
  // A text may have plain loops; a kernel of the compiler has none.
  options.vectorize = true;
  auto object = target::compileToObject(**module, target, options);
  if (!object)
    return object.takeError();
  program.object = std::move(*object);
  return program;
}
