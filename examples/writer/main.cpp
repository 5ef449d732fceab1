//===- main.cpp - Learn from a text and write on --------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Trains a small transformer on texts, character by character, and writes text
// with it.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "ProgressBar.h"
#include "Training.h"
#include "Writing.h"

#include "tinygrad/Tensor/Context.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>

using namespace examples;
using namespace writer;
using namespace tinygrad;

static constexpr const char *usage = R"(usage:
  writer [OPTION...] [FILE...]
      trains on texts, by default on pages of this project, saves the model and
      writes a text with it
        --steps N       default 1500
        --batch N       texts per step, default 16
        --context N     characters that the model sees, default 64
        --layers N --heads N --width N
                        the model's size, default 3, 4 and 128
        --seed S        default 0
        --save FILE     the model, default writer.safetensors
        --output FILE   the text, default writer.txt
        --prompt, --length, --temperature as below
  writer write --model FILE [OPTION...]
      writes a text with a model that was saved
        --prompt TEXT       what the text begins with
        --length N          characters to write, default 400
        --temperature T     0 takes the likeliest, 1 as the model says; default 0.8
        --seed S            default 0
)";

/// What is learned by default: the pages of this project. The last tenth of the
/// text is held out, so the longest page is the last: its beginning is learned.
static constexpr const char *pages[] = {"README.md",
                                        "docs/Adding-a-device.md",
                                        "docs/Development.md",
                                        "docs/Performance.md",
                                        "docs/Rules.md",
                                        "docs/Semantics.md",
                                        "docs/ShapeTracker.md",
                                        "docs/Upstream.md",
                                        "docs/Design.md"};

namespace {

struct Options {
  bool isWrite = false;
  bool wantsHelp = false;
  std::vector<std::string> texts;
  Sizes sizes;
  int64_t numSteps = 1500;
  int64_t batchSize = 16;
  std::string save = "writer.safetensors";
  std::string output = "writer.txt";
  std::string model;
  WritingOptions writing;
};

} // namespace

static Options parseOptions(Arguments arguments) {
  Options options;
  options.isWrite = arguments.take("write");
  while (!arguments.isAtEnd()) {
    std::string flag = arguments.take();
    auto is = [&](const char *name, bool forWrite) {
      return flag == name && forWrite == options.isWrite;
    };
    if (flag == "--help" || flag == "-h")
      options.wantsHelp = true;
    else if (flag == "--prompt")
      options.writing.prompt = arguments.takeValue(flag);
    else if (flag == "--length")
      options.writing.length = arguments.takeInteger(flag, 0, 1'000'000);
    else if (flag == "--temperature")
      options.writing.temperature = arguments.takeNumber(flag, 0, 100);
    else if (flag == "--seed")
      options.writing.seed = arguments.takeInteger(flag, 0, INT64_MAX);
    else if (is("--steps", false))
      options.numSteps = arguments.takeInteger(flag, 1, 10'000'000);
    else if (is("--batch", false))
      options.batchSize = arguments.takeInteger(flag, 1, 4096);
    else if (is("--context", false))
      options.sizes.context = arguments.takeInteger(flag, 1, 4096);
    else if (is("--layers", false))
      options.sizes.numLayers = arguments.takeInteger(flag, 1, 100);
    else if (is("--heads", false))
      options.sizes.numHeads = arguments.takeInteger(flag, 1, 100);
    else if (is("--width", false))
      options.sizes.width = arguments.takeInteger(flag, 1, 4096);
    else if (is("--save", false))
      options.save = arguments.takeValue(flag);
    else if (is("--output", false))
      options.output = arguments.takeValue(flag);
    else if (is("--model", true))
      options.model = arguments.takeValue(flag);
    else if (!options.isWrite && !flag.starts_with("-"))
      options.texts.push_back(flag);
    else
      arguments.refuse(flag);
  }
  if (options.isWrite && !options.wantsHelp && options.model.empty())
    throw Error("writer", "write expects --model FILE");
  if (options.sizes.width % options.sizes.numHeads != 0)
    throw Error("writer",
                "expects a width that is a multiple of the number of heads, "
                "got " +
                    std::to_string(options.sizes.width) + " and " +
                    std::to_string(options.sizes.numHeads));
  if (options.texts.empty())
    for (const char *page : pages)
      options.texts.push_back(std::string(WRITER_TEXTS) + page);
  return options;
}

/// Trains the model and prints how it goes.
static void train(Trainer &trainer, int64_t numSteps) {
  constexpr int64_t numReports = 10;
  ProgressBar bar(numSteps);
  // Of the last steps, as each by itself says little.
  double loss = 0;
  for (int64_t step = 1; step <= numSteps; ++step) {
    double stepLoss = trainer.step();
    loss = step == 1 ? stepLoss : 0.9 * loss + 0.1 * stepLoss;
    char text[64];
    std::snprintf(text, sizeof(text), "loss %.3f", loss);
    bar.update(step, text);
    // The first step is the loss of a model that knows nothing.
    if (step != 1 &&
        step * numReports / numSteps == (step - 1) * numReports / numSteps)
      continue;
    double heldOut = trainer.measure();
    bar.clear();
    std::printf("step %5lld  loss %.3f  held out %.3f\n",
                static_cast<long long>(step), loss, heldOut);
    std::fflush(stdout);
  }
}

/// Writes to a file, or throws with the path and the reason.
static void saveText(const std::string &text, const std::string &path) {
  FILE *file = std::fopen(path.c_str(), "wb");
  bool isWritten =
      file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file && std::fclose(file) != 0)
    isWritten = false;
  if (!isWritten)
    throw Error("writer",
                "cannot write `" + path + "`: " + std::strerror(errno));
}

/// Prints a text while it is written, and returns it.
static std::string print(const Author &author, const WritingOptions &options) {
  std::string text;
  write(author, options, [&](const std::string &part) {
    text += part;
    std::fputs(part.c_str(), stdout);
    std::fflush(stdout);
  });
  std::printf("\n");
  return text;
}

static void runTraining(const Options &options) {
  auto start = std::chrono::steady_clock::now();
  std::string text = readTexts(options.texts);
  checkWritable("writer", options.save);
  checkWritable("writer", options.output);
  Alphabet alphabet(text);
  alphabet.encode(options.writing.prompt);

  Tensor::manual_seed(options.writing.seed);
  Sizes sizes = options.sizes;
  sizes.alphabet = alphabet.getSize();
  Author author{std::move(alphabet), Model(sizes)};
  std::vector<int32_t> characters = author.alphabet.encode(text);
  std::printf("%zu characters, %lld different ones\n", characters.size(),
              static_cast<long long>(sizes.alphabet));
  Trainer trainer(author.model, std::move(characters), options.numSteps,
                  options.batchSize, options.writing.seed);
  train(trainer, options.numSteps);
  save(author, options.save);
  std::printf(
      "model saved to %s after %.1f s\n\n", options.save.c_str(),
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count());
  saveText(print(author, options.writing) + "\n", options.output);
  std::printf("\ntext saved to %s\n", options.output.c_str());
}

int main(int argc, char **argv) {
  try {
    Options options = parseOptions({"writer", argc, argv});
    if (options.wantsHelp)
      std::fputs(usage, stdout);
    else if (options.isWrite)
      print(load(options.model), options.writing);
    else
      runTraining(options);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
