//===- main.cpp - Computes on a device from outside -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToyDevice.h"
#include "tinygrad/Engine/Engine.h"
#include "tinygrad/Tensor/Tensor.h"

#include <cstdio>

using namespace tinygrad;

int main() {
  llvm::ExitOnError check("toy-device: ");
  std::shared_ptr<engine::Engine> engine = check(engine::Engine::create({}));
  check(engine->registerDevice("TOY", toy::ToyDevice::create));
  Context::Scope scope(Context::create(engine));

  Tensor x(std::vector<float>{1, 2, 3});
  Tensor y = (x.to("TOY") * 2 + 1).sum();
  std::printf("%g on %s\n", y.item<float>(), y.device().c_str());

  runtime::DeviceRef device = check(engine->getDevice("TOY"));
  std::printf("%lld launches\n",
              static_cast<long long>(
                  static_cast<toy::ToyDevice &>(*device).getNumLaunches()));
  return 0;
}
