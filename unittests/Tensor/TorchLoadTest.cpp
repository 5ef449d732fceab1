//===- TorchLoadTest.cpp - Files of PyTorch -------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files in data/ are PyTorch's; utils/make_torch_nn_values.py made them.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/NN.h"
#include "tinygrad/Tensor/State.h"

#include "TorchValues.h"

#include <filesystem>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::test;
using namespace std::string_literals;

static std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

namespace {

/// A file that goes away with the test.
class TorchLoad : public testing::Test {
protected:
  ~TorchLoad() override { std::filesystem::remove(path); }

  void writeBytes(const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  /// Expects loading to fail with this reason.
  void expectDamaged(const std::string &reason) {
    expectError([&] { torch_load(path); },
                "torch_load: cannot read `" + path + "`: " + reason);
  }
  /// Writes an archive with this pickle, and one entry of data, "0".
  void writeArchive(const std::string &pickle, const std::string &data = "");

  std::string path = (std::filesystem::temp_directory_path() /
                      ("torch_load_test" + std::to_string(getpid())))
                         .string();
};

/// Writes a zip archive.
struct Zip {
  std::string bytes, directory;
  int count = 0;

  static std::string number(uint64_t value, int numBytes) {
    std::string result;
    for (int i = 0; i < numBytes; ++i)
      result += i < 8 ? static_cast<char>(value >> (8 * i)) : 0;
    return result;
  }
  /// `size` of 2^32 - 1 says that the sizes are in the extra field.
  void add(const std::string &name, const std::string &data,
           const std::string &extra = "", int method = 0, int flags = 0) {
    uint64_t size = extra.empty() ? data.size() : 0xFFFFFFFF;
    std::string common = number(0, 2) + number(flags, 2) + number(method, 2) +
                         number(0, 8) + number(size, 4) + number(size, 4) +
                         number(name.size(), 2);
    directory += "PK\1\2" + number(0, 2) + common + number(extra.size(), 2) +
                 number(0, 10) + number(bytes.size(), 4) + name + extra;
    bytes += "PK\3\4" + common + number(0, 2) + name + data;
    ++count;
  }
  std::string finish() const {
    return bytes + directory + "PK\5\6" + number(0, 4) + number(count, 2) +
           number(count, 2) + number(directory.size(), 4) +
           number(bytes.size(), 4) + number(0, 2);
  }
  /// With the records for large files; all that can be is there alone.
  std::string finish64() const {
    std::string record = "PK\6\6" + number(44, 8) + number(0, 4) +
                         number(0, 8) + number(count, 8) + number(count, 8) +
                         number(directory.size(), 8) + number(bytes.size(), 8);
    std::string locator = "PK\6\7" + number(0, 4) +
                          number(bytes.size() + directory.size(), 8) +
                          number(1, 4);
    return bytes + directory + record + locator + "PK\5\6" + number(0, 4) +
           std::string(12, '\xff') + number(0, 2);
  }
};

} // namespace

void TorchLoad::writeArchive(const std::string &pickle,
                             const std::string &data) {
  Zip zip;
  zip.add("a/data.pkl", pickle);
  zip.add("a/data/0", data);
  writeBytes(zip.finish());
}

// A pickle of one tensor, of 6 floats in storage 0, in parts.
static const std::string storage = "\x80\2ctorch._utils\n_rebuild_tensor_v2\n(("
                                   "\x8c\7storagectorch\nFloatStorage"
                                   "\n\x8c\1"
                                   "0\x8c\3cpuK\6tQ"s;
static const std::string end = "\x89}tR."s;

//===----------------------------------------------------------------------===//
// Files of PyTorch
//===----------------------------------------------------------------------===//

/// Expects what make_checkpoint of the script makes.
static void expectCheckpoint(const StateDict &loaded) {
  EXPECT_EQ(loaded.size(), 21u);
  nn::Linear layer(2, 1);
  load_state_dict(layer, {{"weight", loaded.at("model.weight")},
                          {"bias", loaded.at("model.bias")}});
  expectTensor(layer(Tensor(std::vector<float>{2, 1}, {1, 2})), {1, 1}, {1.5});

  expectTensor(loaded.at("views.0"), {3, 4},
               {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  expectTensor(loaded.at("views.1"), {4, 3},
               {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
  expectTensor(loaded.at("views.2"), {2, 2}, {4, 6, 8, 10});
  expectTensor(loaded.at("views.3"), {4}, {8, 9, 10, 11});
  expectTensor(loaded.at("views.4"), {2, 4}, {0, 1, 2, 3, 0, 1, 2, 3});
  expectTensor(loaded.at("views.1").to("") * 2 - 1, {4, 3},
               {-1, 7, 15, 1, 9, 17, 3, 11, 19, 5, 13, 21});

  for (const char *name : {"bool", "int8", "uint8", "int16", "int32", "int64",
                           "float16", "bfloat16", "float32", "float64"}) {
    const Tensor &tensor = loaded.at(std::string("types.") + name);
    EXPECT_EQ(getName(tensor.dtype()), name);
    expectTensor(tensor, {3}, {0, 1, 1});
  }
  expectTensor(loaded.at("scalar"), {}, {7});
  expectTensor(loaded.at("empty"), {0, 3}, {});
  expectTensor(loaded.at("parameter"), {3, 2}, {1, 2, 5, 6, 9, 10});
  expectTensor(loaded.at("numbers.0"), {1}, {1});
}

TEST_F(TorchLoad, archives_and_older_files) {
  for (const char *name : {"torch_zip.pt", "torch_older.pt"})
    for (const char *device : {"", "HOST", "DISK"}) {
      SCOPED_TRACE(std::string(name) + " " + device);
      StateDict loaded = torch_load(getDataPath(name), device);
      EXPECT_TRUE(loaded.at("views.0").isRealized());
      expectCheckpoint(loaded);
    }
}

TEST_F(TorchLoad, tar_archives) {
  for (const char *device : {"", "DISK"}) {
    StateDict loaded = torch_load(getDataPath("torch_tar.pt"), device);
    ASSERT_EQ(loaded.size(), 2u);
    expectTensor(loaded.at("turned"), {4, 3},
                 {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    expectTensor(loaded.at("part"), {2, 2}, {5, 7, 9, 11});
  }
  std::string bytes = readFile(getDataPath("torch_tar.pt"));
  ++bytes[20];
  writeBytes(bytes);
  expectDamaged("the tar archive is damaged");
}

TEST_F(TorchLoad, views_in_files_are_read_where_they_are_needed) {
  StateDict loaded = torch_load(getDataPath("torch_zip.pt"), "DISK");
  EXPECT_TRUE(loaded.at("views.1").device().starts_with("DISK:"));
  Tensor copy = loaded.at("views.1").to("");
  EXPECT_EQ(copy.device(), Context::getCurrent()->getDevice());
  expectTensor(copy.getitem({1}), {3}, {1, 5, 9});
}

TEST_F(TorchLoad, modules_are_refused) {
  expectError(
      [&] { torch_load(getDataPath("torch_module.pt")); },
      "torch_load: cannot read `" + getDataPath("torch_module.pt") +
          "`: the pickle before byte 98 speaks of "
          "`torch.nn.modules.linear.Linear`; only tensors, numbers, strings, "
          "lists and dicts are read, such as a state_dict");
}

TEST_F(TorchLoad, every_prefix_of_a_file_is_refused) {
  for (const char *name : {"torch_zip.pt", "torch_older.pt", "torch_tar.pt"}) {
    std::string bytes = readFile(getDataPath(name));
    // Behind the block that ends it, a tar archive is filled up with zeros.
    if (bytes.find("ustar") == 257)
      bytes.resize(6656);
    for (size_t size = 0; size < bytes.size();
         size += size < 200 || size + 200 > bytes.size() ? 1 : 37) {
      writeBytes(bytes.substr(0, size));
      EXPECT_THROW(torch_load(path, "DISK"), Error) << name << " " << size;
    }
  }
}

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

static const std::string sixFloats = [] {
  std::vector<float> values = {0, 1, 2, 3, 4, 5};
  return std::string(reinterpret_cast<const char *>(values.data()), 24);
}();
static const std::string sixMinusOne = storage + "K\1K\5\x85K\1\x85" + end;

TEST_F(TorchLoad, an_archive_of_another_program) {
  writeArchive(sixMinusOne, sixFloats);
  expectTensor(torch_load(path).at(""), {5}, {1, 2, 3, 4, 5});
}

TEST_F(TorchLoad, large_archives) {
  Zip zip;
  std::string sizes = Zip::number(sixMinusOne.size(), 8);
  zip.add("a/data.pkl", sixMinusOne,
          Zip::number(1, 2) + Zip::number(16, 2) + sizes + sizes);
  zip.add("a/data/0", sixFloats);
  writeBytes(zip.finish64());
  expectTensor(torch_load(path).at(""), {5}, {1, 2, 3, 4, 5});
  std::string bytes = zip.finish64();
  bytes[bytes.size() - 22 - 12] ^= 1;
  writeBytes(bytes);
  expectDamaged("the zip archive's end record is damaged");
}

TEST_F(TorchLoad, archives_that_are_not_read) {
  Zip compressed;
  compressed.add("a/data.pkl", sixMinusOne, "", /*method=*/8);
  writeBytes(compressed.finish());
  expectDamaged("entry `a/data.pkl` is compressed, as torch.save never does");
  Zip encrypted;
  encrypted.add("a/data.pkl", sixMinusOne, "", 0, /*flags=*/1);
  writeBytes(encrypted.finish());
  expectDamaged("entry `a/data.pkl` is encrypted");
  Zip twice;
  twice.add("a/b", "");
  twice.add("a/b", "");
  writeBytes(twice.finish());
  expectDamaged("the zip archive has two entries `a/b`");
  Zip other;
  other.add("a/b", "");
  writeBytes(other.finish());
  expectDamaged("the zip archive has no `data.pkl`: it is not of PyTorch");
  Zip swapped;
  swapped.add("a/byteorder", "big");
  swapped.add("a/data.pkl", sixMinusOne);
  writeBytes(swapped.finish());
  expectDamaged("its numbers are not little endian");
  Zip without;
  without.add("a/data.pkl", sixMinusOne);
  writeBytes(without.finish());
  expectDamaged("tensor `` has no data called `0`");
  Zip wrong;
  wrong.add("a/data.pkl", sixMinusOne);
  wrong.directory.back() = 'x';
  writeBytes(wrong.finish());
  expectDamaged("entry `a/data.pkx` is not where the directory says");
  wrong.count = 2;
  writeBytes(wrong.finish());
  EXPECT_THROW(torch_load(path), Error);
  writeBytes("PK, a text that is no archive");
  expectDamaged("the zip archive has no directory: it is cut off or damaged");
  writeBytes("text");
  expectDamaged("it is not a file of PyTorch");
  writeBytes("");
  expectDamaged("it is not a file of PyTorch");
}

//===----------------------------------------------------------------------===//
// Tensors and pickles
//===----------------------------------------------------------------------===//

TEST_F(TorchLoad, strides_that_pytorch_has) {
  // Overlapping windows of three.
  writeArchive(storage + "K\0K\4K\3\x86K\1K\1\x86"s + end, sixFloats);
  expectTensor(torch_load(path).at(""), {4, 3},
               {0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5});
  // An axis of a million million, of which nothing is computed.
  writeArchive(storage + "K\2\x8a\6" + "\0\0\0\0\0\1"s + "\x85K\0\x85"s + end,
               sixFloats);
  Tensor tensor = torch_load(path).at("");
  EXPECT_EQ(tensor.shape(), (Shape{int64_t{1} << 40}));
  expectTensor(tensor.shrink({{5, 7}}), {2}, {2, 2});
}

TEST_F(TorchLoad, tensors_outside_of_their_data) {
  writeArchive(storage + "K\2K\5\x85K\1\x85" + end, sixFloats);
  expectDamaged(
      "tensor `` of shape [5], strides [1] and offset 2 is not inside "
      "of its data of 6 elements");
  writeArchive(storage + "J\xff\xff\xff\xffK\2\x85K\1\x85" + end, sixFloats);
  expectDamaged("tensor `` of shape [2], strides [1] and offset -1 is not "
                "inside of its data of 6 elements");
  writeArchive(storage + "K\5K\2\x85J\xff\xff\xff\xff\x85" + end, sixFloats);
  expectDamaged("tensor `` of shape [2], strides [-1] and offset 5 is not "
                "inside of its data of 6 elements");
  writeArchive(storage + "K\0K\2\x85)"s + end, sixFloats);
  expectDamaged("tensor `` of shape [2], strides [] and offset 0 is not inside "
                "of its data of 6 elements");
  std::string huge = "\x8a\10" + std::string(7, '\xff') + "\x7f";
  for (const std::string &layout : std::vector<std::string>{
           "K\0"s + huge + huge + "\x86K\0K\0\x86"s,
           "K\0K\2K\2\x86"s + huge + huge + "\x86",
           huge + "K\2\x85" + huge + "\x85", "K\0K\2\x85"s + huge + "\x85",
           "K\0J\xff\xff\xff\xff\x85K\0\x85"s}) {
    writeArchive(storage + layout + end, sixFloats);
    EXPECT_THROW(torch_load(path), Error);
  }
  writeArchive(sixMinusOne, sixFloats.substr(1));
  expectDamaged("the data of tensor `` is shorter than its 6 elements");
}

TEST_F(TorchLoad, pickles_that_are_not_read) {
  auto expectPickle = [&](const std::string &pickle,
                          const std::string &reason) {
    SCOPED_TRACE(reason);
    writeArchive(pickle);
    // Behind the entry's header of 30 bytes and its name.
    expectDamaged("the pickle before byte " +
                  std::to_string(40 + pickle.size()) + " " + reason);
  };
  expectPickle("cos\nsystem\n",
               "speaks of `os.system`; only tensors, numbers, strings, lists "
               "and dicts are read, such as a state_dict");
  expectPickle("\x8c\2os\x8c\6system\x93"s,
               "speaks of `os.system`; only tensors, numbers, strings, lists "
               "and dicts are read, such as a state_dict");
  expectPickle("\x82", "has the opcode 130, which is not among those that are "
                       "read");
  expectPickle("ctorch\nSize\n)\x81", "makes an instance of `torch.Size`");
  expectPickle("N)\x81", "makes an instance of what is no type");
  expectPickle("NNb", "changes a value that is no list or no dict");
  expectPickle("i",
               "has the opcode 105, which is not among those that are read");
  expectPickle("", "is cut off");
  expectPickle("T\xff\xff\xff\xff", "is cut off");
  expectPickle("\x80\6", "is of a protocol after 5");
  expectPickle(".", "takes a value that is not there");
  expectPickle("NN.", "leaves more than one value");
  expectPickle("(.", "takes a value that is not there");
  expectPickle("N(0", "takes a value that is not there");
  expectPickle("t", "takes a mark that is not there");
  expectPickle("h\1", "takes value 1 of its memo, which has no such");
  expectPickle("NNa", "changes a value that is no list or no dict");
  expectPickle("}(Nu", "has a dict with a key without a value");
  expectPickle("}NNs",
               "has a dict with a key that is no string and no integer");
  expectPickle("N)R", "calls what is no function");
  expectPickle("ctorch\nFloatStorage\n)R",
               "calls `torch.FloatStorage` with arguments that do not fit");
  expectPickle("ctorch._utils\n_rebuild_tensor_v2\n)R",
               "has a tensor without storage, offset, shape and strides");
  expectPickle("NQ", "has a persistent id that is no storage");
  expectPickle("c" + std::string(1001, 'x'), "has a line without an end");
  expectPickle("ccollections\nOrderedDict\n]\x85R]]Na\x85NR",
               "calls what is no function");
}

TEST_F(TorchLoad, lists_without_an_end) {
  // It contains itself.
  writeArchive("]q\0h\0a."s);
  expectDamaged("lists and dicts are nested too deeply");
  // Each contains the one before twice.
  std::string doubled = "]";
  for (int i = 0; i < 60; ++i)
    doubled += "q\1"
               "0]h\1ah\1a";
  writeArchive(doubled + ".");
  expectDamaged("lists and dicts are nested too deeply");
}

TEST_F(TorchLoad, parameters_of_old) {
  std::string tensor = sixMinusOne.substr(0, sixMinusOne.size() - 1);
  std::string type = "ctorch.nn.parameter\nParameter\n";
  writeArchive(type + tensor +
                   "\x85\x81N\x88N\x87"
                   "b.",
               sixFloats);
  expectTensor(torch_load(path).at(""), {5}, {1, 2, 3, 4, 5});
  writeArchive(type + ")\x81(" + tensor + "N}\x88\x89tb.", sixFloats);
  expectTensor(torch_load(path).at(""), {5}, {1, 2, 3, 4, 5});
}

TEST_F(TorchLoad, values_without_tensors) {
  writeArchive("}(\x8c\1aK\1K\2Nu."s);
  EXPECT_TRUE(torch_load(path).empty());
  writeArchive("]" + sixMinusOne.substr(0, sixMinusOne.size() - 1) + "a.",
               sixFloats);
  expectTensor(torch_load(path).at("0"), {5}, {1, 2, 3, 4, 5});
}
