//===- NN.cpp - Bindings of Tensor/NN.h -----------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python's layers are classes of Python, whose attributes programs replace.
// What takes many operations is computed here, by the layers of C++ with the
// tensors of Python's.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/NN.h"

#include "Bindings.h"

#include <nanobind/stl/optional.h>

using namespace tinygrad;
using namespace tinygrad::python;

static TensorObject
batchNorm2d(const Tensor &x, const std::optional<Tensor> &weight,
            const std::optional<Tensor> &bias, const Tensor &runningMean,
            const Tensor &runningVar, const Tensor &numBatchesTracked,
            double eps, double momentum, Flag trackRunningStats,
            Flag isTraining) {
  // Without channels, so that its own tensors take nothing.
  nn::BatchNorm2d layer(0, eps, /*affine=*/false, trackRunningStats, momentum);
  layer.weight = weight;
  layer.bias = bias;
  layer.running_mean = runningMean;
  layer.running_var = runningVar;
  layer.num_batches_tracked = numBatchesTracked;
  TrainingGuard training(isTraining);
  return wrap(layer(x));
}

void python::bindNN(nb::module_ &module) {
  module.def("batch_norm2d", &batchNorm2d, nb::arg("x"),
             nb::arg("weight").none(), nb::arg("bias").none(),
             nb::arg("running_mean"), nb::arg("running_var"),
             nb::arg("num_batches_tracked"), nb::arg("eps"),
             nb::arg("momentum"), nb::arg("track_running_stats"),
             nb::arg("training"), "Calls BatchNorm2d with these tensors.");
  module.def("embed", lift(&nn::embed), nb::arg("weight"), nb::arg("indices"),
             "Returns for each index a row of the weight.");
}
