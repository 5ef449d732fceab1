//===- MethodTable.h - The methods of tensors by name -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the cases of data/torch_values.json call (see
// utils/make_torch_values.py). A name is that of a method, and, after a space,
// what sets the case apart.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TENSOR_METHODTABLE_H
#define TINYGRAD_UNITTESTS_TENSOR_METHODTABLE_H

#include "tinygrad/Tensor/Tensor.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tinygrad::test {

using Inputs = std::vector<Tensor>;
using MethodTable =
    std::map<std::string, std::function<Tensor(const Inputs &)>>;

/// Functions of single elements.
MethodTable makeElementwiseTable();
/// Views, indices, reduces, contractions, networks and creation.
MethodTable makeShapedTable();

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_TENSOR_METHODTABLE_H
