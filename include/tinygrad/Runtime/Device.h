//===- Device.h - Where buffers live and programs run -----------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of a device. A target implements it in a folder of its own;
// the engine and the front end know no other.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_DEVICE_H
#define TINYGRAD_RUNTIME_DEVICE_H

#include "tinygrad/Runtime/Buffer.h"
#include "tinygrad/Runtime/Memory.h"
#include "tinygrad/Runtime/Program.h"
#include "tinygrad/Runtime/ThreadPool.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tinygrad::runtime {

/// What is changed of what outlives the process, such as a file. It is undone
/// when this is destroyed, unless it was kept.
class Change {
public:
  virtual ~Change() = default;

  /// Makes visible what is not visible yet. A change that fails is to be
  /// undone.
  virtual llvm::Error commit() = 0;
  /// Ends a change that was committed: nothing is undone any more.
  virtual void keep() = 0;
};

/// Several changes, of which all are kept or none.
class Changes {
public:
  Changes() = default;
  Changes(Changes &&) = default;
  /// Undoes those that are not kept, the last one first.
  ~Changes();

  /// Adds a change, or nothing for null.
  void add(std::unique_ptr<Change> change);
  llvm::Error commit();
  void keep();

private:
  std::vector<std::unique_ptr<Change>> changes;
};

/// A buffer, and what making and filling it changes; null for nothing.
struct ChangedBuffer {
  BufferRef buffer;
  std::unique_ptr<Change> change;
};

/// A device: memory and a compiler for programs. A device outlives its buffers
/// and programs, which hold it. All functions may be called from several
/// threads at once.
class Device : public std::enable_shared_from_this<Device> {
public:
  virtual ~Device() = default;

  /// The name under which the device is registered, such as "CPU".
  const std::string &getName() const { return name; }

  /// Makes a buffer of `numElements` elements of `type`; its content is
  /// undefined. Zero elements are allowed. Fails where memory runs out; the
  /// error says how much was asked for and how much is in use.
  virtual llvm::Expected<BufferRef> allocate(DType type,
                                             int64_t numElements) = 0;

  /// Makes a buffer of the first `numElements` elements of what the device
  /// holds already, as a file does. Most devices hold nothing: they allocate.
  virtual llvm::Expected<BufferRef> open(DType type, int64_t numElements);

  /// Makes a buffer of `numElements` elements that lie in memory of the host,
  /// which others own and `memory` keeps. It is shared, nothing is copied, and
  /// where `isReadOnly` nothing is ever written. Fails on devices whose kernels
  /// don't read memory of the host, and for memory that is not aligned as its
  /// elements are.
  virtual llvm::Expected<BufferRef> wrap(DType type, int64_t numElements,
                                         std::shared_ptr<void> memory,
                                         bool isReadOnly);

  /// Returns true if buffers show what outlives the process, as a file does, so
  /// that `allocate` itself can be seen from outside. A run allocates such
  /// results after all others, when they are about to be filled, and by
  /// `allocateResult`: one that fails or is cancelled has changed nothing. It
  /// fills them last, but for those that the program itself reads again, those
  /// of a callback, and copies of what the program overwrites later.
  virtual bool isPersistent() const { return false; }

  /// Makes a buffer as `allocate` does, for a result that is taken back if a
  /// later step fails. Without `keepsContents` what the device held before may
  /// be lost then: where nothing comes later, it need not be read.
  virtual llvm::Expected<ChangedBuffer>
  allocateResult(DType type, int64_t numElements, bool keepsContents);

  /// Returns what the memory is used for; zeros where the device doesn't count.
  virtual MemoryStatistics getMemoryStatistics() const { return {}; }
  /// Gives kept memory back to the system until no more than `maxIdleBytes`
  /// are kept.
  virtual void trim(int64_t maxIdleBytes = 0) {}

  /// Compiles `source` into a program whose function is called `name`.
  /// Fails with the compiler's own sentence where the text is not valid.
  virtual llvm::Expected<ProgramRef> compile(const std::string &name,
                                             const ProgramSource &source) = 0;

  /// Compiles `source` once and returns a program for each of its functions
  /// `names`, in their order. Fails as `compile` does, as a whole. What the
  /// programs share lives as long as one of them.
  virtual llvm::Expected<std::vector<ProgramRef>>
  compileAll(std::span<const std::string> names, const ProgramSource &source);

  /// Returns the threads that run this device's host kernels (see
  /// Program::getHostKernel), or null where it has none.
  virtual ThreadPool *getThreadPool() { return nullptr; }

  /// Waits until all work given to the device is done.
  virtual llvm::Error synchronize() = 0;

protected:
  explicit Device(std::string name) : name(std::move(name)) {}

private:
  std::string name;
};

using DeviceRef = std::shared_ptr<Device>;

/// Makes a device of plain host memory, to and from which values are copied. It
/// has views, and compiles nothing.
llvm::Expected<DeviceRef> createHostDevice(std::string name = "HOST",
                                           const MemoryOptions &memory = {});

/// Makes the device of the file `path`, which holds data and compiles nothing.
/// All its buffers begin at the file's first byte, and views of them anywhere.
///
/// - `open` opens the file for reading. It fails where there is no file or one
///   that is shorter than the buffer. The first `copyIn` opens it for writing,
///   and fails where it may not be written or another file has its name now.
/// - `allocate` opens it for writing: it makes the file where there is none,
/// and
///   makes it longer where it is shorter than the buffer, filled with zeros. It
///   never shortens a file, and keeps what the file holds.
/// - `allocateResult` does the same, but a new file has another name, with
///   `.part-` and numbers behind its own, until the change is committed; a
///   process that dies may leave it. To undo the change of a file that was
///   there, its first bytes are copied to a file without a name beside it.
/// - `copyOut` reads the file and `copyIn` writes it, no more than is asked
///   for; nothing is read before. Other processes see what is written at once;
///   `synchronize` brings it to the disk.
/// - `getHostPointer` maps the file into memory. A file must not be made
/// shorter
///   while it is mapped.
///
/// Errors name the path and the system's reason.
llvm::Expected<DeviceRef> createDiskDevice(std::string path);

/// Makes a CPU device that runs programs on `numThreads` threads; 0 means one
/// per core that this process may use. Fails if an option is negative.
llvm::Expected<DeviceRef> createCPUDevice(int numThreads = 0,
                                          const MemoryOptions &memory = {});

} // namespace tinygrad::runtime

#endif // TINYGRAD_RUNTIME_DEVICE_H
