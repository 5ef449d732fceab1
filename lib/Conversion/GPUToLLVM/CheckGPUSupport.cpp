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
    WalkResult result = getOperation()->walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      auto isLacking = [&](Type type) {
        std::string text = getText(type);
        return lacking.contains(text) ||
               lacking.contains((name + ":" + text).str());
      };
      auto types =
          llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                   llvm::to_vector(op->getResultTypes()));
      auto found = llvm::find_if(types, isLacking);
      if (found == types.end())
        return WalkResult::advance();
      op->emitOpError() << "on " << getText(*found)
                        << " is not supported by the target `" << target << "`";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  /// The type of an element, as it is written.
  static std::string getText(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << getElementTypeOrSelf(type);
    return text;
  }
};

} // namespace
