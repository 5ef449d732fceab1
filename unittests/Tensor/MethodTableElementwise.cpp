//===- MethodTableElementwise.cpp - Functions of single elements ----------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MethodTable.h"

using namespace tinygrad;
using namespace tinygrad::test;

static std::function<Tensor(const Inputs &)> unary(Tensor (Tensor::*fn)()
                                                       const) {
  return [fn](const Inputs &in) { return (in[0].*fn)(); };
}

static std::function<Tensor(const Inputs &)>
binary(Tensor (*fn)(const Tensor &, const Tensor &)) {
  return [fn](const Inputs &in) { return fn(in[0], in[1]); };
}

static std::function<Tensor(const Inputs &)>
reverse(Tensor (Tensor::*fn)(const Tensor &, bool, Place) const) {
  return [fn](const Inputs &in) { return (in[0].*fn)(in[1], true, Place()); };
}

static std::function<Tensor(const Inputs &)> power(double exponent) {
  return [exponent](const Inputs &in) { return in[0].pow(exponent); };
}

MethodTable tinygrad::test::makeElementwiseTable() {
  return {
      {"neg", unary(&Tensor::neg)},
      {"logical_not", unary(&Tensor::logical_not)},
      {"exp", unary(&Tensor::exp)},
      {"exp2", unary(&Tensor::exp2)},
      {"log", unary(&Tensor::log)},
      {"log2", unary(&Tensor::log2)},
      {"sin", unary(&Tensor::sin)},
      {"cos", unary(&Tensor::cos)},
      {"tan", unary(&Tensor::tan)},
      {"sqrt", unary(&Tensor::sqrt)},
      {"rsqrt", unary(&Tensor::rsqrt)},
      {"reciprocal", unary(&Tensor::reciprocal)},
      {"sigmoid", unary(&Tensor::sigmoid)},
      {"tanh", unary(&Tensor::tanh)},
      {"sinh", unary(&Tensor::sinh)},
      {"cosh", unary(&Tensor::cosh)},
      {"asinh", unary(&Tensor::asinh)},
      {"acosh", unary(&Tensor::acosh)},
      {"atanh", unary(&Tensor::atanh)},
      {"gelu", unary(&Tensor::gelu)},
      {"quick_gelu", unary(&Tensor::quick_gelu)},
      {"silu", unary(&Tensor::silu)},
      {"swish", unary(&Tensor::swish)},
      {"softplus", [](const Inputs &in) { return in[0].softplus(); }},
      {"softplus beta=2", [](const Inputs &in) { return in[0].softplus(2); }},
      {"mish", unary(&Tensor::mish)},
      {"softsign", unary(&Tensor::softsign)},
      {"elu", [](const Inputs &in) { return in[0].elu(); }},
      {"elu alpha=0.5", [](const Inputs &in) { return in[0].elu(0.5); }},
      {"celu", [](const Inputs &in) { return in[0].celu(); }},
      {"celu alpha=2", [](const Inputs &in) { return in[0].celu(2); }},
      {"relu", unary(&Tensor::relu)},
      {"relu6", unary(&Tensor::relu6)},
      {"hardswish", unary(&Tensor::hardswish)},
      {"hardtanh", [](const Inputs &in) { return in[0].hardtanh(); }},
      {"leakyrelu", [](const Inputs &in) { return in[0].leakyrelu(); }},
      {"leakyrelu slope=0.2",
       [](const Inputs &in) { return in[0].leakyrelu(0.2); }},
      {"abs", unary(&Tensor::abs)},
      {"sign", unary(&Tensor::sign)},
      {"square", unary(&Tensor::square)},
      {"trunc", unary(&Tensor::trunc)},
      {"floor", unary(&Tensor::floor)},
      {"ceil", unary(&Tensor::ceil)},
      {"clip", [](const Inputs &in) { return in[0].clip(-1, 1.5); }},

      {"add", binary(add)},
      {"sub", binary(sub)},
      {"mul", binary(mul)},
      {"div", binary(div)},
      {"mod", binary(mod)},
      {"pow", binary(pow)},
      {"maximum", binary(maximum)},
      {"minimum", binary(minimum)},
      {"bitwise_xor", binary(bitwise_xor)},
      {"add reverse", reverse(&Tensor::add)},
      {"sub reverse", reverse(&Tensor::sub)},
      {"mul reverse", reverse(&Tensor::mul)},
      {"div reverse", reverse(&Tensor::div)},
      {"pow reverse", reverse(&Tensor::pow)},
      {"matmul reverse", reverse(&Tensor::matmul)},
      {"div float32",
       [](const Inputs &in) { return (in[0] / in[1]).float_(); }},
      {"pow 2", power(2)},
      {"pow 3", power(3)},
      {"pow 0.5", power(0.5)},
      {"pow -1", power(-1)},
      {"pow 0", power(0)},
      {"pow 1", power(1)},
      {"pow -2", power(-2)},
      {"pow 2.5", power(2.5)},

      {"less", binary(less)},
      {"equal", binary(equal)},
      {"<", [](const Inputs &in) { return in[0] < in[1]; }},
      {">", [](const Inputs &in) { return in[0] > in[1]; }},
      {"<=", [](const Inputs &in) { return in[0] <= in[1]; }},
      {">=", [](const Inputs &in) { return in[0] >= in[1]; }},
      {"==", [](const Inputs &in) { return in[0] == in[1]; }},
      {"!=", [](const Inputs &in) { return in[0] != in[1]; }},
      {"where", [](const Inputs &in) { return in[0].where(in[1], in[2]); }},
      {"where sqrt",
       [](const Inputs &in) {
         Tensor isPositive = in[0] > 0;
         Tensor safe = isPositive.where(in[0], 1);
         return isPositive.where(safe.sqrt(), -in[0]);
       }},
      {"cast float32",
       [](const Inputs &in) { return in[0].cast(DType::Float32); }},
      {"cast int32", [](const Inputs &in) { return in[0].cast(DType::Int32); }},
      {"float_", unary(&Tensor::float_)},
      {"half", unary(&Tensor::half)},
      {"bitcast", [](const Inputs &in) { return in[0].bitcast(DType::Int32); }},
  };
}
