//===- BindVariables.cpp - Give variables numbers -------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Dialect/Lazy/IR/LazyOps.h"
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::lazy;
using shape::IndexExpr;

namespace tinygrad::lazy {
#define GEN_PASS_DEF_BINDVARIABLESPASS
#include "tinygrad/Dialect/Lazy/Transforms/Passes.h.inc"
} // namespace tinygrad::lazy

namespace {

struct BindVariablesPass
    : lazy::impl::BindVariablesPassBase<BindVariablesPass> {
  using BindVariablesPassBase::BindVariablesPassBase;

  void runOnOperation() override {
    shape::Bindings bindings;
    if (failed(parseValues(bindings)) || failed(check(bindings)))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      eraseArguments(function, bindings);
    if (!bind(bindings))
      signalPassFailure();
  }

private:
  LogicalResult parseValues(shape::Bindings &bindings) {
    for (const std::string &text : values) {
      auto [name, number] = StringRef(text).split('=');
      int64_t value;
      if (number.getAsInteger(10, value))
        return getOperation().emitError()
               << "expects `values` as in `i=4`, got `" << text << "`";
      if (!bindings.emplace(name.str(), value).second)
        return getOperation().emitError()
               << "expects one value for variable '" << name << "', got two";
    }
    return success();
  }

  /// Finds what cannot be bound before anything is changed.
  LogicalResult check(const shape::Bindings &bindings) {
    std::map<std::string, VariableAttr, std::less<>> found;
    std::string outside;
    AttrTypeWalker walker;
    auto visit = [&](VariableAttr variable) {
      auto binding = bindings.find(variable.getName());
      if (binding == bindings.end())
        return;
      VariableAttr first =
          found.try_emplace(binding->first, variable).first->second;
      if (first != variable)
        outside = llvm::formatv("expects one range for variable '{0}', got two",
                                variable.getName());
      else if (binding->second < variable.getMin() ||
               binding->second > variable.getMax())
        outside = llvm::formatv("expects variable '{0}' in [{1}, {2}], got {3}",
                                variable.getName(), variable.getMin(),
                                variable.getMax(), binding->second);
    };
    auto visitExpr = [&](const IndexExpr &expr) {
      for (const IndexExpr &variable : shape::collectVariables({&expr, 1}))
        visit(VariableAttr::get(&getContext(), variable.getName(),
                                variable.getMin(), variable.getMax()));
    };
    walker.addWalk(visit);
    walker.addWalk([&](SizesAttr sizes) {
      llvm::for_each(sizes.getExprs().exprs, visitExpr);
    });
    walker.addWalk([&](ViewAttr attribute) {
      shape::SymbolicView view = attribute.getSymbolicView();
      llvm::for_each(view.shape, visitExpr);
      llvm::for_each(view.strides, visitExpr);
      visitExpr(view.offset);
      if (view.mask)
        for (const auto &[begin, end] : *view.mask) {
          visitExpr(begin);
          visitExpr(end);
        }
    });
    getOperation().walk([&](Operation *op) {
      walker.walk(op->getAttrDictionary());
      for (Type type : op->getResultTypes())
        walker.walk(type);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Type type : block.getArgumentTypes())
            walker.walk(type);
    });
    if (!outside.empty())
      return getOperation().emitError() << outside;
    for (const auto &[name, value] : bindings)
      if (!found.count(name))
        return getOperation().emitError()
               << "expects `values` to name variables of the module, got '"
               << name << "'";
    auto calls = getOperation().walk([&](func::CallOp call) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (!callee || getBoundArguments(callee, bindings).none())
        return WalkResult::advance();
      call.emitOpError() << "calls a function that binds a variable; "
                            "`lazy-bind-variables` cannot change it";
      return WalkResult::interrupt();
    });
    return failure(calls.wasInterrupted());
  }

  static llvm::BitVector getBoundArguments(func::FuncOp function,
                                           const shape::Bindings &bindings) {
    llvm::BitVector bound(function.getNumArguments());
    for (unsigned index = 0; index < bound.size(); ++index) {
      auto variable =
          function.getArgAttrOfType<VariableAttr>(index, variableAttrName);
      if (variable && bindings.find(variable.getName()) != bindings.end())
        bound.set(index);
    }
    return bound;
  }

  static void eraseArguments(func::FuncOp function,
                             const shape::Bindings &bindings) {
    llvm::BitVector bound = getBoundArguments(function, bindings);
    if (bound.none())
      return;
    if (!function.isExternal()) {
      OpBuilder builder(function.getBody());
      for (unsigned index : bound.set_bits()) {
        BlockArgument argument = function.getArgument(index);
        if (argument.use_empty())
          continue;
        auto variable =
            function.getArgAttrOfType<VariableAttr>(index, variableAttrName);
        argument.replaceAllUsesWith(arith::ConstantIndexOp::create(
            builder, argument.getLoc(),
            bindings.find(variable.getName())->second));
      }
    }
    // Changes the type too, and cannot fail: it only takes arguments away.
    (void)function.eraseArguments(bound);
  }

  /// Returns false, with an error, if a view reads before its buffer's start.
  bool bind(const shape::Bindings &bindings) {
    bool isValid = true;
    MLIRContext *context = &getContext();
    auto bindAll = [&](ArrayRef<IndexExpr> exprs) {
      shape::SymbolicDims bound;
      for (const IndexExpr &expr : exprs)
        bound.push_back(shape::bindVariables(expr, bindings));
      return bound;
    };
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](SizesAttr sizes) -> std::optional<Attribute> {
      return SizesAttr::get(context, bindAll(sizes.getSizes()));
    });
    replacer.addReplacement([&](ViewAttr view) -> std::optional<Attribute> {
      if (!view.isSymbolic())
        return view;
      auto tracker =
          shape::SymbolicShapeTracker::fromViews({view.getSymbolicView()});
      std::string error;
      // The values were checked; what is read with them was not.
      auto emitError = [&] {
        isValid = false;
        return getOperation().emitError();
      };
      ViewAttr bound = ViewAttr::getChecked(
          emitError, context,
          tracker.bind(bindings, error)->getViews().front());
      return bound ? bound : view;
    });
    replacer.addReplacement([&](RankedTensorType type) -> std::optional<Type> {
      if (!isa_and_present<EncodingAttr>(type.getEncoding()))
        return std::nullopt;
      return withShape(type, bindAll(getSymbolicShape(type)));
    });
    getOperation().walk([&](Operation *op) {
      replacer.replaceElementsIn(op, /*replaceAttrs=*/true,
                                 /*replaceLocs=*/false, /*replaceTypes=*/true);
    });
    return isValid;
  }
};

} // namespace
