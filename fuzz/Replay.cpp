//===- Replay.cpp - Run a fuzzer on files ---------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main program of a fuzzer that is built without libFuzzer: it runs on each
// file of the folders that it is given, and says how many these were.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
  std::vector<std::string> paths;
  std::error_code error;
  for (int i = 1; i < argc; ++i)
    for (std::filesystem::directory_iterator entry(argv[i], error), end;
         !error && entry != end; entry.increment(error))
      paths.push_back(entry->path().string());
  if (error || paths.empty()) {
    std::fprintf(stderr, "error: expects folders with files: %s\n",
                 error.message().c_str());
    return 1;
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)),
                      std::istreambuf_iterator<char>());
    // A crash says nothing of its own.
    std::fprintf(stderr, "%s\n", path.c_str());
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()),
                           bytes.size());
  }
  std::printf("replayed %zu files\n", paths.size());
  return 0;
}
