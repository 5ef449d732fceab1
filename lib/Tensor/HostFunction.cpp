//===- HostFunction.cpp - Tensors that the host computes ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/HostFunction.h"

#include "ContextImpl.h"

#include "tinygrad/Engine/Engine.h"
#include "tinygrad/Runtime/Buffer.h"

#include <map>
#include <mutex>
#include <set>

using namespace tinygrad;
using namespace tinygrad::detail;

/// Calls `function` with the elements of `buffers`, the last of which it sets.
static llvm::Error call(const HostFunction &function,
                        std::span<const runtime::BufferRef> buffers) {
  std::vector<HostArray> arrays;
  // Copies for devices whose memory the host cannot reach.
  std::vector<std::vector<char>> copies(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    runtime::Buffer &buffer = *buffers[i];
    bool isResult = i + 1 == buffers.size();
    void *data =
        !isResult || buffer.isHostMemory() ? buffer.getHostPointer() : nullptr;
    if (!data) {
      copies[i].resize(static_cast<size_t>(buffer.getNumBytes()) + 1);
      data = copies[i].data();
      if (!isResult)
        if (llvm::Error error = buffer.copyOut(data, buffer.getNumBytes()))
          return error;
    }
    arrays.push_back({data, buffer.getNumElements(), buffer.getType()});
  }
  function(arrays);
  runtime::Buffer &result = *buffers.back();
  if (copies.back().empty())
    return llvm::Error::success();
  return result.copyIn(copies.back().data(), result.getNumBytes());
}

/// The name by which graphs know a function.
static std::string getCallbackName(const std::string &name) {
  return "host." + name;
}

static void registerWith(Context::Impl &context, const std::string &name,
                         HostFunction function) {
  context.engine->registerCallback(
      getCallbackName(name),
      [function = std::move(function)](
          std::span<const runtime::BufferRef> buffers) -> llvm::Error {
        return call(function, buffers);
      });
}

void tinygrad::registerHostFunction(const std::string &name,
                                    HostFunction function) {
  registerWith(Context::getCurrent()->getImpl(), name, std::move(function));
}

/// Makes the node of a call, without a history.
static NodeRef makeCall(const std::string &name,
                        const std::vector<Tensor> &inputs, const Shape &shape,
                        DType type) {
  std::vector<NodeRef> operands;
  for (const Tensor &input : inputs)
    operands.push_back(getNode(input.detach()));
  ops::OpAttributes attributes;
  Shape symbolic;
  if (shape.isSymbolic())
    symbolic = shape;
  else
    attributes.ints = shape;
  attributes.name = getCallbackName(name);
  NoGradGuard noGrad;
  return makeOp(ops::OpKind::Custom, std::move(operands), type,
                std::move(attributes), name.c_str(), std::move(symbolic));
}

Tensor tinygrad::callHostFunction(const std::string &name,
                                  const std::vector<Tensor> &inputs,
                                  const Shape &shape, DType type) {
  return makeTensor(makeCall(name, inputs, shape, type));
}

//===----------------------------------------------------------------------===//
// Functions that end
//===----------------------------------------------------------------------===//

namespace {

/// The numbers that tell functions of one name apart. They are those of the
/// process, since contexts may share an engine.
class NumberTable {
public:
  static NumberTable &get() {
    // Functions may end after all else.
    static auto *instance = new NumberTable;
    return *instance;
  }

  /// Returns the smallest number that is free.
  int64_t take(const std::string &name);
  void giveBack(const std::string &name, int64_t number);

private:
  struct Numbers {
    /// All from here on are free, and those below that are listed.
    int64_t end = 0;
    std::set<int64_t> free;
  };
  std::mutex mutex;
  std::map<std::string, Numbers> numbersOf;
};

} // namespace

int64_t NumberTable::take(const std::string &name) {
  std::lock_guard lock(mutex);
  Numbers &numbers = numbersOf[name];
  if (numbers.free.empty())
    return numbers.end++;
  return numbers.free.extract(numbers.free.begin()).value();
}

void NumberTable::giveBack(const std::string &name, int64_t number) {
  std::lock_guard lock(mutex);
  auto place = numbersOf.find(name);
  place->second.free.insert(number);
  if (std::ssize(place->second.free) == place->second.end)
    numbersOf.erase(place);
}

/// A name under which a function is registered while this lives. Then the name
/// is free, and a program that makes its functions anew finds its compiled
/// graphs by it.
struct detail::HostFunctionSlot {
  HostFunctionSlot(ContextRef context, const std::string &base,
                   HostFunction function);
  ~HostFunctionSlot();
  HostFunctionSlot(const HostFunctionSlot &) = delete;
  HostFunctionSlot &operator=(const HostFunctionSlot &) = delete;

  std::string getName() const { return base + "." + std::to_string(number); }

  /// Weak, since the context may keep the slot.
  std::weak_ptr<Context> owner;
  std::string base;
  int64_t number;
};

HostFunctionSlot::HostFunctionSlot(ContextRef context, const std::string &base,
                                   HostFunction function)
    : owner(context), base(base), number(NumberTable::get().take(base)) {
  registerWith(context->getImpl(), getName(), std::move(function));
}

HostFunctionSlot::~HostFunctionSlot() {
  if (ContextRef context = owner.lock())
    context->getImpl().engine->registerCallback(getCallbackName(getName()),
                                                nullptr);
  NumberTable::get().giveBack(base, number);
}

Tensor tinygrad::callHostFunction(const std::string &name,
                                  HostFunction function,
                                  const std::vector<Tensor> &inputs,
                                  const Shape &shape, DType type) {
  ContextRef context;
  for (const Tensor &input : inputs)
    if (!context)
      context = getNode(input)->context;
  if (!context)
    context = Context::getCurrent();
  auto slot = std::make_shared<const HostFunctionSlot>(context, name,
                                                       std::move(function));
  NodeRef node = makeCall(slot->getName(), inputs, shape, type);
  node->hostFunction = std::move(slot);
  return makeTensor(std::move(node));
}

void detail::keepHostFunctions(
    const std::vector<std::shared_ptr<const HostFunctionSlot>> &slots) {
  for (const std::shared_ptr<const HostFunctionSlot> &slot : slots)
    if (ContextRef context = slot->owner.lock()) {
      std::lock_guard lock(context->getImpl().mutex);
      context->getImpl().tracedFunctions.insert(slot);
    }
}
