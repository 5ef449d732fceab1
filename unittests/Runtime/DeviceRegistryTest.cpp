//===- DeviceRegistryTest.cpp - Tests of devices by name ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Runtime/DeviceRegistry.h"
#include "RuntimeTestUtils.h"

#include "gtest/gtest.h"

#include <malloc.h>

#include <thread>

using namespace tinygrad;
using namespace tinygrad::runtime;

namespace {

TEST(DeviceRegistryTest, MakesEachDeviceOnce) {
  DeviceRegistry registry;
  int made = 0;
  auto factory = [&](const std::string &which) -> llvm::Expected<DeviceRef> {
    ++made;
    return createHostDevice("TOY:" + which);
  };
  EXPECT_EQ(getMessage(registry.registerDevice("TOY", factory)), "");
  EXPECT_EQ(made, 0);
  DeviceRef first = llvm::cantFail(registry.getDevice("TOY:a:b"));
  EXPECT_EQ(first->getName(), "TOY:a:b");
  EXPECT_EQ(llvm::cantFail(registry.getDevice("TOY:a:b")), first);
  EXPECT_NE(llvm::cantFail(registry.getDevice("TOY")), first);
  EXPECT_EQ(made, 2);
  EXPECT_EQ(llvm::cantFail(registry.getDevice("HOST"))->getName(), "HOST");
  EXPECT_EQ(llvm::cantFail(registry.getDevice("DISK:/tmp/x"))->getName(),
            "DISK:/tmp/x");
}

// There are as many as files.
TEST(DeviceRegistryTest, ForgetsFiles) {
  DeviceRegistry registry;
  DeviceRef held = llvm::cantFail(registry.getDevice("DISK:/tmp/held"));
  EXPECT_EQ(llvm::cantFail(registry.getDevice("DISK:/tmp/held")), held);
  std::weak_ptr<Device> dropped =
      llvm::cantFail(registry.getDevice("DISK:/tmp/dropped"));
  EXPECT_TRUE(dropped.expired());
  size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 50000; ++i)
    llvm::cantFail(registry.getDevice("DISK:/tmp/" + std::string(200, 'x') +
                                      std::to_string(i)));
  EXPECT_LT(mallinfo2().uordblks, before + (size_t(1) << 20));
  EXPECT_EQ(llvm::cantFail(registry.getDevice("DISK:/tmp/held")), held);
}

TEST(DeviceRegistryTest, IsSharedByThreads) {
  DeviceRegistry registry;
  std::vector<DeviceRef> devices(8);
  std::vector<std::thread> threads;
  for (DeviceRef &device : devices)
    threads.emplace_back(
        [&] { device = llvm::cantFail(registry.getDevice("HOST")); });
  for (std::thread &thread : threads)
    thread.join();
  for (const DeviceRef &device : devices)
    EXPECT_EQ(device, devices.front());
}

TEST(DeviceRegistryTest, SaysWhatIsWrong) {
  DeviceRegistry registry;
  DeviceFactory fails = [](const std::string &) -> llvm::Expected<DeviceRef> {
    return llvm::createStringError("no such hardware");
  };
  EXPECT_EQ(getMessage(registry.registerDevice("toy", fails)),
            "expects the name of a device in capitals, got `toy`");
  EXPECT_NE(getMessage(registry.registerDevice("", fails)), "");
  EXPECT_NE(getMessage(registry.registerDevice("TOY:1", fails)), "");
  EXPECT_EQ(getMessage(registry.registerDevice("HOST", fails)),
            "device `HOST` is registered");
  EXPECT_EQ(getMessage(registry.getDevice("TOY:1")),
            "expects a device of `DISK`, `HOST`, got `TOY:1`");
  EXPECT_EQ(getMessage(registry.registerDevice("TOY", fails)), "");
  EXPECT_EQ(getMessage(registry.getDevice("TOY")), "no such hardware");
  EXPECT_EQ(getMessage(registry.registerDevice(
                "NULL", [](const std::string &) { return DeviceRef(); })),
            "");
  EXPECT_EQ(getMessage(registry.getDevice("NULL")),
            "the factory of device `NULL` returned no device");
  EXPECT_EQ(getMessage(registry.getDevice("HOST:1")),
            "expects one device `HOST`, got `HOST:1`");
  EXPECT_NE(getMessage(registry.getDevice("DISK")), "");
}

TEST(DeviceRegistryTest, NamesHaveOneSpelling) {
  EXPECT_EQ(DeviceRegistry::getCanonicalName("cuda:0"), "CUDA");
  EXPECT_EQ(DeviceRegistry::getCanonicalName("cuda:1"), "CUDA:1");
  EXPECT_EQ(DeviceRegistry::getCanonicalName("disk:/tmp/a:0"), "DISK:/tmp/a:0");
  EXPECT_EQ(DeviceRegistry::getCanonicalName("disk:0"), "DISK:0");
  EXPECT_EQ(DeviceRegistry::getCanonicalName(""), "");
}

} // namespace
