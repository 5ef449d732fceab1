#!/usr/bin/env python3
"""Measures how long the front end's header takes to compile.

Compiles a file that only includes it, in turns with one that includes the parts
of the standard library that it needs, and prints the median and the best of each.

    benchmarks/header/measure.py [COMPILER...] [--runs N] [--header FILE]
"""

from __future__ import annotations

import argparse
import re
import resource
import statistics
import subprocess
import sys
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"


def standard_headers(header: str, seen: set[str]) -> set[str]:
    """The standard headers that `header` includes, itself or through ours."""
    found = set()
    seen.add(header)
    text = (INCLUDE / header).read_text(encoding="utf-8")
    for name in re.findall(r"^#include <(\w+)>", text, re.MULTILINE):
        found.add(name)
    for name in re.findall(r'^#include "(tinygrad/[^"]+)"', text, re.MULTILINE):
        if name not in seen:
            found |= standard_headers(name, seen)
    return found


def seconds(compiler: str, source: str) -> float:
    """Seconds of processor time, which others on the machine don't lengthen."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [compiler, "-std=c++20", "-O2", f"-I{INCLUDE}", "-x", "c++"]
        + ["-c", "-", "-o", "/dev/null"],
        input=source,
        text=True,
        check=True,
    )
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("compilers", nargs="*", default=["clang++-22", "g++"])
    parser.add_argument("--header", default="tinygrad/Tensor/Tensor.h")
    parser.add_argument("--runs", type=int, default=11, help="default: 11")
    options = parser.parse_args()

    standard = sorted(standard_headers(options.header, set()))
    sources = {
        options.header: f'#include "{options.header}"\n',
        "standard library": "".join(f"#include <{name}>\n" for name in standard),
    }
    print(f"{'compiler':<12} {'includes':<26} {'median s':>8} {'best':>6}")
    for compiler in options.compilers:
        times = {name: [] for name in sources}
        for _ in range(options.runs):
            for name, source in sources.items():
                times[name].append(seconds(compiler, source))
        for name, values in times.items():
            print(
                f"{compiler:<12} {name:<26} "
                f"{statistics.median(values):8.2f} {min(values):6.2f}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
