//===- Elements.h - Operations on whole tensors --------------- -*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_ENGINE_ELEMENTS_H
#define TINYGRAD_LIB_ENGINE_ELEMENTS_H

#include "tinygrad/Engine/HostTensor.h"
#include "tinygrad/Shape/ShapeTracker.h"

#include <span>

namespace tinygrad::engine {

/// Computes the elementwise operation `kind` on tensors of `result`'s shape.
void computeElementwise(ops::OpKind kind, std::span<const HostTensor> operands,
                        const HostTensor &result);

/// Computes the reduce `kind` of `source` along the axes in which `result` has
/// another extent. Elements are combined in row-major order.
llvm::Error computeReduce(ops::OpKind kind, const HostTensor &source,
                          const HostTensor &result);

/// Sets every element of `result` to `value`.
void fill(const HostTensor &result, const ops::Scalar &value);

/// Reads the elements of `source`, taken as a flat buffer, through `tracker`
/// into `result`; masked ones become 0.
llvm::Error gather(const shape::ShapeTracker &tracker, const HostTensor &source,
                   const HostTensor &result);

/// Writes the elements of `value` through `tracker` into `target`, taken as a
/// flat buffer.
llvm::Error scatter(const shape::ShapeTracker &tracker, const HostTensor &value,
                    const HostTensor &target);

} // namespace tinygrad::engine

#endif // TINYGRAD_LIB_ENGINE_ELEMENTS_H
