//===- main.cpp - Watch waves run -----------------------------------------===//
//
// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Computes how waves run through two slits, or from a drop in a basin, and
// saves a picture of them.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Picture.h"
#include "PlainLoop.h"
#include "ProgressBar.h"
#include "Simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>

using namespace examples;
using namespace tinygrad;
using namespace waves;

static constexpr const char *usage = R"(usage:
  waves [slits|drop] [OPTION...]
      computes how waves run, and saves a picture of them
        slits             a plane wave meets a wall with two slits (default)
        drop              a drop has fallen into a basin with a post
        --width N --height N
                          cells, default 800 and 500
        --wavelength N    of the plane wave in cells, default 20
        --steps N         default 2400, for a drop 700; a multiple of 20
        --save FILE       the picture, default waves.png
        --compare         computes the same in a plain loop, and prints the largest
                          difference
)";

namespace {

struct Options {
  bool isDrop = false;
  bool wantsHelp = false;
  bool wantsComparison = false;
  int64_t width = 800, height = 500, numSteps;
  double wavelength = 20;
  std::string save = "waves.png";
};

} // namespace

static Options parseOptions(Arguments arguments) {
  Options options;
  options.isDrop = arguments.take("drop");
  if (!options.isDrop)
    arguments.take("slits");
  options.numSteps = options.isDrop ? 700 : 2400;
  while (!arguments.isAtEnd()) {
    std::string flag = arguments.take();
    if (flag == "--help" || flag == "-h")
      options.wantsHelp = true;
    else if (flag == "--width")
      options.width = arguments.takeInteger(flag, 16, 8192);
    else if (flag == "--height")
      options.height = arguments.takeInteger(flag, 16, 8192);
    else if (flag == "--steps")
      options.numSteps = arguments.takeInteger(flag, 1, 100'000'000);
    else if (flag == "--wavelength" && !options.isDrop)
      options.wavelength = arguments.takeNumber(flag, 4, 8192);
    else if (flag == "--save")
      options.save = arguments.takeValue(flag);
    else if (flag == "--compare")
      options.wantsComparison = true;
    else
      arguments.refuse(flag);
  }
  if (options.numSteps % Simulation::stepsPerRun != 0)
    throw Error("waves", "expects a multiple of " +
                             std::to_string(Simulation::stepsPerRun) +
                             " after --steps, got " +
                             std::to_string(options.numSteps));
  // The slits and the wall take that much.
  auto smallest = static_cast<int64_t>(std::ceil(5 * options.wavelength));
  if (!options.isDrop && std::min(options.width, options.height) < smallest)
    throw Error("waves", "expects at least " + std::to_string(smallest) +
                             " cells, 5 wavelengths, in both directions, got " +
                             std::to_string(options.width) + " x " +
                             std::to_string(options.height));
  return options;
}

using Clock = std::chrono::steady_clock;

static double getSecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Runs the simulation and prints how the energy goes.
static void simulate(Simulation &simulation, int64_t numSteps) {
  constexpr int64_t numReports = 8;
  ProgressBar bar(numSteps);
  for (int64_t step = 0; step < numSteps;) {
    int64_t previous = step;
    simulation.run();
    step += Simulation::stepsPerRun;
    bar.update(step, "steps");
    if (step * numReports / numSteps == previous * numReports / numSteps)
      continue;
    double energy = simulation.getEnergy();
    bar.clear();
    std::printf("step %6lld  energy %.4f\n", static_cast<long long>(step),
                energy);
    std::fflush(stdout);
  }
}

/// Prints how far `field` is from what a plain loop computes.
static void compare(const Scene &scene, const std::vector<float> &field,
                    int64_t numSteps) {
  Clock::time_point start = Clock::now();
  std::vector<float> expected = runPlainLoop(scene, numSteps);
  double seconds = getSecondsSince(start), largest = 0, difference = 0;
  for (size_t cell = 0; cell < field.size(); ++cell) {
    largest = std::max(largest, std::abs(double{expected[cell]}));
    difference = std::max(
        difference, std::abs(double{field[cell]} - double{expected[cell]}));
  }
  std::printf("a plain loop took %.2f s; it differs by %.1e, the largest value "
              "is %.3f\n",
              seconds, difference, largest);
}

static void run(const Options &options) {
  checkWritable("waves", options.save);
  Scene scene = options.isDrop ? makeDrop(options.width, options.height)
                               : makeSlits(options.width, options.height,
                                           options.wavelength);
  Clock::time_point start = Clock::now();
  Simulation simulation(scene);
  std::printf("%lld x %lld cells, energy %.4f\n",
              static_cast<long long>(scene.width),
              static_cast<long long>(scene.height), simulation.getEnergy());
  simulate(simulation, options.numSteps);
  std::vector<float> field = simulation.getField();
  std::printf("%lld steps in %.2f s\n",
              static_cast<long long>(options.numSteps), getSecondsSince(start));
  if (options.wantsComparison)
    compare(scene, field, options.numSteps);
  savePicture(scene, field, options.save);
  std::printf("picture saved to %s\n", options.save.c_str());
}

int main(int argc, char **argv) {
  try {
    Options options = parseOptions({"waves", argc, argv});
    if (options.wantsHelp)
      std::fputs(usage, stdout);
    else
      run(options);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
