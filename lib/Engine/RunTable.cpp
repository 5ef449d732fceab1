//===- RunTable.cpp - What a run did, as a table --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tinygrad/Engine/RunTable.h"

#include "llvm/Support/Format.h"

#include <algorithm>
#include <array>

using namespace tinygrad;
using namespace tinygrad::engine;
using llvm::raw_ostream;

namespace {

/// The columns, from left to right.
enum Column : size_t {
  Number,
  Name,
  Device,
  Time,
  FlopRate,
  ByteRate,
  Bytes,
  Code,
  numColumns
};

struct Row {
  std::array<std::string, numColumns> cells;
  raw_ostream::Colors name = raw_ostream::CYAN;
  raw_ostream::Colors time = raw_ostream::GREEN;
  raw_ostream::Colors code = raw_ostream::BRIGHT_BLACK;
};

} // namespace

static std::string format(const char *pattern, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(pattern, value);
  return text;
}

/// Writes `value` with three digits or more, in the largest of `units`, each a
/// `step` above the one before, in which it is 1 or more.
static std::string scale(double value, double step,
                         std::initializer_list<const char *> units) {
  auto unit = units.begin();
  while (value >= step && unit + 1 != units.end()) {
    value /= step;
    ++unit;
  }
  const char *pattern = value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f";
  return format(pattern, value) + " " + *unit;
}

static std::string formatSeconds(double seconds) {
  return scale(seconds * 1e6, 1000, {"us", "ms", "s"});
}

static std::string formatBytes(int64_t bytes) {
  if (bytes < 1000)
    return std::to_string(bytes) + " B";
  return scale(static_cast<double>(bytes) / 1000, 1000, {"kB", "MB", "GB"});
}

/// Writes `amount` per second in units of 10^9; nothing where no time passed.
static std::string formatRate(double amount, double seconds) {
  return seconds > 0 ? format("%.2f", amount / seconds * 1e-9) : "-";
}

static void fillNumbers(Row &row, double seconds, int64_t flops,
                        int64_t bytes) {
  row.cells[Time] = formatSeconds(seconds);
  row.cells[FlopRate] = formatRate(static_cast<double>(flops), seconds);
  row.cells[ByteRate] = formatRate(static_cast<double>(bytes), seconds);
  row.cells[Bytes] = formatBytes(bytes);
}

/// Writes the cells of a row: texts from the left, numbers from the right.
static void printRow(raw_ostream &stream, const Row &row,
                     const std::array<size_t, numColumns> &widths,
                     bool isColored) {
  std::string gap = "  ";
  for (size_t column = 0; column < numColumns; ++column) {
    const std::string &cell = row.cells[column];
    if (cell.empty() && column + 1 == numColumns)
      continue;
    std::string padding(widths[column] - cell.size(), ' ');
    bool isText = column == Name || column == Device || column == Code;
    // Nothing stands to the right of the last column.
    std::string after = column + 1 == numColumns ? "" : isText ? padding : "";
    stream << gap << (isText ? "" : padding);
    if (isColored && (column == Name || column == Time || column == Code)) {
      stream.changeColor(column == Name   ? row.name
                         : column == Time ? row.time
                                          : row.code);
      stream << cell;
      stream.resetColor();
    } else {
      stream << cell;
    }
    stream << after;
  }
  stream << '\n';
}

void engine::printRunTable(raw_ostream &stream, const RunRecord &record,
                           int64_t number) {
  KernelRecord sum;
  for (const KernelRecord &kernel : record.kernels) {
    sum.seconds += kernel.seconds;
    sum.flops += kernel.flops;
    sum.bytes += kernel.bytes;
  }

  std::vector<Row> rows(1);
  rows[0].cells = {"#",       "kernel", "device", "time",
                   "GFLOP/s", "GB/s",   "bytes",  "code"};
  for (const KernelRecord &kernel : record.kernels) {
    Row &row = rows.emplace_back();
    row.cells[Number] = std::to_string(rows.size() - 2);
    row.cells[Name] = kernel.name;
    row.cells[Device] = kernel.device;
    row.cells[Code] = kernel.isFromCache ? "cache" : "compiled";
    fillNumbers(row, kernel.seconds, kernel.flops, kernel.bytes);
    // Reduces, and what takes more than a tenth or half of the time.
    if (llvm::StringRef(kernel.name).starts_with("r"))
      row.name = raw_ostream::MAGENTA;
    if (kernel.seconds > 0.5 * sum.seconds)
      row.time = raw_ostream::RED;
    else if (kernel.seconds > 0.1 * sum.seconds)
      row.time = raw_ostream::YELLOW;
    if (!kernel.isFromCache)
      row.code = raw_ostream::YELLOW;
  }
  Row &total = rows.emplace_back();
  total.cells[Name] = "total of " + std::to_string(record.kernels.size());
  fillNumbers(total, sum.seconds, sum.flops, sum.bytes);

  std::array<size_t, numColumns> widths = {};
  for (const Row &row : rows)
    for (size_t column = 0; column < numColumns; ++column)
      widths[column] = std::max(widths[column], row.cells[column].size());

  stream.changeColor(raw_ostream::SAVEDCOLOR, /*Bold=*/true);
  stream << "run " << number << ": " << formatSeconds(record.seconds) << '\n';
  stream.resetColor();
  if (record.kernels.empty())
    return;
  for (const Row &row : rows)
    printRow(stream, row, widths,
             /*isColored=*/&row != &rows.front() && &row != &rows.back());
}
