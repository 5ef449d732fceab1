//===- ViewAttr.cpp - Views and ShapeTrackers -----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.h"
#include "tinygrad/Dialect/Lazy/IR/LazyDialect.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using shape::IndexExpr;

//===----------------------------------------------------------------------===//
// ViewAttr
//===----------------------------------------------------------------------===//

/// Returns the mask of `view` as begin, end, begin, …; empty without a mask.
static SmallVector<int64_t> getMaskNumbers(const shape::View &view) {
  SmallVector<int64_t> mask;
  if (const shape::Mask *ranges = view.getMask())
    for (auto [begin, end] : *ranges)
      mask.append({begin, end});
  return mask;
}

ViewAttr ViewAttr::get(MLIRContext *context, const shape::View &view) {
  return get(context, view.getShape(), view.getStrides(), view.getOffset(),
             getMaskNumbers(view), SymbolicViewParam());
}

ViewAttr ViewAttr::get(MLIRContext *context, const shape::SymbolicView &view) {
  if (std::optional<shape::View> numbers = view.toStatic())
    return get(context, *numbers);
  SmallVector<int64_t> shape;
  for (const IndexExpr &extent : view.shape)
    shape.push_back(extent.isConstant() ? extent.getValue()
                                        : ShapedType::kDynamic);
  return get(context, shape, ArrayRef<int64_t>(), 0, ArrayRef<int64_t>(),
             SymbolicViewParam{view});
}

ViewAttr ViewAttr::getChecked(function_ref<InFlightDiagnostic()> emitError,
                              MLIRContext *context,
                              const shape::SymbolicView &view) {
  LogicalResult result = success();
  if (std::optional<shape::View> numbers = view.toStatic())
    result = verify(emitError, numbers->getShape(), numbers->getStrides(),
                    numbers->getOffset(), getMaskNumbers(*numbers), {});
  else
    result = verify(emitError, {}, {}, 0, {}, SymbolicViewParam{view});
  return failed(result) ? ViewAttr() : get(context, view);
}

shape::SymbolicView ViewAttr::getSymbolicView() const {
  return isSymbolic() ? *getSymbolic().view
                      : shape::SymbolicView::fromStatic(getView());
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

/// Parses `[[b, e], …]`.
static ParseResult parseRanges(AsmParser &parser, shape::SymbolicMask &mask) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        SmallVector<IndexExpr> range;
        if (parseSizes(parser, range))
          return failure();
        if (range.size() != 2)
          return parser.emitError(
              loc, "expects a mask range of two numbers, [begin, end]");
        mask.emplace_back(range[0], range[1]);
        return success();
      });
}

/// Prints the part of a view between `<` and `>`. Defaults are left out.
static void printViewBody(AsmPrinter &printer, ViewAttr attribute) {
  MLIRContext *context = attribute.getContext();
  shape::SymbolicView view = attribute.getSymbolicView();
  printSizes(printer, context, view.shape);
  if (view.strides != shape::SymbolicView::create(view.shape).strides) {
    printer << ", strides = ";
    printSizes(printer, context, view.strides);
  }
  if (!(view.offset == IndexExpr::constant(0))) {
    printer << ", offset = ";
    printSize(printer, context, view.offset);
  }
  if (!view.mask)
    return;
  printer << ", mask = [";
  llvm::interleaveComma(*view.mask, printer, [&](const auto &range) {
    printSizes(printer, context, {range.first, range.second});
  });
  printer << ']';
}

/// Makes a view of what was parsed; numbers are checked as they are written,
/// since making a view canonical computes with them.
static FailureOr<ViewAttr>
makeView(AsmParser &parser, SMLoc loc, ArrayRef<IndexExpr> dims,
         std::optional<SmallVector<IndexExpr>> strides, const IndexExpr &offset,
         std::optional<shape::SymbolicMask> mask) {
  MLIRContext *context = parser.getContext();
  auto emitError = [&] { return parser.emitError(loc); };
  auto toVector = [](ArrayRef<IndexExpr> exprs) {
    return shape::SymbolicDims(exprs.begin(), exprs.end());
  };
  // Extents and strides are checked below, but the default strides need
  // products that fit.
  __int128 count = 1;
  for (const IndexExpr &extent : dims) {
    if (!shape::isProvablyNonNegative(extent))
      return emitError() << "expects extents that are not negative", failure();
    count = std::min<__int128>(count * extent.getMax(), ops::maxElements);
  }
  std::optional<shape::Dims> shape = shape::toNumbers(dims);
  if (count >= ops::maxElements && !(shape && ops::getNumElements(*shape)))
    return emitError()
               << "expects a shape whose number of elements fits in 62 bits",
           failure();
  // view_c2
  if (mask && mask->size() != dims.size())
    return emitError() << "expects one mask range per axis, got "
                       << mask->size() << " for " << dims.size() << " axes",
           failure();
  SmallVector<IndexExpr> ranges;
  if (mask)
    for (const auto &[begin, end] : *mask)
      ranges.append({begin, end});
  std::optional<shape::Dims> masked = shape::toNumbers(ranges);
  std::optional<shape::Dims> steps;
  if (strides) {
    steps = shape::toNumbers(*strides);
  } else if (shape) {
    steps = shape::getRowMajorStrides(*shape);
  }
  if (shape && steps && masked && offset.isConstant()) {
    if (failed(ViewAttr::verify(emitError, *shape, *steps, offset.getValue(),
                                *masked, SymbolicViewParam())))
      return failure();
    std::optional<shape::Mask> staticMask;
    if (mask) {
      staticMask.emplace();
      for (size_t i = 0; i < masked->size(); i += 2)
        staticMask->emplace_back((*masked)[i], (*masked)[i + 1]);
    }
    return ViewAttr::get(context,
                         shape::View::create(*shape, *steps, offset.getValue(),
                                             std::move(staticMask)));
  }
  // view_c1
  if (strides && strides->size() != dims.size())
    return emitError() << "expects one stride per axis, got " << strides->size()
                       << " for " << dims.size() << " axes",
           failure();
  std::optional<shape::SymbolicDims> symbolicStrides;
  if (strides)
    symbolicStrides = toVector(*strides);
  // The canonical form is what passes compute with.
  ViewAttr view = ViewAttr::getChecked(
      emitError, context,
      shape::SymbolicView::create(toVector(dims), symbolicStrides, offset,
                                  std::move(mask)));
  if (!view)
    return failure();
  return view;
}

/// Parses the part of a view between `<` and `>`, or up to a `, then`, which it
/// consumes and reports in `hasNext`.
static FailureOr<ViewAttr> parseViewBody(AsmParser &parser, bool *hasNext) {
  SmallVector<IndexExpr> dims;
  std::optional<SmallVector<IndexExpr>> strides;
  std::optional<shape::SymbolicMask> mask;
  IndexExpr offset = IndexExpr::constant(0);
  SMLoc loc = parser.getCurrentLocation();
  if (parseSizes(parser, dims))
    return failure();
  if (hasNext)
    *hasNext = false;
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
      if (parseSizes(parser, strides.emplace()))
        return failure();
    } else if (field == "offset") {
      FailureOr<IndexExpr> number = parseSize(parser);
      if (failed(number))
        return failure();
      offset = *number;
    } else if (field == "mask") {
      if (parseRanges(parser, mask.emplace()))
        return failure();
    } else {
      return parser.emitError(fieldLoc)
                 << "expects `strides`, `offset` or `mask`, got `" << field
                 << "`",
             failure();
    }
  }
  return makeView(parser, loc, dims, std::move(strides), offset,
                  std::move(mask));
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

/// Checks what the ranges of the variables say about a view.
static LogicalResult
verifySymbolicView(function_ref<InFlightDiagnostic()> emitError,
                   const shape::SymbolicView &view) {
  SmallVector<IndexExpr> all(view.shape.begin(), view.shape.end());
  llvm::append_range(all, view.strides);
  all.push_back(view.offset);
  if (view.mask)
    for (const auto &[begin, end] : *view.mask)
      all.append({begin, end});
  std::string name;
  if (!haveConsistentVariables(all, name))
    return emitError() << "expects one range for variable '" << name
                       << "', got two";
  if (!view.hasSmallIndices())
    return emitError() << "expects indices that fit in 62 bits";
  return checkAtBounds(all, [&](const shape::Bindings &bindings) {
    std::string error;
    std::optional<shape::View> numbers =
        shape::SymbolicShapeTracker::fromViews({view})
            .bind(bindings, error)
            ->getViews()
            .front()
            .toStatic();
    return ViewAttr::verify(
        [&] { return emitError() << lazy::toString(bindings) << ": "; },
        numbers->getShape(), numbers->getStrides(), numbers->getOffset(),
        getMaskNumbers(*numbers), {});
  });
}

LogicalResult ViewAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> strides, int64_t offset,
                               ArrayRef<int64_t> mask,
                               SymbolicViewParam symbolic) {
  if (symbolic.view)
    return verifySymbolicView(emitError, *symbolic.view);
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

ShapeTrackerAttr
ShapeTrackerAttr::get(MLIRContext *context,
                      const shape::SymbolicShapeTracker &tracker) {
  SmallVector<ViewAttr> views;
  for (const shape::SymbolicView &view : tracker.getViews())
    views.push_back(ViewAttr::get(context, view));
  return get(context, views);
}

ShapeTrackerAttr ShapeTrackerAttr::get(MLIRContext *context,
                                       const shape::Layout &layout) {
  return layout.isSymbolic() ? get(context, layout.getSymbolicTracker())
                             : get(context, layout.getTracker());
}

shape::Layout ShapeTrackerAttr::getLayout() const {
  if (isSymbolic())
    return getSymbolicTracker();
  return getTracker();
}

bool ShapeTrackerAttr::isSymbolic() const {
  return llvm::any_of(getViews(), [](ViewAttr v) { return v.isSymbolic(); });
}

shape::SymbolicShapeTracker ShapeTrackerAttr::getSymbolicTracker() const {
  std::vector<shape::SymbolicView> views;
  for (ViewAttr view : getViews())
    views.push_back(view.getSymbolicView());
  return shape::SymbolicShapeTracker::fromViews(std::move(views));
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
  return parser.getChecked<ShapeTrackerAttr>(loc, parser.getContext(),
                                             ArrayRef<ViewAttr>(views));
}

/// Checks for some values of the variables that `outer` stays inside of
/// `inner`.
static LogicalResult
verifyViewInView(function_ref<InFlightDiagnostic()> emitError, ViewAttr inner,
                 ViewAttr outer) {
  auto views = shape::SymbolicShapeTracker::fromViews(
      {inner.getSymbolicView(), outer.getSymbolicView()});
  std::vector<IndexExpr> variables = views.getVariables();
  std::string name;
  if (!haveConsistentVariables(variables, name))
    return emitError() << "expects one range for variable '" << name
                       << "', got two";
  return checkAtBounds(variables, [&](const shape::Bindings &bindings) {
    std::string error;
    std::optional<shape::ShapeTracker> numbers =
        views.bind(bindings, error)->toStatic();
    int64_t available =
        ops::getNumElements(numbers->getViews().front().getShape())
            .value_or(ops::maxElements);
    int64_t used = shape::ShapeTracker::fromViews({numbers->getViews().back()})
                       .getBufferSize();
    if (used <= available)
      return success();
    emitError() << "expects a view that reads no more than the " << available
                << " elements of the view before it, got one that reads "
                << used << ' ' << lazy::toString(bindings);
    return failure();
  });
}

LogicalResult
ShapeTrackerAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         ArrayRef<ViewAttr> views) {
  // shape_tracker_c1
  if (views.empty())
    return emitError() << "expects at least one view";
  // shape_tracker_c2
  for (auto [inner, outer] : llvm::zip(views.drop_back(), views.drop_front())) {
    if (inner.isSymbolic() || outer.isSymbolic()) {
      if (failed(verifyViewInView(emitError, inner, outer)))
        return failure();
      continue;
    }
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
