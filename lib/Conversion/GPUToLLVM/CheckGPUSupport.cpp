//===- CheckGPUSupport.cpp - Refuse what a GPU's target lacks -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Conversion/Passes.h"

#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tinygrad {
#define GEN_PASS_DEF_CHECKGPUSUPPORTPASS
#include "tinygrad/Conversion/Passes.h.inc"
} // namespace tinygrad

namespace {

struct CheckGPUSupportPass
    : tinygrad::impl::CheckGPUSupportPassBase<CheckGPUSupportPass> {
  using CheckGPUSupportPassBase::CheckGPUSupportPassBase;

  void runOnOperation() override {
    llvm::StringSet<> lacking;
    for (StringRef entry : lacks)
      lacking.insert(entry);
    DataLayout layout(getOperation());
    WalkResult result = getOperation().walk([&](Operation *op) {
      SmallVector<Type> types(op->getOperandTypes());
      llvm::append_range(types, op->getResultTypes());
      for (Type type : types) {
        std::string text = getText(getElementTypeOrSelf(type), layout);
        StringRef name = op->getName().getStringRef();
        if (!lacking.contains(text) &&
            !lacking.contains((name + ":" + text).str()))
          continue;
        op->emitOpError() << "on " << text
                          << " is not supported by the target `" << target
                          << "`";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  /// The type as it is written; `index` as the integer that it becomes.
  static std::string getText(Type type, const DataLayout &layout) {
    if (type.isIndex())
      return "i" +
             std::to_string(layout.getTypeSizeInBits(type).getFixedValue());
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }
};

} // namespace
