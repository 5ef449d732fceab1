//===- InferTypes.cpp - Result types that follow from operands ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;

RankedTensorType lazy::detail::withShape(Type type, ArrayRef<int64_t> shape) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(shape, tensor.getElementType(),
                               tensor.getEncoding());
}

RankedTensorType lazy::detail::withElementType(Type type, Type element) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), element,
                               tensor.getEncoding());
}

/// Adds the type that a movement of `source` gives by the rules of `Ops/`.
static LogicalResult inferMovement(std::optional<Location> location,
                                   ops::OpKind kind, Value source,
                                   std::vector<int64_t> ints,
                                   SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(source.getType());
  if (!type)
    return emitOptionalError(location, "expects a ranked tensor, got ",
                             source.getType());
  ops::Shape shape;
  std::string error;
  if (!ops::inferShape(kind, {lazy::getShape(type)}, {std::move(ints), {}, {}},
                       shape, error))
    return emitOptionalError(location, error);
  types.push_back(lazy::detail::withShape(type, shape));
  return success();
}

/// Joins two lists into first0, second0, first1, …; a list that `Ops/` refuses
/// where one is longer.
static std::vector<int64_t> interleave(ArrayRef<int64_t> first,
                                       ArrayRef<int64_t> second) {
  if (first.size() != second.size())
    return {0};
  std::vector<int64_t> result;
  for (auto [a, b] : llvm::zip(first, second))
    result.insert(result.end(), {a, b});
  return result;
}

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferMovement(location, kind, adaptor.getSource(),
                       adaptor.getOrder().vec(), types);
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
                       adaptor.getSteps().vec(), types);
}

LogicalResult ViewOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getSource().getType());
  if (!type)
    return emitOptionalError(location, "expects a ranked tensor, got ",
                             adaptor.getSource().getType());
  types.push_back(
      lazy::detail::withShape(type, adaptor.getTracker().getShape()));
  return success();
}
