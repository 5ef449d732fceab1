#!/usr/bin/env python3
"""Compares tinygrad-opt linked with static archives and with the shared libMLIR.

Takes two build trees that differ in TINYGRAD_MLIR_LINK and prints, for each, the
time of `tinygrad-opt --version` (the median of warm runs, in turns), the size of
the program with libtinygrad and of the shared MLIR and LLVM that it loads, and how
long the linker takes.

    cmake --preset dev && cmake --build --preset dev -t tinygrad-opt
    cmake --preset shared && cmake --build --preset shared -t tinygrad-opt
    benchmarks/startup/compare.py
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "bin/tinygrad-opt"
# The library that holds all but the program's `main`.
LIBRARY = "lib/libtinygrad.so.0.1.0"


def seconds(command: list, **options) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)
    return time.perf_counter() - start


def read_link_mode(tree: Path) -> str:
    cache = (tree / "CMakeCache.txt").read_text()
    found = re.search(r"^TINYGRAD_MLIR_LINK:\w+=(\w+)$", cache, re.MULTILINE)
    return found[1] if found else "static"


def library_bytes(program: Path) -> int:
    """The size of the libraries of MLIR and LLVM that a program loads."""
    listing = subprocess.run(["ldd", program], capture_output=True, text=True)
    paths = re.findall(r"=> (\S*lib(?:MLIR|LLVM)\S*) ", listing.stdout)
    return sum(Path(path).resolve().stat().st_size for path in paths)


def relink(tree: Path) -> float:
    """The seconds that ninja takes to link the library and the program anew."""
    subprocess.run(
        ["ninja", "-C", tree, PROGRAM], check=True, stdout=subprocess.DEVNULL
    )
    (tree / PROGRAM).unlink()
    (tree / LIBRARY).unlink()
    return seconds(["ninja", "-C", tree, PROGRAM])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "trees",
        type=Path,
        nargs="*",
        default=[ROOT / "build", ROOT / "build-shared"],
        help="build trees (default: those of the presets dev and shared)",
    )
    parser.add_argument("--runs", type=int, default=21, help="default: 21")
    parser.add_argument("--links", type=int, default=5, help="default: 5")
    options = parser.parse_args()
    for tree in options.trees:
        if not (tree / PROGRAM).exists():
            parser.error(f"{tree / PROGRAM} is missing: build tinygrad-opt there")

    links = {tree: [] for tree in options.trees}
    for _ in range(options.links):
        for tree in options.trees:
            links[tree].append(relink(tree))
    starts = {tree: [] for tree in options.trees}
    for run in range(options.runs + 2):
        for tree in options.trees:
            elapsed = seconds([tree / PROGRAM, "--version"])
            if run >= 2:
                starts[tree].append(elapsed)

    print(f"medians of {options.runs} starts and {options.links} links, in turns")
    print(
        f"{'link':<8} {'start ms':>9} {'best':>7} {'tinygrad MB':>11} "
        f"{'libraries MB':>13} {'link s':>7} {'best':>6}"
    )
    for tree in options.trees:
        program = tree / PROGRAM
        size = program.stat().st_size + (tree / LIBRARY).stat().st_size
        print(
            f"{read_link_mode(tree):<8} "
            f"{1e3 * statistics.median(starts[tree]):9.1f} "
            f"{1e3 * min(starts[tree]):7.1f} "
            f"{size / 1e6:11.1f} "
            f"{library_bytes(program) / 1e6:13.1f} "
            f"{statistics.median(links[tree]):7.2f} {min(links[tree]):6.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
