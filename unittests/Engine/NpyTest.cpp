//===- NpyTest.cpp - Files of arrays - c ----------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Npy.h"
#include "GraphBuilder.h"

#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace tinygrad;
using namespace tinygrad::engine;
using namespace tinygrad::test;

/// Returns the file of `tensor`.
static std::string makeFile(const HostTensor &tensor) {
  std::string bytes = makeNpyHeader(tensor.getType(), tensor.getShape());
  bytes.append(reinterpret_cast<const char *>(tensor.getData()),
               static_cast<size_t>(tensor.getNumBytes()));
  return bytes;
}

/// Returns a file with the header `text` and `data` behind it.
static std::string makeFile(int version, llvm::StringRef text,
                            llvm::StringRef data) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(text.size() >> (8 * i));
  return bytes + text.str() + data.str();
}

TEST(NpyTest, keepsEveryType) {
  for (int i = 0; i < numDTypes; ++i) {
    auto type = static_cast<DType>(i);
    for (const ops::Shape &shape :
         {ops::Shape{}, ops::Shape{3}, ops::Shape{2, 0}, ops::Shape{1, 2, 3}}) {
      std::vector<double> values(*ops::getNumElements(shape));
      for (size_t k = 0; k < values.size(); ++k)
        values[k] = static_cast<double>(k % 2);
      HostTensor tensor = makeTensor(type, shape, values);
      std::string bytes = makeFile(tensor);
      EXPECT_EQ((bytes.size() - tensor.getNumBytes()) % 64, 0u);
      auto read = parseNpy(bytes);
      ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
      EXPECT_EQ(read->getType(), type);
      EXPECT_EQ(read->getShape(), shape);
      EXPECT_EQ(getValues(*read), values);
    }
  }
}

TEST(NpyTest, readsAllVersionsAndSpellings) {
  const char data[] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0};
  llvm::StringRef bytes(data, sizeof(data));
  for (int version : {1, 2, 3})
    for (const char *header :
         {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n",
          "{\"shape\":(2L,3L,),\"fortran_order\":False,\"descr\":\"<i2\"}",
          " { 'descr' : '<i2' , 'fortran_order' : False , 'shape' : ( 2 , 3 ) "
          "} "}) {
      auto read = parseNpy(makeFile(version, header, bytes));
      ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
      EXPECT_EQ(read->getShape(), (ops::Shape{2, 3}));
      EXPECT_EQ(getValues(*read), (Values{1, 2, 3, 4, 5, 6}));
    }
}

TEST(NpyTest, transposesFortranOrder) {
  const char data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  auto read = parseNpy(
      makeFile(1, "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3, 2)}",
               llvm::StringRef(data, sizeof(data))));
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(getValues(*read), (Values{1, 7, 3, 9, 5, 11, 2, 8, 4, 10, 6, 12}));
}

// Axes beside one without elements may be too long to be multiplied.
TEST(NpyTest, transposesNoElements) {
  auto read = parseNpy(makeFile(1,
                                "{'descr': '|i1', 'fortran_order': True, "
                                "'shape': (4611686018427387904, 4, 0)}",
                                ""));
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->getNumElements(), 0);
}

TEST(NpyTest, makesBoolsZeroOrOne) {
  const char data[] = {0, 1, 2, -1};
  auto read = parseNpy(
      makeFile(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (4,)}",
               llvm::StringRef(data, sizeof(data))));
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(std::memcmp(read->getData(), "\0\1\1\1", 4), 0);
}

TEST(NpyTest, survivesAnyDamage) {
  std::string bytes =
      makeFile(makeTensor(DType::Float32, {2, 3}, {1, 2, 3, 4, 5, 6}));
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(getError(parseNpy(llvm::StringRef(bytes).take_front(length))),
              "");
  // A changed byte may leave a file valid: it only must not crash.
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int value = 0; value < 256; value += 3) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(value);
      getError(parseNpy(damaged));
    }
}

TEST(NpyTest, headersOfManyAxesHaveALongLength) {
  // Longer than two bytes can say.
  ops::Shape shape(30000, 1);
  auto read = parseNpy(makeFile(makeTensor(DType::Int8, shape, {5})));
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->getShape(), shape);
}

TEST(NpyTest, writesAllFilesOrNone) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("npy-test", folder));
  std::string first = (folder + "/first.npy").str();
  std::string missing = (folder + "/missing/second.npy").str();
  HostTensor tensor = makeTensor(DType::Float64, {2}, {1, 2});

  EXPECT_PRED2(
      contains,
      llvm::toString(writeNpyFiles({{first, tensor}, {missing, tensor}})),
      missing + ": ");
  std::error_code code;
  EXPECT_EQ(llvm::sys::fs::directory_iterator(folder, code),
            llvm::sys::fs::directory_iterator());

  EXPECT_EQ(llvm::toString(writeNpyFiles({{first, tensor}})), "");
  EXPECT_EQ(getValues(llvm::cantFail(readNpy(first))), (Values{1, 2}));
  llvm::sys::fs::remove_directories(folder);
}
