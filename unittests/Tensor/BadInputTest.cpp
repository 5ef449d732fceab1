//===- BadInputTest.cpp - Calls that cannot be done -----------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each call throws an Error whose text is known, and leaves the tensors as they
// were. What other tests of this folder say is not repeated here.
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include "tinygrad/Tensor/NN.h"
#include "tinygrad/Tensor/Optim.h"

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

struct Row {
  const char *message;
  std::function<Tensor(const Tensor &x)> call;
};

} // namespace

/// Calls each row with ones of `shape`, which must stay what they are.
static void checkRows(const Shape &shape, const std::vector<Row> &rows) {
  Tensor x = Tensor::ones(shape).realize();
  for (const Row &row : rows) {
    expectError([&] { row.call(x); }, row.message);
    EXPECT_EQ(x.shape(), shape) << row.message;
    expectTensor(x, shape,
                 std::vector<double>(static_cast<size_t>(count(shape)), 1));
  }
}

static Tensor ones(const Shape &shape) { return Tensor::ones(shape); }
static Tensor ints(const Shape &shape) {
  return Tensor::ones(shape, DType::Int32);
}

TEST(BadInput, shapes_that_do_not_broadcast) {

  using Binary = Tensor (*)(const Tensor &, const Tensor &);
  const std::pair<std::string, Binary> functions[] = {
      {"add", add},         {"sub", sub},         {"mul", mul},
      {"div", div},         {"mod", mod},         {"pow", pow},
      {"maximum", maximum}, {"minimum", minimum}, {"less", less},
      {"equal", equal},
  };
  Tensor x = ones({2, 3});
  for (const auto &[name, fn] : functions)
    expectError([&, fn = fn] { fn(x, ones({2, 4})); },
                name + ": cannot broadcast [2, 3] and [2, 4]");
  expectError([&] { ints({2}) ^ ints({3}); },
              "bitwise_xor: cannot broadcast [2] and [3]");
  expectError([&] { x += ones({5}); }, "add: cannot broadcast [2, 3] and [5]");
  expectError([&] { x += ones({2, 2, 3}); },
              "add: cannot change a tensor of shape [2, 3] into one of shape "
              "[2, 2, 3]");
  expectTensor(x, {2, 3}, {1, 1, 1, 1, 1, 1});
  expectError([&] { x.where(ones({2}), ones({3})); },
              "where: cannot broadcast [2, 3], [2] and [3]");
}

TEST(BadInput, shapes_know_what_they_are) {
  try {
    ones({2, 3}) + ones({4});
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.getOp(), "add");
    ASSERT_EQ(error.getShapes().size(), 2u);
    EXPECT_EQ(error.getShapes()[0], (Shape{2, 3}));
    EXPECT_EQ(error.getShapes()[1], (Shape{4}));
  }
}

TEST(BadInput, axes_out_of_range) {

  auto add = [&](const std::string &name,
                 std::function<Tensor(const Tensor &)> call) {
    expectError([&] { call(ones({2, 3})); },
                name + ": expects an axis of a tensor with 2 axes, got 2");
  };
  add("sum", [](const Tensor &x) { return x.sum(2); });
  add("max", [](const Tensor &x) { return x.max(2); });
  add("min", [](const Tensor &x) { return x.min(2); });
  add("mean", [](const Tensor &x) { return x.mean(2); });
  add("var", [](const Tensor &x) { return x.var(2); });
  add("std", [](const Tensor &x) { return x.std(2); });
  add("cumsum", [](const Tensor &x) { return x.cumsum(2); });
  add("softmax", [](const Tensor &x) { return x.softmax(2); });
  add("log_softmax", [](const Tensor &x) { return x.log_softmax(2); });
  add("argmax", [](const Tensor &x) { return x.argmax(2); });
  add("argmin", [](const Tensor &x) { return x.argmin(2); });
  add("flip", [](const Tensor &x) { return x.flip(2); });
  add("squeeze", [](const Tensor &x) { return x.squeeze(2); });
  add("transpose", [](const Tensor &x) { return x.transpose(2, 0); });
  add("permute", [](const Tensor &x) { return x.permute({0, 2}); });
  add("cat", [](const Tensor &x) { return Tensor::cat({x, x}, 2); });
  add("split", [](const Tensor &x) { return x.split(1, 2)[0]; });
  add("chunk", [](const Tensor &x) { return x.chunk(1, 2)[0]; });
  add("gather", [](const Tensor &x) { return x.gather(ints({2, 3}), 2); });
  expectError([&] { ones({2, 3}).flatten(3); },
              "flatten: expects an axis of a tensor with 2 axes, got 3");
}

TEST(BadInput, indices) {
  checkRows(
      {2, 3},
      {
          {"getitem: expects a tensor of positions of an integer type, got "
           "float32",
           [](const Tensor &x) { return x[ones({1})]; }},
          {"getitem: expects a tensor of positions of an integer type, got "
           "bool",
           [](const Tensor &x) { return x[x > 0]; }},
          {"getitem: cannot broadcast [2] and [3]",
           [](const Tensor &x) { return x.getitem({ints({2}), ints({3})}); }},
          {"getitem: index -4 is out of bounds for dimension 1 with size 3",
           [](const Tensor &x) { return x.getitem({0, -4}); }},
          {"getitem: expects at most 2 indices for shape [2, 3], got 3",
           [](const Tensor &x) { return x.getitem({0, ints({1}), 0}); }},
          {"setitem: index 2 is out of bounds for dimension 0 with size 2",
           [](const Tensor &x) { return x.setitem({2}, 0); }},
          {"setitem: expects at most one ellipsis",
           [](const Tensor &x) { return x.setitem({ellipsis, ellipsis}, 0); }},
          {"setitem: expects a step that is not zero",
           [](const Tensor &x) {
             return x.setitem({Slice{std::nullopt, std::nullopt, 0}}, 0);
           }},
          {"setitem: expects only axes of size 1 to be expanded, got [2] and "
           "[3]",
           [](const Tensor &x) { return x.setitem({0}, ones({2})); }},
          {"gather: expects an index of an integer type, got float32",
           [](const Tensor &x) { return x.gather(x, 0); }},
          {"gather: expects an index whose axes are no longer than those of "
           "shape [2, 3] but for axis 0, got shape [2, 4]",
           [](const Tensor &x) { return x.gather(ints({2, 4}), 0); }},
          {"gather: expects an index whose axes are no longer than those of "
           "shape [2, 3] but for axis 0, got shape [2]",
           [](const Tensor &x) { return x.gather(ints({2}), 0); }},
          {"slice: expects a range for each axis of shape [2, 3], got 1",
           [](const Tensor &x) { return x.slice({{0, 1}}); }},
          {"slice: expects ranges that do not end before they begin, got from "
           "2 to 1",
           [](const Tensor &x) { return x.slice({{2, 1}, {0, 1}}); }},
      });
}

TEST(BadInput, contractions) {
  checkRows(
      {2, 3},
      {
          {"dot: cannot multiply shapes [2, 3] and [2, 3]",
           [](const Tensor &x) { return x.matmul(x); }},
          {"einsum: expects an operand for each part of `ij,jk->ik`, got 1",
           [](const Tensor &x) { return Tensor::einsum("ij,jk->ik", {x}); }},
          {"einsum: expects a letter for each axis of shape [2, 3], got `i`",
           [](const Tensor &x) { return Tensor::einsum("i->i", {x}); }},
          {"einsum: expects one size for each letter of `ij,ij`, got 2 and 3",
           [](const Tensor &x) { return Tensor::einsum("ij,ij", {x, x.T()}); }},
          {"einsum: expects letters of the operands in the result, each once, "
           "got `ij->ik`",
           [](const Tensor &x) { return Tensor::einsum("ij->ik", {x}); }},
          {"einsum: expects letters of the operands in the result, each once, "
           "got `ij->ii`",
           [](const Tensor &x) { return Tensor::einsum("ij->ii", {x}); }},
          {"einsum: expects letters and at most one `...` per operand, got "
           "`i?`",
           [](const Tensor &x) { return Tensor::einsum("i?", {x}); }},
          {"conv_transpose2d: expects an input of shape [N, groups*K, ..] and "
           "a weight of shape [groups*K, C, ..], got [2, 3] and [2, 3] with 1 "
           "groups",
           [](const Tensor &x) { return x.conv_transpose2d(x); }},
          {"conv_transpose2d: expects a bias of shape [1], got [2]",
           [](const Tensor &) {
             return ones({1, 1, 2, 2})
                 .conv_transpose2d(ones({1, 1, 2, 2}), ones({2}));
           }},
          {"scaled_dot_product_attention: expects shapes [.., L, E], [.., S, "
           "E] and [.., S, V], got [2, 3], [2, 3] and [3, 3]",
           [](const Tensor &x) {
             return x.scaled_dot_product_attention(x, ones({3, 3}));
           }},
          {"scaled_dot_product_attention: expects a mask that broadcasts to "
           "the scores' shape [2, 2], got [4, 2, 2]",
           [](const Tensor &x) {
             return x.scaled_dot_product_attention(x, x, ones({4, 2, 2}));
           }},
          {"scaled_dot_product_attention: expects a mask or is_causal, got "
           "both",
           [](const Tensor &x) {
             return x.scaled_dot_product_attention(x, x, ones({2, 2}), 0, true);
           }},
          {"batchnorm: expects one value for each channel of shape [2, 3], got "
           "shape [2]",
           [](const Tensor &x) {
             return x.batchnorm(std::nullopt, std::nullopt, ones({2}),
                                ones({3}));
           }},
      });
}

TEST(BadInput, types_devices_and_numbers) {
  checkRows(
      {2},
      {
          {"triu: expects at least two axes, got shape [2]",
           [](const Tensor &x) { return x.triu(); }},
          {"bitcast: expects types of equal width, got float32 and int8",
           [](const Tensor &x) { return x.bitcast(DType::Int8); }},
          {"to: cannot find the device\nexpects a device of `CPU`, `DISK`, "
           "`HOST`, `INTERP`, got `NOWHERE`",
           [](const Tensor &x) { return x.to("NOWHERE"); }},
          {"to: cannot find the device\nexpects a device of `CPU`, `DISK`, "
           "`HOST`, `INTERP`, got `NOWHERE`",
           [](const Tensor &x) { return x.to_("NOWHERE"); }},
          {"multinomial: expects one sample where none is put back, got 2",
           [](const Tensor &x) { return x.multinomial(2); }},
          {"multinomial: expects weights of shape [n] or [b, n] and at least "
           "one sample, got shape [2] and 0",
           [](const Tensor &x) { return x.multinomial(0); }},
          {"assign: expects a value of the tensor's shape [2], got [3]",
           [](const Tensor &x) { return x.assign(ones({3})); }},
          {"assign: expects a value of the tensor's type float32, got int32",
           [](const Tensor &x) { return x.assign(ints({2})); }},
          {"reshape: expects the same number of elements, got [2] and [3]",
           [](const Tensor &x) { return x.reshape({3}); }},
          {"stack: expects tensors of one shape, got [2] and [3]",
           [](const Tensor &x) { return Tensor::stack({x, ones({3})}); }},
          {"dropout: expects a probability from 0 to 1, got 1.500000",
           [](const Tensor &x) { return x.dropout(1.5); }},
          {"item: expects a tensor with one element, got shape [2]",
           [](const Tensor &x) { return Tensor(x.item()); }},
      });
  expectError([] { Tensor::zeros({-1}); },
              "full: expects extents that are not negative and fewer than 2^62 "
              "elements, got [-1]");
  expectError([] { Tensor::arange(0, 5, 0); },
              "arange: expects finite ends and a step that is not zero, got "
              "0.000000, 5.000000 and 0.000000");
  expectError([] { ones({2}) ^ ones({2}); },
              "bitwise_xor: expects integer or bool operands, got float32");
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Returns the place of the error that `fn` throws.
static std::string getPlace(const std::function<void()> &fn) {
  try {
    fn();
  } catch (const Error &error) {
    std::string place = error.getPlace();
    EXPECT_TRUE(place.empty() ||
                std::string(error.what()).find("(" + place + ")") !=
                    std::string::npos);
    return place;
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST(BadInput, places_are_the_callers) {
  auto here = [](unsigned line) {
    return "BadInputTest.cpp:" + std::to_string(line);
  };
  Tensor x = ones({2, 3});
  EXPECT_EQ(getPlace([&] { x + ones({5}); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { x += ones({5}); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { x.matmul(x); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { x.sum(2); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { x.reshape({7}); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { x[9]; }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { x.setitem({9}, 1); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { x.assign(ones({5})); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { Tensor::ones({-1}); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { Tensor::arange(0, 1, 0); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { Tensor({1, 2}, {3}); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { x.to("NOWHERE"); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { x.item(); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { x.backward(); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { x.grad(); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { x.shape(7); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { nn::Linear(3, 2)(ones({4})); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { safe_load("/no/such/file"); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { torch_load("/no/such/file"); }), here(__LINE__));
  EXPECT_EQ(getPlace([&] { load_state_dict({{"a", x}}, {}); }), here(__LINE__));
  optim::SGD optimizer({ones({2})});
  EXPECT_EQ(getPlace([&] { optimizer.step(); }), here(__LINE__));
  // A function without a place of its own does not show ours.
  EXPECT_EQ(getPlace([&] { binary_crossentropy(x, ones({5})); }), "");
}
