//===- IRCheck.cpp - Is a module safe for LLVM's code generator? ----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Target/IRCheck.h"

#include "../Common/CodeGeneration.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace tinygrad::target;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {
class TypeCheck {
public:
  /// Checks `type` and the types in it; each one once.
  llvm::Error check(llvm::Type *type) {
    llvm::SmallVector<llvm::Type *> worklist = {type};
    while (!worklist.empty()) {
      llvm::Type *next = worklist.pop_back_val();
      if (!seen.insert(next).second)
        continue;
      if (!isSupported(next)) {
        std::string text;
        llvm::raw_string_ostream(text) << *next;
        return makeError("type `" + text + "` is not supported");
      }
      worklist.append(next->subtype_begin(), next->subtype_end());
    }
    return llvm::Error::success();
  }

private:
  /// Wider operations take the code generator minutes.
  static constexpr unsigned maxIntegerBits = 128;
  static constexpr unsigned maxVectorElements = 4096;

  static bool isSupported(llvm::Type *type) {
    switch (type->getTypeID()) {
    case llvm::Type::IntegerTyID:
      return type->getIntegerBitWidth() <= maxIntegerBits;
    case llvm::Type::PointerTyID:
      return type->getPointerAddressSpace() == 0;
    case llvm::Type::FixedVectorTyID:
      return llvm::cast<llvm::FixedVectorType>(type)->getNumElements() <=
             maxVectorElements;
    case llvm::Type::VoidTyID:
    case llvm::Type::LabelTyID:
    case llvm::Type::MetadataTyID:
    case llvm::Type::HalfTyID:
    case llvm::Type::BFloatTyID:
    case llvm::Type::FloatTyID:
    case llvm::Type::DoubleTyID:
    case llvm::Type::FunctionTyID:
    case llvm::Type::StructTyID:
    case llvm::Type::ArrayTyID:
      return true;
    default:
      return false;
    }
  }

  llvm::DenseSet<llvm::Type *> seen;
};
} // namespace

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

/// Returns true for the intrinsics that every target lowers, with a call of
/// libm if it has to. Canonicalize is left out, which the x86 code generator
/// lacks for bfloat vectors.
static bool isPortableIntrinsic(llvm::Intrinsic::ID id) {
  using namespace llvm;
  switch (id) {
  // Memory and hints.
  case Intrinsic::memcpy:
  case Intrinsic::memcpy_inline:
  case Intrinsic::memmove:
  case Intrinsic::memset:
  case Intrinsic::memset_inline:
  case Intrinsic::prefetch:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::invariant_start:
  case Intrinsic::invariant_end:
  case Intrinsic::stacksave:
  case Intrinsic::stackrestore:
  case Intrinsic::assume:
  case Intrinsic::expect:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::is_constant:
  case Intrinsic::objectsize:
  case Intrinsic::ptrmask:
  case Intrinsic::sideeffect:
  case Intrinsic::donothing:
  case Intrinsic::trap:
  case Intrinsic::dbg_declare:
  case Intrinsic::dbg_value:
  case Intrinsic::dbg_label:
  // Integers.
  case Intrinsic::abs:
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::umax:
  case Intrinsic::umin:
  case Intrinsic::scmp:
  case Intrinsic::ucmp:
  case Intrinsic::bitreverse:
  case Intrinsic::bswap:
  case Intrinsic::ctlz:
  case Intrinsic::ctpop:
  case Intrinsic::cttz:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::sadd_sat:
  case Intrinsic::ssub_sat:
  case Intrinsic::sshl_sat:
  case Intrinsic::uadd_sat:
  case Intrinsic::usub_sat:
  case Intrinsic::ushl_sat:
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::ssub_with_overflow:
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::umul_with_overflow:
  case Intrinsic::usub_with_overflow:
  // Floats.
  case Intrinsic::acos:
  case Intrinsic::asin:
  case Intrinsic::atan:
  case Intrinsic::atan2:
  case Intrinsic::ceil:
  case Intrinsic::copysign:
  case Intrinsic::cos:
  case Intrinsic::cosh:
  case Intrinsic::exp:
  case Intrinsic::exp10:
  case Intrinsic::exp2:
  case Intrinsic::fabs:
  case Intrinsic::floor:
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::fptosi_sat:
  case Intrinsic::fptoui_sat:
  case Intrinsic::frexp:
  case Intrinsic::is_fpclass:
  case Intrinsic::ldexp:
  case Intrinsic::log:
  case Intrinsic::log10:
  case Intrinsic::log2:
  case Intrinsic::maximum:
  case Intrinsic::maximumnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::minimumnum:
  case Intrinsic::minnum:
  case Intrinsic::nearbyint:
  case Intrinsic::pow:
  case Intrinsic::powi:
  case Intrinsic::rint:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::sin:
  case Intrinsic::sincos:
  case Intrinsic::sinh:
  case Intrinsic::sqrt:
  case Intrinsic::tan:
  case Intrinsic::tanh:
  case Intrinsic::trunc:
  // Vectors.
  case Intrinsic::get_active_lane_mask:
  case Intrinsic::stepvector:
  case Intrinsic::vector_deinterleave2:
  case Intrinsic::vector_extract:
  case Intrinsic::vector_insert:
  case Intrinsic::vector_interleave2:
  case Intrinsic::vector_reverse:
  case Intrinsic::vector_reduce_add:
  case Intrinsic::vector_reduce_and:
  case Intrinsic::vector_reduce_fadd:
  case Intrinsic::vector_reduce_fmax:
  case Intrinsic::vector_reduce_fmaximum:
  case Intrinsic::vector_reduce_fmin:
  case Intrinsic::vector_reduce_fminimum:
  case Intrinsic::vector_reduce_fmul:
  case Intrinsic::vector_reduce_mul:
  case Intrinsic::vector_reduce_or:
  case Intrinsic::vector_reduce_smax:
  case Intrinsic::vector_reduce_smin:
  case Intrinsic::vector_reduce_umax:
  case Intrinsic::vector_reduce_umin:
  case Intrinsic::vector_reduce_xor:
    return true;
  default:
    return false;
  }
}

/// Masked accesses are no part of a text: the parser takes their old forms,
/// too, and ends the process on some calls that are neither.
static bool isMaskedAccess(llvm::Intrinsic::ID id) {
  return id == llvm::Intrinsic::masked_load ||
         id == llvm::Intrinsic::masked_store ||
         id == llvm::Intrinsic::masked_gather ||
         id == llvm::Intrinsic::masked_scatter;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// Goes through LLVM IR text, past strings and comments.
class TextCheck {
public:
  explicit TextCheck(llvm::StringRef text) : text(text) {}

  llvm::Error check() {
    for (; position < text.size(); ++position) {
      switch (text[position]) {
      case '\n':
        ++line;
        break;
      case ';':
        // The newline is counted by the next round.
        position = std::min(text.find('\n', position), text.size()) - 1;
        break;
      case '"':
        skipString();
        break;
      case '@':
        if (llvm::Error error = checkName())
          return error;
        break;
      case '(':
      case '[':
      case '{':
      case '<':
        if (++depth > maxDepth)
          return makeLineError("brackets are nested more than " +
                               llvm::Twine(maxDepth) + " deep");
        break;
      case ')':
      case ']':
      case '}':
      case '>':
        depth = std::max(depth - 1, 0);
        break;
      default:
        break;
      }
    }
    return llvm::Error::success();
  }

private:
  static constexpr int maxDepth = 256;

  llvm::Error makeLineError(const llvm::Twine &message) const {
    return makeError("line " + llvm::Twine(line) + ": " + message);
  }

  /// Moves from the first to the last quote of a string, which it returns.
  llvm::StringRef skipString() {
    size_t end = std::min(text.find('"', position + 1), text.size());
    llvm::StringRef string = text.slice(position + 1, end);
    line += int(string.count('\n'));
    position = end;
    return string;
  }

  /// Checks the name of a function or variable; the position is at its `@`.
  llvm::Error checkName() {
    llvm::StringRef name;
    if (text.substr(position + 1).starts_with("\"")) {
      ++position;
      name = skipString();
      if (name.contains('\\'))
        return makeLineError("escaped name `" + name + "` is not supported");
    } else {
      name = text.substr(position + 1).take_while([](char c) {
        return llvm::isAlnum(c) || llvm::StringRef("-$._").contains(c);
      });
    }
    if (name.starts_with("llvm.") &&
        !isPortableIntrinsic(llvm::Intrinsic::lookupIntrinsicID(name)))
      return makeLineError("`" + name + "` is not supported");
    return llvm::Error::success();
  }

  llvm::StringRef text;
  size_t position = 0;
  int line = 1;
  int depth = 0;
};
} // namespace

llvm::Error tinygrad::target::checkText(llvm::StringRef text) {
  return TextCheck(text).check();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Names what is wrong in a place of `function`.
static llvm::Error makeError(const llvm::Function &function,
                             const llvm::Twine &message) {
  return makeError("function `" + function.getName() + "` " + message);
}

/// Checks what is the same for a function and for a call.
template <typename FunctionOrCall>
static bool hasPlainConvention(const FunctionOrCall &value) {
  llvm::CallingConv::ID convention = value.getCallingConv();
  return convention == llvm::CallingConv::C ||
         convention == llvm::CallingConv::Fast ||
         convention == llvm::CallingConv::Cold;
}

static llvm::Error checkInstruction(const llvm::Function &function,
                                    const llvm::Instruction &instruction,
                                    TypeCheck &types) {
  if (llvm::Error error = types.check(instruction.getType()))
    return error;
  for (const llvm::Use &operand : instruction.operands())
    if (llvm::Error error = types.check(operand->getType()))
      return error;
  if (const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
    if (llvm::Error error = types.check(alloca->getAllocatedType()))
      return error;

  // Exceptions need a personality function and unwind tables that are loaded.
  if (instruction.isEHPad() || llvm::isa<llvm::InvokeInst>(instruction) ||
      llvm::isa<llvm::ResumeInst>(instruction))
    return makeError(function, "uses exceptions, which are not supported");
  if (llvm::isa<llvm::VAArgInst>(instruction) ||
      llvm::isa<llvm::CallBrInst>(instruction))
    return makeError(function, "uses `" +
                                   llvm::Twine(instruction.getOpcodeName()) +
                                   "`, which is not supported");

  const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (!call)
    return llvm::Error::success();
  if (call->isInlineAsm())
    return makeError(function, "uses inline assembly, which is not supported");
  if (call->isMustTailCall() || call->hasOperandBundles() ||
      !hasPlainConvention(*call))
    return makeError(function, "has a call that is not a plain C call");
  const llvm::Function *callee = call->getCalledFunction();
  if (callee && callee->isIntrinsic() &&
      !isPortableIntrinsic(callee->getIntrinsicID()) &&
      !isMaskedAccess(callee->getIntrinsicID()))
    return makeError(function, "uses the intrinsic `" + callee->getName() +
                                   "`, which is not supported");
  return llvm::Error::success();
}

static llvm::Error checkFunction(const llvm::Function &function,
                                 TypeCheck &types) {
  if (llvm::Error error = types.check(function.getFunctionType()))
    return error;
  if (!hasPlainConvention(function))
    return makeError(function, "does not have C's calling convention");
  if (function.isDeclaration())
    return llvm::Error::success();
  if (function.isVarArg() || function.hasGC() || function.hasPersonalityFn() ||
      function.hasPrefixData() || function.hasPrologueData() ||
      function.hasFnAttribute(llvm::Attribute::Naked) ||
      function.hasFnAttribute(llvm::Attribute::PresplitCoroutine) ||
      function.hasAvailableExternallyLinkage())
    return makeError(function, "is not a plain C function");
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (llvm::Error error = checkInstruction(function, instruction, types))
      return error;
  return llvm::Error::success();
}

llvm::Error
tinygrad::target::checkForCodeGenerator(const llvm::Module &module) {
  if (!module.getModuleInlineAsm().empty())
    return makeError("module assembly is not supported");
  if (!module.ifunc_empty() || !module.alias_empty())
    return makeError("aliases are not supported");

  TypeCheck types;
  for (const llvm::GlobalVariable &variable : module.globals()) {
    // The linker runs no constructors, and there is no dynamic linker that
    // makes storage per thread. llvm.global_ctors, llvm.used and the like have
    // the reserved prefix.
    if (variable.isThreadLocal())
      return makeError("thread-local variable `" + variable.getName() +
                       "` is not supported");
    if (variable.getName().starts_with("llvm.") || variable.hasSection() ||
        variable.hasComdat() || variable.hasAppendingLinkage() ||
        variable.getAddressSpace() != 0 || variable.getCodeModel())
      return makeError("variable `" + variable.getName() +
                       "` is not a plain C variable");
    if (llvm::Error error = types.check(variable.getValueType()))
      return error;
  }
  for (const llvm::Function &function : module)
    if (llvm::Error error = checkFunction(function, types))
      return error;
  return llvm::Error::success();
}
