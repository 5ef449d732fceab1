//===- TensorActivation.cpp - Activations and hyperbolic functions --------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

Tensor tinygrad::tanh(const Tensor &x) { return 2.0 * sigmoid(2.0 * x) - 1.0; }

Tensor tinygrad::sinh(const Tensor &x) { return (exp(x) - exp(-x)) / 2.0; }

Tensor tinygrad::cosh(const Tensor &x) { return (exp(x) + exp(-x)) / 2.0; }

Tensor tinygrad::asinh(const Tensor &x) {
  Tensor input = cast(x, toFloatType(x.dtype()));
  // log(|x| + hypot(x, 1)) with the sign of x. The hypotenuse of a large x is
  // taken from 1/x, whose square can't overflow.
  Tensor size = abs(input.detach());
  Tensor isLarge = 1.0 < size;
  Tensor inverse = reciprocal(where(isLarge, size, 1.0));
  Tensor small = where(isLarge, 0.0, size);
  Tensor ratio = 1.0 + sqrt(1.0 + square(inverse));
  Tensor value = where(isLarge, log(size) + log(ratio),
                       log(small + sqrt(1.0 + square(small))));
  value = where(less(input.detach(), 0.0), -value, value);
  return withGradient(value, input,
                      [](const Tensor &x, const Tensor &, const Tensor &grad) {
                        return grad * rsqrt(square(x) + 1.0);
                      });
}

Tensor tinygrad::acosh(const Tensor &x) {
  return log(x + sqrt(square(x) - 1.0));
}

Tensor tinygrad::atanh(const Tensor &x) {
  Tensor input = cast(x, toFloatType(x.dtype()));
  Tensor value = input.detach();
  value = log((1.0 + value) / (1.0 - value)) / 2.0;
  // Those of the parts would give inf * 0 at -1 and 1.
  return withGradient(value, input,
                      [](const Tensor &x, const Tensor &, const Tensor &grad) {
                        return grad / (1.0 - square(x));
                      });
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

Tensor tinygrad::sigmoid(const Tensor &x) {
  // With the ops' own gradients a large negative x would give inf * 0.
  Tensor input = cast(x, toFloatType(x.dtype()));
  Tensor value = reciprocal(1.0 + exp(-input.detach()));
  return withGradient(
      value, input,
      [](const Tensor &, const Tensor &result, const Tensor &grad) {
        return grad * (result * (1.0 - result));
      });
}

Tensor tinygrad::gelu(const Tensor &x) {
  Tensor inner = x * 0.7978845608 * (1.0 + 0.044715 * x * x);
  return 0.5 * x * (1.0 + tanh(inner));
}

Tensor tinygrad::quick_gelu(const Tensor &x) { return x * sigmoid(x * 1.702); }

Tensor tinygrad::silu(const Tensor &x) { return x * sigmoid(x); }

Tensor tinygrad::swish(const Tensor &x) { return silu(x); }

Tensor tinygrad::softplus(const Tensor &x, double beta) {
  // log(1 + exp(z)) as max(z, 0) + log(1 + exp(-|z|)), which can't overflow.
  // Its gradient is the sigmoid; those of both parts are 0 at 0.
  Tensor z = cast(x, toFloatType(x.dtype())) * beta;
  Tensor input = z.detach();
  Tensor value = relu(input) + log(1.0 + exp(-abs(input)));
  Tensor result = withGradient(
      value, z, [](const Tensor &z, const Tensor &, const Tensor &grad) {
        return grad * sigmoid(z);
      });
  return result * (1 / beta);
}

Tensor tinygrad::mish(const Tensor &x) { return x * tanh(softplus(x)); }

Tensor tinygrad::softsign(const Tensor &x) { return x / (1.0 + abs(x)); }

/// Returns `x` above 0, else scale*(exp(x*rate) - 1).
static Tensor makeExponential(const Tensor &x, double scale, double rate) {
  // What is not chosen is 0, since an infinite exp would give the gradient NaN.
  Tensor isNegative = x.detach() <= 0;
  Tensor negative = where(isNegative, x, 0.0);
  return where(isNegative, scale * (exp(negative * rate) - 1.0), x);
}

Tensor tinygrad::elu(const Tensor &x, double alpha) {
  return makeExponential(x, alpha, 1);
}

Tensor tinygrad::celu(const Tensor &x, double alpha) {
  return makeExponential(x, alpha, 1 / alpha);
}

Tensor tinygrad::relu(const Tensor &x) {
  // The rule of max would share the gradient between x and 0 where both are
  // equal; tinygrad gives none to x. NaN passes it on, as in PyTorch.
  return withGradient(
      maximum(x.detach(), 0), x,
      [](const Tensor &, const Tensor &result, const Tensor &grad) {
        return where(result <= 0, 0, grad);
      });
}

Tensor tinygrad::relu6(const Tensor &x) {
  return where(x.detach() >= 6, 6, relu(x));
}

Tensor tinygrad::hardswish(const Tensor &x) {
  return x * relu6(x + 3) * (1.0 / 6);
}

Tensor tinygrad::hardtanh(const Tensor &x, double min_val, double max_val) {
  return clip(x, min_val, max_val);
}

Tensor tinygrad::leakyrelu(const Tensor &x, double slope) {
  return where(less(0, x.detach()), x, x * slope);
}
