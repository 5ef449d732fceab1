//===- GPUToLLVM.cpp - Functions of a GPU in the llvm dialect -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's own conversions serve other ends: the one to nvvm calls functions of
// NVIDIA's library even for a square root, and the one for SPIR-V passes
// memrefs as structs of sizes and strides. Their patterns are used here; a
// buffer is one pointer, and for SPIR-V a bf16, which it lacks, is its bits.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Conversion/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToLLVMSPV/GPUToLLVMSPVPass.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tinygrad {
#define GEN_PASS_DEF_CONVERTGPUTOCUDAPASS
#define GEN_PASS_DEF_CONVERTGPUTOOPENCLPASS
#include "tinygrad/Conversion/Passes.h.inc"
} // namespace tinygrad

namespace {

/// A number of bf16 is that of its bits.
struct ConvertConstant : ConvertOpToLLVMPattern<arith::ConstantOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp constant, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!constant.getType().isBF16())
      return rewriter.notifyMatchFailure(constant, "not of bf16");
    APInt bits =
        cast<FloatAttr>(constant.getValue()).getValue().bitcastToAPInt();
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(
        constant, rewriter.getI16Type(),
        rewriter.getI16IntegerAttr(static_cast<int16_t>(bits.getZExtValue())));
    return success();
  }
};

/// bf16 is the upper half of f32.
struct ConvertExtension : ConvertOpToLLVMPattern<arith::ExtFOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(arith::ExtFOp extension, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!extension.getIn().getType().isBF16())
      return rewriter.notifyMatchFailure(extension, "not of bf16");
    ImplicitLocOpBuilder b(extension.getLoc(), rewriter);
    Type i32 = b.getI32Type();
    Value bits = LLVM::ZExtOp::create(b, i32, adaptor.getIn());
    bits = LLVM::ShlOp::create(
        b, bits, LLVM::ConstantOp::create(b, i32, b.getI32IntegerAttr(16)));
    Value value = LLVM::BitcastOp::create(b, b.getF32Type(), bits);
    if (!extension.getType().isF32())
      value = LLVM::FPExtOp::create(b, extension.getType(), value);
    rewriter.replaceOp(extension, value);
    return success();
  }
};

/// Rounds to the nearest, ties to even, by integer operations.
struct ConvertTruncation : ConvertOpToLLVMPattern<arith::TruncFOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(arith::TruncFOp truncation, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!truncation.getType().isBF16())
      return rewriter.notifyMatchFailure(truncation, "not to bf16");
    ImplicitLocOpBuilder b(truncation.getLoc(), rewriter);
    Type i32 = b.getI32Type(), f32 = b.getF32Type();
    auto number = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, i32, b.getI32IntegerAttr(value));
    };
    Value value = adaptor.getIn();
    Value bits;
    if (value.getType().isF64()) {
      // To f32 by rounding to odd: the last bit keeps what would decide a tie,
      // so that two roundings are as one.
      Value single = LLVM::FPTruncOp::create(b, f32, value);
      Value back = LLVM::FPExtOp::create(b, value.getType(), single);
      Value isExact =
          LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::ueq, back, value);
      Value isLarger = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::ogt,
                                            LLVM::FAbsOp::create(b, back),
                                            LLVM::FAbsOp::create(b, value));
      bits = LLVM::BitcastOp::create(b, i32, single);
      Value less = LLVM::SubOp::create(b, bits, number(1));
      Value odd = LLVM::OrOp::create(
          b, LLVM::SelectOp::create(b, isLarger, less, bits), number(1));
      bits = LLVM::SelectOp::create(b, isExact, bits, odd);
      value = LLVM::BitcastOp::create(b, f32, bits);
    } else {
      if (!value.getType().isF32())
        value = LLVM::FPExtOp::create(b, f32, value);
      bits = LLVM::BitcastOp::create(b, i32, value);
    }
    // Half of the last place, less where that would round a tie to odd.
    Value last = LLVM::AndOp::create(
        b, LLVM::LShrOp::create(b, bits, number(16)), number(1));
    Value rounded = LLVM::AddOp::create(
        b, bits, LLVM::AddOp::create(b, last, number(0x7fff)));
    Value isNaN =
        LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::uno, value, value);
    // A NaN stays one, whichever of its bits are dropped.
    Value quiet = LLVM::OrOp::create(b, bits, number(0x400000));
    rounded = LLVM::SelectOp::create(b, isNaN, quiet, rounded);
    rewriter.replaceOpWithNewOp<LLVM::TruncOp>(
        truncation, b.getI16Type(),
        LLVM::LShrOp::create(b, rounded, number(16)));
    return success();
  }
};

/// Rounds an integer to the nearest bf16, ties to even: its leading bits, and
/// the place of the first.
template <typename OpT>
struct ConvertFromInteger : ConvertOpToLLVMPattern<OpT> {
  using ConvertOpToLLVMPattern<OpT>::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isBF16())
      return rewriter.notifyMatchFailure(op, "not to bf16");
    constexpr bool isSigned = std::is_same_v<OpT, arith::SIToFPOp>;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value value = adaptor.getIn();
    unsigned width = std::max(value.getType().getIntOrFloatBitWidth(), 32u);
    Type type = b.getIntegerType(width);
    if (value.getType() != type)
      value = isSigned ? Value(LLVM::SExtOp::create(b, type, value))
                       : Value(LLVM::ZExtOp::create(b, type, value));
    auto number = [&](const APInt &constant) -> Value {
      return LLVM::ConstantOp::create(b, type,
                                      b.getIntegerAttr(type, constant));
    };
    auto small = [&](uint64_t constant) {
      return number(APInt(width, constant));
    };
    Value zero = small(0), sign = zero;
    if (isSigned) {
      Value isNegative =
          LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::slt, value, zero);
      value = LLVM::SelectOp::create(
          b, isNegative, LLVM::SubOp::create(b, zero, value), value);
      sign = LLVM::SelectOp::create(b, isNegative, small(0x8000), zero);
    }
    // A shift by the width would be poison: 0 is chosen at the end.
    Value isZero =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, value, zero);
    Value places = LLVM::CountLeadingZerosOp::create(
        b, type, LLVM::SelectOp::create(b, isZero, small(1), value),
        /*is_zero_poison=*/false);
    value = LLVM::ShlOp::create(b, value, places);
    // Eight bits stay, of which the first is not stored.
    Value kept = LLVM::LShrOp::create(b, value, small(width - 8));
    Value lost = LLVM::ShlOp::create(b, value, small(8));
    Value half = number(APInt::getSignMask(width));
    Value isMore =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ugt, lost, half);
    Value isTie = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, lost, half);
    Value isOdd = LLVM::TruncOp::create(b, b.getI1Type(), kept);
    Value isUp =
        LLVM::OrOp::create(b, isMore, LLVM::AndOp::create(b, isTie, isOdd));
    // The first bit adds 1 to the exponent, and so may a carry.
    constexpr unsigned bias = 127;
    Value exponent = LLVM::SubOp::create(b, small(bias + width - 2), places);
    Value bits = LLVM::AddOp::create(
        b, LLVM::ShlOp::create(b, exponent, small(7)), kept);
    bits = LLVM::AddOp::create(b, bits, LLVM::ZExtOp::create(b, type, isUp));
    bits = LLVM::SelectOp::create(b, isZero, zero,
                                  LLVM::OrOp::create(b, bits, sign));
    rewriter.replaceOpWithNewOp<LLVM::TruncOp>(op, b.getI16Type(), bits);
    return success();
  }
};

} // namespace

/// Buffers are pointers; `index` is as wide as the module says.
static LowerToLLVMOptions getOptions(gpu::GPUModuleOp module) {
  LowerToLLVMOptions options(module.getContext(), DataLayout(module));
  options.useBarePtrCallConv = true;
  return options;
}

/// Adds what is the same for all targets. Before these patterns others of
/// benefit 1 serve no operation.
static void addCommonPatterns(LLVMTypeConverter &converter,
                              RewritePatternSet &patterns) {
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/2);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
}

/// Checks that `index` becomes an integer that processors have: code generators
/// end the process at others.
static LogicalResult verifyIndexWidth(gpu::GPUModuleOp module) {
  Type index = IndexType::get(module.getContext());
  uint64_t bits = DataLayout(module).getTypeSizeInBits(index).getFixedValue();
  if (bits == 32 || bits == 64)
    return success();
  return module.emitOpError()
         << "expects a data layout with an index of 32 or 64 bits, got "
         << bits;
}

static LogicalResult convertModule(gpu::GPUModuleOp module,
                                   RewritePatternSet &&patterns) {
  LLVMConversionTarget target(*module.getContext());
  target.addLegalOp<gpu::GPUModuleOp>();
  target.addLegalDialect<NVVM::NVVMDialect>();
  return applyFullConversion(module, target, std::move(patterns));
}

namespace {

struct ConvertGPUToCUDAPass
    : tinygrad::impl::ConvertGPUToCUDAPassBase<ConvertGPUToCUDAPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(verifyIndexWidth(module)))
      return signalPassFailure();
    RewritePatternSet rewrites(&getContext());
    populateGpuGlobalIdPatterns(rewrites);
    if (failed(applyPatternsGreedily(module, std::move(rewrites))))
      return signalPassFailure();
    LLVMTypeConverter converter(&getContext(), getOptions(module));
    configureGpuToNVVMTypeConverter(converter);
    RewritePatternSet patterns(&getContext());
    addCommonPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    if (failed(convertModule(module, std::move(patterns))))
      signalPassFailure();
  }
};

struct ConvertGPUToOpenCLPass
    : tinygrad::impl::ConvertGPUToOpenCLPassBase<ConvertGPUToOpenCLPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(verifyIndexWidth(module)))
      return signalPassFailure();
    LLVMTypeConverter converter(&getContext(), getOptions(module));
    converter.addConversion([](BFloat16Type type) {
      return IntegerType::get(type.getContext(), 16);
    });
    populateGpuMemorySpaceAttributeConversions(converter);
    RewritePatternSet patterns(&getContext());
    addCommonPatterns(converter, patterns);
    populateGpuToLLVMSPVConversionPatterns(converter, patterns);
    patterns.add<ConvertConstant, ConvertExtension, ConvertTruncation,
                 ConvertFromInteger<arith::SIToFPOp>,
                 ConvertFromInteger<arith::UIToFPOp>>(converter,
                                                      /*benefit=*/2);
    if (failed(convertModule(module, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
