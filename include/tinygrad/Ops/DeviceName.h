//===- DeviceName.h - What the name of a device says ------------*- C++ -*-===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPS_DEVICENAME_H
#define TINYGRAD_OPS_DEVICENAME_H

#include <string_view>

namespace tinygrad {

/// The memory of the process, from which and to which values are copied.
inline constexpr char hostDevice[] = "HOST";
/// A file: `DISK:/path`.
inline constexpr char diskDevice[] = "DISK";

/// True for `HOST` and `DISK`: no kernel runs on such a device, and what is
/// copied from it is read where it lies.
inline bool holdsDataOnly(std::string_view device) {
  std::string_view name = device.substr(0, device.find(':'));
  return name == hostDevice || name == diskDevice;
}

} // namespace tinygrad

#endif // TINYGRAD_OPS_DEVICENAME_H
