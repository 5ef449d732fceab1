//===- Differentiate.cpp - lazy-autodiff on text --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Differentiate.h"

#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"
#include "tinygrad/InitAll.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

std::string tinygrad::test::differentiate(const std::string &text) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return "";
  PassManager manager(&context);
  lazy::AutodiffPassOptions options;
  options.function = "f";
  manager.addPass(lazy::createAutodiffPass(options));
  if (failed(manager.run(*module)))
    return "";
  std::string result;
  llvm::raw_string_ostream os(result);
  module->print(os);
  return result;
}
