//===- InferTypes.cpp - Result types that follow from operands ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"
#include "tinygrad/Ops/SymbolicShape.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;

RankedTensorType lazy::detail::withShape(Type type, ArrayRef<int64_t> shape) {
  return lazy::withShape(cast<RankedTensorType>(type),
                         shape::SymbolicDims(shape.begin(), shape.end()));
}

RankedTensorType lazy::detail::withElementType(Type type, Type element) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), element,
                               tensor.getEncoding());
}

/// Adds the type that a movement of `source` gives by the rules of `Ops/`.
static LogicalResult inferMovement(std::optional<Location> location,
                                   ops::OpKind kind, Value source,
                                   const shape::SymbolicDims &sizes,
                                   SmallVectorImpl<Type> &types) {
  if (!isGraphTensor(source.getType()))
    return emitOptionalError(location,
                             "expects a tensor of the lazy dialect, got ",
                             source.getType());
  auto type = cast<RankedTensorType>(source.getType());
  shape::SymbolicDims shape;
  std::string error;
  if (!ops::inferSymbolicShape(kind, {getSymbolicShape(type)}, sizes, shape,
                               error))
    return emitOptionalError(location, error);
  types.push_back(lazy::withShape(type, shape));
  return success();
}

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferMovement(location, kind, adaptor.getSource(),
                       makeConstants(adaptor.getOrder()), types);
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return inferMovement(location, kind, adaptor.getSource(),
                       interleave(adaptor.getLow(), adaptor.getHigh()), types);
}

LogicalResult ShrinkOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferMovement(location, kind, adaptor.getSource(),
                       interleave(adaptor.getBegin(), adaptor.getEnd()), types);
}

LogicalResult StrideOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferMovement(location, kind, adaptor.getSource(),
                       makeConstants(adaptor.getSteps()), types);
}

LogicalResult ViewOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getSource().getType());
  if (!type)
    return emitOptionalError(location, "expects a ranked tensor, got ",
                             adaptor.getSource().getType());
  types.push_back(lazy::withShape(
      type, adaptor.getTracker().getSymbolicTracker().getShape()));
  return success();
}
