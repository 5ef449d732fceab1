//===- EmitGraph.h - From a graph to the lazy dialect --------- -*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_ENGINE_EMITGRAPH_H
#define TINYGRAD_ENGINE_EMITGRAPH_H

#include "tinygrad/Ops/Graph.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/Error.h"

namespace tinygrad::engine {

/// Makes a module with one function `main` that computes `graph`: its arguments
/// are the values of its variables, in the order of their names, and its
/// inputs, its results the outputs, its operations the nodes in
/// their order. The module is verified. An operation's location is its node's
/// number. A graph that is not valid is an error that names the node, never a
/// crash.
///
/// A copy to the device where its operand is becomes a contiguous, since a
/// copy, too, is a buffer of its own.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
emitGraph(mlir::MLIRContext &context, const ops::Graph &graph);

} // namespace tinygrad::engine

#endif // TINYGRAD_ENGINE_EMITGRAPH_H
