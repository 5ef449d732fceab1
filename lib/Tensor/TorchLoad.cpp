//===- TorchLoad.cpp - Files of PyTorch -----------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What torch.save writes: a pickle in which each tensor is a call of
// torch._utils._rebuild_tensor_v2(storage, offset, shape, strides, ..), and
// each storage the persistent id ('storage', type, key, location, elements).
// The bytes of the storages are
//
// - in a zip archive (from PyTorch 1.6 on) the entries NAME/data/KEY beside the
//   pickle NAME/data.pkl; NAME/byteorder may say their byte order;
// - in the form before it behind the pickles of a magic number, a version,
// facts
//   about the machine, the value, and the list of keys: for each key the number
//   of elements in eight bytes, and the elements;
// - in the first form (before PyTorch 0.2) in a tar archive's entry `storages`:
//   the pickle of their number; for each the pickle (key, location, type), the
//   number of elements and the elements; and the pickle of a list of views
//   (key, key of the storage, first element, elements). The entry `tensors` has
//   the pickle of their number and for each the pickle (key, key of the
//   storage, type), the rank in eight bytes, shape, strides and offset. In the
//   entry `pickle`, the value, a tensor is the persistent id of its key.
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "Pickle.h"
#include "TarArchive.h"
#include "ZipArchive.h"

#include "tinygrad/Tensor/State.h"

#include <algorithm>
#include <limits>
#include <optional>

using namespace tinygrad;
using namespace tinygrad::detail;
using Kind = PickleValue::Kind;

static constexpr std::pair<const char *, DType> storageTypes[] = {
    {"torch.BoolStorage", DType::Bool},
    {"torch.CharStorage", DType::Int8},
    {"torch.ByteStorage", DType::UInt8},
    {"torch.ShortStorage", DType::Int16},
    {"torch.IntStorage", DType::Int32},
    {"torch.LongStorage", DType::Int64},
    {"torch.HalfStorage", DType::Float16},
    {"torch.BFloat16Storage", DType::BFloat16},
    {"torch.FloatStorage", DType::Float32},
    {"torch.DoubleStorage", DType::Float64},
    // Of bytes, for tensors of the types that have no storage of their own.
    {"torch.storage.UntypedStorage", DType::UInt8},
};

/// What else a pickle may speak of. The functions are those of `call`; the
/// others are values without a use here.
static constexpr const char *knownNames[] = {
    "collections.OrderedDict",
    "torch.Size",
    "torch.Tensor",
    "torch._tensor._rebuild_from_type_v2",
    "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_tensor_v3",
    "torch.device",
    "torch.nn.parameter.Parameter",
};

static std::optional<DType> findStorageType(const std::string &name) {
  const auto *found = std::ranges::find_if(
      storageTypes, [&](const auto &entry) { return entry.first == name; });
  if (found == std::end(storageTypes))
    return std::nullopt;
  return found->second;
}

/// Returns the type that PyTorch calls "torch.float32" and the like.
static std::optional<DType> findType(const std::string &name) {
  constexpr std::string_view prefix = "torch.";
  if (!name.starts_with(prefix))
    return std::nullopt;
  return parseDType(std::string_view(name).substr(prefix.size()));
}

/// Returns true for the type of a tensor in the first form,
/// "torch.FloatTensor".
static bool isTensorType(std::string name) {
  size_t end = name.rfind("Tensor");
  return end != std::string::npos &&
         findStorageType(name.replace(end, 6, "Storage"));
}

/// Returns a key as text, or nothing.
static std::optional<std::string> getKey(const PickleValue *value) {
  if (value->kind == Kind::String)
    return value->text;
  if (value->kind == Kind::Int)
    return std::to_string(value->integer);
  return std::nullopt;
}

namespace {

/// The elements that tensors view.
struct Storage {
  std::string key;
  DType type;
  /// In elements; what the tensors see begins at element `begin`.
  uint64_t numElements, begin;
};

struct StridedTensor {
  size_t storage;
  DType type;
  int64_t offset;
  Shape shape;
  std::vector<int64_t> strides;
};

class TorchMachine : public PickleMachine {
public:
  using PickleMachine::PickleMachine;

  const std::vector<Storage> &getStorages() const { return storages; }
  /// Adds a tensor whose persistent id is `key`.
  void define(const std::string &key, StridedTensor tensor, Storage storage);
  /// Returns the tensor that `value` is, or null.
  const StridedTensor *getTensor(const PickleValue *value) const {
    if (value->kind != Kind::Object || value->integer < 0)
      return nullptr;
    return &tensors[static_cast<size_t>(value->integer)];
  }

protected:
  bool isKnown(const std::string &name) override;
  PickleValue *call(const std::string &name, PickleValue *arguments) override;
  PickleValue *makeInstance(const std::string &name,
                            PickleValue *arguments) override;
  void setState(PickleValue *object, PickleValue *state) override;
  PickleValue *loadPersistent(PickleValue *id) override;

private:
  PickleValue *makeDict(PickleValue *arguments);
  PickleValue *rebuildTensor(const std::vector<PickleValue *> &arguments,
                             bool hasType);
  std::vector<int64_t> getInts(const PickleValue *value);

  // Objects are tensors, by their numbers, and storages, by -1 minus theirs.
  std::vector<Storage> storages;
  std::vector<StridedTensor> tensors;
  std::map<std::string, size_t> tensorsByKey;
};

} // namespace

/// The number of an object that is no tensor yet.
static constexpr int64_t unset = std::numeric_limits<int64_t>::min();

//===----------------------------------------------------------------------===//
// TorchMachine
//===----------------------------------------------------------------------===//

bool TorchMachine::isKnown(const std::string &name) {
  return findStorageType(name) || findType(name) || isTensorType(name) ||
         std::ranges::any_of(knownNames,
                             [&](const char *known) { return name == known; });
}

PickleValue *TorchMachine::call(const std::string &name,
                                PickleValue *arguments) {
  const std::vector<PickleValue *> &items = arguments->items;
  if (name == "collections.OrderedDict")
    return makeDict(arguments);
  if (name == "torch._utils._rebuild_tensor" ||
      name == "torch._utils._rebuild_tensor_v2")
    return rebuildTensor(items, /*hasType=*/false);
  if (name == "torch._utils._rebuild_tensor_v3")
    return rebuildTensor(items, /*hasType=*/true);
  // (tensor, requires_grad, hooks)
  if (name == "torch._utils._rebuild_parameter" && !items.empty())
    return items[0];
  // (function, type, arguments, attributes)
  if (name == "torch._tensor._rebuild_from_type_v2" && items.size() >= 3 &&
      items[0]->kind == Kind::Global && items[0]->text != name &&
      items[2]->kind == Kind::Tuple)
    return call(items[0]->text, items[2]);
  if (name == "torch.Size" || name == "torch.device")
    return arguments;
  fail("calls `" + name + "` with arguments that do not fit");
}

PickleValue *TorchMachine::makeDict(PickleValue *arguments) {
  PickleValue *dict = make(Kind::Dict);
  if (arguments->items.empty())
    return dict;
  // Python 2 writes a list of pairs.
  for (PickleValue *pair : arguments->items[0]->items) {
    if (pair->items.size() != 2)
      fail("makes a dict of what are no pairs");
    setItem(dict, pair->items[0], pair->items[1]);
  }
  return dict;
}

std::vector<int64_t> TorchMachine::getInts(const PickleValue *value) {
  std::vector<int64_t> result;
  if (value->kind == Kind::Tuple)
    for (const PickleValue *item : value->items)
      if (item->kind == Kind::Int)
        result.push_back(item->integer);
  if (value->kind != Kind::Tuple || result.size() != value->items.size())
    fail("has a tensor whose shape or strides are no integers");
  return result;
}

PickleValue *
TorchMachine::rebuildTensor(const std::vector<PickleValue *> &arguments,
                            bool hasType) {
  // (storage, offset, shape, strides, requires_grad, hooks, type, ..)
  if (arguments.size() < (hasType ? 7u : 4u) ||
      arguments[0]->kind != Kind::Object || arguments[0]->integer >= 0 ||
      arguments[0]->integer == unset || arguments[1]->kind != Kind::Int ||
      (hasType && arguments[6]->kind != Kind::Global))
    fail("has a tensor without storage, offset, shape and strides");
  StridedTensor tensor;
  tensor.storage = static_cast<size_t>(-1 - arguments[0]->integer);
  tensor.type = storages[tensor.storage].type;
  tensor.offset = arguments[1]->integer;
  tensor.shape = getInts(arguments[2]);
  tensor.strides = getInts(arguments[3]);
  if (hasType) {
    std::optional<DType> type = findType(arguments[6]->text);
    if (!type)
      fail("has a tensor of `" + arguments[6]->text + "`");
    tensor.type = *type;
  }
  tensors.push_back(std::move(tensor));
  return makeObject(static_cast<int64_t>(tensors.size()) - 1);
}

void TorchMachine::define(const std::string &key, StridedTensor tensor,
                          Storage storage) {
  tensorsByKey[key] = tensors.size();
  tensor.storage = storages.size();
  tensors.push_back(std::move(tensor));
  storages.push_back(std::move(storage));
}

PickleValue *TorchMachine::makeInstance(const std::string &name,
                                        PickleValue *arguments) {
  // Parameters before PyTorch 0.4, with their tensor here or in the state.
  if (name != "torch.nn.parameter.Parameter")
    fail("makes an instance of `" + name + "`");
  PickleValue *object = makeObject(unset);
  if (!arguments->items.empty() && getTensor(arguments->items[0]))
    object->integer = arguments->items[0]->integer;
  return object;
}

void TorchMachine::setState(PickleValue *object, PickleValue *state) {
  if (object->integer == unset && !state->items.empty() &&
      getTensor(state->items[0]))
    object->integer = state->items[0]->integer;
}

PickleValue *TorchMachine::loadPersistent(PickleValue *id) {
  if (id->kind == Kind::String) {
    auto found = tensorsByKey.find(id->text);
    if (found == tensorsByKey.end())
      fail("has no tensor `" + id->text + "`");
    return makeObject(static_cast<int64_t>(found->second));
  }
  // ('storage', type, key, location, elements) and, in the older form, a view
  // (key, first element, elements) of the storage, or None.
  const std::vector<PickleValue *> &items = id->items;
  if (id->kind != Kind::Tuple || items.size() < 5 || items.size() > 6 ||
      items[0]->kind != Kind::String || items[0]->text != "storage" ||
      items[1]->kind != Kind::Global || items[2]->kind != Kind::String ||
      items[4]->kind != Kind::Int || items[4]->integer < 0)
    fail("has a persistent id that is no storage");
  std::optional<DType> type = findStorageType(items[1]->text);
  if (!type)
    fail("has a storage of `" + items[1]->text + "`");
  Storage storage = {items[2]->text, *type,
                     static_cast<uint64_t>(items[4]->integer), 0};
  if (items.size() == 6 && items[5]->kind != Kind::None) {
    const std::vector<PickleValue *> &view = items[5]->items;
    if (view.size() != 3 || view[1]->kind != Kind::Int || view[1]->integer < 0)
      fail("has a damaged view of a storage");
    storage.begin = static_cast<uint64_t>(view[1]->integer);
  }
  storages.push_back(std::move(storage));
  return makeObject(-static_cast<int64_t>(storages.size()));
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {

class TorchReader {
public:
  TorchReader(const std::string &path, const std::string &device)
      : file("torch_load", path), device(device) {}

  TorchValue load();
  /// Adds the tensors in `value`, whose name is `name`.
  void collect(const TorchValue &value, const std::string &name,
               StateDict &tensors);

private:
  TorchValue loadArchive();
  TorchValue loadOlder();
  TorchValue loadTar();
  /// Reads the entry `storages` and returns them by key.
  std::map<std::string, Storage> readStorages(ArchiveEntry entry);
  /// Reads the entry `tensors` and tells `machine` of them.
  void readTensors(ArchiveEntry entry,
                   const std::map<std::string, Storage> &storages,
                   TorchMachine &machine);
  /// Returns `value`, whose name is `name`, with tensors.
  TorchValue convert(const TorchMachine &machine, const PickleValue *value,
                     const std::string &name, int depth);
  Tensor makeStrided(const std::string &name, const StridedTensor &tensor,
                     const Storage &storage);

  TensorFile file;
  std::string device;
  /// Where the bytes of storages are, by key.
  std::map<std::string, ArchiveEntry> data;
  size_t numVisits = 0;
};

} // namespace

Tensor TorchReader::makeStrided(const std::string &name,
                                const StridedTensor &tensor,
                                const Storage &storage) {
  auto found = data.find(storage.key);
  if (found == data.end())
    file.fail("tensor `" + name + "` has no data called `" + storage.key + "`");
  auto width = static_cast<uint64_t>(getByteWidth(tensor.type));
  uint64_t count = found->second.size / width;
  auto storageWidth = static_cast<uint64_t>(getByteWidth(storage.type));
  if (storage.numElements > found->second.size / storageWidth)
    file.fail("the data of tensor `" + name + "` is shorter than its " +
              std::to_string(storage.numElements) + " elements");

  // From the first to the last element; PyTorch has no negative strides.
  using Wide = __int128;
  const Shape &shape = tensor.shape;
  std::optional<int64_t> numElements = ops::getNumElements(shape);
  bool isRight = numElements && tensor.strides.size() == shape.size() &&
                 tensor.offset >= 0;
  Wide first = Wide(storage.begin) * storageWidth / width + tensor.offset;
  Wide span = numElements == 0 ? 0 : 1;
  bool isRowMajor = true;
  Wide rowMajorStride = 1;
  for (size_t i = shape.size(); isRight && span && i-- > 0;) {
    isRight = tensor.strides[i] >= 0;
    if (shape[i] == 1)
      continue;
    span += Wide(shape[i] - 1) * tensor.strides[i];
    isRowMajor &= tensor.strides[i] == rowMajorStride;
    rowMajorStride *= shape[i];
    isRight &= span <= Wide(count);
  }
  if (!isRight || (span && first + span > Wide(count)))
    file.fail("tensor `" + name + "` of shape " + ops::toString(shape) +
              ", strides " + ops::toString(tensor.strides) + " and offset " +
              std::to_string(tensor.offset) + " is not inside of its data of " +
              std::to_string(count) + " elements");
  if (span == 0)
    first = 0;
  uint64_t begin = found->second.begin + static_cast<uint64_t>(first) * width;
  if (isRowMajor)
    return file.load(name, tensor.type, begin, shape, device);
  Tensor flat =
      file.load(name, tensor.type, begin, {static_cast<int64_t>(span)}, device);
  std::vector<int64_t> ints = shape;
  ints.insert(ints.end(), tensor.strides.begin(), tensor.strides.end());
  ints.push_back(0);
  return makeTensor(makeMovement(ops::OpKind::AsStrided, getNode(flat),
                                 std::move(ints), "torch_load"));
}

/// Returns the name of an item of what is called `outer`.
static std::string join(const std::string &outer, const std::string &key) {
  return outer.empty() ? key : outer + "." + key;
}

/// Returns the part of a name that a key of a dict makes.
template <typename Value>
static std::string toName(const Value &key) {
  return key.kind == Value::Kind::String ? key.text
                                         : std::to_string(key.integer);
}

TorchValue TorchReader::convert(const TorchMachine &machine,
                                const PickleValue *value,
                                const std::string &name, int depth) {
  // Lists may contain themselves, and one list may be in many.
  constexpr int maxDepth = 64;
  constexpr size_t maxVisits = 10'000'000;
  if (depth > maxDepth || ++numVisits > maxVisits)
    file.fail("lists and dicts are nested too deeply");
  TorchValue result;
  result.integer = value->integer;
  result.real = value->real;
  result.text = value->text;
  if (const StridedTensor *tensor = machine.getTensor(value)) {
    const Storage &storage = machine.getStorages()[tensor->storage];
    result.kind = TorchValue::Kind::Tensor;
    result.tensor = makeStrided(name, *tensor, storage);
    return result;
  }
  switch (value->kind) {
  case Kind::Bool:
    result.kind = TorchValue::Kind::Bool;
    break;
  case Kind::Int:
    result.kind = TorchValue::Kind::Int;
    break;
  case Kind::Float:
    result.kind = TorchValue::Kind::Float;
    break;
  case Kind::String:
    result.kind = TorchValue::Kind::String;
    break;
  case Kind::Bytes:
    result.kind = TorchValue::Kind::Bytes;
    break;
  case Kind::Tuple:
    result.kind = TorchValue::Kind::Tuple;
    break;
  case Kind::List:
    result.kind = TorchValue::Kind::List;
    break;
  case Kind::Dict:
    result.kind = TorchValue::Kind::Dict;
    break;
  case Kind::None:
  case Kind::BigInt:
  case Kind::Global:
  case Kind::Object:
    break;
  }
  bool isDict = value->kind == Kind::Dict;
  for (size_t i = 0; i < value->items.size(); ++i) {
    bool isKey = isDict && i % 2 == 0;
    std::string key =
        isDict && !isKey ? toName(*value->items[i - 1]) : std::to_string(i);
    result.items.push_back(convert(machine, value->items[i],
                                   isKey ? name : join(name, key), depth + 1));
  }
  return result;
}

void TorchReader::collect(const TorchValue &value, const std::string &name,
                          StateDict &tensors) {
  if (value.tensor) {
    if (!tensors.emplace(name, *value.tensor).second)
      file.fail("two tensors are called `" + name + "`");
    return;
  }
  bool isDict = value.kind == TorchValue::Kind::Dict;
  for (size_t i = isDict; i < value.items.size(); i += isDict ? 2 : 1)
    collect(value.items[i],
            join(name, isDict ? toName(value.items[i - 1]) : std::to_string(i)),
            tensors);
}

TorchValue TorchReader::loadArchive() {
  std::map<std::string, ArchiveEntry> entries = readZipDirectory(file);
  // All is in one folder.
  std::string suffix = "/data.pkl";
  auto pickle = std::ranges::find_if(entries, [&](const auto &entry) {
    return entry.first.find(suffix) == entry.first.find('/') &&
           entry.first.ends_with(suffix);
  });
  if (pickle == entries.end())
    file.fail("the zip archive has no `data.pkl`: it is not of PyTorch");
  std::string folder =
      pickle->first.substr(0, pickle->first.size() - suffix.size() + 1);
  auto order = entries.find(folder + "byteorder");
  if (order != entries.end() &&
      file.read(order->second.begin,
                std::min<uint64_t>(order->second.size, 8)) != "little")
    file.fail("its numbers are not little endian");
  for (const auto &[name, entry] : entries)
    if (name.starts_with(folder + "data/"))
      data.emplace(name.substr(folder.size() + 5), entry);

  ArchiveEntry entry = pickle->second;
  PickleSource source(file, entry.begin, entry.begin + entry.size);
  TorchMachine machine(source);
  return convert(machine, machine.load(), "", 0);
}

TorchValue TorchReader::loadOlder() {
  PickleSource source(file, 0, file.getSize());
  TorchMachine machine(source);
  const PickleValue *magic = machine.load(), *version = machine.load(),
                    *facts = machine.load();
  if (magic->text != "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19" ||
      version->integer != 1001)
    file.fail("it is not a file of PyTorch");
  for (size_t i = 0; facts->kind == Kind::Dict && i < facts->items.size();
       i += 2)
    if (facts->items[i]->text == "little_endian" &&
        facts->items[i + 1]->integer != 1)
      file.fail("its numbers are not little endian");
  const PickleValue *value = machine.load(), *keys = machine.load();

  std::map<std::string, DType> types;
  for (const Storage &storage : machine.getStorages())
    if (types.try_emplace(storage.key, storage.type).first->second !=
        storage.type)
      file.fail("storage `" + storage.key + "` has two types");
  uint64_t position = source.getPosition();
  for (const PickleValue *key : keys->items) {
    auto type = types.find(key->text);
    if (key->kind != Kind::String || type == types.end())
      file.fail("it lists a storage that no tensor has");
    PickleSource length(file, position, file.getSize());
    uint64_t count = length.takeNumber(8);
    position = length.getPosition();
    auto width = static_cast<uint64_t>(getByteWidth(type->second));
    if (count > (file.getSize() - position) / width)
      file.fail("storage `" + key->text + "` is cut off");
    data[key->text] = {position, count * width};
    position += count * width;
  }
  return convert(machine, value, "", 0);
}

std::map<std::string, Storage> TorchReader::readStorages(ArchiveEntry entry) {
  PickleSource source(file, entry.begin, entry.begin + entry.size);
  TorchMachine machine(source);
  std::map<std::string, Storage> storages;
  int64_t count = machine.load()->integer;
  for (int64_t i = 0; i < count; ++i) {
    const PickleValue *facts = machine.load();
    std::optional<std::string> key;
    std::optional<DType> type;
    if (facts->items.size() == 3) {
      key = getKey(facts->items[0]);
      type = findStorageType(facts->items[2]->text);
    }
    if (!key || !type)
      source.fail("has a storage without key and type");
    uint64_t numElements = source.takeNumber(8);
    auto width = static_cast<uint64_t>(getByteWidth(*type));
    if (numElements > entry.size / width)
      source.fail("is cut off");
    data[*key] = {source.getPosition(), numElements * width};
    storages[*key] = {*key, *type, numElements, 0};
    source.skip(numElements * width);
  }
  // The first files have no views.
  if (source.isAtEnd())
    return storages;
  for (const PickleValue *view : machine.load()->items) {
    bool isRight = view->items.size() == 4 && getKey(view->items[0]) &&
                   getKey(view->items[1]) &&
                   view->items[2]->kind == Kind::Int &&
                   view->items[2]->integer >= 0;
    auto root =
        isRight ? storages.find(*getKey(view->items[1])) : storages.end();
    if (root == storages.end())
      source.fail("has a damaged view of a storage");
    Storage storage = root->second;
    storage.begin += static_cast<uint64_t>(view->items[2]->integer);
    storages[*getKey(view->items[0])] = storage;
  }
  return storages;
}

void TorchReader::readTensors(ArchiveEntry entry,
                              const std::map<std::string, Storage> &storages,
                              TorchMachine &result) {
  PickleSource source(file, entry.begin, entry.begin + entry.size);
  TorchMachine machine(source);
  int64_t count = machine.load()->integer;
  for (int64_t i = 0; i < count; ++i) {
    const PickleValue *facts = machine.load();
    bool isRight = facts->items.size() == 3 && getKey(facts->items[0]) &&
                   getKey(facts->items[1]);
    auto storage =
        isRight ? storages.find(*getKey(facts->items[1])) : storages.end();
    if (storage == storages.end())
      source.fail("has a tensor without key and storage");
    // The rank, in eight bytes of which four count.
    uint64_t rank = source.takeNumber(4);
    source.skip(4);
    auto takeInts = [&] {
      std::vector<int64_t> ints;
      for (uint64_t axis = 0; axis < rank; ++axis)
        ints.push_back(static_cast<int64_t>(source.takeNumber(8)));
      return ints;
    };
    StridedTensor tensor;
    tensor.type = storage->second.type;
    tensor.shape = takeInts();
    tensor.strides = takeInts();
    tensor.offset = static_cast<int64_t>(source.takeNumber(8));
    result.define(*getKey(facts->items[0]), std::move(tensor), storage->second);
  }
}

TorchValue TorchReader::loadTar() {
  std::map<std::string, ArchiveEntry> entries = readTarDirectory(file);
  for (const char *name : {"storages", "tensors", "pickle"})
    if (!entries.contains(name))
      file.fail("the tar archive has no `" + std::string(name) +
                "`: it is not of PyTorch");
  ArchiveEntry entry = entries["pickle"];
  PickleSource source(file, entry.begin, entry.begin + entry.size);
  TorchMachine machine(source);
  readTensors(entries["tensors"], readStorages(entries["storages"]), machine);
  return convert(machine, machine.load(), "", 0);
}

TorchValue TorchReader::load() {
  std::string start = file.read(0, std::min<uint64_t>(file.getSize(), 512));
  if (start.starts_with("PK"))
    return loadArchive();
  if (start.starts_with("\x80"))
    return loadOlder();
  if (start.find("ustar") == 257)
    return loadTar();
  file.fail("it is not a file of PyTorch");
}

TorchValue tinygrad::torch_load_value(const std::string &path,
                                      const std::string &device) {
  return TorchReader(path, device).load();
}

StateDict tinygrad::torch_load(const std::string &path,
                               const std::string &device, Place place) {
  PlaceScope scope(place);
  TorchReader reader(path, device);
  StateDict tensors;
  reader.collect(reader.load(), "", tensors);
  return tensors;
}
