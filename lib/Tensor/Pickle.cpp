//===- Pickle.cpp - Python's pickles, read as data ------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opcodes are named as in Python's module pickletools, which describes them.
//
//===----------------------------------------------------------------------===//

#include "Pickle.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <bit>

using namespace tinygrad;
using namespace tinygrad::detail;
using Kind = PickleValue::Kind;

/// More values than the largest models have; each takes about 150 bytes.
static constexpr size_t maxValues = 4'000'000;
static constexpr size_t maxLineBytes = 1000;

//===----------------------------------------------------------------------===//
// PickleSource
//===----------------------------------------------------------------------===//

void PickleSource::fail(const std::string &what) const {
  file.fail("the pickle before byte " + std::to_string(position) + " " + what);
}

std::string PickleSource::take(uint64_t numBytes) {
  if (numBytes > end - position)
    fail("is cut off");
  // Most strings are short, and there already.
  uint64_t ahead = position - chunkBegin;
  std::string result = position >= chunkBegin && ahead < chunk.size() &&
                               numBytes <= chunk.size() - ahead
                           ? chunk.substr(ahead, numBytes)
                           : file.read(position, numBytes);
  position += numBytes;
  return result;
}

void PickleSource::skip(uint64_t numBytes) {
  if (numBytes > end - position)
    fail("is cut off");
  position += numBytes;
}

uint8_t PickleSource::takeByte() {
  if (position == end)
    fail("is cut off");
  if (position < chunkBegin || position - chunkBegin >= chunk.size()) {
    chunkBegin = position;
    chunk = file.read(position, std::min<uint64_t>(end - position, 1 << 14));
  }
  return static_cast<uint8_t>(chunk[position++ - chunkBegin]);
}

uint64_t PickleSource::takeNumber(unsigned numBytes) {
  uint64_t result = 0;
  for (unsigned i = 0; i < numBytes; ++i)
    result |= static_cast<uint64_t>(takeByte()) << (8 * i);
  return result;
}

std::string PickleSource::takeLine() {
  std::string result;
  while (char c = static_cast<char>(takeByte())) {
    if (c == '\n')
      return result;
    result += c;
    if (result.size() > maxLineBytes)
      break;
  }
  fail("has a line without an end");
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

PickleMachine::~PickleMachine() = default;

PickleValue *PickleMachine::call(const std::string &name, PickleValue *) {
  fail("calls `" + name + "`");
}

PickleValue *PickleMachine::makeInstance(const std::string &name,
                                         PickleValue *) {
  fail("makes an instance of `" + name + "`");
}

void PickleMachine::setState(PickleValue *, PickleValue *) {
  fail("gives a state to an object");
}

PickleValue *PickleMachine::loadPersistent(PickleValue *) {
  fail("has a persistent id");
}

PickleValue *PickleMachine::make(Kind kind) {
  if (values.size() == maxValues)
    fail("has more than " + std::to_string(maxValues) + " values");
  values.emplace_back();
  values.back().kind = kind;
  return &values.back();
}

PickleValue *PickleMachine::makeObject(int64_t number) {
  PickleValue *value = make(Kind::Object);
  value->integer = number;
  return value;
}

void PickleMachine::setItem(PickleValue *dict, PickleValue *key,
                            PickleValue *value) {
  std::string name;
  if (key->kind == Kind::String)
    name = "'" + key->text;
  else if (key->kind == Kind::Int || key->kind == Kind::Bool)
    name = std::to_string(key->integer);
  else
    fail("has a dict with a key that is no string and no integer");
  auto [found, isNew] =
      dict->positions.try_emplace(std::move(name), dict->items.size());
  if (isNew)
    dict->items.insert(dict->items.end(), {key, value});
  else
    dict->items[found->second + 1] = value;
}

//===----------------------------------------------------------------------===//
// The stack
//===----------------------------------------------------------------------===//

PickleValue *PickleMachine::pop() {
  if (stack.empty() || (!marks.empty() && marks.back() == stack.size()))
    fail("takes a value that is not there");
  PickleValue *value = stack.back();
  stack.pop_back();
  return value;
}

PickleValue *PickleMachine::top(Kind kind) {
  PickleValue *value = pop();
  push(value);
  if (value->kind != kind)
    fail("changes a value that is no list or no dict");
  return value;
}

std::vector<PickleValue *> PickleMachine::popMark() {
  if (marks.empty())
    fail("takes a mark that is not there");
  auto begin = stack.begin() + static_cast<ptrdiff_t>(marks.back());
  std::vector<PickleValue *> result(begin, stack.end());
  stack.erase(begin, stack.end());
  marks.pop_back();
  return result;
}

void PickleMachine::pushInt(int64_t value) {
  PickleValue *made = make(Kind::Int);
  made->integer = value;
  push(made);
}

void PickleMachine::pushLong(uint64_t numBytes) {
  std::string bytes = source.take(numBytes);
  if (bytes.size() > 8) {
    PickleValue *made = make(Kind::BigInt);
    made->text = std::move(bytes);
    return push(made);
  }
  // In two's complement, the lowest byte first; no byte means 0.
  bool isNegative = !bytes.empty() && (bytes.back() & 0x80);
  uint64_t value = isNegative ? ~uint64_t{0} : 0;
  for (size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<uint8_t>(bytes[i]);
  pushInt(static_cast<int64_t>(value));
}

void PickleMachine::pushText(Kind kind, uint64_t numBytes) {
  PickleValue *made = make(kind);
  made->text = source.take(numBytes);
  push(made);
}

void PickleMachine::pushTuple(size_t count) {
  PickleValue *made = make(Kind::Tuple);
  for (size_t i = 0; i < count; ++i)
    made->items.push_back(pop());
  std::ranges::reverse(made->items);
  push(made);
}

void PickleMachine::pushGlobal(const std::string &name) {
  if (!isKnown(name))
    fail("speaks of `" + name +
         "`; only tensors, numbers, strings, lists and dicts are read, such as "
         "a state_dict");
  PickleValue *made = make(Kind::Global);
  made->text = name;
  push(made);
}

void PickleMachine::setItems(const std::vector<PickleValue *> &items) {
  PickleValue *dict = top(Kind::Dict);
  if (items.size() % 2)
    fail("has a dict with a key without a value");
  for (size_t i = 0; i < items.size(); i += 2)
    setItem(dict, items[i], items[i + 1]);
}

//===----------------------------------------------------------------------===//
// Opcodes
//===----------------------------------------------------------------------===//

PickleValue *PickleMachine::load() {
  stack.clear();
  marks.clear();
  memo.clear();
  while (true) {
    uint8_t opcode = source.takeByte();
    if (opcode == '.') // STOP
      break;
    step(opcode);
  }
  PickleValue *result = pop();
  if (!stack.empty() || !marks.empty())
    fail("leaves more than one value");
  return result;
}

void PickleMachine::step(uint8_t opcode) {
  if (stepConstant(opcode) || stepContainer(opcode) || stepMemo(opcode) ||
      stepObject(opcode))
    return;
  switch (opcode) {
  case 0x80: // PROTO
    if (source.takeByte() > 5)
      fail("is of a protocol after 5");
    return;
  case 0x95: // FRAME
    source.takeNumber(8);
    return;
  case '(': // MARK
    marks.push_back(stack.size());
    return;
  case '0': // POP
    pop();
    return;
  case '1': // POP_MARK
    popMark();
    return;
  case '2': { // DUP
    PickleValue *value = pop();
    push(value);
    return push(value);
  }
  default:
    fail("has the opcode " + std::to_string(opcode) +
         ", which is not among those that are read");
  }
}

bool PickleMachine::stepConstant(uint8_t opcode) {
  switch (opcode) {
  case 'N': // NONE
    push(make(Kind::None));
    return true;
  case 0x88: // NEWTRUE
  case 0x89: // NEWFALSE
    push(make(Kind::Bool));
    stack.back()->integer = opcode == 0x88;
    return true;
  case 'J': // BININT
    pushInt(static_cast<int32_t>(source.takeNumber(4)));
    return true;
  case 'K': // BININT1
    pushInt(source.takeByte());
    return true;
  case 'M': // BININT2
    pushInt(static_cast<int64_t>(source.takeNumber(2)));
    return true;
  case 0x8A: // LONG1
    pushLong(source.takeByte());
    return true;
  case 0x8B: // LONG4
    pushLong(source.takeNumber(4));
    return true;
  case 'G': // BINFLOAT
    push(make(Kind::Float));
    // The highest byte first.
    stack.back()->real =
        std::bit_cast<double>(llvm::byteswap(source.takeNumber(8)));
    return true;
  case 'U':  // SHORT_BINSTRING, of Python 2
  case 0x8C: // SHORT_BINUNICODE
    pushText(Kind::String, source.takeByte());
    return true;
  case 'T': // BINSTRING, of Python 2
  case 'X': // BINUNICODE
    pushText(Kind::String, source.takeNumber(4));
    return true;
  case 0x8D: // BINUNICODE8
    pushText(Kind::String, source.takeNumber(8));
    return true;
  case 'C': // SHORT_BINBYTES
    pushText(Kind::Bytes, source.takeByte());
    return true;
  case 'B': // BINBYTES
    pushText(Kind::Bytes, source.takeNumber(4));
    return true;
  case 0x8E: // BINBYTES8
    pushText(Kind::Bytes, source.takeNumber(8));
    return true;
  default:
    return false;
  }
}

bool PickleMachine::stepContainer(uint8_t opcode) {
  switch (opcode) {
  case ')': // EMPTY_TUPLE
    pushTuple(0);
    return true;
  case 0x85: // TUPLE1
  case 0x86: // TUPLE2
  case 0x87: // TUPLE3
    pushTuple(opcode - 0x84u);
    return true;
  case 't':   // TUPLE
  case 'l': { // LIST
    std::vector<PickleValue *> items = popMark();
    push(make(opcode == 't' ? Kind::Tuple : Kind::List));
    stack.back()->items = std::move(items);
    return true;
  }
  case ']': // EMPTY_LIST
    push(make(Kind::List));
    return true;
  case 'a': { // APPEND
    PickleValue *item = pop();
    top(Kind::List)->items.push_back(item);
    return true;
  }
  case 'e': { // APPENDS
    std::vector<PickleValue *> items = popMark();
    PickleValue *list = top(Kind::List);
    list->items.insert(list->items.end(), items.begin(), items.end());
    return true;
  }
  case '}': // EMPTY_DICT
    push(make(Kind::Dict));
    return true;
  case 'd': { // DICT
    std::vector<PickleValue *> items = popMark();
    push(make(Kind::Dict));
    setItems(items);
    return true;
  }
  case 's': { // SETITEM
    PickleValue *value = pop(), *key = pop();
    setItems({key, value});
    return true;
  }
  case 'u': // SETITEMS
    setItems(popMark());
    return true;
  default:
    return false;
  }
}

bool PickleMachine::stepMemo(uint8_t opcode) {
  uint64_t number;
  bool isPut = false;
  switch (opcode) {
  case 'q': // BINPUT
    isPut = true;
    [[fallthrough]];
  case 'h': // BINGET
    number = source.takeByte();
    break;
  case 'r': // LONG_BINPUT
    isPut = true;
    [[fallthrough]];
  case 'j': // LONG_BINGET
    number = source.takeNumber(4);
    break;
  case 0x94: // MEMOIZE
    isPut = true;
    number = memo.size();
    break;
  default:
    return false;
  }
  if (isPut) {
    PickleValue *value = pop();
    push(value);
    memo[number] = value;
    return true;
  }
  auto found = memo.find(number);
  if (found == memo.end())
    fail("takes value " + std::to_string(number) +
         " of its memo, which has no "
         "such");
  push(found->second);
  return true;
}

bool PickleMachine::stepObject(uint8_t opcode) {
  switch (opcode) {
  case 'c': { // GLOBAL
    std::string module = source.takeLine();
    pushGlobal(module + "." + source.takeLine());
    return true;
  }
  case 0x93: { // STACK_GLOBAL
    PickleValue *name = pop(), *module = pop();
    if (name->kind != Kind::String || module->kind != Kind::String)
      fail("has a name that is no string");
    pushGlobal(module->text + "." + name->text);
    return true;
  }
  case 'R': { // REDUCE
    PickleValue *arguments = pop(), *function = pop();
    if (function->kind != Kind::Global || arguments->kind != Kind::Tuple)
      fail("calls what is no function");
    push(call(function->text, arguments));
    return true;
  }
  case 0x81: { // NEWOBJ
    PickleValue *arguments = pop(), *type = pop();
    if (type->kind != Kind::Global || arguments->kind != Kind::Tuple)
      fail("makes an instance of what is no type");
    push(makeInstance(type->text, arguments));
    return true;
  }
  case 'b': { // BUILD
    PickleValue *state = pop(), *object = pop();
    push(object);
    // There is no use for the attributes of a dict, such as the _metadata of a
    // state_dict.
    if (object->kind == Kind::Object)
      setState(object, state);
    else
      top(Kind::Dict);
    return true;
  }
  case 'Q': { // BINPERSID
    push(loadPersistent(pop()));
    return true;
  }
  default:
    return false;
  }
}
