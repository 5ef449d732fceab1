//===- Safetensors.cpp - Tensors in files ---------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format, from its specification: eight bytes hold the length N of the
// header (little endian), then come N bytes of JSON, then the data without
// gaps. The JSON maps names to {"dtype", "shape", "data_offsets"}, and
// "__metadata__" to a map of strings. Numbers are little endian.
//
//===----------------------------------------------------------------------===//

#include "TensorFile.h"

#include "tinygrad/Ops/Graph.h"
#include "tinygrad/Tensor/State.h"

#include "nlohmann/json.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <set>

using namespace tinygrad;
using namespace tinygrad::detail;
using Json = nlohmann::ordered_json;

/// The longest header that is read, as in the reference implementation.
static constexpr uint64_t maxHeaderBytes = 100'000'000;

static constexpr std::pair<DType, const char *> typeNames[] = {
    {DType::Bool, "BOOL"},   {DType::Int8, "I8"},       {DType::UInt8, "U8"},
    {DType::Int16, "I16"},   {DType::UInt16, "U16"},    {DType::Int32, "I32"},
    {DType::UInt32, "U32"},  {DType::Int64, "I64"},     {DType::UInt64, "U64"},
    {DType::Float16, "F16"}, {DType::BFloat16, "BF16"}, {DType::Float32, "F32"},
    {DType::Float64, "F64"},
};

static const char *getTypeName(DType type) {
  return std::ranges::find(typeNames, type,
                           &std::pair<DType, const char *>::first)
      ->second;
}

//===----------------------------------------------------------------------===//
// Saving
//===----------------------------------------------------------------------===//

namespace {

/// A file that gets its name when it is complete.
class AtomicFile {
public:
  explicit AtomicFile(const std::string &path);
  ~AtomicFile();

  void write(const void *data, size_t size);
  /// Gives the file its name.
  void commit();

private:
  [[noreturn]] void fail(const char *what);

  std::string path, temporary;
  int descriptor = -1;
};

} // namespace

void AtomicFile::fail(const char *what) {
  throw Error("safe_save", std::string("cannot ") + what + " `" + path +
                               "`: " + std::strerror(errno));
}

AtomicFile::AtomicFile(const std::string &path) : path(path) {
  // Beside the file, since a rename does not cross file systems.
  std::random_device random;
  do {
    temporary = path + ".tmp" + std::to_string(random());
    descriptor =
        open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor < 0)
    fail("create");
}

AtomicFile::~AtomicFile() {
  if (descriptor >= 0)
    close(descriptor);
  if (!temporary.empty())
    unlink(temporary.c_str());
}

void AtomicFile::write(const void *data, size_t size) {
  const char *bytes = static_cast<const char *>(data);
  while (size) {
    ssize_t written = ::write(descriptor, bytes, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      fail("write");
    bytes += written;
    size -= static_cast<size_t>(written);
  }
}

void AtomicFile::commit() {
  if (fsync(descriptor) != 0)
    fail("write");
  int closed = close(descriptor);
  descriptor = -1;
  if (closed != 0)
    fail("write");
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    fail("replace");
  temporary.clear();
}

void tinygrad::safe_save(const StateDict &tensors, const std::string &path,
                         const Metadata &metadata) {
  // The widest types first, so that each tensor is aligned in the file.
  std::vector<std::pair<std::string, Tensor>> entries(tensors.begin(),
                                                      tensors.end());
  std::ranges::sort(entries, {}, [](const auto &entry) {
    return std::pair(-getByteWidth(entry.second.dtype()), entry.first);
  });
  std::vector<Tensor> values;
  for (const auto &entry : entries)
    values.push_back(entry.second);
  realize(values);

  Json header = Json::object();
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  int64_t offset = 0;
  for (const auto &[name, tensor] : entries) {
    if (name == "__metadata__")
      throw Error("safe_save", "expects no tensor called `__metadata__`");
    int64_t end = offset + tensor.numel() * getByteWidth(tensor.dtype());
    header[name] = {{"dtype", getTypeName(tensor.dtype())},
                    {"shape", std::vector<int64_t>(tensor.shape())},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception &) {
    throw Error("safe_save", "expects names and metadata in UTF-8");
  }
  // Spaces bring the data to a multiple of eight bytes.
  text.append((8 - text.size() % 8) % 8, ' ');
  uint64_t length = text.size();
  if (length > maxHeaderBytes)
    throw Error("safe_save", "expects names and metadata of at most 100 MB");

  AtomicFile file(path);
  file.write(&length, sizeof(length));
  file.write(text.data(), text.size());
  for (const Tensor &value : values) {
    std::vector<char> bytes(
        static_cast<size_t>(value.numel() * getByteWidth(value.dtype())));
    value.copyTo(bytes.data(), value.dtype());
    file.write(bytes.data(), bytes.size());
  }
  file.commit();
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

namespace {

/// What the header says of one tensor, checked.
struct Entry {
  std::string name;
  DType type;
  Shape shape;
  uint64_t begin, end;
};

/// Reads and checks a file. Trusts nothing that it holds.
class Reader {
public:
  explicit Reader(const std::string &path);

  /// In the order of their data.
  const std::vector<Entry> &getEntries() const { return entries; }
  const Metadata &getMetadata() const { return metadata; }
  /// Puts the data of an entry on a device, or leaves it in the file.
  Tensor load(const Entry &entry, const std::string &device) {
    return file.load(entry.name, entry.type, dataBegin + entry.begin,
                     entry.shape, device);
  }

private:
  [[noreturn]] void fail(const std::string &what) { file.fail(what); }
  Json parseHeader(const std::string &text);
  void readEntry(const std::string &name, const Json &value);
  void readMetadata(const Json &value);
  void checkLayout();

  TensorFile file;
  uint64_t dataBegin = 0, dataSize = 0;
  std::vector<Entry> entries;
  Metadata metadata;
};

} // namespace

Reader::Reader(const std::string &path) : file("safe_load", path) {
  uint64_t length = 0;
  if (file.getSize() < sizeof(length))
    fail("the file is shorter than the length of a header");
  std::memcpy(&length, file.read(0, sizeof(length)).data(), sizeof(length));
  if (length > maxHeaderBytes || length > file.getSize() - sizeof(length))
    fail("the header's length of " + std::to_string(length) +
         " bytes does not fit the file's " + std::to_string(file.getSize()));
  dataBegin = sizeof(length) + length;
  dataSize = file.getSize() - dataBegin;

  Json header = parseHeader(file.read(sizeof(length), length));
  for (const auto &[name, value] : header.items()) {
    if (name == "__metadata__")
      readMetadata(value);
    else
      readEntry(name, value);
  }
  checkLayout();
}

Json Reader::parseHeader(const std::string &text) {
  if (text.empty() || text[0] != '{')
    fail("the header does not begin with `{`");
  // The names of each object that is open: one that occurs twice is an error,
  // and so is nesting that the format has no use for.
  constexpr int maxDepth = 4;
  std::vector<std::set<std::string>> names(maxDepth + 2);
  std::string wrong;
  auto callback = [&](int depth, Json::parse_event_t event, Json &parsed) {
    if (depth > maxDepth) {
      wrong = "the header is nested too deeply";
      return false;
    }
    if (event == Json::parse_event_t::object_start)
      names[depth + 1].clear();
    if (event == Json::parse_event_t::key &&
        !names[depth].insert(parsed.get<std::string>()).second)
      wrong =
          "the header has the name `" + parsed.get<std::string>() + "` twice";
    return true;
  };
  Json header;
  try {
    header = Json::parse(text, callback);
  } catch (const Json::exception &error) {
    fail(std::string("the header is not valid JSON: ") + error.what());
  }
  if (!wrong.empty())
    fail(wrong);
  if (!header.is_object())
    fail("the header is not an object");
  return header;
}

void Reader::readMetadata(const Json &value) {
  if (!value.is_object())
    fail("`__metadata__` is not an object");
  for (const auto &[name, text] : value.items()) {
    if (!text.is_string())
      fail("`__metadata__` has a value that is not a string");
    metadata[name] = text.get<std::string>();
  }
}

void Reader::readEntry(const std::string &name, const Json &value) {
  std::string what = "tensor `" + name + "` ";
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
      !value.contains("shape") || !value.contains("data_offsets"))
    fail(what + "does not have dtype, shape and data_offsets alone");
  const Json &type = value["dtype"], &shape = value["shape"],
             &offsets = value["data_offsets"];

  Entry entry = {name, DType::Float32, {}, 0, 0};
  auto known = std::ranges::find_if(typeNames, [&](const auto &candidate) {
    return type == candidate.second;
  });
  if (known == std::end(typeNames))
    fail(what + "has the unknown type " + type.dump());
  entry.type = known->first;

  if (!shape.is_array())
    fail(what + "has no list as shape");
  for (const Json &extent : shape) {
    if (!extent.is_number_unsigned() || extent.get<uint64_t>() > INT64_MAX)
      fail(what + "has the wrong shape " + shape.dump());
    entry.shape.push_back(static_cast<int64_t>(extent.get<uint64_t>()));
  }
  if (!offsets.is_array() || offsets.size() != 2 ||
      !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned())
    fail(what + "has the wrong data_offsets " + offsets.dump());
  entry.begin = offsets[0].get<uint64_t>();
  entry.end = offsets[1].get<uint64_t>();
  if (entry.begin > entry.end || entry.end > dataSize)
    fail(what + "has data_offsets " + offsets.dump() + " outside the " +
         std::to_string(dataSize) + " bytes of data");

  std::optional<int64_t> count = ops::getNumElements(entry.shape);
  uint64_t width = static_cast<uint64_t>(getByteWidth(entry.type));
  if (!count || static_cast<uint64_t>(*count) > dataSize / width ||
      static_cast<uint64_t>(*count) * width != entry.end - entry.begin)
    fail(what + "of type " + known->second + " and shape " + shape.dump() +
         " does not have the size of its data, " +
         std::to_string(entry.end - entry.begin) + " bytes");
  entries.push_back(std::move(entry));
}

void Reader::checkLayout() {
  std::ranges::sort(entries, {}, [](const Entry &entry) {
    return std::tuple(entry.begin, entry.end, entry.name);
  });
  uint64_t end = 0;
  for (const Entry &entry : entries) {
    if (entry.begin < end)
      fail("the data of tensor `" + entry.name + "` overlaps another's");
    if (entry.begin > end)
      fail("the data before tensor `" + entry.name + "` belongs to none");
    end = entry.end;
  }
  if (end != dataSize)
    fail(std::to_string(dataSize - end) +
         " bytes at the end belong to no tensor");
}

StateDict tinygrad::safe_load(const std::string &path,
                              const std::string &device, Place place) {
  PlaceScope scope(place);
  Reader reader(path);
  StateDict result;
  for (const Entry &entry : reader.getEntries())
    result.emplace(entry.name, reader.load(entry, device));
  return result;
}

Metadata tinygrad::safe_load_metadata(const std::string &path) {
  return Reader(path).getMetadata();
}
