//===- Ops.cpp - Bindings of Tensor/Ops.h ---------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "Working.h"

#include "tinygrad/Tensor/Realize.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>

using namespace tinygrad;
using namespace tinygrad::python;

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// A function of two operands.
using Binary = Tensor (*)(const Tensor &, const Tensor &);

/// Adds a method of two operands that change places with `reverse`.
static void defBinary(TensorClass &tensor, Binary function, const char *name,
                      const char *doc) {
  tensor.def(
      name,
      [function](const Tensor &self, const Argument &x, Flag reverse) {
        return wrap(reverse ? function(x.tensor, self)
                            : function(self, x.tensor));
      },
      nb::arg("x"), nb::arg("reverse") = false, doc);
}

static void defUnary(TensorClass &tensor, Tensor (*function)(const Tensor &),
                     const char *name, const char *doc) {
  tensor.def(name, lift(function), doc);
}

static void bindUnary(TensorClass &tensor) {
  defUnary(tensor, &neg, "neg", "Returns -x.");
  defUnary(tensor, &logical_not, "logical_not", "True where x is 0, as bool.");
  defUnary(tensor, &tinygrad::exp, "exp", "e to the power of x.");
  defUnary(tensor, &tinygrad::exp2, "exp2", "2 to the power of x.");
  defUnary(tensor, &tinygrad::log, "log", "The natural logarithm.");
  defUnary(tensor, &tinygrad::log2, "log2", "The logarithm to base 2.");
  defUnary(tensor, &tinygrad::sin, "sin", "The sine.");
  defUnary(tensor, &tinygrad::cos, "cos", "The cosine.");
  defUnary(tensor, &tinygrad::tan, "tan", "The tangent.");
  defUnary(tensor, &tinygrad::sqrt, "sqrt", "The square root.");
  defUnary(tensor, &rsqrt, "rsqrt", "1 over the square root.");
  defUnary(tensor, &reciprocal, "reciprocal", "1/x.");
  defUnary(tensor, &sigmoid, "sigmoid", "1 / (1 + exp(-x)).");
  defUnary(tensor, &tinygrad::tanh, "tanh", "The hyperbolic tangent.");
  defUnary(tensor, &tinygrad::sinh, "sinh", "The hyperbolic sine.");
  defUnary(tensor, &tinygrad::cosh, "cosh", "The hyperbolic cosine.");
  defUnary(tensor, &tinygrad::asinh, "asinh", "The inverse of sinh.");
  defUnary(tensor, &tinygrad::acosh, "acosh",
           "The inverse of cosh; NaN below 1.");
  defUnary(tensor, &tinygrad::atanh, "atanh",
           "The inverse of tanh; NaN outside of [-1, 1].");
  defUnary(tensor, &gelu, "gelu", "GELU, approximated by tanh.");
  defUnary(tensor, &quick_gelu, "quick_gelu", "x * sigmoid(1.702*x).");
  defUnary(tensor, &silu, "silu", "x * sigmoid(x).");
  defUnary(tensor, &swish, "swish", "x * sigmoid(x).");
  defUnary(tensor, &mish, "mish", "x * tanh(softplus(x)).");
  defUnary(tensor, &softsign, "softsign", "x / (1 + |x|).");
  defUnary(tensor, &relu, "relu", "max(x, 0); the gradient at 0 is 0.");
  defUnary(tensor, &relu6, "relu6", "min(max(x, 0), 6).");
  defUnary(tensor, &hardswish, "hardswish", "x * relu6(x + 3) / 6.");
  defUnary(tensor, &tinygrad::abs, "abs", "The absolute value.");
  defUnary(tensor, &sign, "sign", "-1, 0 or 1.");
  defUnary(tensor, &square, "square", "x*x.");
  defUnary(tensor, &tinygrad::trunc, "trunc", "Rounds toward 0.");
  defUnary(tensor, &tinygrad::floor, "floor", "Rounds down.");
  defUnary(tensor, &tinygrad::ceil, "ceil", "Rounds up.");
  tensor
      .def("softplus", lift(&softplus), nb::arg("beta") = 1.0,
           "log(1 + exp(beta*x)) / beta, without overflow.")
      .def("elu", lift(&elu), nb::arg("alpha") = 1.0,
           "x above 0, else alpha*(exp(x) - 1).")
      .def("celu", lift(&celu), nb::arg("alpha") = 1.0,
           "x above 0, else alpha*(exp(x/alpha) - 1).")
      .def("leakyrelu", lift(&leakyrelu), nb::arg("neg_slope") = 0.01,
           "x above 0, else neg_slope*x.")
      .def("hardtanh", lift(&hardtanh), nb::arg("min_val") = -1.0,
           nb::arg("max_val") = 1.0, "x between both.")
      .def(
          "clip",
          [](const Tensor &x, const std::optional<Argument> &low,
             const std::optional<Argument> &high) {
            Tensor result = low ? maximum(x, low->tensor) : x;
            return wrap(high ? minimum(result, high->tensor) : result);
          },
          nb::arg("min_").none(), nb::arg("max_").none(),
          "x, but at least min_ and at most max_; None is no limit.")
      .def("cast", lift(&cast), nb::arg("dtype"),
           "Converts the elements, as numpy's astype does.")
      .def("bitcast", lift(&bitcast), nb::arg("dtype"),
           "Reads the bits as another type. Errors: Error unless its elements "
           "have as many.")
      .def(
          "detach",
          [](const Tensor &x) { return wrap(detach(x).requires_grad_(false)); },
          "The values, without their history; gradients are refused.")
      .def("contiguous", lift(&contiguous),
           "The value, stored row-major before anything uses it.")
      .def("contiguous_backward", lift(&contiguous_backward),
           "The value, whose gradient is stored before anything uses it.");
}

static void bindBinary(TensorClass &tensor) {
  defBinary(tensor, &add, "add", "x + y, broadcast.");
  defBinary(tensor, &sub, "sub", "x - y, broadcast.");
  defBinary(tensor, &mul, "mul", "x * y, broadcast.");
  defBinary(tensor, &div, "div",
            "x / y, broadcast; that of integers is a float32.");
  defBinary(tensor, &pow, "pow", "x to the power of y, broadcast.");
  defBinary(tensor, &mod, "mod", "The remainder with the sign of x, as in C.");
  defBinary(tensor, &bitwise_xor, "xor",
            "The bits of one or the other, of integers and bools.");
  defBinary(tensor, &bitwise_xor, "bitwise_xor", "As xor.");
  auto defPair = [&](const char *name, Binary function, const char *doc) {
    tensor.def(
        name,
        [function](const Tensor &self, const Argument &x) {
          return wrap(function(self, x.tensor));
        },
        nb::arg("x"), doc);
  };
  defPair("maximum", &maximum,
          "The larger of both, broadcast; equal ones share the gradient, and "
          "NaN wins.");
  defPair("minimum", &minimum, "The smaller of both, broadcast.");
  tensor.def(
      "where",
      [](const Tensor &condition, const Argument &x, const Argument &y) {
        return wrap(where(condition, x.tensor, y.tensor));
      },
      nb::arg("input_"), nb::arg("other"),
      "Returns input_ where this is not 0, else other; all broadcast.");
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// Ranges per axis; a missing one stands for a whole axis, or for no padding.
using OptionalRanges = std::vector<std::optional<std::pair<Extent, Extent>>>;

static Ranges fillRanges(const Tensor &x, const OptionalRanges &ranges,
                         bool isPadding) {
  Ranges result;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i])
      result.push_back(*ranges[i]);
    else if (isPadding || i >= x.shape().size())
      result.push_back({0, 0});
    else
      result.push_back({0, x.shape()[i]});
  }
  return result;
}

/// Returns a shape in which None is what `x` has at its place.
static Shape readShape(const char *name, const Tensor &x, nb::handle first,
                       const nb::args &rest) {
  nb::list items = listArguments(first, rest);
  Shape shape;
  for (size_t i = 0; i < items.size(); ++i) {
    nb::object item = items[i];
    Extent extent;
    if (item.is_none() && i < x.shape().size())
      extent = x.shape()[i];
    else if (!nb::try_cast<Extent>(item, extent))
      failForInteger(name, item);
    shape.push_back(extent);
  }
  return shape;
}

static void bindMovement(TensorClass &tensor, nb::module_ &module) {
  tensor
      .def(
          "reshape",
          [](const Tensor &x, nb::handle shape, const nb::args &args) {
            return wrap(reshape(x, readShape("reshape", x, shape, args)));
          },
          nb::arg("shape").none(), nb::arg("args"),
          "The elements in row-major order in another shape, given as numbers "
          "or as one tuple; -1 is what is left over, None keeps an axis. "
          "Errors: Error if the numbers of elements differ.")
      .def(
          "expand",
          [](const Tensor &x, nb::handle shape, const nb::args &args) {
            return wrap(expand(x, readShape("expand", x, shape, args)));
          },
          nb::arg("shape").none(), nb::arg("args"),
          "Repeats axes of size 1; -1 keeps an axis.")
      .def(
          "permute",
          [](const Tensor &x, nb::handle order, const nb::args &args) {
            return wrap(permute(x, readInts("permute", order, args)));
          },
          nb::arg("order").none(), nb::arg("args"),
          "Axis i of the result is axis order[i].")
      .def(
          "flip",
          [](const Tensor &x, nb::handle axis, const nb::args &args) {
            return wrap(flip(x, Axes(readInts("flip", axis, args))));
          },
          nb::arg("axis").none(), nb::arg("args"), "Reverses axes.")
      .def(
          "repeat",
          [](const Tensor &x, nb::handle repeats, const nb::args &args) {
            return wrap(repeat(x, readInts("repeat", repeats, args)));
          },
          nb::arg("repeats").none(), nb::arg("args"),
          "Repeats the tensor along each axis; missing axes are added in "
          "front.")
      .def(
          "stride",
          [](const Tensor &x, nb::handle steps, const nb::args &args) {
            return wrap(tinygrad::stride(x, readInts("stride", steps, args)));
          },
          nb::arg("steps").none(), nb::arg("args"),
          "Every step-th element of each axis, from its end for negative ones.")
      .def(
          "pad",
          [](const Tensor &x, const OptionalRanges &arg, double value) {
            return wrap(pad(x, fillRanges(x, arg, true), value));
          },
          nb::arg("arg"), nb::arg("value") = 0.0,
          "Adds elements before and after, a pair per axis or None.")
      .def(
          "shrink",
          [](const Tensor &x, const OptionalRanges &arg) {
            return wrap(shrink(x, fillRanges(x, arg, false)));
          },
          nb::arg("arg"),
          "The elements [begin, end) of each axis; None keeps one.")
      .def(
          "slice",
          [](const Tensor &x, const OptionalRanges &arg, double value) {
            std::vector<std::pair<int64_t, int64_t>> ranges;
            for (const auto &[begin, end] : fillRanges(x, arg, false))
              ranges.emplace_back(begin, end);
            return wrap(slice(x, ranges, value));
          },
          nb::arg("arg"), nb::arg("value") = 0.0,
          "As shrink; positions before 0 or beyond an axis hold `value`.")
      .def(
          "pad2d",
          [](const Tensor &x, const Ints &padding, double value) {
            return wrap(pad2d(x, padding.values, value));
          },
          nb::arg("padding"), nb::arg("value") = 0.0,
          "Pads the last axes: left, right, top, bottom, ...; negative ones "
          "cut.")
      .def("transpose", lift(&transpose), nb::arg("ax1") = 1,
           nb::arg("ax2") = 0, "Exchanges two axes.")
      .def("unsqueeze", lift(&unsqueeze), nb::arg("dim"),
           "Adds an axis of size 1.")
      .def("flatten", lift(&flatten), nb::arg("start_dim") = 0,
           "Joins the axes from start_dim on.")
      .def("triu", lift(&triu), nb::arg("k") = 0,
           "0 below the k-th diagonal of the last two axes.")
      .def("tril", lift(&tril), nb::arg("k") = 0,
           "0 above the k-th diagonal of the last two axes.")
      .def("chunk", lift(&chunk), nb::arg("num"), nb::arg("dim") = 0,
           "At most `num` parts of equal size but for the last, as a list.")
      .def("split", lift(&split), nb::arg("sizes"), nb::arg("dim") = 0,
           "Parts of one size but for the last, as a list.");
  module.def("squeeze", lift(&squeeze), nb::arg("x"), nb::arg("axes").none());
  module.def("cat", lift(&cat), nb::arg("tensors"), nb::arg("dim") = 0);
  module.def("stack", lift(&stack), nb::arg("tensors"), nb::arg("dim") = 0);
}

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

static void bindReduce(TensorClass &tensor) {
  auto def = [&](const char *name,
                 Tensor (*function)(const Tensor &, const Axes &, bool),
                 const char *doc) {
    tensor.def(name, lift(function), nb::arg("axis").none() = nb::none(),
               nb::arg("keepdim") = false, doc);
  };
  def("sum", &sum,
      "The sum over axes, which go away or get size 1; that of bools counts.");
  def("max", &tinygrad::max,
      "The maximum over axes; NaN wins, equal ones share the gradient.");
  def("min", &tinygrad::min, "The minimum over axes; NaN wins.");
  def("mean", &mean, "The mean over axes; that of integers is a float32.");
  tensor
      .def("var", lift(&var), nb::arg("axis").none() = nb::none(),
           nb::arg("keepdim") = false, nb::arg("correction") = 1,
           "The squares of distances from the mean, over n - correction.")
      .def("std", lift(&tinygrad::std), nb::arg("axis").none() = nb::none(),
           nb::arg("keepdim") = false, nb::arg("correction") = 1,
           "The square root of var.")
      .def("cumsum", lift(&cumsum), nb::arg("axis") = 0,
           "The sums of the first, the first two, ... elements.")
      .def("softmax", lift(&softmax), nb::arg("axis").none() = -1,
           "exp(x) over its sum; a row of -inf alone gives NaN.")
      .def("log_softmax", lift(&log_softmax), nb::arg("axis").none() = -1,
           "The logarithm of softmax.")
      .def("argmax", lift(&argmax), nb::arg("axis").none() = nb::none(),
           nb::arg("keepdim") = false,
           "The first position of the maximum, as int32.")
      .def("argmin", lift(&argmin), nb::arg("axis").none() = nb::none(),
           nb::arg("keepdim") = false,
           "The first position of the minimum, as int32.");
}

//===----------------------------------------------------------------------===//
// Contractions and networks
//===----------------------------------------------------------------------===//

/// Returns `labels`, whole numbers of any type, as integers: lists of Python
/// are float32.
static Tensor readLabels(const Tensor &labels) {
  return isFloat(labels.dtype()) ? cast(labels, DType::Int32) : labels;
}

static ConvOptions makeOptions(int64_t groups, const Ints &stride,
                               const Ints &dilation, const Ints &padding) {
  return {groups, stride.values, dilation.values, padding.values};
}

using Pool = Tensor (*)(const Tensor &, const std::vector<int64_t> &,
                        const PoolOptions &);

static void bindWindows(TensorClass &tensor) {
  tensor.def(
      "conv2d",
      [](const Tensor &x, const Tensor &weight,
         const std::optional<Tensor> &bias, int64_t groups, const Ints &stride,
         const Ints &dilation, const Ints &padding) {
        ConvOptions options = makeOptions(groups, stride, dilation, padding);
        return wrap(bias ? conv2d(x, weight, *bias, options)
                         : conv2d(x, weight, options));
      },
      nb::arg("weight"), nb::arg("bias").none() = nb::none(),
      nb::arg("groups") = 1, nb::arg("stride") = 1, nb::arg("dilation") = 1,
      nb::arg("padding") = 0,
      "Correlates with a weight of shape [out, in/groups, ...], for any number "
      "of axes. Padding: a number, one per axis, or before and after each axis "
      "from the last one on.");
  tensor.def(
      "conv_transpose2d",
      [](const Tensor &x, const Tensor &weight,
         const std::optional<Tensor> &bias, int64_t groups, const Ints &stride,
         const Ints &dilation, const Ints &padding, const Ints &added) {
        ConvTransposeOptions options = {
            makeOptions(groups, stride, dilation, padding), added.values};
        return wrap(bias ? conv_transpose2d(x, weight, *bias, options)
                         : conv_transpose2d(x, weight, options));
      },
      nb::arg("weight"), nb::arg("bias").none() = nb::none(),
      nb::arg("groups") = 1, nb::arg("stride") = 1, nb::arg("dilation") = 1,
      nb::arg("padding") = 0, nb::arg("output_padding") = 0,
      "The gradient of conv2d by its input, with a weight of shape [in, "
      "out/groups, ...].");
  auto def = [&](const char *name, Pool function, const char *doc) {
    tensor.def(
        name,
        [function](const Tensor &x, const Ints &kernel,
                   const std::optional<Ints> &stride, const Ints &dilation) {
          // One number is a square, as in tinygrad.
          std::vector<int64_t> sizes = kernel.values;
          if (kernel.isNumber)
            sizes.push_back(sizes[0]);
          return wrap(function(
              x, sizes, {stride.value_or(Ints()).values, dilation.values}));
        },
        nb::arg("kernel_size") = nb::make_tuple(2, 2),
        nb::arg("stride").none() = nb::none(), nb::arg("dilation") = 1, doc);
  };
  def("max_pool2d", &max_pool2d, "The maximum of each window.");
  def("avg_pool2d", &avg_pool2d, "The mean of each window.");
}

static void bindNetwork(TensorClass &tensor, nb::module_ &module) {
  tensor
      .def("dot", lift(&dot), nb::arg("w"),
           "Multiplies matrices: [.., n, k] by [.., k, m] gives [.., n, m]; a "
           "vector on either side is a row or a column.")
      .def(
          "matmul",
          [](const Tensor &self, const Tensor &x, Flag reverse) {
            return wrap(reverse ? matmul(x, self) : matmul(self, x));
          },
          nb::arg("x"), nb::arg("reverse") = false, "As dot.")
      .def(
          "linear",
          [](const Tensor &x, const Tensor &weight,
             const std::optional<Tensor> &bias) {
            return wrap(bias ? linear(x, weight, *bias) : linear(x, weight));
          },
          nb::arg("weight"), nb::arg("bias").none() = nb::none(),
          "x.dot(weight) + bias; a weight of one axis multiplies.")
      .def("dropout", lift(&dropout), nb::arg("p") = 0.5,
           "While Tensor.training, sets elements to 0 with probability p.")
      .def("scaled_dot_product_attention", lift(&scaled_dot_product_attention),
           nb::arg("key"), nb::arg("value"),
           nb::arg("attn_mask").none() = nb::none(), nb::arg("dropout_p") = 0.0,
           nb::arg("is_causal") = false,
           "softmax(x @ key^T / sqrt(E) + mask) @ value. Shapes: [.., L, E], "
           "[.., S, E], [.., S, V] give [.., L, V].")
      .def("batchnorm", lift(&batchnorm), nb::arg("weight").none(),
           nb::arg("bias").none(), nb::arg("mean"), nb::arg("invstd"),
           "Normalizes axis 1.")
      .def("layernorm", lift(&layernorm), nb::arg("axis") = -1,
           nb::arg("eps") = 1e-5, "Normalizes to mean 0 and variance 1.")
      .def(
          "sparse_categorical_crossentropy",
          [](const Tensor &x, const Tensor &labels, int64_t ignored) {
            return wrap(sparse_categorical_crossentropy(x, readLabels(labels),
                                                        ignored));
          },
          nb::arg("Y"), nb::arg("ignore_index") = -1,
          "The mean of -log_softmax at the labels Y, of shape [..] for logits "
          "[.., C].")
      .def("binary_crossentropy", lift(&binary_crossentropy), nb::arg("y"),
           "The mean cross entropy of probabilities.")
      .def("binary_crossentropy_logits", lift(&binary_crossentropy_logits),
           nb::arg("y"), "The mean cross entropy of logits.")
      .def(
          "one_hot",
          [](const Tensor &labels, int64_t count) {
            return wrap(one_hot(readLabels(labels), count));
          },
          nb::arg("num_classes"),
          "Whether the labels equal 0, 1, ... along a new last axis, as bool.")
      .def(
          "multinomial",
          [](const Tensor &weights, int64_t count, Flag replacement) {
            return wrap(weights.multinomial(count, replacement));
          },
          nb::arg("num_samples") = 1, nb::arg("replacement") = false,
          "Draws positions in proportion to weights [n] or [b, n], as int32.");
  module.def("einsum", lift(&einsum), nb::arg("formula"), nb::arg("operands"));
}

/// How often Python asked to realize later, which counts as realizing.
static std::atomic<int64_t> numRealizedLater;

void python::bindOps(TensorClass &tensor, nb::module_ &module) {
  bindUnary(tensor);
  bindBinary(tensor);
  bindMovement(tensor, module);
  bindReduce(tensor);
  bindWindows(tensor);
  bindNetwork(tensor, module);
  module.def(
      "realize_later",
      [](const std::vector<Tensor> &tensors) {
        ++numRealizedLater;
        realizeLater(tensors);
      },
      nb::arg("tensors"), nb::call_guard<Working>(),
      "Computes tensors of one context in the graph of what is realized next "
      "and needs a part of what they need.");
  module.def(
      "count_realized_later", [] { return numRealizedLater.load(); },
      "How often realize_later was called.");
  module.def("realize", &realizeWithShared, nb::arg("tensors"),
             nb::call_guard<Working>(),
             "Computes several tensors in one compiled graph.");
}
