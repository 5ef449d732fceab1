//===- TensorFile.cpp - A file whose parts are tensors --------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorFile.h"

#include "ContextImpl.h"

#include "tinygrad/Engine/Engine.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>

using namespace tinygrad;
using namespace tinygrad::detail;

static_assert(std::endian::native == std::endian::little,
              "tensors are in files as they are in memory");

/// Returns `text` with control characters written out, so that the names of a
/// damaged file cannot break a message.
static std::string escape(const std::string &text) {
  std::string result;
  for (char c : text) {
    constexpr const char *digits = "0123456789ABCDEF";
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      (result += "\\x") += {digits[byte / 16], digits[byte % 16]};
    else
      result += c;
  }
  return result;
}

void TensorFile::fail(const std::string &what) const {
  throw Error(op, "cannot read `" + path + "`: " + escape(what));
}

TensorFile::TensorFile(const char *op, const std::string &path)
    : op(op), path(path),
      diskName("DISK:" + std::filesystem::absolute(path).string()) {
  std::error_code error;
  std::filesystem::file_status status = std::filesystem::status(path, error);
  // Opening a pipe would wait for its other end.
  if (std::filesystem::exists(status) &&
      !std::filesystem::is_regular_file(status))
    fail("it is not a file");
  errno = 0;
  stream.open(path, std::ios::binary | std::ios::ate);
  std::streamoff end =
      stream ? static_cast<std::streamoff>(stream.tellg()) : -1;
  if (end < 0)
    fail(std::strerror(errno ? errno : EIO));
  size = static_cast<uint64_t>(end);
}

std::string TensorFile::read(uint64_t offset, uint64_t numBytes) {
  if (offset > size || numBytes > size - offset)
    fail("it ends before byte " + std::to_string(offset) + " + " +
         std::to_string(numBytes));
  std::string result(numBytes, '\0');
  stream.clear();
  stream.seekg(static_cast<std::streamoff>(offset));
  stream.read(result.data(), static_cast<std::streamsize>(numBytes));
  if (!stream)
    fail("the file has become shorter");
  return result;
}

Tensor TensorFile::load(const std::string &name, DType type, uint64_t offset,
                        const Shape &shape, const std::string &device) {
  auto check = [this](auto &&expected) {
    if (!expected)
      fail(llvm::toString(expected.takeError()));
    return std::move(*expected);
  };
  if (!bytes) {
    engine::Engine &engine = *Context::getCurrent()->getImpl().engine;
    runtime::DeviceRef disk = check(engine.getDevice(diskName));
    bytes = check(disk->open(DType::UInt8, static_cast<int64_t>(size)));
  }
  int64_t count = countElements(op, shape);
  runtime::BufferRef data =
      check(bytes->view(type, count, static_cast<int64_t>(offset)));
  if (type == DType::Bool) {
    std::vector<char> values(static_cast<size_t>(count));
    if (llvm::Error error = data->copyOut(values.data(), count))
      fail(llvm::toString(std::move(error)));
    if (std::ranges::any_of(values, [](char byte) { return byte & ~1; }))
      fail("tensor `" + name + "` has a bool that is neither 0 nor 1");
  }
  Tensor tensor = makeTensor(makeFromBuffer(std::move(data), shape, diskName));
  if (device == "DISK")
    return tensor;
  // From the file to where the tensor is, without a copy in between.
  return tensor.to(device).realize();
}
