//===- CommandLine.cpp - What the programs are asked for ------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "tinygrad/Tensor/Error.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

using namespace examples;
using tinygrad::Error;

Arguments::Arguments(std::string program, int argc, char **argv)
    : program(std::move(program)), arguments(argv + 1, argv + argc) {}

bool Arguments::take(const std::string &word) {
  if (isAtEnd() || arguments[position] != word)
    return false;
  ++position;
  return true;
}

std::string Arguments::take() { return arguments.at(position++); }

std::string Arguments::takeValue(const std::string &flag) {
  if (isAtEnd())
    throw Error(program, "expects a value after " + flag);
  return take();
}

/// Reads all of `text` as a number in [lowest, highest].
template <typename T>
static bool readNumber(const std::string &text, T lowest, T highest, T &value) {
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  // NaN is in no range.
  return error == std::errc() && stop == end && value >= lowest &&
         value <= highest;
}

int64_t Arguments::takeInteger(const std::string &flag, int64_t lowest,
                               int64_t highest) {
  std::string text = takeValue(flag);
  int64_t value = 0;
  if (!readNumber(text, lowest, highest, value))
    throw Error(program, "expects an integer from " + std::to_string(lowest) +
                             " to " + std::to_string(highest) + " after " +
                             flag + ", got `" + text + "`");
  return value;
}

double Arguments::takeNumber(const std::string &flag, double lowest,
                             double highest) {
  std::string text = takeValue(flag);
  double value = 0;
  if (!readNumber(text, lowest, highest, value)) {
    char range[64];
    std::snprintf(range, sizeof(range), "%g to %g", lowest, highest);
    throw Error(program, std::string("expects a number from ") + range +
                             " after " + flag + ", got `" + text + "`");
  }
  return value;
}

void Arguments::refuse(const std::string &argument) const {
  throw Error(program, "unknown argument `" + argument + "`; see --help");
}

void examples::checkWritable(const std::string &program,
                             const std::string &path) {
  size_t slash = path.find_last_of('/');
  std::string folder = slash == std::string::npos ? "."
                       : slash == 0               ? "/"
                                                  : path.substr(0, slash);
  struct stat status;
  if (access(folder.c_str(), W_OK | X_OK) == 0) {
    if (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode))
      return;
    errno = S_ISDIR(status.st_mode) ? EISDIR : EEXIST;
  }
  throw Error(program, "cannot write `" + path + "`: " + std::strerror(errno));
}
