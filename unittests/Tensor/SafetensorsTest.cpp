//===- SafetensorsTest.cpp - Tensors in files -----------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/State.h"

#include "TensorTest.h"

#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>

using namespace tinygrad;
using namespace tinygrad::test;

namespace {

/// A folder that goes away with the test.
class Safetensors : public testing::Test {
protected:
  Safetensors() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "safetensorsXXXXXX").string();
    folder = mkdtemp(pattern.data());
    path = folder + "/file.safetensors";
  }
  ~Safetensors() override { std::filesystem::remove_all(folder); }

  /// Writes a file with this header and data.
  void write(const std::string &header, const std::string &data) {
    uint64_t length = header.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    writeBytes(bytes + header + data);
  }
  void writeBytes(const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  std::string readBytes() {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  /// Expects loading to fail with this reason.
  void expectDamaged(const std::string &reason) {
    expectError([&] { safe_load(path); },
                "safe_load: cannot read `" + path + "`: " + reason);
  }

  std::string folder, path;
};

} // namespace

TEST_F(Safetensors, round_trip_of_every_type) {
  StateDict saved;
  for (int i = 0; i < numDTypes; ++i) {
    DType type = static_cast<DType>(i);
    saved.emplace("x." + std::string(getName(type)),
                  Tensor::arange(0, 6, 1, type).reshape({2, 3}));
  }
  saved.emplace("scalar", Tensor::full({}, 2.5));
  saved.emplace("empty", Tensor::zeros({0, 3}));
  safe_save(saved, path, {{"made by", "a test"}});

  StateDict loaded = safe_load(path);
  ASSERT_EQ(loaded.size(), saved.size());
  for (const auto &[name, tensor] : saved) {
    const Tensor &other = loaded.at(name);
    EXPECT_EQ(other.dtype(), tensor.dtype()) << name;
    expectTensor(other, tensor.shape(), tensor.toVector<double>());
  }
  EXPECT_EQ(safe_load_metadata(path), (Metadata{{"made by", "a test"}}));
}

TEST_F(Safetensors, bytes_are_those_of_the_format) {
  safe_save({{"b", Tensor(std::vector<float>{1})},
             {"a", Tensor(std::vector<uint8_t>{7, 8})}},
            path);
  std::string header = "{\"b\":{\"dtype\":\"F32\",\"shape\":[1],"
                       "\"data_offsets\":[0,4]},"
                       "\"a\":{\"dtype\":\"U8\",\"shape\":[2],"
                       "\"data_offsets\":[4,6]}}";
  header.append((8 - header.size() % 8) % 8, ' ');
  std::string expected(1, static_cast<char>(header.size()));
  expected.append(7, '\0');
  expected += header;
  expected.append({0, 0, '\x80', '\x3f', 7, 8});
  EXPECT_EQ(readBytes(), expected);
}

TEST_F(Safetensors, a_file_of_another_program) {
  write(R"( {"__metadata__":{"format":"pt"},)"
        R"("w":{"shape":[2],"data_offsets":[0,4],"dtype":"I16"}} )",
        std::string("\1\0\2\0", 4));
  expectDamaged("the header does not begin with `{`");
  write(R"({"__metadata__":{"format":"pt"},)"
        R"("w":{"shape":[2],"data_offsets":[0,4],"dtype":"I16"}} )",
        std::string("\1\0\2\0", 4));
  expectTensor(safe_load(path).at("w"), {2}, {1, 2});
}

TEST_F(Safetensors, damaged_lengths) {
  writeBytes("short");
  expectDamaged("the file is shorter than the length of a header");
  writeBytes(std::string("\xff\0\0\0\0\0\0\0{}", 10));
  expectDamaged("the header's length of 255 bytes does not fit the file's 10");
  writeBytes(std::string(8, '\xff') + "{}");
  expectDamaged("the header's length of 18446744073709551615 bytes does not "
                "fit the file's 10");
}

TEST_F(Safetensors, damaged_headers) {
  write("[1]", "");
  expectDamaged("the header does not begin with `{`");
  write(R"({"a":1})", "");
  expectDamaged("tensor `a` does not have dtype, shape and data_offsets alone");
  write(R"({"a":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}})", "1234");
  expectDamaged("tensor `a` has the unknown type \"F99\"");
  write(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "1234");
  expectDamaged("tensor `a` has the wrong shape [-1]");
  write(R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", "1234");
  expectDamaged("tensor `a` has the wrong shape [1.0]");
  write(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", "1234");
  expectDamaged("tensor `a` has the wrong data_offsets [0]");
  write(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
        R"("a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
        "12");
  expectDamaged("the header has the name `a` twice");
  write(R"({"a\n\u001b":1})", "");
  expectDamaged("tensor `a\\x0A\\x1B` does not have dtype, shape and "
                "data_offsets alone");
  write(R"({"__metadata__":{"a":1}})", "");
  expectDamaged("`__metadata__` has a value that is not a string");
  write("{" + std::string(100'000, '['), "");
  EXPECT_THROW(safe_load(path), Error);
  write(R"({"a":)" + std::string(100'000, '[') + std::string(100'000, ']') +
            "}",
        "");
  EXPECT_THROW(safe_load(path), Error);
}

TEST_F(Safetensors, damaged_layouts) {
  write(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})",
        "12345678");
  expectDamaged("tensor `a` of type F32 and shape [1] does not have the size "
                "of its data, 8 bytes");
  write(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "123");
  expectDamaged(
      "tensor `a` has data_offsets [0,4] outside the 3 bytes of data");
  write(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],)"
        R"("data_offsets":[0,0]}})",
        "");
  expectDamaged("tensor `a` of type F32 and shape [4611686018427387904,4] does "
                "not have the size of its data, 0 bytes");
  write(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
        R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
        "123");
  expectDamaged("the data of tensor `b` overlaps another's");
  write(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "12");
  expectDamaged("the data before tensor `a` belongs to none");
  write(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "12");
  expectDamaged("1 bytes at the end belong to no tensor");
  write(R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", "\2");
  expectDamaged("tensor `a` has a bool that is neither 0 nor 1");
}

TEST_F(Safetensors, every_prefix_of_a_file_is_refused) {
  safe_save({{"w", Tensor::arange(5)}}, path);
  std::string bytes = readBytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    writeBytes(bytes.substr(0, size));
    EXPECT_THROW(safe_load(path), Error) << size;
  }
}

TEST_F(Safetensors, saving_replaces_a_file_at_once_or_not_at_all) {
  safe_save({{"w", Tensor::arange(2)}}, path);
  std::string before = readBytes();
  EXPECT_THROW(safe_save({{"__metadata__", Tensor::arange(2)}}, path), Error);
  EXPECT_EQ(readBytes(), before);
  safe_save({{"w", Tensor::arange(3)}}, path);
  expectTensor(safe_load(path).at("w"), {3}, {0, 1, 2});
  // Nothing else is left in the folder.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(Safetensors, system_errors) {
  expectError([&] { safe_load(folder + "/none"); },
              "safe_load: cannot read `" + folder +
                  "/none`: No such file or directory");
  expectError([&] { safe_save({}, folder + "/none/file"); },
              "safe_save: cannot create `" + folder +
                  "/none/file`: No such file or directory");
}

TEST_F(Safetensors, a_foreign_header_may_leave_data_anywhere) {
  // Neither the header's length nor the data of `b` is a multiple of a width.
  write(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
        R"("b":{"dtype":"F64","shape":[2],"data_offsets":[1,17]},)"
        R"("none":{"dtype":"F64","shape":[2,0],"data_offsets":[17,17]}})",
        std::string("\7\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\4\xc0", 17));
  for (const char *device : {"", "DISK", "HOST"}) {
    StateDict loaded = safe_load(path, device);
    expectTensor(loaded.at("b").to("") * 2, {2}, {3, -5});
    expectTensor(loaded.at("none"), {2, 0}, {});
  }
}

TEST_F(Safetensors, large_headers) {
  // Beyond any buffer, and with a thousand tensors.
  StateDict saved;
  Metadata metadata;
  for (int i = 0; i < 1000; ++i)
    saved.emplace("tensor" + std::to_string(i), Tensor(std::vector<int>{i}));
  metadata["text"] = std::string(1 << 20, 'x');
  safe_save(saved, path, metadata);
  EXPECT_EQ(safe_load_metadata(path), metadata);
  StateDict loaded = safe_load(path, "DISK");
  EXPECT_EQ(loaded.size(), 1000u);
  EXPECT_EQ(loaded.at("tensor765").item(), 765);
}

TEST_F(Safetensors, what_is_no_file) {
  expectError([&] { safe_load(folder); },
              "safe_load: cannot read `" + folder + "`: it is not a file");
  std::string pipe = folder + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expectError([&] { safe_load(pipe); },
              "safe_load: cannot read `" + pipe + "`: it is not a file");
}

TEST_F(Safetensors, names_that_are_no_text) {
  expectError([&] { safe_save({{"\xff", Tensor(1)}}, path); },
              "safe_save: expects names and metadata in UTF-8");
  EXPECT_FALSE(std::filesystem::exists(path));
  safe_save({{"na\"me\n", Tensor(1)}}, path);
  EXPECT_EQ(safe_load(path).at("na\"me\n").item(), 1);
}
