//===- LazyDialect.td - The lazy dialect ----------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYDIALECT_TD
#define TINYGRAD_DIALECT_LAZY_IR_LAZYDIALECT_TD

include "mlir/IR/DialectBase.td"

def Lazy_Dialect : Dialect {
  let name = "lazy";
  let cppNamespace = "::tinygrad::lazy";
  let summary = "tensor programs as graphs, and the kernels that they become";
  let description = [{
    Stage 1 is a graph of operations on ranked tensors: unary, binary, ternary,
    reduce, movement and load operations, named as in tinygrad. Stage 2 is a
    list of `lazy.kernel` operations, whose bodies load elements through
    `#lazy.shape_tracker` views, compute, and store.

    Elements are `i1`, `i8` … `i64` (signed), `ui8` … `ui64`, `f16`, `bf16`,
    `f32` or `f64`. A tensor that is not on the default device, or whose extents
    are not all numbers, says so in an encoding, `#lazy.type`. The operands and
    the result of an operation are on one device; `lazy.copy` moves data.

    An operation neither reads nor writes memory, unless its
    description says so, and has no undefined behaviour on any input: what it
    gives at the edges is in docs/Semantics.md, row by row. The bits of a NaN mean
    nothing, but to `noop`, `bitcast` and movement operations.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYDIALECT_TD
