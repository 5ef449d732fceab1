//===- FuzzModule.cpp - What the fuzzers of modules do --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzModule.h"
#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"
#include "tinygrad/Engine/Interpreter.h"
#include "tinygrad/InitAll.h"
#include "tinygrad/Pipelines/CheckNesting.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace tinygrad;
using engine::HostTensor;

/// Passes are independent of the number of elements, but not of the length of
/// a program; an input is small so that many are tried.
static constexpr size_t maxBytes = 4096;
static constexpr int maxOperations = 200;

/// The last byte of an input chooses one of these, counted from 'A'.
static constexpr const char *pipelines[] = {
    "canonicalize,cse",
    "func.func(lazy-compose-views)",
    "lazy-autodiff{function=main}",
    "tinygrad-to-loops{opt-level=0},tinygrad-to-llvm",
    "tinygrad-to-loops{opt-level=1},tinygrad-to-llvm",
    "tinygrad-to-loops{opt-level=2},tinygrad-to-llvm",
    "tinygrad-to-loops{opt-level=3},tinygrad-to-llvm",
    "tinygrad-to-loops{opt-level=4 vector-bits=512},tinygrad-to-llvm",
    "lazy-autodiff{function=main},tinygrad-to-loops",
    "func.func(lazy-compose-views,lazy-schedule{opt-level=4 liveness=kept})",
    "func.func(lazy-remove-movement-nops)",
    "func.func(lazy-merge-elementwise-into-reduce)",
    "func.func(lazy-shuffle-movement)",
    "func.func(lazy-merge-elementwise)",
    "func.func(lazy-merge-reduce-into-elementwise)",
    "func.func(lazy-shuffle-pad)",
    "func.func(lazy-push-permutes)",
    "func.func(lazy-push-contiguous)",
    "func.func(lazy-push-reshapes)",
    "func.func(lazy-collapse-axes)",
    "func.func(lazy-plan-kernels)",
    "convert-lazy-to-loops",
    "func.func(lazy-materialize-buffers,lazy-plan-memory),lazy-outline-kernels",
    "tinygrad-schedule{opt-level=2},func.func(lazy-collapse-axes)",
    "tinygrad-schedule{opt-level=4},func.func(lazy-collapse-axes)",
};

/// Says what went wrong with the output of our code, which is a defect.
[[noreturn]] static void report(const char *what, const std::string &details) {
  llvm::errs() << what << ": " << details << "\n";
  std::abort();
}

namespace {

/// A context without what is not ours: the fuzzers are to find our defects. The
/// passes load the dialects that they produce.
struct FuzzContext {
  FuzzContext()
      : context(getRegistry(), MLIRContext::Threading::DISABLED),
        handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            lastError = diagnostic.str();
          return success();
        }) {
    context.printOpOnDiagnostic(false);
  }

  static DialectRegistry getRegistry() {
    DialectRegistry registry;
    registry
        .insert<lazy::LazyDialect, func::FuncDialect, memref::MemRefDialect>();
    return registry;
  }

  std::string lastError;
  MLIRContext context;
  ScopedDiagnosticHandler handler;
};

} // namespace

/// The lexer reads the null character at the end of the string.
static OwningOpRef<ModuleOp> parse(MLIRContext &context,
                                   const std::string &text) {
  return parseSourceString<ModuleOp>(text, ParserConfig(&context));
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// A module that is written, as text or bytecode, must be the same when it is
/// read. Nothing is said about dialects of lowered code.
static void checkRoundTrip(ModuleOp module) {
  FuzzContext second;
  bool isLowered = false;
  module->walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    isLowered |=
        dialect != "builtin" &&
        !second.context.getDialectRegistry().getDialectAllocator(dialect);
  });
  if (isLowered)
    return;
  std::string text = print(module);
  OwningOpRef<ModuleOp> parsed = parse(second.context, text);
  if (!parsed)
    report("a printed module is refused", second.lastError + "\n" + text);
  std::string again = print(*parsed);
  if (again != text)
    report("a printed module changes", text + "\n" + again);

  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  if (failed(writeBytecodeToFile(module, stream)))
    report("a module has no bytecode", text);
  parsed = parse(second.context, bytecode);
  if (!parsed)
    report("written bytecode is refused", second.lastError + "\n" + text);
  again = print(*parsed);
  if (again != text)
    report("bytecode changes a module", text + "\n" + again);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Returns true if all values are integers, which no order of a sum changes,
/// and so few that the interpreter is fast.
static bool isComputable(func::FuncOp function) {
  auto isSmall = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped || !shaped.hasStaticShape())
      return false;
    std::optional<DType> element = lazy::getDType(shaped.getElementType());
    return element && !isFloat(*element) &&
           ops::getNumElements(lazy::getShape(shaped)).value_or(512) < 512;
  };
  bool result = llvm::all_of(function.getArgumentTypes(), isSmall);
  function.walk([&](Operation *op) {
    result &= llvm::all_of(op->getResultTypes(), isSmall);
  });
  return result;
}

using Tensors = std::vector<HostTensor>;

static std::optional<Tensors> copy(ArrayRef<HostTensor> tensors) {
  Tensors copies;
  for (const HostTensor &tensor : tensors) {
    auto clone = tensor.clone();
    if (!clone) {
      llvm::consumeError(clone.takeError());
      return std::nullopt;
    }
    copies.push_back(std::move(*clone));
  }
  return copies;
}

static func::FuncOp getMain(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  bool hasBody = function && !function.isExternal();
  return hasBody && isComputable(function) ? function : func::FuncOp();
}

/// Returns small numbers for the arguments of `function`.
static std::optional<Tensors> makeArguments(func::FuncOp function) {
  Tensors arguments;
  for (Type type : function.getArgumentTypes()) {
    auto shaped = cast<ShapedType>(type);
    auto tensor = HostTensor::create(*lazy::getDType(shaped.getElementType()),
                                     lazy::getShape(shaped));
    if (!tensor) {
      llvm::consumeError(tensor.takeError());
      return std::nullopt;
    }
    for (int64_t i = 0; i < tensor->getNumElements(); ++i)
      tensor->set(i, ops::Scalar::fromInt(tensor->getType(), i * 7 % 11 - 3));
    arguments.push_back(std::move(*tensor));
  }
  return arguments;
}

/// Runs `function`, and appends to its results the arguments, which kernels on
/// memory write; nothing where it cannot be computed.
static std::optional<Tensors> compute(func::FuncOp function,
                                      ArrayRef<HostTensor> inputs) {
  std::optional<Tensors> arguments = copy(inputs);
  if (!arguments)
    return std::nullopt;
  auto results = engine::interpret(
      function, *arguments,
      [](StringRef, ArrayRef<HostTensor>, const HostTensor &result) {
        std::memset(result.getData(), 1, result.getNumBytes());
        return llvm::Error::success();
      });
  if (!results) {
    llvm::consumeError(results.takeError());
    return std::nullopt;
  }
  llvm::append_range(*results, *arguments);
  return std::move(*results);
}

/// Flat tensors, as memory is.
static Tensors flatten(ArrayRef<HostTensor> tensors) {
  Tensors result;
  for (const HostTensor &tensor : tensors)
    result.push_back(
        tensor.reinterpret(tensor.getType(), {tensor.getNumElements()}));
  return result;
}

namespace {

/// What `main` computes before a pipeline runs.
class MainValues {
public:
  explicit MainValues(ModuleOp module);
  /// What a pipeline leaves must compute the same, also where it makes results
  /// into arguments, which are memory.
  void check(ModuleOp module);

private:
  FunctionType type;
  /// The arguments of tensors into whose storage something is written: they
  /// keep their value only as long as they are values.
  llvm::SmallBitVector written;
  /// Empty where nothing could be computed.
  std::optional<Tensors> arguments, values;
};

} // namespace

MainValues::MainValues(ModuleOp module) {
  func::FuncOp function = getMain(module);
  if (!function)
    return;
  type = function.getFunctionType();
  written.resize(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    written[argument.getArgNumber()] =
        isa<RankedTensorType>(argument.getType()) &&
        llvm::any_of(argument.getUsers(),
                     llvm::IsaPred<lazy::KernelOp, lazy::AssignOp>);
  arguments = makeArguments(function);
  if (arguments)
    values = compute(function, *arguments);
}

void MainValues::check(ModuleOp module) {
  func::FuncOp function = getMain(module);
  if (!function || !values)
    return;
  FunctionType newType = function.getFunctionType();
  size_t numResults = type.getNumResults();
  Tensors expected = *values;
  if (newType != type) {
    if (newType.getNumResults() != 0 || numResults == 0 ||
        newType.getNumInputs() != expected.size() ||
        !llvm::all_of(newType.getInputs(), llvm::IsaPred<MemRefType>))
      return;
    // Results come after the arguments now, in memory that is 0 as that of a
    // `lazy.empty` is.
    std::rotate(expected.begin(), expected.begin() + numResults,
                expected.end());
    std::optional<Tensors> memory = copy(expected);
    if (!memory)
      return;
    for (const HostTensor &result :
         ArrayRef<HostTensor>(*memory).take_back(numResults))
      std::memset(result.getData(), 0, result.getNumBytes());
    arguments = flatten(*memory);
  }
  std::optional<Tensors> actual = compute(function, *arguments);
  if (!actual)
    return;
  for (auto [index, left, right] : llvm::enumerate(expected, *actual))
    if (!(newType != type && index < written.size() && written[index]) &&
        std::memcmp(left.getData(), right.getData(), left.getNumBytes()) != 0)
      report("a value changes", print(module));
}

static void runPipeline(FuzzContext &fuzz, ModuleOp module, const char *name) {
  PassManager manager(&fuzz.context);
  // It would make a defect look like an error of the input.
  manager.enableVerifier(false);
  if (failed(parsePassPipeline(name, manager)))
    report("unknown pipeline", name);
  MainValues values(module);
  if (failed(manager.run(module)))
    return;
  if (failed(verify(module)))
    report("the result does not verify", fuzz.lastError + "\n" + name);
  checkRoundTrip(module);
  values.check(module);
}

bool fuzz::fuzzModule(StringRef input, Form form) {
  [[maybe_unused]] static const bool registered = [] {
    registerAllPasses();
    registerAllPipelines();
    llvm::CrashRecoveryContext::Enable();
    return true;
  }();
  if (input.empty() || input.size() > maxBytes)
    return false;
  size_t choice = static_cast<uint8_t>(input.back()) - size_t('A');
  std::string text = input.drop_back().str();
  if (isBytecode(llvm::MemoryBufferRef(text, "")) != (form == Form::Bytecode))
    return false;
  if (llvm::Error error = checkNesting(text, "")) {
    llvm::consumeError(std::move(error));
    return false;
  }
  FuzzContext fuzz;
  OwningOpRef<ModuleOp> module;
  if (form == Form::Text) {
    module = parse(fuzz.context, text);
  } else {
    // Upstream's reader does not survive every damage; see docs/Upstream.md.
    llvm::CrashRecoveryContext recovery;
    if (!recovery.RunSafely([&] { module = parse(fuzz.context, text); }))
      return false;
  }
  if (!module)
    return true;
  int numOperations = 0;
  module->walk([&](Operation *) { ++numOperations; });
  if (numOperations > maxOperations)
    return false;
  checkRoundTrip(*module);
  runPipeline(fuzz, *module, pipelines[choice % std::size(pipelines)]);
  return true;
}
