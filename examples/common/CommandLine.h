//===- CommandLine.h - What the programs are asked for ----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXAMPLES_COMMON_COMMANDLINE_H
#define TINYGRAD_EXAMPLES_COMMON_COMMANDLINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace examples {

/// The arguments of a program, one after the other. All errors are
/// tinygrad::Error in the name of the program.
class Arguments {
public:
  Arguments(std::string program, int argc, char **argv);

  /// Takes the next argument if it is `word`.
  bool take(const std::string &word);
  /// Takes the next argument.
  std::string take();
  bool isAtEnd() const { return position == arguments.size(); }

  /// Takes the value of `flag`, which was taken last. Throws where there is
  /// none.
  std::string takeValue(const std::string &flag);
  /// Takes an integer in [lowest, highest], or throws.
  int64_t takeInteger(const std::string &flag, int64_t lowest, int64_t highest);
  /// Takes a number in [lowest, highest], or throws.
  double takeNumber(const std::string &flag, double lowest, double highest);

  /// Throws for an argument that the program does not know.
  [[noreturn]] void refuse(const std::string &argument) const;

private:
  std::string program;
  std::vector<std::string> arguments;
  size_t position = 0;
};

/// Throws where a file can't be made, before the work whose result it takes:
/// tinygrad::Error in the name of `program`, with the path and the reason.
void checkWritable(const std::string &program, const std::string &path);

} // namespace examples

#endif // TINYGRAD_EXAMPLES_COMMON_COMMANDLINE_H
