//===- DataDeviceTest.cpp - Tests of HOST and DISK ------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTestUtils.h"

#include "gtest/gtest.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

using namespace tinygrad;
using namespace tinygrad::runtime;

namespace {

using Floats = std::vector<float>;

//===----------------------------------------------------------------------===//
// HOST, and what all buffers share
//===----------------------------------------------------------------------===//

TEST(HostDeviceTest, HoldsData) {
  DeviceRef host = llvm::cantFail(createHostDevice());
  EXPECT_EQ(host->getName(), "HOST");
  BufferRef buffer = makeBuffer<float>(*host, {1, 2, 3});
  EXPECT_EQ(readBuffer<float>(*buffer), (Floats{1, 2, 3}));
  EXPECT_EQ(std::memcmp(buffer->getHostPointer(), Floats{1, 2, 3}.data(), 12),
            0);
  float piece[2];
  llvm::cantFail(buffer->copyOut(piece, 8, 4));
  EXPECT_EQ(piece[0], 2);
  float value = 7;
  llvm::cantFail(buffer->copyIn(&value, 4, 8));
  EXPECT_EQ(readBuffer<float>(*buffer), (Floats{1, 2, 7}));
  EXPECT_EQ(getMessage(buffer->copyIn(&value, 4, 9)),
            "cannot copy 4 bytes to or from a buffer of 12, from byte 9 on");
  EXPECT_EQ(getMessage(buffer->copyOut(&value, 4, INT64_MAX)),
            "cannot copy 4 bytes to or from a buffer of 12, from byte " +
                std::to_string(INT64_MAX) + " on");
  EXPECT_EQ(getMessage(host->compile("f", {})),
            "cannot compile `f` for device `HOST`, which holds data only");
  EXPECT_NE(getMessage(host->allocate(DType::Float64, INT64_MAX / 8 + 1)), "");
  EXPECT_NE(getMessage(host->allocate(DType::Float64, -1)), "");
  EXPECT_NE(getMessage(host->allocate(DType::Float64, INT64_MAX / 16)), "");
}

TEST(HostDeviceTest, ViewsShareMemory) {
  BufferRef buffer =
      makeBuffer<float>(*llvm::cantFail(createHostDevice()), {1, 2, 3, 4});
  BufferRef view = llvm::cantFail(buffer->view(DType::Float32, 2, 4));
  EXPECT_EQ(readBuffer<float>(*view), (Floats{2, 3}));
  llvm::cantFail(view->copyIn(Floats{8, 9}.data(), 8));
  EXPECT_EQ(readBuffer<float>(*buffer), (Floats{1, 8, 9, 4}));
  EXPECT_EQ(getMessage(buffer->view(DType::Float32, 2, 12)),
            "expects a view inside of a buffer of 16 bytes, got 8 from byte 12 "
            "on");
  EXPECT_NE(getMessage(buffer->view(DType::Float32, -1, 0)), "");
  EXPECT_NE(getMessage(buffer->view(DType::Float32, 1, -4)), "");
  EXPECT_NE(getMessage(buffer->view(DType::Float64, INT64_MAX / 4, 0)), "");
  // A view of a view keeps the memory of the first buffer.
  BufferRef inner = llvm::cantFail(view->view(DType::Int32, 1, 4));
  buffer = view = nullptr;
  float value = 0;
  llvm::cantFail(inner->copyOut(&value, 4));
  EXPECT_EQ(value, 9);
}

TEST(HostDeviceTest, TheCPUHasNoViews) {
  DeviceRef cpu = llvm::cantFail(createCPUDevice(1));
  BufferRef buffer = makeBuffer<float>(*cpu, {1, 2});
  EXPECT_EQ(getMessage(buffer->view(DType::Float32, 1, 4)),
            "device `CPU` has no views of buffers");
}

/// A buffer that the host cannot read, as that of a GPU.
class RemoteBuffer : public Buffer {
public:
  RemoteBuffer(DeviceRef device, BufferRef memory)
      : Buffer(std::move(device), memory->getType(), memory->getNumElements()),
        memory(std::move(memory)) {}
  void *getHostPointer() override { return nullptr; }

private:
  llvm::Error write(const void *source, int64_t size, int64_t offset) override {
    return memory->copyIn(source, size, offset);
  }
  llvm::Error read(void *target, int64_t size, int64_t offset) override {
    return memory->copyOut(target, size, offset);
  }
  BufferRef memory;
};

TEST(CopyBufferTest, GoesBetweenAnyTwoDevices) {
  DeviceRef host = llvm::cantFail(createHostDevice()),
            cpu = llvm::cantFail(createCPUDevice(1));
  BufferRef near = makeBuffer<float>(*host, {1, 2, 3, 4});
  BufferRef there = makeBuffer<float>(*cpu, {0, 0});
  llvm::cantFail(copyBuffer(*near, 8, *there));
  EXPECT_EQ(readBuffer<float>(*there), (Floats{3, 4}));
  auto far = std::make_shared<RemoteBuffer>(
      host, makeBuffer<float>(*host, {5, 6, 7, 8}));
  auto farther =
      std::make_shared<RemoteBuffer>(host, makeBuffer<float>(*host, {0, 0}));
  llvm::cantFail(copyBuffer(*far, 4, *farther));
  EXPECT_EQ(readBuffer<float>(*farther), (Floats{6, 7}));
  llvm::cantFail(copyBuffer(*near, 0, *farther));
  EXPECT_EQ(readBuffer<float>(*farther), (Floats{1, 2}));
  llvm::cantFail(copyBuffer(*far, 8, *there));
  EXPECT_EQ(readBuffer<float>(*there), (Floats{7, 8}));
  EXPECT_EQ(getMessage(copyBuffer(*near, 12, *there)),
            "cannot copy 8 bytes to or from a buffer of 16, from byte 12 on");
}

TEST(CopyBufferTest, GoesInPieces) {
  DeviceRef host = llvm::cantFail(createHostDevice());
  std::vector<int32_t> values((size_t(1) << 22) + 3);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = int32_t(i);
  auto far = std::make_shared<RemoteBuffer>(host, makeBuffer(*host, values));
  auto farther = std::make_shared<RemoteBuffer>(
      host, makeBuffer(*host, std::vector<int32_t>(values.size() - 1)));
  llvm::cantFail(copyBuffer(*far, 4, *farther));
  EXPECT_EQ(readBuffer<int32_t>(*farther),
            std::vector<int32_t>(values.begin() + 1, values.end()));
}

//===----------------------------------------------------------------------===//
// DISK
//===----------------------------------------------------------------------===//

class DiskDeviceTest : public testing::Test {
protected:
  DiskDeviceTest()
      : folder(std::filesystem::temp_directory_path() /
               ("disk-device-test-" + std::to_string(getpid()))),
        path(folder / "data") {
    std::filesystem::create_directories(folder);
  }
  ~DiskDeviceTest() override { std::filesystem::remove_all(folder); }

  void writeFile(const Floats &values) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(values.data()),
               std::streamsize(values.size() * sizeof(float)));
  }
  Floats readFile() {
    Floats values(std::filesystem::file_size(path) / sizeof(float));
    std::ifstream(path, std::ios::binary)
        .read(reinterpret_cast<char *>(values.data()),
              std::streamsize(values.size() * sizeof(float)));
    return values;
  }
  DeviceRef getDisk() { return llvm::cantFail(createDiskDevice(path)); }

  std::filesystem::path folder, path;
};

TEST_F(DiskDeviceTest, ReadsFiles) {
  writeFile({1, 2, 3, 4});
  DeviceRef disk = getDisk();
  EXPECT_EQ(disk->getName(), "DISK:" + path.string());
  BufferRef buffer = llvm::cantFail(disk->open(DType::Float32, 4));
  EXPECT_EQ(readBuffer<float>(*buffer), (Floats{1, 2, 3, 4}));
  BufferRef view = llvm::cantFail(buffer->view(DType::Float32, 2, 4));
  EXPECT_EQ(readBuffer<float>(*view), (Floats{2, 3}));
  EXPECT_EQ(*static_cast<float *>(view->getHostPointer()), 2);
  // A part of a file is a buffer too, and an empty file one without elements.
  EXPECT_EQ(readBuffer<float>(*llvm::cantFail(disk->open(DType::Float32, 1))),
            (Floats{1}));
  writeFile({});
  EXPECT_EQ(llvm::cantFail(disk->open(DType::Int8, 0))->getNumBytes(), 0);
}

TEST_F(DiskDeviceTest, ViewsBeginAtAnyByte) {
  std::ofstream(path, std::ios::binary) << "x\1\2\3\4";
  BufferRef bytes = llvm::cantFail(getDisk()->open(DType::UInt8, 5));
  BufferRef word = llvm::cantFail(bytes->view(DType::Int32, 1, 1));
  EXPECT_EQ(readBuffer<int32_t>(*word), (std::vector<int32_t>{0x04030201}));
}

TEST_F(DiskDeviceTest, WritesFiles) {
  DeviceRef disk = getDisk();
  BufferRef buffer = llvm::cantFail(disk->allocate(DType::Float32, 3));
  EXPECT_EQ(readFile(), (Floats{0, 0, 0}));
  llvm::cantFail(buffer->copyIn(Floats{1, 2, 3}.data(), 12));
  EXPECT_EQ(readFile(), (Floats{1, 2, 3}));
  llvm::cantFail(disk->synchronize());
  // What the file holds is kept; a longer buffer makes it longer, a shorter one
  // leaves its length.
  buffer = llvm::cantFail(disk->allocate(DType::Float32, 4));
  EXPECT_EQ(readFile(), (Floats{1, 2, 3, 0}));
  llvm::cantFail(llvm::cantFail(buffer->view(DType::Float32, 1, 12))
                     ->copyIn(Floats{4}.data(), 4));
  buffer = llvm::cantFail(disk->allocate(DType::Float32, 1));
  llvm::cantFail(buffer->copyIn(Floats{9}.data(), 4));
  EXPECT_EQ(readFile(), (Floats{9, 2, 3, 4}));
  // Through the mapping too.
  static_cast<float *>(buffer->getHostPointer())[0] = 5;
  EXPECT_EQ(readBuffer<float>(*buffer), (Floats{5}));
}

TEST_F(DiskDeviceTest, WritesFilesThatWereOpened) {
  writeFile({1, 2, 3});
  BufferRef buffer = llvm::cantFail(getDisk()->open(DType::Float32, 3));
  EXPECT_EQ(*static_cast<float *>(buffer->getHostPointer()), 1);
  BufferRef view = llvm::cantFail(buffer->view(DType::Float32, 1, 4));
  llvm::cantFail(view->copyIn(Floats{9}.data(), 4));
  EXPECT_EQ(readFile(), (Floats{1, 9, 3}));
  EXPECT_EQ(static_cast<float *>(buffer->getHostPointer())[1], 9);
  // A file that may not be written: this program runs.
  DeviceRef self = llvm::cantFail(
      createDiskDevice(std::filesystem::read_symlink("/proc/self/exe")));
  EXPECT_NE(getMessage(llvm::cantFail(self->open(DType::UInt8, 1))
                           ->copyIn(Floats{1}.data(), 1))
                .find("cannot write"),
            std::string::npos);
}

TEST_F(DiskDeviceTest, UndoesChanges) {
  DeviceRef disk = getDisk();
  auto begin = [&](bool keepsContents) {
    auto result =
        llvm::cantFail(disk->allocateResult(DType::Float32, 3, keepsContents));
    llvm::cantFail(result.buffer->copyIn(Floats{7, 8, 9}.data(), 12));
    return result;
  };
  auto countFiles = [&] {
    std::filesystem::directory_iterator begin(folder);
    return std::distance(begin, {});
  };
  // A new file is not there before, and not after it was taken back.
  {
    ChangedBuffer result = begin(true);
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(readBuffer<float>(*result.buffer), (Floats{7, 8, 9}));
  }
  EXPECT_EQ(countFiles(), 0);
  {
    ChangedBuffer result = begin(true);
    llvm::cantFail(result.change->commit());
    EXPECT_EQ(readFile(), (Floats{7, 8, 9}));
  }
  EXPECT_EQ(countFiles(), 0);
  // What somebody else has put there in the meantime stays.
  {
    ChangedBuffer result = begin(true);
    writeFile({1});
    llvm::cantFail(result.change->commit());
    EXPECT_EQ(readFile(), (Floats{7, 8, 9}));
  }
  EXPECT_EQ(readFile(), (Floats{1}));
  begin(true);
  EXPECT_EQ(readFile(), (Floats{1}));
  // Without the old contents the length alone comes back.
  begin(false);
  EXPECT_EQ(readFile(), (Floats{7}));
  {
    ChangedBuffer result = begin(true);
    llvm::cantFail(result.change->commit());
    result.change->keep();
  }
  EXPECT_EQ(readFile(), (Floats{7, 8, 9}));
  EXPECT_EQ(countFiles(), 1);
}

TEST_F(DiskDeviceTest, CopiesToAndFromOtherDevices) {
  DeviceRef cpu = llvm::cantFail(createCPUDevice(1));
  BufferRef values = makeBuffer<float>(*cpu, {1, 2, 3});
  BufferRef file = llvm::cantFail(getDisk()->allocate(DType::Float32, 3));
  llvm::cantFail(copyBuffer(*values, 0, *file));
  EXPECT_EQ(readFile(), (Floats{1, 2, 3}));
  BufferRef back = makeBuffer<float>(*cpu, {0, 0});
  llvm::cantFail(copyBuffer(*file, 4, *back));
  EXPECT_EQ(readBuffer<float>(*back), (Floats{2, 3}));
  BufferRef other =
      llvm::cantFail(llvm::cantFail(createDiskDevice(folder / "other"))
                         ->allocate(DType::Float32, 2));
  llvm::cantFail(copyBuffer(*file, 4, *other));
  EXPECT_EQ(readBuffer<float>(*other), (Floats{2, 3}));
}

TEST_F(DiskDeviceTest, SaysWhatIsWrong) {
  DeviceRef disk = getDisk();
  std::string quoted = "`" + path.string() + "`";
  EXPECT_EQ(getMessage(disk->open(DType::Float32, 1)),
            "cannot read " + quoted + ": No such file or directory");
  EXPECT_FALSE(std::filesystem::exists(path));
  // Nothing was written: there is nothing to flush.
  EXPECT_EQ(getMessage(disk->synchronize()), "");

  writeFile({1, 2});
  EXPECT_EQ(getMessage(disk->open(DType::Float32, 3)),
            "cannot read " + quoted +
                ": expects at least 12 bytes, got a file of 8");
  BufferRef buffer = llvm::cantFail(disk->open(DType::Float32, 2));
  float value = 5;
  std::filesystem::rename(path, folder / "old");
  writeFile({3, 4});
  EXPECT_EQ(getMessage(buffer->copyIn(&value, 4)),
            "cannot write " + quoted + ": another file has taken its place");
  EXPECT_EQ(readFile(), (Floats{3, 4}));
  EXPECT_EQ(readBuffer<float>(*buffer), (Floats{1, 2}));
  std::filesystem::rename(folder / "old", path);
  std::filesystem::resize_file(path, 4);
  float values[2];
  EXPECT_EQ(getMessage(buffer->copyOut(values, 8)),
            "cannot read " + quoted + ": the file has become shorter");
  EXPECT_EQ(getMessage(disk->compile("f", {})),
            "cannot compile `f` for device `DISK:" + path.string() +
                "`, which holds data only");

  DeviceRef directory = llvm::cantFail(createDiskDevice(folder));
  EXPECT_EQ(getMessage(directory->open(DType::Int8, 0)),
            "cannot read `" + folder.string() + "`: it is not a file");
  EXPECT_EQ(getMessage(directory->allocate(DType::Int8, 0)),
            "cannot write `" + folder.string() + "`: Is a directory");
  DeviceRef nowhere = llvm::cantFail(createDiskDevice(folder / "no" / "file"));
  EXPECT_NE(getMessage(nowhere->allocate(DType::Int8, 1)).find("No such file"),
            std::string::npos);
  EXPECT_EQ(getMessage(createDiskDevice("")),
            "expects the path of a file, as in `DISK:/tmp/weights`, got none");
}

} // namespace
