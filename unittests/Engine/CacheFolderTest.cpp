//===- CacheFolderTest.cpp - Entries, whatever happens to them ------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/CacheFolder.h"
#include "TemporaryFolder.h"

#include <csignal>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>

using namespace tinygrad::engine;
using namespace tinygrad::test;

static constexpr int64_t large = int64_t{1} << 30;

static CacheKey makeKey(int number) {
  return CacheKey("key " + std::to_string(number));
}

/// A value that belongs to the number, of some hundred to some thousand bytes.
static std::string makeValue(int number) {
  std::mt19937 random(number);
  std::string value(200 + random() % 5000, '\0');
  for (char &byte : value)
    byte = static_cast<char>(random());
  return value;
}

static int64_t getNumBytes(const std::string &folder) {
  int64_t size = 0;
  for (const std::string &file : listFiles(folder))
    size += static_cast<int64_t>(std::filesystem::file_size(file));
  return size;
}

TEST(CacheKeyTest, isNamedByItsText) {
  EXPECT_EQ(CacheKey("abc").name,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_NE(CacheKey("abc").name, CacheKey("abd").name);
}

TEST(CacheFolderTest, findsWhatItKeeps) {
  TemporaryFolder temporary;
  std::string path = temporary.getPath() + "/made/when/needed";
  CacheFolder folder(path, large);
  EXPECT_EQ(folder.read(makeKey(0)), std::nullopt);
  for (int i = 0; i < 10; ++i)
    folder.write(makeKey(i), makeValue(i));
  folder.write(makeKey(3), "");
  folder.write(makeKey(4), "other");
  CacheFolder second(path, large);
  for (CacheFolder *reader : {&folder, &second}) {
    EXPECT_EQ(reader->read(makeKey(0)), makeValue(0));
    EXPECT_EQ(reader->read(makeKey(3)), "");
    EXPECT_EQ(reader->read(makeKey(4)), "other");
    EXPECT_EQ(reader->read(makeKey(10)), std::nullopt);
  }
  EXPECT_EQ(listFiles(path).size(), 10u);
  CacheFolder none("", large);
  none.write(makeKey(0), "value");
  EXPECT_EQ(none.read(makeKey(0)), std::nullopt);
}

TEST(CacheFolderTest, comparesTheTextOfKeys) {
  TemporaryFolder temporary;
  CacheFolder folder(temporary.getPath(), large);
  folder.write(makeKey(0), "value");
  CacheKey other("another text");
  other.name = makeKey(0).name;
  EXPECT_EQ(folder.read(other), std::nullopt);
}

TEST(CacheFolderTest, ignoresAndReplacesDamagedEntries) {
  TemporaryFolder temporary;
  CacheFolder folder(temporary.getPath(), large);
  folder.write(makeKey(0), "some value");
  std::string file = listFiles(temporary.getPath()).at(0);
  const std::string good = readBytes(file);
  auto expectIgnored = [&](const std::string &bytes) {
    writeBytes(file, bytes);
    EXPECT_EQ(folder.read(makeKey(0)), std::nullopt);
  };
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bytes = good;
    for (int bit : {0, 7}) {
      bytes[i] = static_cast<char>(good[i] ^ (1 << bit));
      expectIgnored(bytes);
    }
    expectIgnored(good.substr(0, i));
  }
  expectIgnored(good + '\0');
  expectIgnored(std::string(good.size(), '\xff'));
  folder.write(makeKey(0), "some value");
  EXPECT_EQ(folder.read(makeKey(0)), "some value");
}

TEST(CacheFolderTest, ignoresWhatIsNoFile) {
  TemporaryFolder temporary;
  CacheFolder folder(temporary.getPath(), large);
  folder.write(makeKey(0), "value");
  std::string file = listFiles(temporary.getPath()).at(0);
  std::string elsewhere = temporary.getPath() + "/elsewhere";
  std::filesystem::rename(file, elsewhere);
  std::filesystem::create_symlink(elsewhere, file);
  EXPECT_EQ(folder.read(makeKey(0)), std::nullopt);
  std::filesystem::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(folder.read(makeKey(0)), std::nullopt);
  folder.write(makeKey(0), "value");
  EXPECT_EQ(folder.read(makeKey(0)), "value");
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  EXPECT_EQ(folder.read(makeKey(0)), std::nullopt);
  folder.write(makeKey(0), "value");
  EXPECT_EQ(folder.read(makeKey(0)), "value");
  // What somebody keeps in a folder is not removed.
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  writeBytes(file + "/precious", "data");
  folder.write(makeKey(0), "value");
  EXPECT_EQ(folder.read(makeKey(0)), std::nullopt);
  EXPECT_EQ(readBytes(file + "/precious"), "data");
}

TEST(CacheFolderTest, doesWithoutAFolder) {
  TemporaryFolder temporary;
  writeBytes(temporary.getPath() + "/file", "no folder");
  CacheFolder folder(temporary.getPath() + "/file/cache", large);
  folder.write(makeKey(0), "value");
  EXPECT_EQ(folder.read(makeKey(0)), std::nullopt);
}

// Another user may read the folder, but not write it; and what belongs to
// someone else is not read.
TEST(CacheFolderTest, doesWithoutRights) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs to be root to become someone else";
  // Test runners make folders for temporary files that are their user's alone.
  TemporaryFolder temporary("/tmp/");
  CacheFolder folder(temporary.getPath(), large);
  folder.write(makeKey(0), "value");
  std::string file = listFiles(temporary.getPath()).at(0);
  chmod(temporary.getPath().c_str(), 0755);
  chmod((temporary.getPath() + "/v1").c_str(), 0755);
  chmod(file.c_str(), 0644);
  EXPECT_TRUE(hasSucceeded(startProcess([&] {
    if (setuid(65534) != 0)
      return false;
    CacheFolder other(temporary.getPath(), large);
    other.write(makeKey(1), "value");
    return readBytes(file).size() > 0 && !other.read(makeKey(0)) &&
           !other.read(makeKey(1));
  })));
  EXPECT_EQ(listFiles(temporary.getPath()).size(), 1u);
}

TEST(CacheFolderTest, keepsToItsBound) {
  TemporaryFolder temporary;
  constexpr int64_t maxBytes = 40'000;
  CacheFolder folder(temporary.getPath(), maxBytes);
  folder.write(makeKey(0), makeValue(0));
  for (int i = 1; i < 100; ++i) {
    folder.write(makeKey(i), makeValue(i));
    EXPECT_LE(getNumBytes(temporary.getPath()), maxBytes);
    // In use all the time.
    EXPECT_EQ(folder.read(makeKey(0)), makeValue(0));
    EXPECT_EQ(folder.read(makeKey(i)), makeValue(i));
  }
  EXPECT_GT(getNumBytes(temporary.getPath()), maxBytes / 2);
  EXPECT_EQ(folder.read(makeKey(1)), std::nullopt);
  folder.write(makeKey(100), std::string(maxBytes, 'x'));
  EXPECT_EQ(folder.read(makeKey(100)), std::nullopt);
  EXPECT_EQ(folder.read(makeKey(99)), makeValue(99));
  // A smaller bound counts from the next write on.
  CacheFolder smaller(temporary.getPath(), maxBytes / 4);
  smaller.write(makeKey(200), "value");
  EXPECT_LE(getNumBytes(temporary.getPath()), maxBytes / 4);
}

TEST(CacheFolderTest, isUsedBySeveralProcesses) {
  TemporaryFolder temporary;
  constexpr int64_t maxBytes = 60'000;
  std::vector<pid_t> processes;
  for (int process = 0; process < 3; ++process)
    processes.push_back(startProcess([&] {
      CacheFolder folder(temporary.getPath(), maxBytes);
      std::mt19937 random(process);
      int numFound = 0;
      for (int i = 0; i < 2000; ++i) {
        int number = static_cast<int>(random() % 40);
        if (std::optional<std::string> value = folder.read(makeKey(number))) {
          if (*value != makeValue(number))
            return false;
          ++numFound;
        } else {
          folder.write(makeKey(number), makeValue(number));
        }
      }
      return numFound > 100;
    }));
  for (pid_t process : processes)
    EXPECT_TRUE(hasSucceeded(process));
  EXPECT_LE(getNumBytes(temporary.getPath()), maxBytes + 3 * maxBytes / 16);
  for (const std::string &file : listFiles(temporary.getPath()))
    EXPECT_TRUE(file.ends_with(".entry")) << file;
}

TEST(CacheFolderTest, survivesTheDeathOfWriters) {
  TemporaryFolder temporary;
  std::mt19937 random(0);
  for (int round = 0; round < 40; ++round) {
    pid_t process = startProcess([&] {
      CacheFolder folder(temporary.getPath(), large);
      for (int i = 0;; ++i)
        folder.write(makeKey(i % 20), makeValue(i % 20));
      return true;
    });
    usleep(random() % 8000);
    kill(process, SIGKILL);
    EXPECT_FALSE(hasSucceeded(process));
    CacheFolder folder(temporary.getPath(), large);
    for (int i = 0; i < 20; ++i) {
      std::optional<std::string> value = folder.read(makeKey(i));
      EXPECT_TRUE(!value || *value == makeValue(i));
    }
  }
  CacheFolder folder(temporary.getPath(), large);
  for (int i = 0; i < 20; ++i) {
    folder.write(makeKey(i), makeValue(i));
    EXPECT_EQ(folder.read(makeKey(i)), makeValue(i));
  }
}

TEST(CacheFolderTest, removesAbandonedFiles) {
  TemporaryFolder temporary;
  std::string folderPath = temporary.getPath() + "/v1";
  std::filesystem::create_directory(folderPath);
  std::string old = folderPath + "/1-1-1.part", young = folderPath + "/2.part";
  std::string foreign = folderPath + "/readme";
  for (const std::string &file : {old, young, foreign})
    writeBytes(file, "half an entry");
  timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  for (const std::string &file : {old, foreign})
    utimensat(AT_FDCWD, file.c_str(), long_ago, 0);
  CacheFolder(temporary.getPath(), large).write(makeKey(0), "value");
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(young));
  EXPECT_TRUE(std::filesystem::exists(foreign));
}
