//===- DeviceRegistry.h - Devices by name -----------------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_DEVICEREGISTRY_H
#define TINYGRAD_RUNTIME_DEVICEREGISTRY_H

#include "tinygrad/Runtime/Device.h"

#include <functional>
#include <map>
#include <mutex>

namespace tinygrad::runtime {

/// Makes a device. `which` is what a name has after its colon, as in `CUDA:1`
/// or `DISK:/tmp/weights`; empty for `CUDA`.
using DeviceFactory =
    std::function<llvm::Expected<DeviceRef>(const std::string &which)>;

/// Finds devices by name, and makes each at its first use. All functions may be
/// called from several threads at once.
class DeviceRegistry {
public:
  /// Makes a registry of `HOST`, which keeps its memory as `memory` says, and
  /// `DISK`.
  explicit DeviceRegistry(const MemoryOptions &memory = {});

  /// Registers the devices `name` and `name:…`. Fails where the name is not in
  /// capitals or is registered.
  llvm::Error registerDevice(const std::string &name, DeviceFactory factory);

  /// Returns the device of a canonical name. It lives as long as the registry,
  /// but one that is persistent only as long as something holds it: there are
  /// as many as files. Fails where the name is not registered, and as the
  /// factory does.
  llvm::Expected<DeviceRef> getDevice(const std::string &name);

  /// Returns the one spelling of `name`: in capitals up to the colon, and
  /// without `:0`, which is the first device, but for `DISK:0`, the file `0`.
  static std::string getCanonicalName(const std::string &name);

private:
  /// Returns a device that was made before, or null. The mutex is held.
  DeviceRef findDevice(const std::string &name) const;

  std::mutex mutex;
  std::map<std::string, DeviceFactory> factories;
  std::map<std::string, DeviceRef> devices;
  /// Those that are persistent.
  std::map<std::string, std::weak_ptr<Device>> persistentDevices;
  /// When there are as many, those that are gone are forgotten.
  size_t maxPersistent = 64;
};

} // namespace tinygrad::runtime

#endif // TINYGRAD_RUNTIME_DEVICEREGISTRY_H
