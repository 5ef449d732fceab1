//===- State.h - Tensors by name, in memory and in files --------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_STATE_H
#define TINYGRAD_TENSOR_STATE_H

#include "tinygrad/Tensor/Tensor.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad {

/// Tensors by name.
using StateDict = std::map<std::string, Tensor>;

/// Collects the tensors of a model. A model is any type with a function
/// `void collect(StateCollector &) const` that adds its tensors and layers
/// under names; a name inside a layer reads "layer.name". Lists add their
/// elements under their positions, maps under their keys; what is optional, or
/// behind a pointer, is left out where there is none. An empty name adds the
/// parts of a model as the collector's own.
class StateCollector {
public:
  explicit StateCollector(std::string prefix = "")
      : prefix(std::move(prefix)) {}

  void add(const std::string &name, const Tensor &tensor) {
    entries.emplace_back(join(prefix, name), tensor);
  }
  template <typename Model>
  void add(const std::string &name, const Model &model) {
    StateCollector inner(join(prefix, name));
    model.collect(inner);
    entries.insert(entries.end(), inner.entries.begin(), inner.entries.end());
  }
  template <typename Model>
  void add(const std::string &name, const std::vector<Model> &models) {
    addAll(name, models);
  }
  template <typename Model, size_t count>
  void add(const std::string &name, const std::array<Model, count> &models) {
    addAll(name, models);
  }
  template <typename Model>
  void add(const std::string &name,
           const std::map<std::string, Model> &models) {
    for (const auto &[key, model] : models)
      add(join(name, key), model);
  }
  template <typename Model>
  void add(const std::string &name, const std::optional<Model> &model) {
    if (model)
      add(name, *model);
  }
  template <typename Model>
  void add(const std::string &name, const std::shared_ptr<Model> &model) {
    if (model)
      add(name, *model);
  }
  template <typename Model>
  void add(const std::string &name, const std::unique_ptr<Model> &model) {
    if (model)
      add(name, *model);
  }

  const std::vector<std::pair<std::string, Tensor>> &getEntries() const {
    return entries;
  }

private:
  static std::string join(const std::string &outer, const std::string &inner) {
    return outer.empty() || inner.empty() ? outer + inner : outer + "." + inner;
  }
  template <typename Models>
  void addAll(const std::string &name, const Models &models) {
    for (size_t i = 0; i < models.size(); ++i)
      add(join(name, std::to_string(i)), models[i]);
  }

  std::string prefix;
  std::vector<std::pair<std::string, Tensor>> entries;
};

/// Returns the collected tensors by name.
/// Errors: throws Error if two have one name.
StateDict get_state_dict(const StateCollector &collector);

/// Returns the tensors of a model, or of all that StateCollector::add takes, by
/// name. Errors: throws Error if two have one name.
/// Source: `nn.state.get_state_dict`.
template <typename Model>
StateDict get_state_dict(const Model &model, const std::string &prefix = "") {
  StateCollector collector(prefix);
  collector.add("", model);
  return get_state_dict(collector);
}

/// Returns the tensors of a model in the order in which it names them; one
/// that has two names is there twice. Source: `nn.state.get_parameters`.
template <typename Model>
std::vector<Tensor> get_parameters(const Model &model) {
  StateCollector collector;
  collector.add("", model);
  std::vector<Tensor> result;
  for (const auto &[name, tensor] : collector.getEntries())
    result.push_back(tensor);
  return result;
}

/// The names that only one of two state dicts has, sorted.
struct KeyDifference {
  /// Names of the target that the source lacks.
  std::vector<std::string> missing;
  /// Names of the source that the target lacks.
  std::vector<std::string> unexpected;
};

/// Gives each tensor of `target` the value of that name in `source`, realized
/// on the tensor's device and converted to its type as `cast` does. Shapes are
/// equal, but for a scalar, which fits one axis of size 1 and the other way
/// round: PyTorch counts batches in a scalar. Returns the names that were left
/// out, which are none if `strict`.
/// Errors: throws Error with all missing and unexpected names if `strict` and
/// there are any, with all shapes that differ, and what tinygrad::realize
/// throws; nothing has changed then. Source: `nn.state.load_state_dict`.
KeyDifference load_state_dict(const StateDict &target, const StateDict &source,
                              bool strict = true,
                              Place place = Place::current());
template <typename Model>
KeyDifference load_state_dict(const Model &model, const StateDict &source,
                              bool strict = true,
                              Place place = Place::current()) {
  return load_state_dict(get_state_dict(model), source, strict, place);
}

/// What a file says about itself.
using Metadata = std::map<std::string, std::string>;

/// Writes tensors to a file in the safetensors format. The file appears under
/// its name when it is complete: a failure leaves an older one as it was.
/// Errors: throws Error with the path and the system's reason, or if a name or
/// the metadata is not UTF-8, or a tensor is called `__metadata__`.
/// Source: `nn.state.safe_save`.
void safe_save(const StateDict &tensors, const std::string &path,
               const Metadata &metadata = {});

/// Reads all tensors of a safetensors file to a device (see Tensor::to). With
/// "DISK" they stay in the file: nothing but the header and bools is read, and
/// `to` brings a tensor, or a part of it, elsewhere. `load_state_dict` does so
/// too. The file must not be written while such a tensor lives; `safe_save`
/// replaces it.
/// Errors: throws Error, with the path and what is wrong, if the file can't be
/// read or is damaged: a length that does not fit the file, a header that is
/// no such JSON, an unknown type, data that does not have the size of its
/// tensor, overlaps, or leaves a gap. Source: `nn.state.safe_load`.
StateDict safe_load(const std::string &path, const std::string &device = "",
                    Place place = Place::current());
/// Reads the metadata alone. Errors: as safe_load.
/// Source: `nn.state.safe_load_metadata`.
Metadata safe_load_metadata(const std::string &path);

/// Reads the tensors of a file that PyTorch's `torch.save` wrote, as a zip
/// archive or in one of the two older forms, to a device as safe_load does.
/// The file holds a tensor, or lists and dicts of what it may hold; names are
/// made of positions and keys, as get_state_dict does, and what is no tensor is
/// left out. A tensor that is a view of others' elements there, such as a
/// transposed one, is a view here: of its elements from the first to the last,
/// which are read to memory of its own.
///
/// Nothing of the file is run. Errors: throws Error, with the path and what is
/// wrong, if the file can't be read, is damaged, is compressed, or holds
/// anything but tensors, numbers, strings, lists and dicts, such as a module or
/// a function. Source: `nn.state.torch_load`.
StateDict torch_load(const std::string &path, const std::string &device = "",
                     Place place = Place::current());

/// A value of a file of PyTorch.
struct TorchValue {
  enum class Kind : uint8_t {
    /// None, and what has no use here, such as a type.
    None,
    Bool,   ///< `integer`
    Int,    ///< `integer`, without what is beyond 64 bits
    Float,  ///< `real`
    String, ///< `text`
    Bytes,  ///< `text`
    Tensor, ///< `tensor`
    Tuple,  ///< `items`
    List,   ///< `items`
    Dict,   ///< `items` has keys and values by turns
  };

  Kind kind = Kind::None;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::optional<tinygrad::Tensor> tensor;
  std::vector<TorchValue> items;
};

/// The same with all that the file holds, as it is nested there.
TorchValue torch_load_value(const std::string &path,
                            const std::string &device = "");

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_STATE_H
