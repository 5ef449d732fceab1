//===- Npy.cpp - NumPy's files of one array -------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format: "\x93NUMPY", two bytes of version, the length of the header (2
// bytes in version 1, 4 in the later ones), the header, the elements. The
// header is a Python dictionary literal. Source: numpy/lib/format.py.
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/Npy.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <limits>
#include <optional>
#include <set>

using namespace tinygrad;
using namespace tinygrad::engine;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringRef magic("\x93NUMPY", 6);

static llvm::Error makeError(const Twine &sentence) {
  return llvm::createStringError(sentence.str());
}

/// Returns the beginning of `text` for a message of one line.
static std::string quote(StringRef text) {
  std::string shown;
  llvm::raw_string_ostream stream(shown);
  stream << '`';
  llvm::printEscapedString(text.take_front(16), stream);
  stream << '`';
  return shown;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// NumPy's code of each type; the bfloat16 of ml_dtypes is a void.
static StringRef getTypeCode(DType type) {
  switch (type) {
  case DType::Bool:
    return "|b1";
  case DType::Int8:
    return "|i1";
  case DType::UInt8:
    return "|u1";
  case DType::Int16:
    return "<i2";
  case DType::UInt16:
    return "<u2";
  case DType::Int32:
    return "<i4";
  case DType::UInt32:
    return "<u4";
  case DType::Int64:
    return "<i8";
  case DType::UInt64:
    return "<u8";
  case DType::Float16:
    return "<f2";
  case DType::BFloat16:
    return "<V2";
  case DType::Float32:
    return "<f4";
  case DType::Float64:
    return "<f8";
  }
  llvm_unreachable("unknown element type");
}

static llvm::Expected<DType> parseTypeCode(StringRef code) {
  StringRef kind = code.ltrim("<>|=");
  bool isBigEndian = code.starts_with(">");
  for (int i = 0; i < numDTypes; ++i) {
    auto type = static_cast<DType>(i);
    if (getTypeCode(type).drop_front() != kind)
      continue;
    if (isBigEndian && getByteWidth(type) > 1)
      return makeError("expects little-endian elements, got " + quote(code));
    return type;
  }
  return makeError("expects elements of a type that tensors have, got " +
                   quote(code));
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

namespace {

struct Header {
  std::optional<DType> type;
  std::optional<bool> isFortran;
  std::optional<ops::Shape> shape;
};

/// Parses the dictionary of a header.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : text(text) {}

  llvm::Expected<Header> parse();

private:
  /// Skips spaces, and `token` if it comes next.
  bool consume(StringRef token) {
    text = text.ltrim();
    return text.consume_front(token);
  }
  llvm::Error expect(StringRef token) {
    if (consume(token))
      return llvm::Error::success();
    return makeError("expects `" + token + "` in the header, got " + what());
  }
  /// What comes next, for messages.
  std::string what() const { return text.empty() ? "its end" : quote(text); }
  llvm::Expected<StringRef> parseString();
  llvm::Expected<ops::Shape> parseShape();
  llvm::Error parseEntry(Header &header);

  StringRef text;
};

} // namespace

llvm::Expected<StringRef> HeaderParser::parseString() {
  text = text.ltrim();
  if (!text.starts_with("'") && !text.starts_with("\""))
    return makeError("expects a string in the header, got " + what());
  size_t end = text.find(text.front(), 1);
  if (end == StringRef::npos)
    return makeError("expects the end of the string " + what() +
                     " in the header");
  StringRef value = text.slice(1, end);
  text = text.drop_front(end + 1);
  return value;
}

llvm::Expected<ops::Shape> HeaderParser::parseShape() {
  if (llvm::Error error = expect("("))
    return error;
  ops::Shape shape;
  while (!consume(")")) {
    text = text.ltrim();
    int64_t extent;
    if (text.consumeInteger(10, extent))
      return makeError("expects an extent that fits in 63 bits in the header, "
                       "got " +
                       what());
    // Python 2 wrote long integers so.
    text.consume_front("L");
    shape.push_back(extent);
    if (consume(","))
      continue;
    if (llvm::Error error = expect(")"))
      return error;
    break;
  }
  if (!ops::getNumElements(shape))
    return makeError("expects extents that are not negative and a number of "
                     "elements that fits in 62 bits, got shape " +
                     ops::toString(shape));
  return shape;
}

llvm::Error HeaderParser::parseEntry(Header &header) {
  llvm::Expected<StringRef> key = parseString();
  if (!key)
    return key.takeError();
  if (llvm::Error error = expect(":"))
    return error;
  if (*key == "descr") {
    if (consume("["))
      return makeError("expects elements of one type, got a structured type");
    llvm::Expected<StringRef> code = parseString();
    if (!code)
      return code.takeError();
    llvm::Expected<DType> type = parseTypeCode(*code);
    if (!type)
      return type.takeError();
    header.type = *type;
    return llvm::Error::success();
  }
  if (*key == "fortran_order") {
    bool isTrue = consume("True");
    if (!isTrue && !consume("False"))
      return makeError("expects True or False in the header, got " + what());
    header.isFortran = isTrue;
    return llvm::Error::success();
  }
  if (*key == "shape") {
    llvm::Expected<ops::Shape> shape = parseShape();
    if (!shape)
      return shape.takeError();
    header.shape = std::move(*shape);
    return llvm::Error::success();
  }
  return makeError("expects `descr`, `fortran_order` and `shape` in the "
                   "header, got " +
                   quote(*key));
}

llvm::Expected<Header> HeaderParser::parse() {
  Header header;
  if (llvm::Error error = expect("{"))
    return error;
  while (!consume("}")) {
    if (llvm::Error error = parseEntry(header))
      return error;
    if (consume(","))
      continue;
    if (llvm::Error error = expect("}"))
      return error;
    break;
  }
  if (!header.type || !header.isFortran || !header.shape)
    return makeError(
        "expects `descr`, `fortran_order` and `shape` in the header");
  if (!text.trim().empty())
    return makeError("expects nothing after the header's `}`, got " + what());
  return header;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Copies elements in Fortran order (the first axis is the fastest) to
/// row-major order.
static void transpose(const char *source, const HostTensor &result) {
  const ops::Shape &shape = result.getShape();
  // Beside an axis without elements others may be too long to be multiplied.
  if (result.getNumElements() == 0)
    return;
  int64_t width = getByteWidth(result.getType());
  ops::Shape strides(shape.size(), 1), position(shape.size(), 0);
  for (size_t axis = 1; axis < shape.size(); ++axis)
    strides[axis] = strides[axis - 1] * shape[axis - 1];
  int64_t index = 0;
  for (int64_t i = 0; i < result.getNumElements(); ++i) {
    std::memcpy(result.getData() + i * width, source + index * width,
                static_cast<size_t>(width));
    for (size_t axis = shape.size(); axis-- > 0;) {
      index += strides[axis];
      if (++position[axis] < shape[axis])
        break;
      index -= strides[axis] * shape[axis];
      position[axis] = 0;
    }
  }
}

llvm::Expected<HostTensor> engine::parseNpy(StringRef bytes) {
  static_assert(llvm::endianness::native == llvm::endianness::little,
                "elements are copied as they are");
  if (!bytes.consume_front(magic))
    return makeError("expects an .npy file, which starts with \\x93NUMPY");
  if (bytes.size() < 2)
    return makeError("expects a version, got the file's end");
  int major = static_cast<unsigned char>(bytes[0]);
  int minor = static_cast<unsigned char>(bytes[1]);
  if (major < 1 || major > 3 || minor != 0)
    return makeError("expects version 1.0, 2.0 or 3.0, got " + Twine(major) +
                     "." + Twine(minor));
  bytes = bytes.drop_front(2);
  size_t lengthWidth = major == 1 ? 2 : 4;
  if (bytes.size() < lengthWidth)
    return makeError("expects the header's length, got the file's end");
  size_t length = major == 1 ? llvm::support::endian::read16le(bytes.data())
                             : llvm::support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(lengthWidth);
  if (length > bytes.size())
    return makeError("expects a header of " + Twine(length) +
                     " bytes, but only " + Twine(bytes.size()) + " follow");
  llvm::Expected<Header> header =
      HeaderParser(bytes.take_front(length)).parse();
  if (!header)
    return header.takeError();
  bytes = bytes.drop_front(length);

  // The size is compared before memory is taken: a damaged header may ask for
  // any amount.
  uint64_t numElements =
      static_cast<uint64_t>(*ops::getNumElements(*header->shape));
  uint64_t width = static_cast<uint64_t>(getByteWidth(*header->type));
  if (bytes.size() % width || bytes.size() / width != numElements)
    return makeError("expects " + Twine(numElements) + " elements of " +
                     Twine(width) + " bytes for shape " +
                     ops::toString(*header->shape) + ", but " +
                     Twine(bytes.size()) + " bytes follow");
  llvm::Expected<HostTensor> result =
      HostTensor::create(*header->type, *header->shape);
  if (!result)
    return result.takeError();
  if (*header->isFortran)
    transpose(bytes.data(), *result);
  else
    std::memcpy(result->getData(), bytes.data(), bytes.size());
  // A bool in memory is 0 or 1, whatever the file has.
  if (*header->type == DType::Bool)
    for (int64_t i = 0; i < result->getNumElements(); ++i)
      result->getData()[i] = result->getData()[i] != 0;
  return result;
}

llvm::Expected<HostTensor> engine::readNpy(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError(path + ": " + buffer.getError().message());
  llvm::Expected<HostTensor> result = parseNpy((*buffer)->getBuffer());
  if (!result)
    return makeError(path + ": " + llvm::toString(result.takeError()));
  return result;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string engine::makeNpyHeader(DType type, const ops::Shape &shape) {
  std::string dictionary;
  llvm::raw_string_ostream stream(dictionary);
  stream << "{'descr': '" << getTypeCode(type)
         << "', 'fortran_order': False, 'shape': (";
  llvm::interleaveComma(shape, stream);
  // A tuple of one needs its comma.
  stream << (shape.size() == 1 ? ",), }" : "), }");
  // What stands before the elements is a multiple of 64 bytes, and ends in a
  // line feed. The length has 4 bytes where 2 are not enough.
  bool isLong = dictionary.size() + 64 > std::numeric_limits<uint16_t>::max();
  size_t prefix = magic.size() + 2 + (isLong ? 4 : 2);
  while ((prefix + dictionary.size() + 1) % 64)
    dictionary += ' ';
  dictionary += '\n';

  std::string header(magic);
  header += isLong ? '\2' : '\1';
  header += '\0';
  char length[4];
  llvm::support::endian::write32le(length,
                                   static_cast<uint32_t>(dictionary.size()));
  header.append(length, isLong ? 4 : 2);
  return header + dictionary;
}

namespace {

/// Files under temporary names, which vanish unless they are kept.
class PendingFiles {
public:
  ~PendingFiles() {
    for (auto &[path, file] : files)
      llvm::consumeError(file.discard());
  }

  llvm::Error add(const std::string &path, const HostTensor &tensor);
  llvm::Error keepAll();

private:
  std::vector<std::pair<std::string, llvm::sys::fs::TempFile>> files;
};

} // namespace

llvm::Error PendingFiles::add(const std::string &path,
                              const HostTensor &tensor) {
  // A rename would put a file in the place of a device or a directory.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      !llvm::sys::fs::is_regular_file(status))
    return makeError(path + ": expects a regular file");
  llvm::Expected<llvm::sys::fs::TempFile> file =
      llvm::sys::fs::TempFile::create(path + ".%%%%%%%%.tmp");
  if (!file)
    return makeError(path + ": " + llvm::toString(file.takeError()));
  files.emplace_back(path, std::move(*file));
  llvm::raw_fd_ostream stream(files.back().second.FD, /*shouldClose=*/false);
  stream << makeNpyHeader(tensor.getType(), tensor.getShape());
  stream.write(reinterpret_cast<const char *>(tensor.getData()),
               static_cast<size_t>(tensor.getNumBytes()));
  stream.flush();
  if (std::error_code code = stream.error()) {
    stream.clear_error();
    return makeError(path + ": " + code.message());
  }
  return llvm::Error::success();
}

llvm::Error PendingFiles::keepAll() {
  size_t numKept = 0;
  for (auto &[path, file] : files) {
    if (llvm::Error error = file.keep(path)) {
      for (size_t i = 0; i < numKept; ++i)
        llvm::sys::fs::remove(files[i].first);
      return makeError(path + ": " + llvm::toString(std::move(error)));
    }
    ++numKept;
  }
  return llvm::Error::success();
}

llvm::Error engine::writeNpyFiles(
    llvm::ArrayRef<std::pair<std::string, HostTensor>> files) {
  std::set<StringRef> seen;
  for (const auto &[path, tensor] : files)
    if (!seen.insert(path).second)
      return makeError(path + ": expects each output in a file of its own");
  PendingFiles pending;
  for (const auto &[path, tensor] : files)
    if (llvm::Error error = pending.add(path, tensor))
      return error;
  return pending.keepAll();
}
