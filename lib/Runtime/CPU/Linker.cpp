//===- Linker.cpp - Loads object files into the process -------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Linker.h"

#include "HostSymbols.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tinygrad::runtime;
namespace orc = llvm::orc;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Returns the first sentence of LLVM's `error` about an object file.
static llvm::Error makeObjectError(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  return makeError("invalid object file: " +
                   llvm::StringRef(text).split('\n').first.rtrim(".! "));
}

/// What the linker puts before a C name.
#ifdef __APPLE__
static constexpr llvm::StringLiteral symbolPrefix = "_";
#else
static constexpr llvm::StringLiteral symbolPrefix = "";
#endif

namespace {
/// Defines the host's symbols when an object first asks for them.
struct HostSymbolGenerator : orc::DefinitionGenerator {
  llvm::Error tryToGenerate(orc::LookupState &, orc::LookupKind,
                            orc::JITDylib &library, orc::JITDylibLookupFlags,
                            const orc::SymbolLookupSet &wanted) override {
    orc::SymbolMap found;
    for (const auto &[symbol, flags] : wanted) {
      llvm::StringRef name = *symbol;
      if (!name.consume_front(symbolPrefix))
        continue;
      if (void *address = lookupHostSymbol(name))
        found[symbol] = {orc::ExecutorAddr::fromPtr(address),
                         llvm::JITSymbolFlags::Exported};
    }
    return found.empty() ? llvm::Error::success()
                         : library.define(orc::absoluteSymbols(found));
  }
};
} // namespace

/// Checks that `memory` is an object file for this process that defines `names`
/// and uses nothing that is not defined.
static llvm::Error checkObject(llvm::MemoryBufferRef memory,
                               const llvm::Triple &triple,
                               llvm::ArrayRef<std::string> names) {
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
      llvm::object::ObjectFile::createObjectFile(memory);
  if (!object)
    return makeObjectError(object.takeError());
  if ((*object)->getArch() != triple.getArch() ||
      (*object)->getTripleObjectFormat() != triple.getObjectFormat() ||
      !(*object)->isRelocatableObject())
    return makeError("expects a relocatable object file for `" + triple.str() +
                     "`, got one of format `" + (*object)->getFileFormatName() +
                     "`");

  llvm::StringSet<> functions;
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    llvm::Expected<llvm::object::SymbolRef::Type> type = symbol.getType();
    if (!flags || !name || !type)
      return makeObjectError(llvm::joinErrors(
          flags.takeError(),
          llvm::joinErrors(name.takeError(), type.takeError())));
    if (*flags & llvm::object::SymbolRef::SF_FormatSpecific)
      continue;
    if (!name->consume_front(symbolPrefix) || name->empty())
      continue;
    if (*flags & llvm::object::SymbolRef::SF_Undefined) {
      // The linker makes this one itself.
      if (!(*flags & llvm::object::SymbolRef::SF_Weak) &&
          *name != "_GLOBAL_OFFSET_TABLE_" && !lookupHostSymbol(*name))
        return makeError("symbol `" + *name + "` is not defined");
      continue;
    }
    // There is no thread-local storage without the dynamic linker.
    if (triple.isOSBinFormatELF() &&
        llvm::object::ELFSymbolRef(symbol).getELFType() == llvm::ELF::STT_TLS)
      return makeError("thread-local variable `" + *name +
                       "` is not supported");
    if (*type == llvm::object::SymbolRef::ST_Function &&
        (*flags & llvm::object::SymbolRef::SF_Global))
      functions.insert(*name);
  }
  for (const std::string &name : names)
    if (!functions.contains(name))
      return makeError("no function called `" + name + "` in the object file");
  return llvm::Error::success();
}

Linker::Linker() = default;

llvm::Expected<std::unique_ptr<Linker>> Linker::create() {
  // In place: a lookup links on the thread that asks for it.
  auto control = orc::SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<orc::InPlaceTaskDispatcher>());
  if (!control)
    return control.takeError();

  std::unique_ptr<Linker> linker(new Linker);
  linker->session =
      std::make_unique<orc::ExecutionSession>(std::move(*control));
  linker->session->setErrorReporter([linker = linker.get()](llvm::Error error) {
    std::string text = llvm::toString(std::move(error));
    std::lock_guard<std::mutex> lock(linker->reportMutex);
    if (linker->report.empty())
      linker->report = std::move(text);
  });
  // No plugin for unwind tables: no exception crosses a kernel.
  linker->layer = std::make_unique<orc::ObjectLinkingLayer>(*linker->session);
  linker->host = &linker->session->createBareJITDylib("host");
  linker->host->addGenerator(std::make_unique<HostSymbolGenerator>());
  return linker;
}

Linker::~Linker() {
  if (session)
    llvm::consumeError(session->endSession());
}

llvm::Error Linker::takeReport(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  std::lock_guard<std::mutex> lock(reportMutex);
  if (!report.empty())
    std::swap(text, report);
  report.clear();
  return makeError("cannot link: " +
                   llvm::StringRef(text).split('\n').first.rtrim(".! "));
}

llvm::Expected<Linker::LoadedObject>
Linker::load(std::unique_ptr<llvm::MemoryBuffer> object,
             llvm::ArrayRef<std::string> names) {
  if (llvm::Error error = checkObject(object->getMemBufferRef(),
                                      session->getTargetTriple(), names))
    return error;

  orc::JITDylib &library = session->createBareJITDylib(
      "object" + std::to_string(numLoaded.fetch_add(1)));
  library.addToLinkOrder(*host);
  if (llvm::Error error = layer->add(library, std::move(object))) {
    unload(library);
    return takeReport(std::move(error));
  }

  LoadedObject loaded{&library, {}};
  for (const std::string &name : names) {
    auto symbol = session->lookup(
        {{&library, orc::JITDylibLookupFlags::MatchExportedSymbolsOnly}},
        session->intern((symbolPrefix + name).str()));
    if (!symbol) {
      llvm::Error error = symbol.takeError();
      unload(library);
      return takeReport(std::move(error));
    }
    loaded.functions.push_back(symbol->getAddress().toPtr<void *>());
  }
  return loaded;
}

void Linker::unload(orc::JITDylib &library) {
  if (llvm::Error error = session->removeJITDylib(library))
    session->reportError(std::move(error));
}
