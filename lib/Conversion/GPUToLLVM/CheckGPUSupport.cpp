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
      // Arguments of the function, and of its blocks.
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::append_range(types, block.getArgumentTypes());
      for (Type type : types) {
        Type element = getElementTypeOrSelf(type);
        std::string text = getText(element, layout);
        StringRef name = op->getName().getStringRef();
        if (isKnown(element) && !lacking.contains(text) &&
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

  /// False for numbers of types that no kernel has: code generators end the
  /// process at some of them.
  static bool isKnown(Type type) {
    // Functions are computed in integers of 128 bits, where a target has them.
    if (type.isInteger())
      return llvm::is_contained({1, 8, 16, 32, 64, 128},
                                type.getIntOrFloatBitWidth());
    if (isa<FloatType>(type))
      return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
    return !isa<ComplexType>(type);
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
