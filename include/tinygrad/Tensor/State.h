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

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad {

/// Tensors by name.
using StateDict = std::map<std::string, Tensor>;

/// Collects the tensors of a model. A model is any type with a function
/// `void collect(StateCollector &) const` that adds its tensors and layers
/// under names; a name inside a layer reads "layer.name".
class StateCollector {
public:
  explicit StateCollector(std::string prefix = "")
      : prefix(std::move(prefix)) {}

  void add(const std::string &name, const Tensor &tensor) {
    entries.emplace_back(join(name), tensor);
  }
  template <typename Model>
  void add(const std::string &name, const Model &model) {
    StateCollector inner(join(name));
    model.collect(inner);
    entries.insert(entries.end(), inner.entries.begin(), inner.entries.end());
  }
  /// Adds elements under their positions.
  template <typename Model>
  void add(const std::string &name, const std::vector<Model> &models) {
    for (size_t i = 0; i < models.size(); ++i)
      add(name + "." + std::to_string(i), models[i]);
  }

  const std::vector<std::pair<std::string, Tensor>> &getEntries() const {
    return entries;
  }

private:
  std::string join(const std::string &name) const {
    return prefix.empty() ? name : prefix + "." + name;
  }

  std::string prefix;
  std::vector<std::pair<std::string, Tensor>> entries;
};

/// Returns the tensors of a model by name. Source: `nn.state.get_state_dict`.
template <typename Model>
StateDict get_state_dict(const Model &model, const std::string &prefix = "") {
  StateCollector collector(prefix);
  model.collect(collector);
  return StateDict(collector.getEntries().begin(),
                   collector.getEntries().end());
}

/// Returns the tensors of a model in the order in which it names them.
/// Source: `nn.state.get_parameters`.
template <typename Model>
std::vector<Tensor> get_parameters(const Model &model) {
  StateCollector collector;
  model.collect(collector);
  std::vector<Tensor> result;
  for (const auto &[name, tensor] : collector.getEntries())
    result.push_back(tensor);
  return result;
}

/// Gives each tensor of `target` the value of that name in `source`.
/// Errors: throws Error if a name is missing, if `strict` and `source` has a
/// name that `target` lacks, or if a shape or type differs; nothing has changed
/// then.
void load_state_dict(const StateDict &target, const StateDict &source,
                     bool strict = true);
template <typename Model>
void load_state_dict(const Model &model, const StateDict &source,
                     bool strict = true) {
  load_state_dict(get_state_dict(model), source, strict);
}

/// What a file says about itself.
using Metadata = std::map<std::string, std::string>;

/// Writes tensors to a file in the safetensors format. The file appears under
/// its name when it is complete: a failure leaves an older one as it was.
/// Errors: throws Error with the path and the system's reason.
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
/// tensor, overlaps, or leaves a gap.
StateDict safe_load(const std::string &path, const std::string &device = "");
/// Reads the metadata alone. Errors: as safe_load.
Metadata safe_load_metadata(const std::string &path);

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_STATE_H
