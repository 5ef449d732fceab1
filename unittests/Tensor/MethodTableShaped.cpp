//===- MethodTableShaped.cpp - Views, reduces, contractions, networks -----===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MethodTable.h"

#include <cmath>

using namespace tinygrad;
using namespace tinygrad::test;

static void addMovement(MethodTable &t) {
  t["reshape"] = [](const Inputs &in) { return in[0].reshape({3, -1}); };
  t["permute"] = [](const Inputs &in) { return in[0].permute({2, 0, 1}); };
  t["transpose"] = [](const Inputs &in) { return in[0].transpose(); };
  t["T"] = [](const Inputs &in) { return in[0].T(); };
  t["expand"] = [](const Inputs &in) { return in[0].expand({2, -1}); };
  t["pad"] = [](const Inputs &in) { return in[0].pad({{1, 0}, {0, 2}}); };
  t["pad value=inf"] = [](const Inputs &in) {
    return in[0].pad({{1, 0}, {0, 2}}, INFINITY);
  };
  t["pad2d"] = [](const Inputs &in) { return in[0].pad2d({1, 0, -1, 2}, 3); };
  t["shrink"] = [](const Inputs &in) { return in[0].shrink({{0, 1}, {1, 3}}); };
  t["slice"] = [](const Inputs &in) {
    return in[0].slice({{1, 4}, {-1, 2}}, 5);
  };
  t["flip"] = [](const Inputs &in) { return in[0].flip(1); };
  t["stride"] = [](const Inputs &in) { return in[0].stride({-1, 2}); };
  t["unsqueeze"] = [](const Inputs &in) { return in[0].unsqueeze(-1); };
  t["squeeze"] = [](const Inputs &in) { return in[0].squeeze(); };
  t["squeeze axis=0"] = [](const Inputs &in) { return in[0].squeeze(0); };
  t["flatten"] = [](const Inputs &in) { return in[0].flatten(1); };
  t["repeat"] = [](const Inputs &in) { return in[0].repeat({2, 1, 2}); };
  t["cat"] = [](const Inputs &in) { return Tensor::cat(in, 1); };
  t["stack"] = [](const Inputs &in) { return Tensor::stack(in, -1); };
  t["chunk"] = [](const Inputs &in) { return in[0].chunk(2, 1)[1]; };
  t["split"] = [](const Inputs &in) { return in[0].split(2, 1)[2]; };
  for (int k : {-1, 0, 2, 9}) {
    std::string text = " k=" + std::to_string(k);
    t["triu" + text] = [k](const Inputs &in) { return in[0].triu(k); };
    t["tril" + text] = [k](const Inputs &in) { return in[0].tril(k); };
  }
  t["detach"] = [](const Inputs &in) { return in[0].detach(); };
  t["contiguous"] = [](const Inputs &in) { return in[0].contiguous(); };
  t["contiguous_backward"] = [](const Inputs &in) {
    return in[0].contiguous_backward();
  };
}

static void addIndexing(MethodTable &t) {
  t["getitem slices"] = [](const Inputs &in) {
    return in[0].getitem({Slice{std::nullopt, std::nullopt, -2}, newaxis, 1});
  };
  t["getitem [i]"] = [](const Inputs &in) { return in[0][in[1]]; };
  t["getitem [table]"] = t["getitem [i]"];
  t["getitem [:, j]"] = [](const Inputs &in) {
    return in[0].getitem({Slice(), in[1]});
  };
  t["getitem [i, j]"] = [](const Inputs &in) {
    return in[0].getitem({in[1], in[2]});
  };
  t["getitem [table, None, j0]"] = [](const Inputs &in) {
    return in[0].getitem({in[1], newaxis, in[2]});
  };
  t["getitem [..., 1:3, one]"] = [](const Inputs &in) {
    return in[0].getitem({ellipsis, Slice{1, 3}, in[1]});
  };
  t["getitem [i, :, one]"] = [](const Inputs &in) {
    return in[0].getitem({in[1], Slice(), in[2]});
  };
  t["getitem [1, :, one]"] = [](const Inputs &in) {
    return in[0].getitem({1, Slice(), in[1]});
  };
  t["getitem [::-2, j]"] = [](const Inputs &in) {
    return in[0].getitem({Slice{std::nullopt, std::nullopt, -2}, in[1]});
  };
  for (int axis = 0; axis < 3; ++axis)
    t["gather axis=" + std::to_string(axis)] = [axis](const Inputs &in) {
      return in[0].gather(in[1], axis);
    };
  t["setitem [1:, ::2]"] = [](const Inputs &in) {
    return setitem(in[0], {Slice{1}, Slice{std::nullopt, std::nullopt, 2}},
                   in[1]);
  };
  t["setitem [1]"] = [](const Inputs &in) {
    return setitem(in[0], {1}, in[1]);
  };
  t["setitem [i]"] = [](const Inputs &in) {
    return setitem(in[0], {in[2]}, in[1]);
  };
  t["setitem [:, i, one]"] = [](const Inputs &in) {
    return setitem(in[0], {Slice(), in[2], in[3]}, in[1]);
  };
}

static void addReduces(MethodTable &t) {
  const std::map<std::string, Axes> choices = {
      {"", Axes()}, {" axis=1", 1}, {" axis=-1", -1}, {" axis=0,2", {0, 2}}};
  for (const auto &[text, axes] : choices) {
    t["sum" + text] = [a = axes](const Inputs &in) { return in[0].sum(a); };
    t["mean" + text] = [a = axes](const Inputs &in) { return in[0].mean(a); };
    t["max" + text] = [a = axes](const Inputs &in) { return in[0].max(a); };
    t["min" + text] = [a = axes](const Inputs &in) { return in[0].min(a); };
    t["var" + text] = [a = axes](const Inputs &in) { return in[0].var(a); };
    t["std" + text] = [a = axes](const Inputs &in) { return in[0].std(a); };
  }
  t["sum keepdim"] = [](const Inputs &in) { return in[0].sum(1, true); };
  t["std correction=0"] = [](const Inputs &in) {
    return in[0].std({}, false, 0);
  };
  t["cumsum"] = [](const Inputs &in) { return in[0].cumsum(); };
  t["cumsum axis=1"] = [](const Inputs &in) { return in[0].cumsum(1); };
  t["softmax"] = [](const Inputs &in) { return in[0].softmax(); };
  t["softmax axis=0"] = [](const Inputs &in) { return in[0].softmax(0); };
  t["log_softmax"] = [](const Inputs &in) { return in[0].log_softmax(); };
  t["log_softmax axis=0"] = [](const Inputs &in) {
    return in[0].log_softmax(0);
  };
  t["argmax"] = [](const Inputs &in) { return in[0].argmax(); };
  t["argmax axis=1"] = [](const Inputs &in) { return in[0].argmax(1); };
  t["argmin"] = [](const Inputs &in) { return in[0].argmin(); };
  t["argmin axis=0"] = [](const Inputs &in) { return in[0].argmin(0); };
}

static void addContractions(MethodTable &t) {
  t["dot"] = [](const Inputs &in) { return in[0].dot(in[1]); };
  t["matmul"] = [](const Inputs &in) { return in[0].matmul(in[1]); };
  for (const char *formula :
       {"ij,jk->ik", "ij->ji", "ij->", "ii->i", "ii", "bij,bjk",
        "...ij,...jk->...ik", "i,j,k->kij", "bnhd,bmhd->bhnm"})
    t["einsum " + std::string(formula)] = [formula](const Inputs &in) {
      return Tensor::einsum(formula, in);
    };
  t["linear"] = [](const Inputs &in) { return in[0].linear(in[1], in[2]); };
  t["conv2d"] = [](const Inputs &in) { return in[0].conv2d(in[1]); };
  ConvOptions grouped;
  grouped.groups = 2;
  t["conv2d groups=2"] = [grouped](const Inputs &in) {
    return in[0].conv2d(in[1], in[2], grouped);
  };
  ConvOptions wide;
  wide.stride = {2, 1};
  wide.padding = {1};
  wide.dilation = {1, 2};
  t["conv2d stride=2,1 padding=1 dilation=1,2"] = [wide](const Inputs &in) {
    return in[0].conv2d(in[1], wide);
  };
  t["conv_transpose2d"] = [](const Inputs &in) {
    return in[0].conv_transpose2d(in[1]);
  };
  ConvTransposeOptions padded;
  padded.stride = {2};
  padded.padding = {1};
  padded.output_padding = {1};
  t["conv_transpose2d stride=2 padding=1 output_padding=1"] =
      [padded](const Inputs &in) {
        return in[0].conv_transpose2d(in[1], in[2], padded);
      };
  ConvTransposeOptions dilated;
  dilated.groups = 2;
  dilated.dilation = {2, 1};
  dilated.stride = {3, 2};
  t["conv_transpose2d groups=2 dilation=2,1 stride=3,2"] =
      [dilated](const Inputs &in) {
        return in[0].conv_transpose2d(in[1], dilated);
      };
  ConvTransposeOptions cut;
  cut.padding = {2};
  t["conv_transpose2d padding=2"] = [cut](const Inputs &in) {
    return in[0].conv_transpose2d(in[1], cut);
  };
  t["max_pool2d"] = [](const Inputs &in) { return in[0].max_pool2d(); };
  t["avg_pool2d"] = [](const Inputs &in) { return in[0].avg_pool2d(); };
  t["max_pool2d 3 stride=1 dilation=2"] = [](const Inputs &in) {
    return in[0].max_pool2d({2, 3}, {.stride = {1}, .dilation = {2}});
  };
  t["avg_pool2d 2,3 stride=2,1"] = [](const Inputs &in) {
    return in[0].avg_pool2d({2, 3}, {.stride = {2, 1}});
  };
}

static void addNetworks(MethodTable &t) {
  std::string name = "scaled_dot_product_attention";
  t[name] = [](const Inputs &in) {
    return in[0].scaled_dot_product_attention(in[1], in[2]);
  };
  t[name + " mask"] = [](const Inputs &in) {
    return in[0].scaled_dot_product_attention(in[1], in[2], in[3]);
  };
  t[name + " causal"] = [](const Inputs &in) {
    return in[0].scaled_dot_product_attention(in[1], in[2], std::nullopt, 0,
                                              true);
  };
  t["batchnorm"] = [](const Inputs &in) {
    return in[0].batchnorm(in[1], in[2], in[3], in[4]);
  };
  t["batchnorm plain"] = [](const Inputs &in) {
    return in[0].batchnorm(std::nullopt, std::nullopt, in[1], in[2]);
  };
  t["layernorm"] = [](const Inputs &in) { return in[0].layernorm(); };
  t["layernorm axes=1,2"] = [](const Inputs &in) {
    return in[0].layernorm({1, 2});
  };
  t["sparse_categorical_crossentropy"] = [](const Inputs &in) {
    return in[0].sparse_categorical_crossentropy(in[1]);
  };
  t["binary_crossentropy"] = [](const Inputs &in) {
    return in[0].binary_crossentropy(in[1]);
  };
  t["binary_crossentropy_logits"] = [](const Inputs &in) {
    return in[0].binary_crossentropy_logits(in[1]);
  };
  t["one_hot"] = [](const Inputs &in) { return in[0].one_hot(3); };
}

static void addCreation(MethodTable &t) {
  t["zeros"] = [](const Inputs &) { return Tensor::zeros({2, 3}); };
  t["ones"] = [](const Inputs &) { return Tensor::ones({2, 3}); };
  t["full"] = [](const Inputs &) { return Tensor::full({2}, 2.5); };
  t["eye"] = [](const Inputs &) { return Tensor::eye(3); };
  t["arange 5"] = [](const Inputs &) { return Tensor::arange(5); };
  t["arange 5, -3, -2"] = [](const Inputs &) {
    return Tensor::arange(5, -3, -2);
  };
  t["arange 0, 1, 0.25"] = [](const Inputs &) {
    return Tensor::arange(0, 1, 0.25);
  };
  t["zeros_like"] = [](const Inputs &in) { return in[0].zeros_like(); };
  t["ones_like"] = [](const Inputs &in) { return in[0].ones_like(); };
  t["full_like"] = [](const Inputs &in) { return in[0].full_like(3); };
}

MethodTable tinygrad::test::makeShapedTable() {
  MethodTable table;
  addMovement(table);
  addIndexing(table);
  addReduces(table);
  addContractions(table);
  addNetworks(table);
  addCreation(table);
  return table;
}
