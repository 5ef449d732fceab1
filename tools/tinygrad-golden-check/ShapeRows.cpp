//===- ShapeRows.cpp - Rows of shapetracker and view_merge ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRows.h"

#include "llvm/ADT/STLExtras.h"

using namespace tinygrad;
using namespace tinygrad::golden;
using ops::OpKind;
namespace json = llvm::json;

/// Reads [shape, strides, offset].
static bool readAsStrided(const json::Value &value,
                          std::vector<int64_t> &result, json::Path path) {
  const json::Array *list = value.getAsArray();
  std::vector<int64_t> strides;
  int64_t offset = 0;
  if (!list || list->size() != 3) {
    path.report("expected a shape, strides and an offset");
    return false;
  }
  if (!json::fromJSON((*list)[0], result, path.index(0)) ||
      !json::fromJSON((*list)[1], strides, path.index(1)) ||
      !json::fromJSON((*list)[2], offset, path.index(2)))
    return false;
  if (strides.size() != result.size()) {
    path.index(1).report("expected a stride per axis");
    return false;
  }
  llvm::append_range(result, strides);
  result.push_back(offset);
  return true;
}

bool golden::fromJSON(const json::Value &value, Movement &result,
                      json::Path path) {
  const json::Array *list = value.getAsArray();
  std::optional<OpKind> kind;
  if (list && list->size() == 2)
    if (auto name = list->front().getAsString())
      kind = ops::parseOpKind(*name);
  if (!kind || ops::getInfo(*kind).group != ops::OpGroup::Movement) {
    path.report("expected the name of a movement operation and its argument");
    return false;
  }
  result.kind = *kind;
  if (*kind == OpKind::AsStrided)
    return readAsStrided(list->back(), result.attributes.ints, path.index(1));
  return readInts(list->back(), result.attributes.ints, path.index(1));
}

bool golden::fromJSON(const json::Value &value, ShapeRow &result,
                      json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("shape", result.shape) ||
      !mapper.map("ops", result.movements) ||
      !mapper.map("out_shape", result.outShape) ||
      !mapper.map("index", result.index) ||
      !mapper.map("index_sum", result.indexSum) ||
      !mapper.map("views", result.views) ||
      !mapper.map("views_simplified", result.simplifiedViews) ||
      !mapper.map("movement_ops", result.movementOps) ||
      !mapper.map("contiguous", result.isContiguous) ||
      !mapper.map("contiguous_simplified", result.isContiguousSimplified) ||
      !mapper.map("real_strides", result.realStrides) ||
      !mapper.map("real_strides_ignore_valid", result.realStridesIgnoreValid) ||
      !mapper.map("size", result.size) ||
      !mapper.map("max_index", result.maxIndex))
    return false;
  result.isReferenceWrong = value.getAsObject()->get("reference_wrong");
  if (result.index || result.indexSum)
    return true;
  path.report("expected `index` or `index_sum`");
  return false;
}

bool golden::fromJSON(const json::Value &value, MergeRow &result,
                      json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("single_view", result.singleView) &&
         mapper.map("min_views", result.minViews) &&
         mapper.map("reference_views", result.referenceViews) &&
         mapper.map("contiguous", result.isContiguous);
}
