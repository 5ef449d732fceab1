//===- LazyAttrs.td - Attributes of the lazy dialect ----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_LAZY_IR_LAZYATTRS_TD
#define TINYGRAD_DIALECT_LAZY_IR_LAZYATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/TensorEncoding.td"
include "tinygrad/Dialect/Lazy/IR/LazyDialect.td"

class Lazy_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Lazy_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Lazy_VariableAttr : Lazy_Attr<"Variable", "variable", [
    DeclareAttrInterfaceMethods<OpAsmAttrInterface, ["getAlias"]>]> {
  let summary = "a size that is known when a program runs";
  let description = [{
    A name for an integer in `[min, max]`, both inclusive. Variables of one name
    and one range are one variable. Modules are printed with an alias for each,
    so that its range is written once. An `index` argument of a function gives
    it its value: `%n: index {lazy.variable = #i}`.

    Constraints:
    - (C1) the name is an identifier: a letter or `_`, then letters, digits, `_`.
    - (C2) `0 <= min < max < 2^31`.

    ```
    #i = #lazy.variable<i, 1, 10>
    ```
  }];
  let parameters = (ins
    StringRefParameter<>:$name,
    "int64_t":$min,
    "int64_t":$max
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::tinygrad::shape::IndexExpr getExpr() const;
  }];
}

def Lazy_SizesAttr : Lazy_Attr<"Sizes", "sizes"> {
  let summary = "a list of integers, some of them expressions of variables";
  let description = [{
    Extents, paddings, positions or strides. An entry is a number, or an
    expression of `#lazy.variable`s with `+`, `-`, `*`, `floordiv` and `mod`.
    Operations print it without its name, as in `low [#i, 0]`. Expressions are
    kept in a canonical form, so that equal polynomials are one attribute.

    Constraints:
    - (C1) the bounds of each entry fit in 62 bits.
    - (C2) all variables of one name have one range.

    ```
    #lazy.sizes<[3, 0]>
    #lazy.sizes<[#i, #i * 4 + #j, (#i + 1) floordiv 2]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "`ShapedType::kDynamic` for an expression">:$numbers,
    AttrParameter<"::tinygrad::lazy::SizeExprs", "", "const ::tinygrad::lazy::SizeExprs &">:$exprs
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static SizesAttr get(::mlir::MLIRContext *context,
                         ::llvm::ArrayRef<int64_t> numbers);
    static SizesAttr get(::mlir::MLIRContext *context,
                         ::llvm::ArrayRef<::tinygrad::shape::IndexExpr> sizes);
    size_t size() const { return getNumbers().size(); }
    /// True if an entry is an expression.
    bool isSymbolic() const { return !getExprs().exprs.empty(); }
    /// All entries, numbers as constants.
    ::tinygrad::shape::SymbolicDims getSizes() const;
  }];
}

def Lazy_EncodingAttr : Lazy_Attr<"Encoding", "type", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding, ["verifyEncoding"]>]> {
  let summary = "where a tensor is, and its symbolic extents";
  let description = [{
    The encoding of a tensor type whose elements are not on the default device,
    or of which an extent is no number. A plain tensor has no encoding, so that
    one type has one spelling.

    `device` is a name that the runtime registers, in capitals, and perhaps,
    after a colon, which one is meant: `CUDA`, `CUDA:1`, `DISK:/tmp/weights`.
    `HOST` is the memory of the process, `DISK` a file; these two hold data
    only, and no kernel runs on them. `dims` has one entry per axis; the type
    has `?` exactly where it is no number.

    Constraints:
    - (C1) there is a device or an expression.
    - (C2) `device` is such a name, and not the default one, `CPU`.
    - (C3) `dims` has the rank of the tensor, its numbers are the extents, and
      its expressions stand where the extent is `?`.
    - (C4) no expression of `dims` can be negative.

    ```
    tensor<?x3xf32, #lazy.type<device = "CUDA:1", dims = [#i, 3]>>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"empty: the default device">:$device,
    OptionalParameter<"::tinygrad::lazy::SizesAttr", "null: all numbers">:$dims
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Lazy_ViewAttr : Lazy_Attr<"View", "view"> {
  let summary = "one strided view of a flat buffer";
  let description = [{
    Position `(i0, …)` reads element `offset + sum(ik * strides[k])`, or 0 where
    some `ik` lies outside its `mask` range `[begin, end]`, the end exclusive.
    Without `strides` the view is row-major; without `mask` nothing is masked.
    Each number may be an expression, as in `#lazy.sizes`.

    Constraints:
    - (C1) `strides` has one entry per axis.
    - (C2) `mask` has one range per axis, inside of the shape.
    - (C3) extents are not negative.
    - (C4) no element that is read has a negative index.

    Of a view with expressions these are checked with the variables at the ends
    of their ranges, where a mask range may pass the shape. What holds there and
    not in between is found by `lazy-check-bounds`, which wants a proof.

    ```
    #lazy.view<[4, 3]>
    #lazy.view<[3, 4], strides = [1, 3], offset = 2, mask = [[0, 3], [1, 4]]>
    #lazy.view<[4, #i], strides = [1, 4]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "`ShapedType::kDynamic` for an expression">:$shape,
    ArrayRefParameter<"int64_t">:$strides,
    "int64_t":$offset,
    ArrayRefParameter<"int64_t", "begin and end per axis; empty: no mask">:$mask,
    AttrParameter<"::tinygrad::lazy::SymbolicViewParam", "", "const ::tinygrad::lazy::SymbolicViewParam &">:$symbolic
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the attribute of `view`.
    static ViewAttr get(::mlir::MLIRContext *context,
                        const ::tinygrad::shape::View &view);
    static ViewAttr get(::mlir::MLIRContext *context,
                        const ::tinygrad::shape::SymbolicView &view);
    /// The same; null and an error if the view is not valid.
    static ViewAttr
    getChecked(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
               ::mlir::MLIRContext *context,
               const ::tinygrad::shape::SymbolicView &view);
    /// True if an expression occurs. There are no strides, offset and mask as
    /// numbers then.
    bool isSymbolic() const { return getSymbolic().view.has_value(); }
    /// The view; it must not be symbolic.
    ::tinygrad::shape::View getView() const;
    ::tinygrad::shape::SymbolicView getSymbolicView() const;
  }];
}

def Lazy_ShapeTrackerAttr : Lazy_Attr<"ShapeTracker", "shape_tracker"> {
  let summary = "how a flat buffer appears under a logical shape";
  let description = [{
    A list of views. The last is the outermost: its shape is the logical one,
    and its flat index is a row-major position in the view before it.

    Constraints:
    - (C1) there is at least one view.
    - (C2) a view reads no position past the elements of the view before it.

    ```
    #lazy.shape_tracker<[4, 3], strides = [1, 4]>
    #lazy.shape_tracker<[2, 3], strides = [1, 2], then [6]>
    #lazy.shape_tracker<[#i, 3], strides = [1, #i], then [#i * 3]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::tinygrad::lazy::ViewAttr">:$views);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the attribute of `tracker`.
    static ShapeTrackerAttr get(::mlir::MLIRContext *context,
                                const ::tinygrad::shape::ShapeTracker &tracker);
    static ShapeTrackerAttr
    get(::mlir::MLIRContext *context,
        const ::tinygrad::shape::SymbolicShapeTracker &tracker);
    static ShapeTrackerAttr get(::mlir::MLIRContext *context,
                                const ::tinygrad::shape::Layout &layout);
    /// True if an expression occurs.
    bool isSymbolic() const;
    /// The tracker; it must not be symbolic.
    ::tinygrad::shape::ShapeTracker getTracker() const;
    ::tinygrad::shape::SymbolicShapeTracker getSymbolicTracker() const;
    /// The tracker, of numbers where it is not symbolic.
    ::tinygrad::shape::Layout getLayout() const;
    /// The logical shape, `ShapedType::kDynamic` for an expression.
    ::llvm::ArrayRef<int64_t> getShape() const;
    /// How many elements a buffer must have, if the tracker is not symbolic:
    /// those up to the last one that the
    /// first view reads, wherever the other views read it. So each view stays
    /// inside of what it reads, whichever of them are merged.
    int64_t getRequiredSize() const;
  }];
}

def Lazy_PlanAttr : Lazy_Attr<"Plan", "plan"> {
  let summary = "how a kernel is to be executed";
  let description = [{
    What a lowering obeys, apart from what the kernel computes. Axes are those
    of the kernel's iteration space. A heuristic writes the plan, a search may
    rewrite it, a person may edit it.

    - `parallel = [a, …]`: axes that are split into tasks, outermost first.
    - `tile = [n, …]`: the iterations of each parallel axis in one task.
    - `vector = a : w`: `w` iterations of axis `a` become one vector.
    - `unroll = n`: vectors along the vector axis that are computed together;
      a reduce keeps one accumulator for each.
    - `contract = [m, …] x [n, …] x [k, …]`: the kernel is a contraction; the
      left factor varies along `m` and `k`, the right one along `n` and `k`.
      All axes that are in none of the lists are parallel.
    - `register = [i, j]`: the tile of a contraction held in registers, `i`
      rows by `j` columns; `j` is a multiple of the vector width.
    - `block = [i, j, l]`: the rows, columns and products of a contraction that
      are packed together.

    Constraints:
    - (C1) no axis is named twice among `parallel`, nor among `contract`.
    - (C2) `tile` has one positive entry per parallel axis.
    - (C3) vector width and `unroll` are positive; the width is a power of two,
      and `unroll` vectors have at most 4096 elements.
    - (C4) `register` and `block` go with `contract`, and are positive;
      `register[1]` is a multiple of the vector width, `block[0]` of
      `register[0]`, `block[1]` of `register[1]`; `register` is at most 16384
      elements in 256 vectors.

    ```
    #lazy.plan<parallel = [0], tile = [64], vector = 1 : 16, unroll = 4>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$parallel,
    ArrayRefParameter<"int64_t">:$tile,
    "int64_t":$vectorAxis,
    "int64_t":$vectorWidth,
    "int64_t":$unroll,
    ArrayRefParameter<"int64_t">:$rowAxes,
    ArrayRefParameter<"int64_t">:$columnAxes,
    ArrayRefParameter<"int64_t">:$productAxes,
    ArrayRefParameter<"int64_t">:$registerTile,
    ArrayRefParameter<"int64_t">:$block
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// True if the kernel is to be lowered as a contraction.
    bool isContraction() const { return !getRegisterTile().empty(); }
    /// True if an axis is vectorized.
    bool hasVectorAxis() const { return getVectorAxis() >= 0; }
  }];
}

#endif // TINYGRAD_DIALECT_LAZY_IR_LAZYATTRS_TD
