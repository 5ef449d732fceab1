//===- tinygrad-opt.cpp - Run passes on text ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Tools.h"
#include "tinygrad/InitAll.h"
#include "tinygrad/Pipelines/CheckNesting.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

/// Runs the passes of the command line, as MlirOptMain does, on an input that
/// the parser can hold.
static llvm::Error runPasses(llvm::StringRef inputName,
                             llvm::StringRef outputName,
                             mlir::DialectRegistry &registry,
                             const mlir::MlirOptMainConfig &config,
                             bool &succeeded) {
  std::string error;
  auto input = mlir::openInputFile(inputName, &error);
  if (!input)
    return llvm::createStringError(error);
  if (llvm::Error nesting = tinygrad::checkNesting(
          input->getBuffer(), input->getBufferIdentifier()))
    return nesting;
  auto output = mlir::openOutputFile(outputName, &error);
  if (!output)
    return llvm::createStringError(error);
  succeeded = mlir::succeeded(
      mlir::MlirOptMain(output->os(), std::move(input), registry, config));
  if (succeeded)
    output->keep();
  return llvm::Error::success();
}

/// Where the text of a pass's option is not of its type, the parser of options
/// says so itself, and MLIR adds an error without a word.
static void dropEmptyDiagnostics(mlir::MlirOptMainConfig &config) {
  config.setPassPipelineSetupFn(
      [original = config](mlir::PassManager &manager) {
        mlir::ScopedDiagnosticHandler handler(
            manager.getContext(), [](mlir::Diagnostic &diagnostic) {
              return mlir::success(diagnostic.str().empty());
            });
        return original.setupPassPipeline(manager);
      });
}

int tinygrad::tools::opt(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  // One sentence and the place are enough: the operation is not printed again
  // unless it is asked for.
  mlir::registerMLIRContextCLOptions();
  auto &options = llvm::cl::getRegisteredOptions();
  if (auto *option = options.lookup("mlir-print-op-on-diagnostic"))
    static_cast<llvm::cl::opt<bool> *>(option)->setInitialValue(false);

  mlir::DialectRegistry registry;
  tinygrad::registerAllDialects(registry);
  tinygrad::registerAllPasses();
  tinygrad::registerAllPipelines();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "tinygrad-mlir optimizer\n", registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  dropEmptyDiagnostics(config);
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  bool succeeded = false;
  if (llvm::Error error = runPasses(input, output, registry, config, succeeded))
    llvm::errs() << llvm::toString(std::move(error)) << '\n';
  return mlir::asMainReturnCode(mlir::success(succeeded));
}
