//===- Error.cpp - What the front end throws ------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Tensor/Error.h"

#include <optional>
#include <string_view>

using namespace tinygrad;
using namespace tinygrad::detail;

/// The place of the outermost call on this thread.
static thread_local std::optional<Place> currentPlace;

/// Returns true for a place in the sources of this folder or of the bindings:
/// where a function that knows no place of its own computes with operators.
static bool isOurs(const Place &place) {
  constexpr std::string_view own = "lib/Tensor/Error.cpp";
  std::string_view root = Place::current().file_name();
  std::string_view file = place.file_name();
  if (!root.ends_with(own) ||
      !file.starts_with(root.substr(0, root.size() - own.size())))
    return false;
  file.remove_prefix(root.size() - own.size());
  return file.starts_with("lib/Tensor/") || file.starts_with("python/src/");
}

PlaceScope::PlaceScope(const Place &place)
    : isOutermost(!currentPlace && !isOurs(place)) {
  if (isOutermost)
    currentPlace = place;
}

PlaceScope::~PlaceScope() {
  if (isOutermost)
    currentPlace.reset();
}

/// Returns `file:line` of the current call, or "". The file is its name alone,
/// which does not depend on where the program was built.
static std::string describePlace() {
  if (!currentPlace)
    return "";
  std::string file = currentPlace->file_name();
  return file.substr(file.find_last_of('/') + 1) + ":" +
         std::to_string(currentPlace->line());
}

static std::string makeText(const std::string &op, const std::string &sentence,
                            const std::string &compilerText) {
  std::string place = describePlace();
  return op + ": " + sentence + (place.empty() ? "" : " (" + place + ")") +
         (compilerText.empty() ? "" : "\n" + compilerText);
}

Error::Error(std::string op, const std::string &sentence,
             std::vector<Shape> shapes, std::string compilerText)
    : std::runtime_error(makeText(op, sentence, compilerText)),
      op(std::move(op)), shapes(std::move(shapes)), place(describePlace()),
      compilerText(std::move(compilerText)) {}
