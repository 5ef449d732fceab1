//===- Linker.h - Loads object files into the process -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_CPU_LINKER_H
#define TINYGRAD_LIB_RUNTIME_CPU_LINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace llvm {
class MemoryBuffer;
namespace orc {
class ExecutionSession;
class JITDylib;
class ObjectLinkingLayer;
} // namespace orc
} // namespace llvm

namespace tinygrad::runtime {

/// Links object files in memory, each one for itself, against the symbols of
/// lookupHostSymbol. May be used from several threads at once.
class Linker {
public:
  static llvm::Expected<std::unique_ptr<Linker>> create();
  ~Linker();

  /// An object file in executable memory.
  struct LoadedObject {
    llvm::orc::JITDylib *library;
    /// One address per name that was asked for.
    std::vector<void *> functions;
  };

  /// Loads `object` and finds the functions `names` in it. Fails if it is not
  /// an object file for this process, if it lacks one of the functions, or if
  /// it uses a symbol that neither itself nor the host defines.
  llvm::Expected<LoadedObject> load(std::unique_ptr<llvm::MemoryBuffer> object,
                                    llvm::ArrayRef<std::string> names);
  /// Frees the object's memory. Its functions no longer run.
  void unload(llvm::orc::JITDylib &library);

private:
  Linker();

  /// Turns `error` into one with the text of ORC's own report, if there is one.
  llvm::Error takeReport(llvm::Error error);

  std::unique_ptr<llvm::orc::ExecutionSession> session;
  std::unique_ptr<llvm::orc::ObjectLinkingLayer> layer;
  llvm::orc::JITDylib *host = nullptr;
  std::atomic<uint64_t> numLoaded{0};
  std::mutex reportMutex;
  std::string report;
};

} // namespace tinygrad::runtime

#endif // TINYGRAD_LIB_RUNTIME_CPU_LINKER_H
