//===- Shape.cpp - Bindings of Shape/ -------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Shape/Layout.h"

#include "Bindings.h"

#include "tinygrad/Ops/SymbolicShape.h"

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>

using namespace tinygrad;
using namespace tinygrad::python;
using shape::IndexExpr;
using shape::SymbolicDims;
using shape::SymbolicMask;
using shape::SymbolicShapeTracker;
using shape::SymbolicView;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Makes a node of symbolic.py, once that has told of itself.
static nb::handle nodeFactory;

std::optional<IndexExpr> python::readExpr(nb::handle object) noexcept {
  if (PyLong_Check(object.ptr())) {
    int overflow = 0;
    int64_t number = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    return overflow ? std::nullopt : std::optional(IndexExpr::constant(number));
  }
  const IndexExpr *expr = nullptr;
  if (nb::try_cast<const IndexExpr *>(object, expr, false) && expr)
    return *expr;
  nb::object held = nb::steal(PyObject_GetAttrString(object.ptr(), "_expr"));
  if (!held.is_valid()) {
    PyErr_Clear();
    return std::nullopt;
  }
  if (nb::try_cast<const IndexExpr *>(held, expr, false) && expr)
    return *expr;
  return std::nullopt;
}

nb::object python::wrapExpr(const IndexExpr &expr) {
  if (expr.isConstant())
    return nb::int_(expr.getValue());
  return nodeFactory(expr);
}

static IndexExpr toExpr(nb::handle object) {
  if (std::optional<IndexExpr> expr = readExpr(object))
    return *expr;
  throw nb::type_error("expects integers or nodes");
}

static SymbolicDims toExprs(nb::handle list) {
  SymbolicDims result;
  for (nb::handle item : list)
    result.push_back(toExpr(item));
  return result;
}

static SymbolicMask toPairs(nb::handle list) {
  SymbolicMask result;
  for (nb::handle item : list) {
    nb::tuple pair(item);
    if (pair.size() != 2)
      throw nb::type_error("expects a pair for each axis");
    result.emplace_back(toExpr(pair[0]), toExpr(pair[1]));
  }
  return result;
}

static nb::tuple wrapExprs(std::span<const IndexExpr> exprs) {
  nb::list result;
  for (const IndexExpr &expr : exprs)
    result.append(wrapExpr(expr));
  return nb::tuple(result);
}

static nb::object wrapMask(const std::optional<SymbolicMask> &mask) {
  if (!mask)
    return nb::none();
  nb::list result;
  for (const auto &[first, second] : *mask)
    result.append(nb::make_tuple(wrapExpr(first), wrapExpr(second)));
  return nb::tuple(result);
}

static size_t hash(const std::string &text) {
  return std::hash<std::string>()(text);
}

static const char *getName(IndexExpr::Kind kind) {
  using Kind = IndexExpr::Kind;
  switch (kind) {
  case Kind::Constant:
    return "constant";
  case Kind::Variable:
    return "variable";
  case Kind::Add:
    return "add";
  case Kind::Mul:
  case Kind::Product:
    return "mul";
  case Kind::FloorDiv:
  case Kind::FloorDivBy:
    return "floordiv";
  case Kind::Mod:
  case Kind::ModBy:
    return "mod";
  }
  return "";
}

static void bindExpressions(nb::module_ &module) {
  nb::class_<IndexExpr>(module, "IndexExpr",
                        "An integer expression of variables with bounds.")
      .def(nb::init<int64_t>(), nb::arg("value"))
      .def_static(
          "variable",
          [](std::string name, int64_t min, int64_t max) {
            if (min > max)
              throw nb::value_error("expects bounds with a number in them");
            return IndexExpr::variable(std::move(name), min, max);
          },
          nb::arg("name"), nb::arg("min"), nb::arg("max"))
      .def_prop_ro("kind",
                   [](const IndexExpr &x) { return getName(x.getKind()); })
      .def_prop_ro("min", &IndexExpr::getMin)
      .def_prop_ro("max", &IndexExpr::getMax)
      .def_prop_ro("value", &IndexExpr::getValue)
      .def_prop_ro("name",
                   [](const IndexExpr &x) {
                     return x.isNamed() ? x.getName() : std::string();
                   })
      .def_prop_ro("binding",
                   [](const IndexExpr &x) {
                     return x.isNamed() ? x.getBinding() : std::nullopt;
                   })
      .def_prop_ro("operands",
                   [](const IndexExpr &x) {
                     std::span<const IndexExpr> operands = x.getOperands();
                     return std::vector(operands.begin(), operands.end());
                   })
      .def("is_constant", [](const IndexExpr &x) { return x.isConstant(); })
      .def("bind", &IndexExpr::bind, nb::arg("value"))
      .def("unbind",
           [](const IndexExpr &x) {
             shape::Bindings bindings;
             std::optional<IndexExpr> free = unbindVariables(x, bindings);
             if (!free)
               throw nb::value_error("expects one value for each variable");
             nb::dict values;
             for (const auto &[name, value] : bindings)
               values[nb::str(name.c_str())] = value;
             return nb::make_tuple(*free, values);
           })
      .def("variables",
           [](const IndexExpr &x) {
             return shape::collectVariables(std::span(&x, 1));
           })
      .def(
          "substitute",
          [](const IndexExpr &x, const nb::callable &replace) {
            return substituteVariables(x, [&](const IndexExpr &variable) {
              return nb::cast<IndexExpr>(replace(variable));
            });
          },
          nb::arg("replace"))
      .def(nb::self + nb::self)
      .def(nb::self - nb::self)
      .def(nb::self * nb::self)
      .def(-nb::self)
      .def("__floordiv__",
           [](const IndexExpr &a, const IndexExpr &b) {
             return b.isConstant() ? a.floorDiv(b.getValue()) : a.floorDiv(b);
           })
      .def("__mod__",
           [](const IndexExpr &a, const IndexExpr &b) {
             return b.isConstant() ? a.mod(b.getValue()) : a.mod(b);
           })
      .def(nb::self == nb::self)
      .def("__hash__", [](const IndexExpr &x) { return hash(x.toString()); })
      .def("__repr__", &IndexExpr::toString);
  module.def(
      "set_node_factory", [](nb::handle factory) { nodeFactory = factory; },
      nb::arg("factory"), "Says what makes nodes of expressions.");
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

[[noreturn]] static void refuse(ops::OpKind kind, const std::string &error) {
  throw Error(std::string(ops::getInfo(kind).name), error);
}

/// Returns `exprs` with the values of bound variables.
static SymbolicDims resolve(const SymbolicDims &exprs) {
  SymbolicDims result;
  for (const IndexExpr &expr : exprs)
    result.push_back(resolveVariables(expr));
  return result;
}

/// Checks the arguments of a movement: for all values of the variables, or for
/// those that they are bound to.
static void verify(ops::OpKind kind, const SymbolicView &view,
                   const SymbolicDims &ints) {
  SymbolicDims result;
  std::string error, ignored;
  if (!ops::inferSymbolicShape(kind, {view.shape}, ints, result, error) &&
      !ops::inferSymbolicShape(kind, {resolve(view.shape)}, resolve(ints),
                               result, ignored))
    refuse(kind, error);
}

static SymbolicDims flatten(const SymbolicMask &pairs) {
  SymbolicDims result;
  for (const auto &[first, second] : pairs) {
    result.push_back(first);
    result.push_back(second);
  }
  return result;
}

/// Returns numbers; an expression is an error.
static shape::Dims toNumbers(ops::OpKind kind, nb::handle list) {
  std::optional<shape::Dims> numbers = shape::toNumbers(toExprs(list));
  if (!numbers)
    refuse(kind, "expects numbers");
  return *numbers;
}

/// The layout of views, numbers only where there are no expressions.
static shape::Layout toLayout(std::vector<SymbolicView> views) {
  return shape::Layout(SymbolicShapeTracker::fromViews(std::move(views)));
}

/// Returns `view` after a movement, or nothing where one view cannot say it.
static std::optional<SymbolicView> move(const SymbolicView &view,
                                        ops::OpKind kind, nb::handle argument) {
  using ops::OpKind;
  shape::Layout layout = toLayout({view});
  shape::Layout result = layout;
  switch (kind) {
  case OpKind::Pad:
  case OpKind::Shrink: {
    SymbolicDims ints = flatten(toPairs(argument));
    verify(kind, view, ints);
    result = kind == OpKind::Pad ? layout.pad(ints) : layout.shrink(ints);
    break;
  }
  case OpKind::Expand:
  case OpKind::Reshape: {
    SymbolicDims ints = toExprs(argument);
    verify(kind, view, ints);
    // Sizes may agree at what variables are bound to alone: other extents over
    // the same elements.
    if (kind == OpKind::Reshape &&
        !isProvablyEqual(getNumElements(view.shape), getNumElements(ints))) {
      if (view.isContiguous())
        return SymbolicView::create(std::move(ints));
      return std::nullopt;
    }
    result =
        kind == OpKind::Expand ? layout.expand(ints) : layout.reshape(ints);
    break;
  }
  case OpKind::Permute:
  case OpKind::Stride: {
    shape::Dims ints = toNumbers(kind, argument);
    verify(kind, view, SymbolicDims(ints.begin(), ints.end()));
    result =
        kind == OpKind::Permute ? layout.permute(ints) : layout.stride(ints);
    break;
  }
  default:
    throw nb::value_error("expects a movement");
  }
  if (result.getNumViews() != 1)
    return std::nullopt;
  return result.getSymbolicTracker().getViews().front();
}

static SymbolicView moveInOne(const SymbolicView &view, ops::OpKind kind,
                              nb::handle argument) {
  std::optional<SymbolicView> result = move(view, kind, argument);
  if (!result)
    refuse(kind, "expects indices of less than 62 bits");
  return *result;
}

/// The movements that views and trackers have in common.
struct Method {
  ops::OpKind kind;
  const char *name;
  const char *argument;
  const char *doc;
};
static constexpr Method movements[] = {
    {ops::OpKind::Permute, "permute", "axis",
     "Axis i of the result is axis axis[i]."},
    {ops::OpKind::Expand, "expand", "new_shape", "Repeats axes of size 1."},
    {ops::OpKind::Pad, "pad", "arg",
     "Adds zeros before and after, a pair per axis."},
    {ops::OpKind::Shrink, "shrink", "arg",
     "The elements [begin, end) of each axis."},
    {ops::OpKind::Stride, "stride", "mul",
     "Every step-th element of each axis, from its end for negative ones."}};

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static nb::set wrapVariables(const std::vector<IndexExpr> &variables) {
  nb::set result;
  for (const IndexExpr &variable : variables)
    result.add(wrapExpr(variable));
  return result;
}

static SymbolicShapeTracker unbind(const SymbolicShapeTracker &tracker) {
  auto result = tracker.unbind();
  if (!result)
    throw nb::value_error("expects one value for each variable");
  return result->first;
}

static SymbolicView createView(nb::handle shape, nb::handle strides,
                               nb::handle offset, nb::handle mask) {
  std::optional<SymbolicDims> steps;
  std::optional<SymbolicMask> ranges;
  SymbolicDims extents = toExprs(shape);
  if (!strides.is_none())
    steps = toExprs(strides);
  if (!mask.is_none())
    ranges = toPairs(mask);
  if ((steps && steps->size() != extents.size()) ||
      (ranges && ranges->size() != extents.size()))
    throw nb::value_error("expects a stride and a range for each axis");
  return SymbolicView::create(std::move(extents), std::move(steps),
                              toExpr(offset), std::move(ranges));
}

static std::string toRepr(const SymbolicView &view) {
  std::string text = "View(shape=";
  auto add = [&](const char *name, const nb::object &value) {
    text += name;
    text += nb::repr(value).c_str();
  };
  add("", wrapExprs(view.shape));
  add(", strides=", wrapExprs(view.strides));
  add(", offset=", wrapExpr(view.offset));
  add(", mask=", wrapMask(view.mask));
  return text + ", contiguous=" + (view.isContiguous() ? "True)" : "False)");
}

static void bindViews(nb::module_ &module) {
  nb::class_<SymbolicView> view(
      module, "View",
      "A strided view of a buffer: position (i0, ...) reads element offset + "
      "sum(ik * strides[k]) if each ik is in its range of the mask, else 0.");
  view.def(
          "__init__",
          [](SymbolicView *self, nb::handle shape, nb::handle strides,
             nb::handle offset, nb::handle mask, nb::handle) {
            new (self) SymbolicView(createView(shape, strides, offset, mask));
          },
          nb::arg("shape"), nb::arg("strides"), nb::arg("offset"),
          nb::arg("mask").none(), nb::arg("contiguous"),
          "Makes the view; whether it is contiguous follows from the others.")
      .def_static("create", &createView, nb::arg("shape"),
                  nb::arg("strides").none() = nb::none(), nb::arg("offset") = 0,
                  nb::arg("mask").none() = nb::none(),
                  "Makes a view; row-major strides where there are none.")
      .def_prop_ro("shape",
                   [](const SymbolicView &x) { return wrapExprs(x.shape); })
      .def_prop_ro("strides",
                   [](const SymbolicView &x) { return wrapExprs(x.strides); })
      .def_prop_ro("offset",
                   [](const SymbolicView &x) { return wrapExpr(x.offset); })
      .def_prop_ro("mask",
                   [](const SymbolicView &x) { return wrapMask(x.mask); })
      .def_prop_ro("contiguous", &SymbolicView::isContiguous)
      .def(
          "vars",
          [](const SymbolicView &x) {
            return wrapVariables(
                SymbolicShapeTracker::fromViews({x}).getVariables());
          },
          "Returns the variables in the view.")
      .def(
          "unbind",
          [](const SymbolicView &x) {
            return unbind(SymbolicShapeTracker::fromViews({x}))
                .getViews()
                .front();
          },
          "Returns the view with its bound variables free.")
      .def(
          "reshape",
          [](const SymbolicView &x, nb::handle shape) {
            return move(x, ops::OpKind::Reshape, shape);
          },
          nb::arg("new_shape"),
          "Returns the view in another shape, or None where one view cannot "
          "say it. Errors: Error where the sizes differ.")
      .def(nb::self == nb::self)
      .def("__hash__", [](const SymbolicView &x) { return hash(x.toString()); })
      .def("__repr__", &toRepr)
      .def("__reduce__", [](const SymbolicView &x) {
        return nb::make_tuple(
            nb::type<SymbolicView>(),
            nb::make_tuple(wrapExprs(x.shape), wrapExprs(x.strides),
                           wrapExpr(x.offset), wrapMask(x.mask),
                           x.isContiguous()));
      });
  for (const Method &method : movements)
    view.def(
        method.name,
        [kind = method.kind](const SymbolicView &x, nb::handle argument) {
          return moveInOne(x, kind, argument);
        },
        nb::arg(method.argument), method.doc);
}

//===----------------------------------------------------------------------===//
// Trackers
//===----------------------------------------------------------------------===//

namespace {

/// Views as tinygrad keeps them: what one view cannot say adds one.
struct Tracker {
  std::vector<SymbolicView> views;

  SymbolicShapeTracker get() const {
    return SymbolicShapeTracker::fromViews(views);
  }
  const SymbolicDims &getShape() const { return views.back().shape; }
  bool operator==(const Tracker &) const = default;
};

} // namespace

static Tracker fromLayout(const shape::Layout &layout) {
  return {layout.getSymbolicTracker().getViews()};
}

/// Returns the largest position that is read and 1.
static int64_t getSize(const Tracker &tracker) {
  shape::ShapeTracker largest = toLayout(tracker.views).getLargest();
  if (largest.getNumElements() == 0)
    return 0;
  return largest.getBufferSize();
}

static Tracker reshapeTracker(const Tracker &tracker, nb::handle shape) {
  Tracker result = tracker;
  if (std::optional<SymbolicView> view =
          move(tracker.views.back(), ops::OpKind::Reshape, shape))
    result.views.back() = *view;
  else
    result.views.push_back(SymbolicView::create(toExprs(shape)));
  return result;
}

/// Returns the index and the condition of an access, as nodes.
static nb::tuple wrapAccess(const IndexExpr &index,
                            const nb::list &conditions) {
  return nb::make_tuple(nodeFactory(index), conditions);
}

/// Returns where position `axes` is read: the index, and triples of an
/// expression with its smallest and largest value.
static nb::tuple getAccess(const Tracker &tracker, nb::handle list) {
  SymbolicDims axes = toExprs(list);
  if (axes.size() != tracker.getShape().size())
    throw nb::value_error("expects an index for each axis");
  shape::Layout layout = toLayout(tracker.views);
  nb::list conditions;
  if (layout.isSymbolic()) {
    shape::SymbolicAccess access = layout.getSymbolicTracker().getAccess(axes);
    for (const auto &[expr, min, max] : access.conditions)
      conditions.append(nb::make_tuple(nodeFactory(expr), nodeFactory(min),
                                       nodeFactory(max)));
    return wrapAccess(access.index, conditions);
  }
  shape::IndexAccess access = layout.getTracker().getAccess(axes);
  for (const auto &[expr, min, max] : access.conditions)
    conditions.append(nb::make_tuple(nodeFactory(expr), min, max));
  return wrapAccess(access.index, conditions);
}

static std::string toRepr(const Tracker &tracker) {
  std::string text = "ShapeTracker(views=(";
  for (const SymbolicView &view : tracker.views)
    text += (text.ends_with('(') ? "" : " ") + toRepr(view) + ",";
  return text + "))";
}

static void bindTrackers(nb::module_ &module) {
  nb::class_<Tracker> tracker(
      module, "ShapeTracker",
      "Views, each of the row-major elements of the one before it.",
      nb::dynamic_attr());
  tracker
      .def(
          "__init__",
          [](Tracker *self, const nb::tuple &views) {
            std::vector<SymbolicView> list;
            for (nb::handle view : views)
              list.push_back(nb::cast<SymbolicView>(view));
            if (list.empty())
              throw nb::value_error("expects at least one view");
            new (self) Tracker{std::move(list)};
          },
          nb::arg("views"))
      .def_static(
          "from_shape",
          [](nb::handle shape) {
            return Tracker{{SymbolicView::create(toExprs(shape))}};
          },
          nb::arg("shape"), "Makes the tracker of all of a buffer.")
      .def_prop_ro(
          "views",
          [](const Tracker &x) { return nb::tuple(nb::cast(x.views)); })
      .def_prop_ro("shape",
                   [](const Tracker &x) { return wrapExprs(x.getShape()); })
      .def_prop_ro("contiguous",
                   [](const Tracker &x) {
                     // No elements are in any order.
                     for (const IndexExpr &extent : x.getShape())
                       if (extent.isConstant(0))
                         return true;
                     return x.get().isContiguous();
                   })
      .def("size", &getSize,
           "Returns an upper bound of the elements of the buffer that are "
           "used, whatever variables are.")
      .def(
          "vars",
          [](const Tracker &x) {
            return wrapVariables(x.get().getVariables());
          },
          "Returns the variables in the views.")
      .def_prop_ro(
          "var_vals",
          [](const Tracker &x) {
            nb::dict result;
            for (const IndexExpr &variable : x.get().getVariables()) {
              shape::Bindings bindings;
              std::optional<IndexExpr> free =
                  unbindVariables(variable, bindings);
              if (!free || bindings.empty())
                refuse(ops::OpKind::Noop, "expects bound variables");
              result[wrapExpr(*free)] = bindings.begin()->second;
            }
            return result;
          },
          "The values of the variables, all of which are bound.")
      .def(
          "unbind",
          [](const Tracker &x) { return Tracker{unbind(x.get()).getViews()}; },
          "Returns the tracker with its bound variables free.")
      .def(
          "real_strides",
          [](const Tracker &x, Flag ignoreValid) {
            nb::list result;
            for (const std::optional<IndexExpr> &step :
                 toLayout(x.views).getRealStrides(ignoreValid))
              result.append(step ? wrapExpr(*step) : nb::none());
            return nb::tuple(result);
          },
          nb::arg("ignore_valid") = false,
          "Returns the step in the buffer per axis; None where the index is no "
          "plain stride or is masked.")
      .def("get_access", &getAccess, nb::arg("idxs"),
           "Returns where the position `idxs` is read: the index, and triples "
           "of an expression with its smallest and largest value, which say "
           "whether it is.")
      .def(
          "simplify",
          [](const Tracker &x) {
            return fromLayout(toLayout(x.views).simplify());
          },
          "Returns an equal tracker with as few views as are found.")
      .def("reshape", &reshapeTracker, nb::arg("new_shape"),
           "Returns the elements in row-major order in another shape. Errors: "
           "Error where the sizes differ.")
      .def(nb::self == nb::self)
      .def("__hash__", [](const Tracker &x) { return hash(toRepr(x)); })
      .def("__repr__", [](const Tracker &x) { return toRepr(x); })
      .def("__reduce__", [](const Tracker &x) {
        return nb::make_tuple(nb::type<Tracker>(),
                              nb::make_tuple(nb::tuple(nb::cast(x.views))));
      });
  for (const Method &method : movements)
    tracker.def(
        method.name,
        [kind = method.kind](const Tracker &x, nb::handle argument) {
          Tracker result = x;
          result.views.back() = moveInOne(x.views.back(), kind, argument);
          return result;
        },
        nb::arg(method.argument), method.doc);
}

nb::object python::wrapTracker(const SymbolicShapeTracker &tracker) {
  return nb::cast(Tracker{tracker.getViews()});
}

void python::bindShape(nb::module_ &module) {
  bindExpressions(module);
  bindViews(module);
  bindTrackers(module);
}
