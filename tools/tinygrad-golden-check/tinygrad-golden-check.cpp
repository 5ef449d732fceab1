//===- tinygrad-golden-check.cpp - Compare with the reference -------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckScalars.h"
#include "CheckSchedule.h"
#include "CheckShapes.h"
#include "CheckValues.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <variant>

using namespace tinygrad;
using namespace tinygrad::golden;
using llvm::StringRef;
namespace json = llvm::json;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of tinygrad-golden-check");
static cl::list<std::string>
    inputFiles(cl::Positional, cl::OneOrMore,
               cl::desc("<file.jsonl>... (rows of view_merge.jsonl "
                        "want those of shapetracker.jsonl, "
                        "given too or beside it)"),
               cl::cat(category));
static cl::opt<std::string> level("level", cl::init("all"),
                                  cl::desc("OPT of lazy.py: 0 to 4, or all"),
                                  cl::cat(category));
static cl::opt<std::string>
    liveness("liveness", cl::init("all"),
             cl::desc("Which values live on: dropped (none after its use), "
                      "kept (all), traced (what Python held), or all three"),
             cl::cat(category));
static cl::opt<std::string> nameFilter("name", cl::value_desc("substring"),
                                       cl::desc("Only rows with this name"),
                                       cl::cat(category));
static cl::opt<bool> listRows("list", cl::init(true),
                              cl::desc("Print each row that differs"),
                              cl::cat(category));
static cl::opt<bool> listSkipped("list-skipped",
                                 cl::desc("Print each row that is skipped"),
                                 cl::cat(category));
static cl::opt<bool> compareKernels("trees", cl::init(true),
                                    cl::desc("Compare the kernels at level 2"),
                                    cl::cat(category));
static cl::opt<bool>
    compareValues("values", cl::init(true),
                  cl::desc("Compare values, computed on INTERP and CPU"),
                  cl::cat(category));
static cl::opt<int64_t>
    maxElements("max-elements", cl::init(1 << 20),
                cl::desc("No values of programs with larger buffers"),
                cl::cat(category));
static cl::opt<std::string>
    without("without", cl::value_desc("option"),
            cl::desc("Switch this rule of lazy-schedule off"),
            cl::cat(category));
static cl::opt<bool> printIR("print", cl::desc("Print each scheduled program"),
                             cl::cat(category));
static cl::opt<std::string> expectedFailures(
    "expected-failures", cl::value_desc("file"),
    cl::desc("Rows that are known to fail, each with a reason"),
    cl::cat(category));

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// A line that is no row of a known format: what is wrong with it.
struct BadRow {
  std::string reason;
};

/// A row of any format, and where it stands.
struct Row {
  /// What it is called, or its place where it has no name.
  std::string name;
  std::string place;
  std::variant<BadRow, ScheduleRow, ShapeRow, MergeRow, ScalarRow> content;
};

/// The rows of all files.
class Rows {
public:
  /// Returns false where an error was printed: where there are no rows. A line
  /// that is no row is one that fails.
  bool readFile(const std::string &path);
  /// Finds the chain of each row about merged views, in a given file or in
  /// shapetracker.jsonl beside it.
  void resolveChains();

  const std::vector<Row> &getRows() const { return rows; }
  const ShapeRow &getChain(StringRef name) const {
    return chains.find(name)->second;
  }

private:
  /// Returns what is wrong, or an empty text.
  std::string readRow(StringRef line, Row &row);

  std::vector<Row> rows;
  llvm::StringMap<ShapeRow> chains;
};

} // namespace

static bool error(const llvm::Twine &place, const llvm::Twine &message) {
  llvm::errs() << place << ": error: " << message << "\n";
  return false;
}

/// Reads the format that has the fields of `object`.
static bool readContent(const json::Value &value, const json::Object &object,
                        Row &row, json::Path path) {
  if (object.get("program"))
    return fromJSON(value, row.content.emplace<ScheduleRow>(), path);
  if (object.get("ops"))
    return fromJSON(value, row.content.emplace<ShapeRow>(), path);
  if (object.get("single_view"))
    return fromJSON(value, row.content.emplace<MergeRow>(), path);
  if (object.get("op"))
    return fromJSON(value, row.content.emplace<ScalarRow>(), path);
  path.report("expected a row with `program`, `ops`, `single_view` or `op`");
  return false;
}

/// True if brackets outside of strings are nested deeper than any row needs:
/// the reader of JSON is recursive.
static bool isNestedTooDeeply(StringRef line) {
  constexpr int limit = 64;
  int depth = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"')
      while (++i < line.size() && line[i] != '"')
        i += line[i] == '\\';
    else if (line[i] == '[' || line[i] == '{')
      ++depth;
    else if (line[i] == ']' || line[i] == '}')
      --depth;
    if (depth > limit)
      return true;
  }
  return false;
}

std::string Rows::readRow(StringRef line, Row &row) {
  if (isNestedTooDeeply(line))
    return "expected brackets that are not nested so deeply";
  llvm::Expected<json::Value> value = json::parse(line);
  if (!value)
    return llvm::toString(value.takeError());
  json::Path::Root root("row");
  const json::Object *object = value->getAsObject();
  if (!object)
    return "expected object";
  auto name = object->getString("name");
  if (name)
    row.name = name->str();
  if (!readContent(*value, *object, row, root))
    return llvm::toString(root.getError());
  if (auto *scalars = std::get_if<ScalarRow>(&row.content)) {
    // These rows have no name.
    row.name = describe(*scalars) + " in line " +
               StringRef(row.place).rsplit(':').second.str();
    return "";
  }
  if (!name)
    return "expected string at row.name";
  if (auto *shapes = std::get_if<ShapeRow>(&row.content))
    chains[row.name] = *shapes;
  return "";
}

bool Rows::readFile(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!file)
    return error(path, "cannot be read: " + file.getError().message());
  for (llvm::line_iterator line(**file); !line.is_at_end(); ++line) {
    Row row;
    row.place = path + ":" + std::to_string(line.line_number());
    row.name = row.place;
    std::string reason = readRow(*line, row);
    if (!reason.empty())
      row.content = BadRow{std::move(reason)};
    rows.push_back(std::move(row));
  }
  return !rows.empty() || error(path, "has no rows");
}

void Rows::resolveChains() {
  for (Row &row : rows) {
    if (!std::holds_alternative<MergeRow>(row.content) ||
        chains.count(row.name))
      continue;
    llvm::SmallString<128> path = llvm::sys::path::parent_path(row.place);
    llvm::sys::path::append(path, "shapetracker.jsonl");
    Rows beside;
    if (llvm::sys::fs::exists(path))
      beside.readFile(path.str().str());
    for (auto &[name, chain] : beside.chains)
      chains.try_emplace(name, chain);
    if (!chains.count(row.name))
      row.content = BadRow{"expects the row of this name of "
                           "shapetracker.jsonl, which is given too or lies "
                           "beside this file"};
  }
}

/// Reads lines of a name and a reason; `#` starts a comment.
static bool readExpectedFailures(llvm::StringMap<std::string> &result) {
  if (expectedFailures.empty())
    return true;
  auto file = llvm::MemoryBuffer::getFile(expectedFailures);
  if (!file)
    return error(expectedFailures,
                 "cannot be read: " + file.getError().message());
  for (llvm::line_iterator line(**file, /*SkipBlanks=*/true, '#');
       !line.is_at_end(); ++line) {
    auto [name, reason] = line->split(' ');
    result[name] = reason.trim().str();
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// Returns false where an error was printed.
static bool readChecks(ScheduleChecks &checks) {
  checks.trees = compareKernels;
  checks.printIR = printIR;
  checks.without = without;
  if (!without.empty() && !isRuleOption(without)) {
    llvm::errs() << "error: expects an option of lazy-schedule that switches a "
                    "rule, got "
                 << without << "\n";
    return false;
  }
  for (int number = 0; number < 5; ++number)
    if (level == "all" || level == std::to_string(number))
      checks.levels.push_back(number);
  if (checks.levels.empty())
    return error("--level", "expects 0 to 4, or all, got " + level);
  for (auto [name, value] :
       {std::pair<StringRef, Liveness>{"dropped", Liveness::Dropped},
        {"kept", Liveness::Kept},
        {"traced", Liveness::Traced}})
    if (liveness == "all" || liveness == name)
      checks.livenesses.push_back(value);
  if (checks.livenesses.empty())
    return error("--liveness",
                 "expects dropped, kept, traced or all, got " + liveness);
  if (maxElements < 0)
    return error("--max-elements", "expects a number that is not negative");
  return true;
}

/// Judges all rows and prints what fails. Returns the exit code.
static int checkRows(const Rows &rows, const ScheduleChecks &checks,
                     ValueChecker *values,
                     const llvm::StringMap<std::string> &known) {
  unsigned counts[3] = {0, 0, 0}, numExpected = 0, numWithoutValues = 0;
  for (const Row &row : rows.getRows()) {
    if (!StringRef(row.name).contains(nameFilter))
      continue;
    Outcome outcome, ofValues = Outcome::skip("not asked for");
    if (auto *bad = std::get_if<BadRow>(&row.content)) {
      outcome = Outcome::fail(bad->reason);
    } else if (auto *schedule = std::get_if<ScheduleRow>(&row.content)) {
      outcome = checkSchedule(*schedule, checks);
      if (values) {
        ofValues = values->check(*schedule, maxElements);
        numWithoutValues += ofValues.kind == Outcome::Skipped;
      }
    } else if (auto *shapes = std::get_if<ShapeRow>(&row.content)) {
      outcome = checkShapes(*shapes);
    } else if (auto *merge = std::get_if<MergeRow>(&row.content)) {
      outcome = checkMerge(*merge, rows.getChain(row.name));
    } else {
      outcome = checkScalars(std::get<ScalarRow>(row.content));
    }
    auto expected = known.find(row.name);
    bool isExpected =
        expected != known.end() && outcome.kind == Outcome::Failed;
    if (expected != known.end() && outcome.kind == Outcome::Passed)
      outcome =
          Outcome::fail("passes, but is expected to fail: " + expected->second);
    // A wrong value is never expected, and a right one is a pass where the
    // schedule could not be compared.
    if (ofValues.kind == Outcome::Failed ||
        (ofValues.kind == Outcome::Passed &&
         outcome.kind == Outcome::Skipped)) {
      outcome = ofValues;
      isExpected = false;
    }
    if (isExpected) {
      ++numExpected;
      continue;
    }
    ++counts[outcome.kind];
    if ((outcome.kind == Outcome::Failed && listRows) ||
        (outcome.kind == Outcome::Skipped && listSkipped))
      llvm::outs() << row.name << ": " << outcome.reason << "\n";
  }
  if (numExpected)
    llvm::outs() << numExpected << " expected failures\n";
  if (numWithoutValues)
    llvm::outs() << numWithoutValues << " without values\n";
  if (counts[Outcome::Skipped])
    llvm::outs() << counts[Outcome::Skipped] << " skipped\n";
  llvm::outs() << counts[Outcome::Passed] << " passed, "
               << counts[Outcome::Failed] << " failed\n";
  return counts[Outcome::Failed] ? 1 : 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compare with facts of the reference, row by row\n");
  ScheduleChecks checks;
  llvm::StringMap<std::string> known;
  Rows rows;
  if (!readChecks(checks) || !readExpectedFailures(known))
    return 2;
  for (const std::string &file : inputFiles)
    if (!rows.readFile(file))
      return 2;
  rows.resolveChains();

  std::optional<ValueChecker> values;
  if (compareValues) {
    // Where all levels are asked for, the engine's own is taken.
    auto created =
        ValueChecker::create(level == "all" ? engine::Engine::Options().optLevel
                                            : checks.levels.front());
    if (!created) {
      error("--values", llvm::toString(created.takeError()));
      return 2;
    }
    values = std::move(*created);
  }
  return checkRows(rows, checks, values ? &*values : nullptr, known);
}
