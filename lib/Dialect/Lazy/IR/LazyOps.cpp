//===- LazyOps.cpp - Elementwise, reduce and load operations --------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"
#include "Fold.h"

#include "tinygrad/Ops/SymbolicShape.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using shape::IndexExpr;

#include "tinygrad/Dialect/Lazy/IR/LazyInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "tinygrad/Dialect/Lazy/IR/LazyOps.cpp.inc"

//===----------------------------------------------------------------------===//
// What all compute operations share
//===----------------------------------------------------------------------===//

bool lazy::detail::isSymbolic(Operation *op) {
  auto isDynamic = [](Type type) {
    return !cast<RankedTensorType>(type).hasStaticShape();
  };
  if (llvm::any_of(op->getOperandTypes(), isDynamic) ||
      llvm::any_of(op->getResultTypes(), isDynamic))
    return true;
  // Only movement operations have sizes that no type has.
  return isa<MovementOpInterface>(op) &&
         llvm::any_of(cast<ComputeOpInterface>(op).getSizes(),
                      [](const IndexExpr &size) { return !size.isConstant(); });
}

bool lazy::isSymbolic(Operation *op) {
  if (isa<ComputeOpInterface>(op))
    return detail::isSymbolic(op);
  auto isDynamic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  if (llvm::any_of(op->getOperandTypes(), isDynamic) ||
      llvm::any_of(op->getResultTypes(), isDynamic))
    return true;
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getTracker().isSymbolic();
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getTracker().isSymbolic();
  auto view = dyn_cast<ViewOp>(op);
  return view && view.getTracker().isSymbolic();
}

std::vector<IndexExpr> lazy::getVariables(Operation *op) {
  std::vector<IndexExpr> exprs;
  auto addType = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      llvm::append_range(exprs, getSymbolicShape(tensor));
  };
  auto addView = [&](ShapeTrackerAttr tracker) {
    llvm::append_range(exprs, tracker.getSymbolicTracker().getVariables());
  };
  if (auto load = dyn_cast<LoadOp>(op)) {
    addView(load.getTracker());
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    addView(store.getTracker());
  } else {
    llvm::for_each(op->getOperandTypes(), addType);
    llvm::for_each(op->getResultTypes(), addType);
    if (auto view = dyn_cast<ViewOp>(op))
      addView(view.getTracker());
    if (auto compute = dyn_cast<ComputeOpInterface>(op))
      llvm::append_range(exprs, compute.getSizes());
  }
  return shape::collectVariables(exprs);
}

bool lazy::isPlain(Operation *op) {
  auto isElsewhere = [](Type type) {
    return isa<RankedTensorType>(type) && !isPlainTensor(type);
  };
  return !isSymbolic(op) && llvm::none_of(op->getOperandTypes(), isElsewhere) &&
         llvm::none_of(op->getResultTypes(), isElsewhere);
}

LogicalResult lazy::verifyPlain(Operation *op) {
  if (isPlain(op))
    return success();
  return op->emitOpError()
         << "expects sizes that are numbers, and the default device; run "
            "`lazy-bind-variables` first to give variables numbers";
}

ops::OpAttributes lazy::detail::getOpAttributes(Operation *op) {
  ops::OpAttributes attributes;
  for (const IndexExpr &size : cast<ComputeOpInterface>(op).getSizes())
    attributes.ints.push_back(size.getValue());
  return attributes;
}

/// Checks that the shape of the result follows from what `op` has, where sizes
/// are expressions.
static LogicalResult verifySymbolicShape(ComputeOpInterface op) {
  std::vector<shape::SymbolicDims> shapes;
  for (Type type : op->getOperandTypes())
    shapes.push_back(getSymbolicShape(cast<RankedTensorType>(type)));
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  shape::SymbolicDims expected, got = getSymbolicShape(resultType);
  std::vector<IndexExpr> sizes = op.getSizes();
  SmallVector<IndexExpr> all(got.begin(), got.end());
  llvm::append_range(all, sizes);
  for (const shape::SymbolicDims &shape : shapes)
    llvm::append_range(all, shape);
  std::string error;
  if (!haveConsistentVariables(all, error))
    return op->emitOpError()
           << "expects one range for variable '" << error << "', got two";
  if (!ops::inferSymbolicShape(op.getKind(), shapes, sizes, expected, error))
    return op->emitOpError() << error;
  if (expected != got)
    return op->emitOpError()
           << "expects result shape " << shape::toString(expected) << ", got "
           << shape::toString(got);
  return success();
}

LogicalResult lazy::detail::verifyComputeOp(Operation *op) {
  auto compute = cast<ComputeOpInterface>(op);
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  std::vector<ops::Shape> shapes;
  std::vector<DType> types;
  for (Value operand : op->getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    shapes.push_back(lazy::getShape(type));
    types.push_back(*getDType(type.getElementType()));
    if (getDevice(type) != getDevice(resultType))
      return op->emitOpError()
             << "expects operands and result on one device, got '"
             << getDevice(type) << "' and '" << getDevice(resultType) << "'";
  }
  std::string error;
  if (!ops::verifyTypes(compute.getKind(), types,
                        *getDType(resultType.getElementType()), error))
    return op->emitOpError() << error;
  if (compute.isSymbolic())
    return verifySymbolicShape(compute);
  ops::Shape shape;
  if (!ops::inferShape(compute.getKind(), shapes, compute.getOpAttributes(),
                       shape, error))
    return op->emitOpError() << error;
  if (ArrayRef<int64_t>(shape) != resultType.getShape())
    return op->emitOpError()
           << "expects result shape " << ops::toString(shape) << ", got "
           << ops::toString(lazy::getShape(resultType));
  return success();
}

Value lazy::createConstant(OpBuilder &builder, Location loc,
                           RankedTensorType type, const ops::Scalar &value) {
  if (type.hasStaticShape())
    return ConstOp::create(builder, loc, getSplatAttr(type, value));
  shape::SymbolicDims ones(type.getRank(), 1);
  Value one =
      ConstOp::create(builder, loc, getSplatAttr(withShape(type, ones), value));
  return ExpandOp::create(builder, loc, type, one);
}

/// Makes an operation of type `OpT` out of what all kinds have.
template <typename OpT>
static Value createOp(OpBuilder &builder, Location loc, ValueRange operands,
                      RankedTensorType type, ArrayRef<IndexExpr> sizes) {
  MLIRContext *context = builder.getContext();
  if constexpr (std::is_same_v<OpT, PermuteOp> ||
                std::is_same_v<OpT, StrideOp>) {
    return OpT::create(builder, loc, type, operands[0],
                       *shape::toNumbers(sizes));
  } else if constexpr (std::is_same_v<OpT, PadOp> ||
                       std::is_same_v<OpT, ShrinkOp>) {
    SmallVector<IndexExpr> first, second;
    for (size_t i = 0; i < sizes.size(); i += 2) {
      first.push_back(sizes[i]);
      second.push_back(sizes[i + 1]);
    }
    return OpT::create(builder, loc, type, operands[0],
                       SizesAttr::get(context, first),
                       SizesAttr::get(context, second));
  } else if constexpr (std::is_same_v<OpT, AsStridedOp>) {
    int64_t rank = type.getRank();
    return OpT::create(builder, loc, type, operands[0],
                       SizesAttr::get(context, sizes.slice(rank, rank)),
                       SizesAttr::get(context, sizes.back()));
  } else {
    return OpT::create(builder, loc, TypeRange(type), operands,
                       ArrayRef<NamedAttribute>());
  }
}

Value lazy::createCompute(OpBuilder &builder, Location loc, ops::OpKind kind,
                          ValueRange operands, RankedTensorType type,
                          const ops::OpAttributes &attributes) {
  shape::SymbolicDims sizes(attributes.ints.begin(), attributes.ints.end());
  return createCompute(builder, loc, kind, operands, type, sizes);
}

Value lazy::createCompute(OpBuilder &builder, Location loc, ops::OpKind kind,
                          ValueRange operands, RankedTensorType type,
                          ArrayRef<IndexExpr> sizes) {
  switch (kind) {
#define LAZY_CREATE(Kind)                                                      \
  case ops::OpKind::Kind:                                                      \
    return createOp<Kind##Op>(builder, loc, operands, type, sizes);
    LAZY_CREATE(Noop)
    LAZY_CREATE(Exp2)
    LAZY_CREATE(Log2)
    LAZY_CREATE(Exp)
    LAZY_CREATE(Log)
    LAZY_CREATE(Cast)
    LAZY_CREATE(Bitcast)
    LAZY_CREATE(Sin)
    LAZY_CREATE(Sqrt)
    LAZY_CREATE(Recip)
    LAZY_CREATE(Neg)
    LAZY_CREATE(Not)
    LAZY_CREATE(Add)
    LAZY_CREATE(Sub)
    LAZY_CREATE(Mul)
    LAZY_CREATE(Div)
    LAZY_CREATE(Max)
    LAZY_CREATE(Mod)
    LAZY_CREATE(CmpLt)
    LAZY_CREATE(CmpEq)
    LAZY_CREATE(Xor)
    LAZY_CREATE(Pow)
    LAZY_CREATE(MulAcc)
    LAZY_CREATE(Where)
    LAZY_CREATE(ReduceSum)
    LAZY_CREATE(ReduceMax)
    LAZY_CREATE(Reshape)
    LAZY_CREATE(Permute)
    LAZY_CREATE(Expand)
    LAZY_CREATE(Pad)
    LAZY_CREATE(Shrink)
    LAZY_CREATE(Stride)
    LAZY_CREATE(AsStrided)
#undef LAZY_CREATE
  case ops::OpKind::Contiguous:
    return ContiguousOp::create(builder, loc, type, operands[0]);
  case ops::OpKind::Assign:
    return AssignOp::create(builder, loc, type, operands[0], operands[1]);
  case ops::OpKind::Empty:
  case ops::OpKind::Const:
  case ops::OpKind::Copy:
  case ops::OpKind::Custom:
  case ops::OpKind::FromCPU:
    break;
  }
  llvm_unreachable("not a compute operation");
}

//===----------------------------------------------------------------------===//
// ConstOp
//===----------------------------------------------------------------------===//

OpFoldResult ConstOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstOp::verify() {
  // const_c1
  auto splat = dyn_cast<DenseElementsAttr>(getValue());
  if (!splat || (!splat.isSplat() && splat.getNumElements() != 0))
    return emitOpError() << "expects one value for all elements, got "
                         << getValue().getShapedType().getNumElements()
                         << " values";
  return success();
}

ops::Scalar ConstOp::getScalar() {
  auto splat = cast<DenseElementsAttr>(getValue());
  // A splat of no elements has no value; any serves.
  if (!splat.isSplat())
    return ops::Scalar::fromInt(*getDType(getType().getElementType()), 0);
  return getSplatScalar(splat);
}

//===----------------------------------------------------------------------===//
// ContiguousOp
//===----------------------------------------------------------------------===//

OpFoldResult ContiguousOp::fold(FoldAdaptor) {
  // A buffer of its own is there already. A constant is not enough: the buffer
  // is what was asked for.
  if (getSource().getDefiningOp<ContiguousOp>())
    return replaceBy(*this, getSource());
  return {};
}

//===----------------------------------------------------------------------===//
// CustomOp
//===----------------------------------------------------------------------===//

LogicalResult CustomOp::verify() {
  // custom_c1
  bool onMemory = !getOperands().empty() &&
                  llvm::all_of(getOperandTypes(), llvm::IsaPred<MemRefType>);
  bool onTensors =
      llvm::all_of(getOperandTypes(), llvm::IsaPred<RankedTensorType>);
  if (!onMemory && !onTensors)
    return emitOpError() << "expects operands that are all tensors or all "
                            "memrefs";
  if (onTensors && !getResult())
    return emitOpError() << "expects one result on tensors, got none";
  if (onMemory && getResult())
    return emitOpError() << "expects no result on memrefs, got one";
  return success();
}
