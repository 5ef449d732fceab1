//===- TemporaryFolder.h - A folder for the time of a test ------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_ENGINE_TEMPORARYFOLDER_H
#define TINYGRAD_UNITTESTS_ENGINE_TEMPORARYFOLDER_H

#include "gtest/gtest.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tinygrad::test {

class TemporaryFolder {
public:
  /// Makes it in `parent`, whose name ends in a slash.
  explicit TemporaryFolder(const std::string &parent = ::testing::TempDir()) {
    std::string pattern = parent + "tinygrad-XXXXXX";
    path = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::string &getPath() const { return path; }

private:
  std::string path;
};

/// Returns the paths of the files below `folder`, sorted.
inline std::vector<std::string> listFiles(const std::string &folder) {
  std::vector<std::string> files;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

inline std::string readBytes(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

inline void writeBytes(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Starts a process that ends with 0 if `run` returns true, and with 1 if not.
template <typename FunctionT>
pid_t startProcess(FunctionT run) {
  pid_t process = fork();
  if (process == 0)
    _exit(run() ? 0 : 1);
  return process;
}

inline bool hasSucceeded(pid_t process) {
  int status = 0;
  return waitpid(process, &status, 0) == process && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_ENGINE_TEMPORARYFOLDER_H
