//===- Lazy.cpp - Bindings of Tensor/Lazy.h and Tensor/Schedule.h ---------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Lazy.h"

#include "Bindings.h"

#include "tinygrad/Tensor/Schedule.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace tinygrad;
using namespace tinygrad::python;
using ops::KernelNode;
using ops::ScheduleRecord;

/// Returns a bare handle: these are no tensors of the program.
static nb::object wrapHandle(Tensor tensor) {
  return nb::cast(std::move(tensor));
}

static nb::list wrapHandles(std::vector<Tensor> tensors) {
  nb::list result;
  for (Tensor &tensor : tensors)
    result.append(wrapHandle(std::move(tensor)));
  return result;
}

/// Returns a bool, an int or a float.
static nb::object wrapScalar(const ops::Scalar &value) {
  if (value.getType() == DType::Bool)
    return nb::bool_(value.toInt() != 0);
  if (isFloat(value.getType()))
    return nb::float_(value.toDouble());
  if (value.getType() == DType::UInt64)
    return nb::int_(static_cast<uint64_t>(value.toInt()));
  return nb::int_(value.toInt());
}

static nb::tuple wrapExprs(const shape::SymbolicDims &exprs) {
  nb::list result;
  for (const shape::IndexExpr &expr : exprs)
    result.append(wrapExpr(expr));
  return nb::tuple(result);
}

/// Numbers, or nodes of symbolic.py.
static Shape readShape(nb::handle list) {
  Shape result;
  for (nb::handle item : list) {
    std::optional<shape::IndexExpr> expr = readExpr(item);
    if (!expr)
      throw nb::type_error("expects integers or nodes");
    if (expr->isConstant())
      result.push_back(expr->getValue());
    else
      result.push_back(Extent(std::make_shared<const shape::IndexExpr>(*expr)));
  }
  return result;
}

static nb::tuple wrapShape(const Shape &shape) {
  nb::list result;
  for (const Extent &extent : shape)
    result.append(extent.isSymbolic()
                      ? wrapExpr(*extent.getExpr())
                      : nb::object(nb::int_(extent.getValue())));
  return nb::tuple(result);
}

static const char *getKindName(ScheduleRecord::Kind kind) {
  switch (kind) {
  case ScheduleRecord::Kind::Kernel:
    return "kernel";
  case ScheduleRecord::Kind::Copy:
    return "copy";
  case ScheduleRecord::Kind::Custom:
    return "custom";
  }
  return "";
}

static void bindValues(nb::module_ &module) {
  nb::class_<LazyValue>(module, "LazyValue",
                        "What makes a value, one operation deep.")
      .def_prop_ro("kind",
                   [](const LazyValue &x) -> nb::object {
                     if (!x.kind)
                       return nb::none();
                     std::string_view name = ops::getInfo(*x.kind).name;
                     return nb::str(name.data(), name.size());
                   })
      .def_prop_ro("operands",
                   [](const LazyValue &x) { return wrapHandles(x.operands); })
      .def_prop_ro("ints", [](const LazyValue &x) { return wrapShape(x.ints); })
      .def_prop_ro("value",
                   [](const LazyValue &x) { return wrapScalar(x.value); })
      .def_ro("name", &LazyValue::name)
      .def_ro("is_unset", &LazyValue::isUnset);
  module.def(
      "get_value", [](const Tensor &x) { return wrapHandle(detach(x)); },
      nb::arg("tensor"), "Returns a handle to the value, without a history.");
  module.def("inspect", &inspect, nb::arg("tensor"));
  module.def("value_number", &getValueNumber, nb::arg("tensor"));
  nb::class_<MemoryView>(module, "MemoryView",
                         "The memory of a realized tensor, which may get a new "
                         "value while somebody looks at it.")
      .def(nb::init<const Tensor &>(), nb::arg("tensor"))
      .def_prop_ro("identity",
                   [](const MemoryView &x) {
                     return reinterpret_cast<uintptr_t>(x.getIdentity());
                   })
      .def(
          "get_tensor",
          [](const MemoryView &x) { return wrapHandle(x.getTensor()); },
          "Returns a handle to the elements that lie there now.");
  module.def(
      "get_base",
      [](const Tensor &x) {
        auto [base, tracker] = getBase(x);
        return nb::make_tuple(wrapHandle(std::move(base)),
                              wrapTracker(tracker));
      },
      nb::arg("tensor"));
  module.def(
      "make_lazy",
      [](const std::string &kind, const std::vector<Tensor> &operands,
         DType type, nb::handle ints) {
        std::optional<ops::OpKind> known = ops::parseOpKind(kind);
        if (!known)
          throw nb::value_error("expects the name of an operation");
        return wrapHandle(makeLazy(*known, operands, type, readShape(ints)));
      },
      nb::arg("kind"), nb::arg("operands"), nb::arg("dtype"), nb::arg("ints"));
  module.def(
      "write_buffer",
      [](const Tensor &x, const nb::bytes &bytes) {
        writeElements(x, bytes.data(), bytes.size());
      },
      nb::arg("tensor"), nb::arg("bytes"),
      "Overwrites the elements of a realized tensor that is all of a buffer.");
}

static void bindSchedules(nb::module_ &module) {
  nb::class_<KernelNode>(module, "KernelNode")
      .def_ro("op", &KernelNode::op)
      .def_ro("operands", &KernelNode::operands)
      .def_ro("dtype", &KernelNode::type)
      .def_ro("input", &KernelNode::input)
      .def_prop_ro("shape",
                   [](const KernelNode &x) { return wrapExprs(x.shape); })
      .def_prop_ro("value",
                   [](const KernelNode &x) { return wrapScalar(x.value); })
      .def_prop_ro("st", [](const KernelNode &x) -> nb::object {
        return x.tracker ? wrapTracker(*x.tracker) : nb::none();
      });
  using Item = Schedule::Item;
  nb::class_<Item>(module, "ScheduleRecord", "One step of a schedule.")
      .def_prop_ro("kind",
                   [](const Item &x) { return getKindName(x.record.kind); })
      .def_prop_ro("name", [](const Item &x) { return x.record.name; })
      .def_prop_ro("inputs", [](const Item &x) { return x.record.inputs; })
      .def_prop_ro("dtype", [](const Item &x) { return x.record.type; })
      .def_prop_ro("shape",
                   [](const Item &x) { return wrapExprs(x.record.shape); })
      .def_prop_ro("device",
                   [](const Item &x) {
                     return showDevice(x.record.device.empty()
                                           ? Context::getCurrent()->getDevice()
                                           : x.record.device);
                   })
      .def_prop_ro("value",
                   [](const Item &x) -> nb::object {
                     return x.value ? wrapHandle(*x.value) : nb::none();
                   })
      .def_prop_ro("tree", [](const Item &x) { return x.record.tree; })
      .def_prop_ro("rules", [](const Item &x) { return x.record.rules; })
      .def_prop_ro("flops", [](const Item &x) { return x.record.flops; })
      .def_prop_ro("bytes_read",
                   [](const Item &x) { return x.record.bytesRead; })
      .def_prop_ro("bytes_written",
                   [](const Item &x) { return x.record.bytesWritten; })
      .def_prop_ro("code", [](const Item &x) { return x.record.text; });
  nb::class_<Schedule>(module, "Schedule", "The steps that realize tensors.")
      .def_ro("items", &Schedule::items)
      .def_prop_ro("inputs",
                   [](const Schedule &x) { return wrapHandles(x.inputs); })
      .def_prop_ro("variables",
                   [](const Schedule &x) {
                     nb::dict result;
                     for (const auto &[name, value] : x.variables)
                       result[nb::str(name.c_str())] = value;
                     return result;
                   })
      .def_prop_ro("kernel_count", &Schedule::getNumKernels);
  module.def("schedule", &schedule, nb::arg("tensors"), nb::arg("known"),
             "Returns the steps of a realization of all tensors.");
}

void python::bindLazy(nb::module_ &module) {
  bindValues(module);
  bindSchedules(module);
}
