//===- CallbackTable.cpp - The callbacks of an engine - c -----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one file of the engine that is built with exceptions: the rest has no
// cleanup for those of a callback, which so become errors here.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"

#include <exception>

using namespace tinygrad;
using namespace tinygrad::engine;

void CallbackTable::set(const std::string &name, Callback callback) {
  // The older one is destroyed outside of the lock: what it holds may use the
  // engine, or wait for who does.
  std::lock_guard lock(mutex);
  auto place = callbacks.try_emplace(name).first;
  place->second.swap(callback);
  if (!place->second)
    callbacks.erase(place);
}

bool CallbackTable::contains(const std::string &name) const {
  std::lock_guard lock(mutex);
  return callbacks.count(name) != 0;
}

llvm::Error
CallbackTable::call(const std::string &name,
                    std::span<const runtime::BufferRef> buffers) const {
  Callback callback;
  {
    std::lock_guard lock(mutex);
    auto found = callbacks.find(name);
    if (found != callbacks.end())
      callback = found->second;
  }
  if (!callback)
    return llvm::createStringError("expects a callback `" + name +
                                   "`, but none is registered");
  try {
    return callback(buffers);
  } catch (const std::exception &exception) {
    return llvm::createStringError("callback `" + name +
                                   "` has thrown: " + exception.what());
  } catch (...) {
    return llvm::createStringError("callback `" + name + "` has thrown");
  }
}
