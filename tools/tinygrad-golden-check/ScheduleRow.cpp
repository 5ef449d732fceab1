//===- ScheduleRow.cpp - A row of schedule.jsonl --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleRow.h"
#include "tinygrad/Dialect/Lazy/IR/LazyAttrs.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tinygrad;
using namespace tinygrad::golden;
using ops::OpGroup;
using ops::OpKind;
namespace json = llvm::json;

/// Returns true if each of `ids` is one of the first `count` operations.
static bool areIds(llvm::ArrayRef<int64_t> ids, size_t count) {
  return llvm::all_of(ids, [count](int64_t id) {
    return id >= 0 && id < static_cast<int64_t>(count);
  });
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

bool golden::fromJSON(const json::Value &value, Fill &result, json::Path path) {
  const json::Array *list = value.getAsArray();
  if (!list || list->size() != 5) {
    path.report("expected mul, add, mod, sub and scale");
    return false;
  }
  int64_t *ints[] = {&result.mul, &result.add, &result.mod, &result.sub};
  for (unsigned i = 0; i < 4; ++i) {
    if (!json::fromJSON((*list)[i], *ints[i], path.index(i)))
      return false;
    // Products with a position must not overflow.
    if (std::abs(*ints[i]) > INT32_MAX || (i == 2 && *ints[i] < 1)) {
      path.index(i).report("expected a number of 31 bits, a positive modulus");
      return false;
    }
  }
  return json::fromJSON((*list)[4], result.scale, path.index(4));
}

/// Reads the device in `arg`, if there is one. In the reference `CPU` is the
/// host, from and to which values are copied, and `DEV` the default device.
static bool readDevice(json::ObjectMapper &mapper, ProgramOp &result,
                       json::Path path) {
  std::string name = "DEV";
  if (!mapper.mapOptional("device", name))
    return false;
  if (name != "DEV" && name != "CPU") {
    path.field("device").report("expected `DEV` or `CPU`");
    return false;
  }
  result.device = (name == "CPU" ? hostDevice : lazy::defaultDevice).str();
  return true;
}

/// Reads what an operation without sources has.
static bool readLoad(const json::Value &arg, ProgramOp &result,
                     json::Path path) {
  json::ObjectMapper mapper(arg, path);
  if (!mapper || !mapper.map("dtype", result.type) ||
      !readDevice(mapper, result, path))
    return false;
  if (result.name == "CONST")
    return mapper.map("value", result.value);
  if (!mapper.map("shape", result.shape) || !mapper.map("fill", result.fill))
    return false;
  if (ops::getNumElements(result.shape))
    return true;
  path.field("shape").report("expected a shape");
  return false;
}

bool golden::fromJSON(const json::Value &value, ProgramOp &result,
                      json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("op", result.name) ||
      !mapper.map("src", result.sources))
    return false;
  result.kind = ops::parseOpKind(llvm::StringRef(result.name).lower());
  const json::Value *given = value.getAsObject()->get("arg");
  const json::Value &arg = given ? *given : json::Value(nullptr);
  json::Path argPath = path.field("arg");

  size_t arity = 1;
  OpGroup group =
      result.kind ? ops::getInfo(*result.kind).group : OpGroup::Load;
  bool isLoad = llvm::StringSwitch<bool>(result.name)
                    .Cases({"LOAD", "EMPTY", "CUSTOM", "CONST"}, true)
                    .Default(false);
  bool read = true;
  if (isLoad) {
    arity = 0;
    read = readLoad(arg, result, argPath);
  } else if (result.name == "CAST") {
    json::ObjectMapper cast(arg, argPath);
    bool isBitcast = false;
    read = cast && cast.map("dtype", result.type) &&
           cast.mapOptional("bitcast", isBitcast);
    if (isBitcast)
      result.kind = OpKind::Bitcast;
  } else if (result.name == "COPY") {
    json::ObjectMapper copy(arg, argPath);
    read = copy && readDevice(copy, result, argPath);
  } else if (group == OpGroup::Movement || group == OpGroup::Reduce) {
    read = readInts(arg, result.ints, argPath);
  } else if (result.kind && ops::isElementwise(*result.kind)) {
    arity = ops::getInfo(*result.kind).arity;
  } else if (result.name != "CONTIGUOUS" && result.name != "REALIZE") {
    path.field("op").report("expected the name of an operation");
    return false;
  }
  if (read && result.sources.size() != arity) {
    path.field("src").report("expected another number of sources");
    return false;
  }
  return read;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

bool golden::fromJSON(const json::Value &value, KernelNode &result,
                      json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("op", result.op) &&
         mapper.mapOptional("src", result.sources) &&
         mapper.map("buf", result.buffer) && mapper.map("dtype", result.type) &&
         mapper.map("value", result.value) && mapper.map("st", result.views) &&
         mapper.map("new_shape", result.newShape) &&
         mapper.mapOptional("bitcast", result.isBitcast);
}

/// Returns true if a node has the fields that its operation needs.
static bool isComplete(const KernelNode &node, size_t numInputs) {
  bool isConst = node.op == "CONST", isStore = node.op == "STORE";
  if (node.op == "LOAD" && !(node.buffer && areIds(*node.buffer, numInputs)))
    return false;
  if ((isConst && !node.value) || (isStore && node.sources.size() != 1))
    return false;
  return !(node.op == "LOAD" || isConst || isStore) ||
         (node.views && node.type);
}

bool golden::fromJSON(const json::Value &value, ScheduleItem &result,
                      json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("kind", result.kind) ||
      !mapper.map("inputs", result.inputs) ||
      !mapper.map("shape", result.shape) || !mapper.map("dtype", result.type) ||
      !mapper.map("value", result.value) ||
      !mapper.map("inplace", result.inPlace))
    return false;
  if (result.kind != "kernel")
    return true;
  if (!mapper.map("nodes", result.nodes))
    return false;
  json::Path nodes = path.field("nodes");
  for (auto [i, node] : llvm::enumerate(result.nodes)) {
    bool isLast = i + 1 == result.nodes.size();
    if (!areIds(node.sources, i) || (node.op == "STORE") != isLast) {
      nodes.index(i).report("expected sources before each node, and one STORE "
                            "at the end");
      return false;
    }
    if (!isComplete(node, result.inputs.size())) {
      nodes.index(i).report("expected `st` and `dtype` of a LOAD, CONST and "
                            "STORE, `buf` of a LOAD, `value` of a CONST and "
                            "one source of a STORE");
      return false;
    }
  }
  if (!result.nodes.empty())
    return true;
  nodes.report("expected nodes");
  return false;
}

bool golden::fromJSON(const json::Value &value, OutputPlace &result,
                      json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("const", result.constant) ||
      !mapper.map("st", result.views))
    return false;
  return result.constant || mapper.map("item", result.item);
}

//===----------------------------------------------------------------------===//
// Values and rows
//===----------------------------------------------------------------------===//

bool golden::fromJSON(const json::Value &value, Sample &result,
                      json::Path path) {
  const json::Array *list = value.getAsArray();
  if (!list || list->size() != 2) {
    path.report("expected a position and a value");
    return false;
  }
  return json::fromJSON((*list)[0], result.position, path.index(0)) &&
         golden::fromJSON((*list)[1], result.value, path.index(1));
}

bool golden::fromJSON(const json::Value &value, ExpectedValues &result,
                      json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("shape", result.shape) ||
      !mapper.map("dtype", result.type) || !mapper.map("values", result.values))
    return false;
  auto count = ops::getNumElements(result.shape);
  if (!count) {
    path.field("shape").report("expected a shape");
    return false;
  }
  if (result.values) {
    if (static_cast<int64_t>(result.values->size()) == *count)
      return true;
    path.field("values").report("expected a value per element");
    return false;
  }
  if (!mapper.map("sum", result.sum) || !mapper.map("abs_sum", result.absSum) ||
      !mapper.map("samples", result.samples))
    return false;
  for (const Sample &sample : result.samples) {
    if (areIds(sample.position, *count))
      continue;
    path.field("samples").report("expected positions of the tensor");
    return false;
  }
  return true;
}

static bool readVariants(json::ObjectMapper &mapper, ScheduleRow &row) {
  auto &[dropped, kept, traced] = row.variants;
  return mapper.map("kernels", dropped.kernels) &&
         mapper.map("ast", dropped.items) &&
         mapper.map("out_map", dropped.outputs) &&
         mapper.map("kernels_kept", kept.kernels) &&
         mapper.map("ast_kept", kept.items) &&
         mapper.map("out_map_kept", kept.outputs) &&
         mapper.map("kernels_traced", traced.kernels) &&
         mapper.map("ast_traced", traced.items) &&
         mapper.map("out_map_traced", traced.outputs);
}

bool golden::fromJSON(const json::Value &value, ScheduleRow &result,
                      json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("name", result.name) ||
      !mapper.map("program", result.program) ||
      !mapper.map("outputs", result.outputs) ||
      !mapper.mapOptional("pre", result.before) ||
      !mapper.mapOptional("keep", result.kept) ||
      !mapper.mapOptional("assign", result.assigned) ||
      !mapper.map("pre_kernels", result.kernelsBefore) ||
      !mapper.map("expected", result.expected) || !readVariants(mapper, result))
    return false;
  result.isReferenceWrong = value.getAsObject()->get("reference_values");
  for (auto [id, op] : llvm::enumerate(result.program)) {
    if (areIds(op.sources, id))
      continue;
    path.field("program").index(id).report("expected sources before it");
    return false;
  }
  size_t count = result.program.size();
  for (const std::vector<int64_t> &pair : result.assigned) {
    if (pair.size() == 2 && areIds(pair, count) &&
        result.program[pair[1]].name == "LOAD" && pair[1] < pair[0])
      continue;
    path.field("assign").report("expected pairs of an id and a LOAD before it");
    return false;
  }
  if (areIds(result.outputs, count) && areIds(result.before, count) &&
      areIds(result.kept, count))
    return true;
  path.report("expected ids of the program in `outputs`, `pre` and `keep`");
  return false;
}
