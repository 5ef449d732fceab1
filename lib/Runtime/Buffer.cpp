//===- Buffer.cpp - A flat array of elements on a device ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Runtime/Buffer.h"

#include <utility>

using namespace tinygrad;
using namespace tinygrad::runtime;

Buffer::Buffer(std::shared_ptr<Device> device, DType type, int64_t numElements)
    : device(std::move(device)), type(type), numElements(numElements) {}

Buffer::~Buffer() = default;
