//===- LazyAttrs.cpp - Attributes and element types -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.h"
#include "tinygrad/Dialect/Lazy/IR/LazyDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;

#define GET_ATTRDEF_CLASSES
#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.cpp.inc"

void LazyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

std::optional<DType> lazy::getDType(Type type) {
  if (type.isF16())
    return DType::Float16;
  if (type.isBF16())
    return DType::BFloat16;
  if (type.isF32())
    return DType::Float32;
  if (type.isF64())
    return DType::Float64;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return isUnsigned ? std::nullopt : std::optional(DType::Bool);
  case 8:
    return isUnsigned ? DType::UInt8 : DType::Int8;
  case 16:
    return isUnsigned ? DType::UInt16 : DType::Int16;
  case 32:
    return isUnsigned ? DType::UInt32 : DType::Int32;
  case 64:
    return isUnsigned ? DType::UInt64 : DType::Int64;
  default:
    return std::nullopt;
  }
}

Type lazy::getElementType(MLIRContext *context, DType type) {
  Builder builder(context);
  switch (type) {
  case DType::Float16:
    return builder.getF16Type();
  case DType::BFloat16:
    return builder.getBF16Type();
  case DType::Float32:
    return builder.getF32Type();
  case DType::Float64:
    return builder.getF64Type();
  case DType::Bool:
    return builder.getI1Type();
  default:
    break;
  }
  unsigned width = getByteWidth(type) * 8;
  return tinygrad::isUnsigned(type)
             ? builder.getIntegerType(width, /*isSigned=*/false)
             : builder.getIntegerType(width);
}

Type lazy::getMemoryType(MLIRContext *context, DType type) {
  if (isFloat(type))
    return getElementType(context, type);
  return IntegerType::get(context, getByteWidth(type) * 8);
}

RankedTensorType lazy::getTensorType(MLIRContext *context,
                                     const ops::Shape &shape, DType type) {
  return RankedTensorType::get(shape, getElementType(context, type));
}

bool lazy::isGraphTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !tensor.getEncoding() &&
         getDType(tensor.getElementType()) &&
         ops::getNumElements(lazy::getShape(tensor));
}

ops::Shape lazy::getShape(ShapedType type) { return type.getShape().vec(); }

DenseElementsAttr lazy::getSplatAttr(RankedTensorType type,
                                     const ops::Scalar &value) {
  Type element = type.getElementType();
  if (auto floatType = dyn_cast<FloatType>(element)) {
    APFloat number(value.toDouble());
    bool losesInfo;
    number.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return DenseElementsAttr::get(type, number);
  }
  unsigned width = cast<IntegerType>(element).getWidth();
  uint64_t bits = static_cast<uint64_t>(value.toInt());
  return DenseElementsAttr::get(
      type, APInt(width, bits, /*isSigned=*/false, /*implicitTrunc=*/true));
}

ops::Scalar lazy::getSplatScalar(DenseElementsAttr splat) {
  DType type = *getDType(splat.getElementType());
  if (isFloat(type))
    return ops::Scalar::fromDouble(type, [&] {
      APFloat number = splat.getSplatValue<APFloat>();
      bool losesInfo;
      number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
      return number.convertToDouble();
    }());
  APInt bits = splat.getSplatValue<APInt>();
  return isUnsigned(type) ? ops::Scalar::fromUInt(type, bits.getZExtValue())
                          : ops::Scalar::fromInt(type, bits.getSExtValue());
}

//===----------------------------------------------------------------------===//
// ViewAttr
//===----------------------------------------------------------------------===//

ViewAttr ViewAttr::get(MLIRContext *context, const shape::View &view) {
  SmallVector<int64_t> mask;
  if (const shape::Mask *ranges = view.getMask())
    for (auto [begin, end] : *ranges)
      mask.append({begin, end});
  return get(context, view.getShape(), view.getStrides(), view.getOffset(),
             mask);
}

shape::View ViewAttr::getView() const {
  std::optional<shape::Mask> mask;
  if (!getMask().empty()) {
    mask.emplace();
    for (size_t i = 0; i < getMask().size(); i += 2)
      mask->emplace_back(getMask()[i], getMask()[i + 1]);
  }
  return shape::View::create(getShape().vec(), getStrides().vec(), getOffset(),
                             std::move(mask));
}

static void printInts(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

static ParseResult parseInts(AsmParser &parser,
                             SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

/// Parses `[[b, e], …]` into b, e, ….
static ParseResult parseRanges(AsmParser &parser,
                               SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    size_t before = values.size();
    SMLoc loc = parser.getCurrentLocation();
    if (parseInts(parser, values))
      return ParseResult(failure());
    if (values.size() - before != 2)
      return ParseResult(parser.emitError(
          loc, "expects a mask range of two numbers, [begin, end]"));
    return ParseResult(success());
  });
}

/// Prints the part of a view between `<` and `>`. Defaults are left out.
static void printViewBody(AsmPrinter &printer, ViewAttr view) {
  printInts(printer, view.getShape());
  if (view.getStrides() !=
      ArrayRef<int64_t>(shape::getRowMajorStrides(view.getShape()))) {
    printer << ", strides = ";
    printInts(printer, view.getStrides());
  }
  if (view.getOffset() != 0)
    printer << ", offset = " << view.getOffset();
  if (view.getMask().empty())
    return;
  printer << ", mask = [";
  ArrayRef<int64_t> mask = view.getMask();
  for (size_t i = 0; i < mask.size(); i += 2)
    printer << (i ? ", [" : "[") << mask[i] << ", " << mask[i + 1] << ']';
  printer << ']';
}

/// Parses the part of a view between `<` and `>`, or up to a `, then`, which it
/// consumes and reports in `hasNext`.
static FailureOr<ViewAttr> parseViewBody(AsmParser &parser, bool *hasNext) {
  SmallVector<int64_t> dims, strides, mask;
  int64_t offset = 0;
  bool hasStrides = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parseInts(parser, dims))
    return failure();
  if (hasNext)
    *hasNext = false;
  // Extents and strides are checked after the parse, but the default strides
  // need products that fit.
  for (int64_t extent : dims)
    if (extent < 0)
      return parser.emitError(loc, "expects extents that are not negative"),
             failure();
  if (!ops::getNumElements(ops::Shape(dims.begin(), dims.end())))
    return parser.emitError(
               loc, "expects a shape whose number of elements fits in 62 bits"),
           failure();
  while (succeeded(parser.parseOptionalComma())) {
    if (hasNext && succeeded(parser.parseOptionalKeyword("then"))) {
      *hasNext = true;
      break;
    }
    StringRef field;
    SMLoc fieldLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&field) || parser.parseEqual())
      return failure();
    if (field == "strides") {
      hasStrides = true;
      if (parseInts(parser, strides))
        return failure();
    } else if (field == "offset") {
      if (parser.parseInteger(offset))
        return failure();
    } else if (field == "mask") {
      if (parseRanges(parser, mask))
        return failure();
    } else {
      return parser.emitError(fieldLoc)
                 << "expects `strides`, `offset` or `mask`, got `" << field
                 << "`",
             failure();
    }
  }
  if (!hasStrides) {
    shape::Dims rowMajor = shape::getRowMajorStrides(dims);
    strides.assign(rowMajor.begin(), rowMajor.end());
  }
  auto emitError = [&] { return parser.emitError(loc); };
  MLIRContext *context = parser.getContext();
  if (failed(ViewAttr::verify(emitError, dims, strides, offset, mask)))
    return failure();
  // The canonical form is what passes compute with.
  return ViewAttr::get(
      context, ViewAttr::get(context, dims, strides, offset, mask).getView());
}

void ViewAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printViewBody(printer, *this);
  printer << '>';
}

Attribute ViewAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<ViewAttr> view = parseViewBody(parser, nullptr);
  if (failed(view) || parser.parseGreater())
    return {};
  return *view;
}

/// Adds `a * b` to `sum`; returns false if that does not fit in 62 bits, which
/// leaves room for the arithmetic of compositions.
static bool addProduct(int64_t a, int64_t b, int64_t &sum) {
  constexpr int64_t limit = int64_t(1) << 62;
  int64_t product;
  return !__builtin_mul_overflow(a, b, &product) &&
         !__builtin_add_overflow(sum, product, &sum) && sum < limit &&
         sum > -limit;
}

LogicalResult ViewAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> strides, int64_t offset,
                               ArrayRef<int64_t> mask) {
  // view_c1
  if (strides.size() != shape.size())
    return emitError() << "expects one stride per axis, got " << strides.size()
                       << " for " << shape.size() << " axes";
  // view_c3
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }))
    return emitError() << "expects extents that are not negative";
  if (!ops::getNumElements(shape.vec()))
    return emitError()
           << "expects a shape whose number of elements fits in 62 bits";
  // view_c2
  if (!mask.empty() && mask.size() != 2 * shape.size())
    return emitError() << "expects one mask range per axis, got "
                       << mask.size() / 2 << " for " << shape.size() << " axes";
  int64_t lowest = 0, highest = 0;
  if (!addProduct(1, offset, lowest) || !addProduct(1, offset, highest))
    return emitError() << "expects an offset that fits in 62 bits, got "
                       << offset;
  auto getRange = [&](size_t axis) -> std::pair<int64_t, int64_t> {
    if (mask.empty())
      return {0, shape[axis]};
    return {mask[2 * axis], mask[2 * axis + 1]};
  };
  bool isEmpty = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    auto [begin, end] = getRange(i);
    if (begin < 0 || end < begin || end > shape[i])
      return emitError() << "expects mask range [" << begin << ", " << end
                         << "] to lie inside of extent " << shape[i];
    isEmpty |= begin == end;
  }
  // Nothing is read, whatever the other axes are.
  if (isEmpty)
    return success();
  for (size_t i = 0; i < shape.size(); ++i) {
    auto [begin, end] = getRange(i);
    int64_t first = 0, last = 0;
    if (!addProduct(begin, strides[i], first) ||
        !addProduct(end - 1, strides[i], last) ||
        !addProduct(1, std::min(first, last), lowest) ||
        !addProduct(1, std::max(first, last), highest))
      return emitError() << "expects indices that fit in 62 bits";
  }
  // view_c4
  if (lowest < 0)
    return emitError() << "expects no negative index, got " << lowest;
  return success();
}

//===----------------------------------------------------------------------===//
// ShapeTrackerAttr
//===----------------------------------------------------------------------===//

ShapeTrackerAttr ShapeTrackerAttr::get(MLIRContext *context,
                                       const shape::ShapeTracker &tracker) {
  SmallVector<ViewAttr> views;
  for (const shape::View &view : tracker.getViews())
    views.push_back(ViewAttr::get(context, view));
  return get(context, views);
}

shape::ShapeTracker ShapeTrackerAttr::getTracker() const {
  std::vector<shape::View> views;
  for (ViewAttr view : getViews())
    views.push_back(view.getView());
  return shape::ShapeTracker::fromViews(std::move(views));
}

/// Returns 1 + the largest index that `view` by itself reads, 0 for none.
static int64_t getReach(ViewAttr view) {
  return shape::ShapeTracker::fromViews({view.getView()}).getBufferSize();
}

int64_t ShapeTrackerAttr::getRequiredSize() const {
  return getReach(getViews().front());
}

ArrayRef<int64_t> ShapeTrackerAttr::getShape() const {
  return getViews().back().getShape();
}

void ShapeTrackerAttr::print(AsmPrinter &printer) const {
  printer << '<';
  bool isFirst = true;
  for (ViewAttr view : getViews()) {
    if (!isFirst)
      printer << ", then ";
    isFirst = false;
    printViewBody(printer, view);
  }
  printer << '>';
}

Attribute ShapeTrackerAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  SmallVector<ViewAttr> views;
  for (bool hasNext = true; hasNext;) {
    FailureOr<ViewAttr> view = parseViewBody(parser, &hasNext);
    if (failed(view))
      return {};
    views.push_back(*view);
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ShapeTrackerAttr>(loc, parser.getContext(), views);
}

LogicalResult
ShapeTrackerAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         ArrayRef<ViewAttr> views) {
  // shape_tracker_c1
  if (views.empty())
    return emitError() << "expects at least one view";
  // shape_tracker_c2
  for (auto [inner, outer] : llvm::zip(views.drop_back(), views.drop_front())) {
    int64_t available = *ops::getNumElements(inner.getShape().vec());
    int64_t used = getReach(outer);
    if (used > available)
      return emitError() << "expects a view that reads no more than the "
                         << available
                         << " elements of the view before it, got one that "
                            "reads "
                         << used;
  }
  return success();
}
