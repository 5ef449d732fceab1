//===- ShapeRows.cpp - Rows of shapetracker and view_merge ----------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRows.h"

using namespace tinygrad;
using namespace tinygrad::golden;
using ops::OpKind;
namespace json = llvm::json;

bool golden::fromJSON(const json::Value &value, Movement &result,
                      json::Path path) {
  const json::Array *list = value.getAsArray();
  std::optional<OpKind> kind;
  if (list && list->size() == 2)
    if (auto name = list->front().getAsString())
      kind = ops::parseOpKind(*name);
  if (!kind || ops::getInfo(*kind).group != ops::OpGroup::Movement ||
      *kind == OpKind::AsStrided) {
    path.report("expected the name of a movement operation and its argument");
    return false;
  }
  result.kind = *kind;
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
