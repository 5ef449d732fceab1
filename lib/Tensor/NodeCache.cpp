//===- NodeCache.cpp - Equal operations are one node ----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeCache.h"

#include "tinygrad/Tensor/Lazy.h"

#include <mutex>
#include <unordered_map>

using namespace tinygrad;
using namespace tinygrad::detail;

namespace {

/// A node, and what it is: it lets go of its operands when it is realized.
/// Pointers that are only held weakly keep their addresses from being used
/// again.
struct Entry {
  std::weak_ptr<Node> node;
  std::vector<std::weak_ptr<Node>> operands;
};

struct Cache {
  std::mutex mutex;
  /// By kind, type, attributes and device as text.
  std::unordered_multimap<std::string, Entry> entries;
  size_t maxSize = 1024;
};

} // namespace

static Cache &getCache() {
  static Cache *instance = new Cache;
  return *instance;
}

/// Returns all but the operands, which it adds to `entry`.
static std::string describe(const NodeRef &node, Entry &entry) {
  std::string text =
      std::to_string(static_cast<int>(node->type)) + " " + node->device + " ";
  if (ops::getInfo(node->kind).group == ops::OpGroup::Movement) {
    auto [base, tracker] = getBase(makeTensor(node));
    entry.operands = {resolveAlias(base.getImpl()->node)};
    return text + tracker.toString();
  }
  text +=
      std::string(ops::getInfo(node->kind).name) + " " + node->shape.toString();
  if (node->attributes.isImplicit)
    text += " implicit";
  for (const NodeRef &operand : node->operands)
    entry.operands.push_back(resolveAlias(operand));
  return text;
}

static bool areSame(const std::vector<std::weak_ptr<Node>> &a,
                    const std::vector<std::weak_ptr<Node>> &b) {
  return std::ranges::equal(a, b, [](const auto &x, const auto &y) {
    return !x.owner_before(y) && !y.owner_before(x);
  });
}

NodeRef detail::shareNode(NodeRef node) {
  switch (node->kind) {
  case ops::OpKind::Empty:
  case ops::OpKind::Const:
  case ops::OpKind::Custom:
  case ops::OpKind::Assign:
  case ops::OpKind::Copy:
  case ops::OpKind::FromCPU:
    return node;
  default:
    break;
  }
  if (node->requiresGrad || node->isAboveRebind || node->shape.isSymbolic())
    return node;
  Entry entry = {node, {}};
  std::string text = describe(node, entry);
  Cache &cache = getCache();
  std::lock_guard lock(cache.mutex);
  auto [begin, end] = cache.entries.equal_range(text);
  for (auto it = begin; it != end; ++it)
    if (areSame(it->second.operands, entry.operands))
      if (NodeRef other = it->second.node.lock();
          other && other->context == node->context)
        return other;
  cache.entries.emplace(std::move(text), std::move(entry));
  if (cache.entries.size() > cache.maxSize) {
    std::erase_if(cache.entries,
                  [](const auto &item) { return item.second.node.expired(); });
    cache.maxSize = std::max(cache.maxSize, 2 * cache.entries.size());
  }
  return node;
}
