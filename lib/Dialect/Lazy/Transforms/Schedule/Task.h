//===- Task.h - Functions that call each other without a stack --*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The builder methods of the scheduler call rules, and rules call the builder
// again. How deep that goes depends on the program, so the frames must not lie
// on the native stack. A Task is a coroutine whose callers wait in a list.
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_TASK_H
#define TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_TASK_H

#include "llvm/Support/ErrorHandling.h"

#include <cassert>
#include <coroutine>
#include <optional>
#include <utility>
#include <vector>

namespace tinygrad::lazy::schedule {

/// The result of a function that runs when it is awaited. An empty task stands
/// for "does not apply". Arguments of such a function are taken by value: the
/// frame outlives the call.
template <typename T>
class [[nodiscard]] Task {
public:
  struct promise_type {
    std::optional<T> value;
    std::vector<std::coroutine_handle<>> *callers = nullptr;

    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(T result) { value.emplace(std::move(result)); }
    void unhandled_exception() { llvm_unreachable("no exceptions here"); }
  };

  Task() = default;
  Task(Task &&other) : handle(std::exchange(other.handle, nullptr)) {}
  Task &operator=(Task &&other) {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Task() {
    if (handle)
      handle.destroy();
  }

  explicit operator bool() const { return static_cast<bool>(handle); }

  // What `co_await task` does: the task goes on top of the list, and the loop
  // in `run` comes back to the caller when it is done.
  bool await_ready() const { return false; }
  template <typename Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) {
    handle.promise().callers = caller.promise().callers;
    handle.promise().callers->push_back(handle);
  }
  T await_resume() { return std::move(*handle.promise().value); }

  /// Runs the task and everything that it awaits.
  T run() {
    assert(handle && "an empty task has no result");
    std::vector<std::coroutine_handle<>> callers = {handle};
    handle.promise().callers = &callers;
    while (!callers.empty()) {
      std::coroutine_handle<> top = callers.back();
      top.resume();
      if (top.done())
        callers.pop_back();
    }
    return await_resume();
  }

private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle(handle) {}
  std::coroutine_handle<promise_type> handle = nullptr;
};

} // namespace tinygrad::lazy::schedule

#endif // TINYGRAD_LIB_DIALECT_LAZY_TRANSFORMS_SCHEDULE_TASK_H
