//===- LiveVariable.cpp - The variables that there are --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LiveVariable.h"

#include "Node.h"

#include <atomic>
#include <mutex>

using namespace tinygrad;
using namespace tinygrad::detail;

static std::atomic<bool> isListing = false;
static std::mutex mutex;
/// The ends of the list.
static LiveVariable *first = nullptr, *last = nullptr;

void LiveVariable::list() { isListing = true; }

LiveVariable::LiveVariable()
    : isListed(isListing.load(std::memory_order_relaxed)) {
  if (!isListed)
    return;
  std::lock_guard lock(mutex);
  previous = last;
  (last ? last->next : first) = this;
  last = this;
}

LiveVariable::~LiveVariable() {
  if (!isListed)
    return;
  std::lock_guard lock(mutex);
  (previous ? previous->next : first) = next;
  (next ? next->previous : last) = previous;
}

std::vector<TensorImpl *> LiveVariable::getAll() {
  std::vector<TensorImpl *> result;
  std::lock_guard lock(mutex);
  for (LiveVariable *variable = first; variable; variable = variable->next)
    result.push_back(static_cast<TensorImpl *>(variable));
  return result;
}
