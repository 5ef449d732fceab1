//===- DeviceRegistry.cpp - Devices by name -------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Runtime/DeviceRegistry.h"

#include "llvm/ADT/StringExtras.h"

using namespace tinygrad;
using namespace tinygrad::runtime;

DeviceRegistry::DeviceRegistry(const MemoryOptions &memory) {
  factories["HOST"] =
      [memory](const std::string &which) -> llvm::Expected<DeviceRef> {
    if (which.empty())
      return createHostDevice("HOST", memory);
    return llvm::createStringError(
        "expects one device `HOST`, got `HOST:" + which + "`");
  };
  factories["DISK"] = createDiskDevice;
}

llvm::Error DeviceRegistry::registerDevice(const std::string &name,
                                           DeviceFactory factory) {
  if (name.empty() || !llvm::all_of(name, llvm::isUpper))
    return llvm::createStringError("expects the name of a device in capitals, "
                                   "got `" +
                                   name + "`");
  std::lock_guard lock(mutex);
  if (!factories.try_emplace(name, std::move(factory)).second)
    return llvm::createStringError("device `" + name + "` is registered");
  return llvm::Error::success();
}

llvm::Expected<DeviceRef> DeviceRegistry::getDevice(const std::string &name) {
  DeviceFactory factory;
  auto [kind, which] = llvm::StringRef(name).split(':');
  {
    std::lock_guard lock(mutex);
    if (DeviceRef device = findDevice(name))
      return device;
    auto found = factories.find(kind.str());
    if (found == factories.end()) {
      std::string known;
      for (const auto &entry : factories)
        known += (known.empty() ? "`" : ", `") + entry.first + "`";
      return llvm::createStringError("expects a device of " + known +
                                     ", got `" + name + "`");
    }
    factory = found->second;
  }
  // Outside of the lock: a factory may ask for other devices.
  llvm::Expected<DeviceRef> device = factory(which.str());
  if (!device)
    return device;
  if (!*device)
    return llvm::createStringError("the factory of device `" + name +
                                   "` returned no device");
  std::lock_guard lock(mutex);
  // Another thread may have been faster; all get one device.
  if (DeviceRef other = findDevice(name))
    return other;
  if (!(*device)->isPersistent()) {
    devices[name] = *device;
    return device;
  }
  if (persistentDevices.size() >= maxPersistent) {
    std::erase_if(persistentDevices,
                  [](const auto &entry) { return entry.second.expired(); });
    maxPersistent = std::max<size_t>(64, 2 * persistentDevices.size());
  }
  persistentDevices[name] = *device;
  return device;
}

DeviceRef DeviceRegistry::findDevice(const std::string &name) const {
  if (auto device = devices.find(name); device != devices.end())
    return device->second;
  auto device = persistentDevices.find(name);
  return device == persistentDevices.end() ? nullptr : device->second.lock();
}

std::string DeviceRegistry::getCanonicalName(const std::string &name) {
  auto [kind, which] = llvm::StringRef(name).split(':');
  std::string result = kind.upper();
  if (kind.size() != name.size() && (which != "0" || result == "DISK"))
    result += ":" + which.str();
  return result;
}
