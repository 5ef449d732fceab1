//===- Pickle.h - Python's pickles, read as data ----------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pickle is a program for a stack machine that may call any function of
// Python. The machine here knows the opcodes that make numbers, strings, lists
// and dicts, and asks its user what a name is, what a call gives and what a
// persistent id stands for. It runs nothing else, and takes memory in
// proportion to the pickle.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_PICKLE_H
#define TINYGRAD_LIB_TENSOR_PICKLE_H

#include "TensorFile.h"

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace tinygrad::detail {

/// What a pickle makes. Lists and dicts may contain themselves.
struct PickleValue {
  enum class Kind : uint8_t {
    None,
    Bool,   ///< `integer`
    Int,    ///< `integer`
    BigInt, ///< `text` has the bytes, the lowest first
    Float,  ///< `real`
    String, ///< `text`
    Bytes,  ///< `text`
    Tuple,  ///< `items`
    List,   ///< `items`
    Dict,   ///< `items` has keys and values by turns, each key once
    Global, ///< `text` is "module.name"
    Object, ///< the user's own, number `integer`
  };

  Kind kind = Kind::None;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<PickleValue *> items;
  /// For a dict, where keys are in `items`.
  std::unordered_map<std::string, size_t> positions;
};

/// The bytes of a file from one place on.
class PickleSource {
public:
  PickleSource(TensorFile &file, uint64_t begin, uint64_t end)
      : file(file), position(begin), end(end) {}

  uint64_t getPosition() const { return position; }
  std::string take(uint64_t numBytes);
  void skip(uint64_t numBytes);
  bool isAtEnd() const { return position == end; }
  uint8_t takeByte();
  /// Returns `numBytes` bytes, at most eight, as a number.
  uint64_t takeNumber(unsigned numBytes);
  /// Returns what is before the next newline, which is taken, too.
  std::string takeLine();
  /// Throws an Error that says where the pickle is wrong.
  [[noreturn]] void fail(const std::string &what) const;

private:
  TensorFile &file;
  uint64_t position, end;
  /// What was read of the file ahead, from byte `chunkBegin` on.
  std::string chunk;
  uint64_t chunkBegin = 0;
};

/// Reads pickles one after the other; the values live as long as the machine.
class PickleMachine {
public:
  explicit PickleMachine(PickleSource &source) : source(source) {}
  virtual ~PickleMachine();

  /// Reads a pickle and returns its value.
  PickleValue *load();

protected:
  /// Returns true if a pickle may speak of "module.name".
  virtual bool isKnown(const std::string &name) = 0;
  /// Returns what the call of a known name gives.
  virtual PickleValue *call(const std::string &name, PickleValue *arguments);
  /// Returns what an instance of a known name is, made without its __init__.
  virtual PickleValue *makeInstance(const std::string &name,
                                    PickleValue *arguments);
  /// Gives an object its state.
  virtual void setState(PickleValue *object, PickleValue *state);
  /// Returns what a persistent id stands for.
  virtual PickleValue *loadPersistent(PickleValue *id);

  PickleValue *make(PickleValue::Kind kind);
  PickleValue *makeObject(int64_t number);
  void setItem(PickleValue *dict, PickleValue *key, PickleValue *value);
  [[noreturn]] void fail(const std::string &what) const { source.fail(what); }

private:
  void step(uint8_t opcode);
  bool stepConstant(uint8_t opcode);
  bool stepContainer(uint8_t opcode);
  bool stepMemo(uint8_t opcode);
  bool stepObject(uint8_t opcode);

  void push(PickleValue *value) { stack.push_back(value); }
  void pushInt(int64_t value);
  void pushLong(uint64_t numBytes);
  void pushText(PickleValue::Kind kind, uint64_t numBytes);
  void pushTuple(size_t count);
  void pushGlobal(const std::string &name);
  void setItems(const std::vector<PickleValue *> &items);
  PickleValue *pop();
  /// Returns the value on top, which is of `kind`.
  PickleValue *top(PickleValue::Kind kind);
  /// Takes what lies above the last mark, and the mark.
  std::vector<PickleValue *> popMark();

  PickleSource &source;
  std::deque<PickleValue> values;
  std::vector<PickleValue *> stack;
  /// The heights of the stack where a mark is.
  std::vector<size_t> marks;
  std::unordered_map<uint64_t, PickleValue *> memo;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_PICKLE_H
