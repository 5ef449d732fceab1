//===- CheckBounds.cpp - Prove that accesses stay in their buffers --------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/AffineAccess.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace tinygrad;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_CHECKBOUNDSPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

using namespace tinygrad::lazy;
using shape::IndexExpr;

namespace {

/// A buffer, and how an operation reads or writes it.
struct Access {
  ShapedType buffer;
  shape::ShapeTracker tracker;
};

/// The bounds of variables where a view reads something: no extent is 0 there,
/// and no range of a mask.
class ReadingBounds {
public:
  explicit ReadingBounds(const shape::SymbolicView &view) {
    for (auto [axis, extent] : llvm::enumerate(view.shape)) {
      addPositive(extent);
      if (!view.mask)
        continue;
      const auto &[begin, end] = (*view.mask)[axis];
      addPositive(end - begin);
      addPositive(end);
      addPositive(extent - begin);
    }
  }

  /// True if the view reads nothing, whatever the variables are.
  bool isEmpty() const {
    return hasZero || llvm::any_of(bounds, [](const auto &entry) {
             return entry.second.first > entry.second.second;
           });
  }

  IndexExpr apply(const IndexExpr &expr) const {
    return shape::substituteVariables(expr, [&](const IndexExpr &variable) {
      auto entry = bounds.find(variable.getName());
      return entry == bounds.end()
                 ? variable
                 : IndexExpr::variable(variable.getName(), entry->second.first,
                                       entry->second.second);
    });
  }

  shape::SymbolicView apply(shape::SymbolicView view) const {
    for (IndexExpr &extent : view.shape)
      extent = apply(extent);
    for (IndexExpr &stride : view.strides)
      stride = apply(stride);
    view.offset = apply(view.offset);
    if (view.mask)
      for (auto &[begin, end] : *view.mask) {
        begin = apply(begin);
        end = apply(end);
      }
    return view;
  }

private:
  /// Adds the fact that `expr` is positive, if it is a number, a * x + b for a
  /// variable x, or a product of such expressions that are not negative.
  void addPositive(const IndexExpr &expr) {
    hasZero |= expr.getMax() <= 0;
    if (expr.getKind() == IndexExpr::Kind::Product) {
      if (llvm::all_of(expr.getOperands(), shape::isProvablyNonNegative))
        for (const IndexExpr &factor : expr.getOperands())
          addPositive(factor);
      return;
    }
    std::vector<IndexExpr> variables = shape::collectVariables({&expr, 1});
    // Far from where the numbers below could overflow.
    constexpr int64_t limit = int64_t(1) << 30;
    auto isSmall = [](const IndexExpr &part) {
      return part.getMin() >= -limit && part.getMax() <= limit;
    };
    if (variables.size() != 1 || !isSmall(expr) || !isSmall(variables[0]))
      return;
    const IndexExpr &x = variables[0];
    auto evaluate = [&](int64_t value) {
      return expr.evaluate({}, {{x.getName(), value}});
    };
    int64_t a = evaluate(x.getMin() + 1) - evaluate(x.getMin());
    int64_t b = evaluate(x.getMin()) - a * x.getMin();
    if (a == 0 || x * a + b != expr)
      return;
    auto entry = bounds.try_emplace(x.getName(), x.getMin(), x.getMax()).first;
    auto &[min, max] = entry->second;
    if (a > 0)
      min = std::max(min, llvm::divideCeilSigned(1 - b, a));
    else
      max = std::min(max, llvm::divideFloorSigned(1 - b, a));
  }

  std::map<std::string, std::pair<int64_t, int64_t>> bounds;
  bool hasZero = false;
};

struct CheckBoundsPass : lazy::impl::CheckBoundsPassBase<CheckBoundsPass> {
  using CheckBoundsPassBase::CheckBoundsPassBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (isa<ViewOp, AsStridedOp, LoadOp, StoreOp>(op) &&
          lazy::isSymbolic(op)) {
        if (failed(checkSymbolic(op)))
          signalPassFailure();
        return;
      }
      std::optional<Access> access = getAccess(op);
      if (access && failed(check(op, *access)))
        signalPassFailure();
    });
  }

  static std::optional<Access> getAccess(Operation *op) {
    auto make = [](Value buffer,
                   ShapeTrackerAttr tracker) -> std::optional<Access> {
      auto type = cast<ShapedType>(buffer.getType());
      // Memory of a size that is no number does not say what it is.
      if (!type.hasStaticShape())
        return std::nullopt;
      return Access{type, tracker.getTracker()};
    };
    if (auto load = dyn_cast<LoadOp>(op))
      return make(load.getSource(), load.getTracker());
    if (auto store = dyn_cast<StoreOp>(op))
      return make(store.getTarget(), store.getTracker());
    if (auto view = dyn_cast<ViewOp>(op))
      return make(view.getSource(), view.getTracker());
    if (auto strided = dyn_cast<AsStridedOp>(op))
      return Access{strided.getSource().getType(),
                    shape::ShapeTracker::fromViews({shape::View::create(
                        strided.getType().getShape().vec(),
                        strided.getStrides().getNumbers().vec(),
                        strided.getOffset().getNumbers().front())})};
    return std::nullopt;
  }

  /// Proves that each view by itself stays inside of what it reads, for all
  /// values of the variables.
  LogicalResult checkSymbolic(Operation *op) {
    std::optional<IndexExpr> size = getSize(getMemory(op).getType());
    // Memory of a size that is no number does not say what it is.
    if (!size)
      return success();
    IndexExpr available = *size;
    std::vector<shape::SymbolicView> views = getSymbolicViews(op);
    for (const shape::SymbolicView &view : views) {
      IndexExpr limit =
          std::exchange(available, shape::getNumElements(view.shape));
      ReadingBounds reading(view);
      if (reading.isEmpty())
        continue;
      limit = reading.apply(limit);
      SmallVector<Bounds, 2> bounds = getBounds(reading.apply(view));
      IndexExpr low = bounds.front().low, high = bounds.front().high;
      for (const Bounds &each : bounds) {
        if (shape::isProvablyNonNegative(each.low))
          low = each.low;
        if (shape::isProvablyLess(each.high, limit))
          high = each.high;
      }
      if (!shape::isProvablyNonNegative(low))
        return op->emitOpError()
               << "expects indices that are not negative, but cannot prove it "
                  "of index "
               << low.toString();
      if (!shape::isProvablyLess(high, limit))
        return op->emitOpError()
               << "expects indices inside of " << limit.toString()
               << " elements, but cannot exclude index " << high.toString();
      if (report && &view == &views.front())
        op->emitRemark() << "proves indices from " << low.toString() << " to "
                         << high.toString() << " of " << limit.toString()
                         << " elements: "
                         << describe(
                                shape::SymbolicShapeTracker::fromViews(views));
    }
    return success();
  }

  /// Returns what `op` reads or writes.
  static Value getMemory(Operation *op) {
    auto store = dyn_cast<StoreOp>(op);
    return store ? Value(store.getTarget()) : op->getOperand(0);
  }

  static std::optional<IndexExpr> getSize(Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      return shape::getNumElements(getSymbolicShape(tensor));
    auto memref = cast<MemRefType>(type);
    if (!memref.hasStaticShape())
      return std::nullopt;
    return memref.getNumElements();
  }

  static std::vector<shape::SymbolicView> getSymbolicViews(Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return load.getTracker().getSymbolicTracker().getViews();
    if (auto store = dyn_cast<StoreOp>(op))
      return store.getTracker().getSymbolicTracker().getViews();
    if (auto view = dyn_cast<ViewOp>(op))
      return view.getTracker().getSymbolicTracker().getViews();
    auto strided = cast<AsStridedOp>(op);
    return {shape::SymbolicView::create(
        getSymbolicShape(strided.getType()), strided.getStrides().getSizes(),
        strided.getOffset().getSizes().front())};
  }

  /// Bounds of the indices that a view reads, both inclusive.
  struct Bounds {
    IndexExpr low, high;
  };

  /// Returns bounds of the indices that `view` reads where nothing is empty:
  /// from the ends of each axis, or from those of its mask. Positions are
  /// between both, and one may be provable where the other is not.
  static SmallVector<Bounds, 2> getBounds(const shape::SymbolicView &view) {
    SmallVector<Bounds, 2> result;
    for (bool fromMask : {true, false}) {
      Bounds bounds{view.offset, view.offset};
      for (auto [axis, stride] : llvm::enumerate(view.strides)) {
        bool isMasked = view.mask && fromMask;
        IndexExpr begin = isMasked ? (*view.mask)[axis].first : 0;
        IndexExpr last =
            (isMasked ? (*view.mask)[axis].second : view.shape[axis]) + -1;
        if (shape::isProvablyNonNegative(-stride)) {
          std::swap(begin, last);
        } else if (!shape::isProvablyNonNegative(stride)) {
          bounds.low = bounds.low + IndexExpr(stride.getMin()) * last.getMax();
          bounds.high =
              bounds.high + IndexExpr(stride.getMax()) * last.getMax();
          continue;
        }
        bounds.low = bounds.low + stride * begin;
        bounds.high = bounds.high + stride * last;
      }
      result.push_back(bounds);
      if (!view.mask)
        break;
    }
    return result;
  }

  /// Writes where `tracker` reads: an affine map, and the set of positions that
  /// are not masked.
  std::string describe(const shape::SymbolicShapeTracker &tracker) {
    // An expression is written as a tree: each view can double its text.
    constexpr size_t maxViews = 8;
    if (tracker.getViews().size() > maxViews)
      return "through " + std::to_string(tracker.getViews().size()) + " views";
    AffineAccess access = getAffineAccess(&getContext(), tracker);
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << access.index;
    if (access.valid) {
      stream << " where ";
      access.valid.print(stream);
    }
    return text;
  }

  LogicalResult check(Operation *op, const Access &access) {
    int64_t size = access.buffer.getNumElements();
    std::optional<std::pair<int64_t, int64_t>> range =
        access.tracker.getIndexRange();
    auto refuse = [&](int64_t index) {
      return op->emitOpError()
             << "expects indices inside of the " << size << " elements of "
             << access.buffer << ", but cannot exclude index " << index;
    };
    if (range && range->second >= size)
      return refuse(range->second);
    if (range && range->first < 0)
      return refuse(range->first);
    if (!report)
      return success();
    if (range)
      op->emitRemark() << "proves indices from " << range->first << " to "
                       << range->second << " of " << size << " elements: "
                       << describe(shape::SymbolicShapeTracker::fromStatic(
                              access.tracker));
    else
      op->emitRemark() << "proves that none of " << size
                       << " elements is accessed";
    return success();
  }
};

} // namespace
