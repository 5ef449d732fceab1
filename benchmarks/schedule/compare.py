#!/usr/bin/env python3
"""Time and memory of lazy-schedule against the size of the program.

Beside it, where a checkout of tinygrad is given, the time that its lazy.py takes
to build and schedule the same program. Prints a table, and draws a plot of both
axes in logarithms with --svg. tinygrad recurses over the program and copies the
tree of each operation that is inlined, so its points end early: at a recursion
that is too deep, or after --limit-seconds.
"""

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATOR = ROOT / "test/Dialect/Lazy/Transforms/Inputs/make_graph.py"
# Negations, one after the other; a sum of as many inputs; x = x + x; sums, each
# divided by.
KINDS = ["chain", "inputs", "double", "softmax"]
SIZES = [10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000]

# What runs in tinygrad's Python: `argv` is the checkout, the kind and the size.
THEIRS = """
import sys, time
sys.path.insert(0, sys.argv[1])
kind, count = sys.argv[2], int(sys.argv[3])
from tinygrad.lazy import LazyBuffer
from tinygrad.ops import BinaryOps, LoadOps, ReduceOps, UnaryOps
from tinygrad.helpers import dtypes
from tinygrad.shape.shapetracker import ShapeTracker

def load(shape):
    return LazyBuffer("CLANG", ShapeTracker.from_shape(shape), LoadOps, None,
                      dtypes.float32, src=object())

shape = (4, 3) if kind == "softmax" else (4,)
inputs = [load(shape) for _ in range(count + 1)]
start = time.perf_counter()
x = inputs[0]
for i in range(count):
    if kind == "chain":
        x = x.e(UnaryOps.NEG)
    elif kind == "inputs":
        x = x.e(BinaryOps.ADD, inputs[i + 1])
    elif kind == "double":
        x = x.e(BinaryOps.ADD, x)
    else:
        x = x.e(BinaryOps.DIV, x.r(ReduceOps.SUM, (4, 1)).expand((4, 3)))
x.schedule()
print(time.perf_counter() - start)
"""


def measure_ours(tool: str, kind: str, count: int) -> tuple[float, float, float]:
    """Seconds of the pass, seconds and peak memory in MiB of the whole program."""
    with tempfile.TemporaryDirectory() as folder:
        graph = Path(folder) / "graph.mlir"
        with graph.open("w") as file:
            command = [sys.executable, str(GENERATOR), kind, str(count)]
            subprocess.run(command, stdout=file, check=True)
        timing = Path(folder) / "timing"
        options = ["--lazy-schedule", "--mlir-timing", "--mlir-timing-display=list"]
        with timing.open("w") as file:
            start = time.perf_counter()
            process = subprocess.Popen(
                [tool, str(graph), *options, "-o", os.devnull], stderr=file
            )
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        text = timing.read_text()
    found = re.search(r"([\d.]+) \(.*SchedulePass", text)
    if process.returncode != 0 or not found:
        raise SystemExit(f"{tool} failed on {kind} {count}:\n{text[-1000:]}")
    return float(found[1]), wall, usage.ru_maxrss / 1024


def measure_theirs(
    python: str, checkout: str, kind: str, count: int, limit: float
) -> float | None:
    """Seconds, or None where tinygrad has none for this size."""
    command = [python, "-c", THEIRS, checkout, kind, str(count)]
    try:
        run = subprocess.run(command, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return None
    return float(run.stdout) if run.returncode == 0 else None


Series = dict[str, list[tuple[int, float]]]


def find_powers(values: list[float]) -> tuple[int, int]:
    """The powers of ten around `values`."""
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def draw_lines(series: Series, place) -> Iterator[str]:
    colors = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]
    for name, points in series.items():
        color = colors[KINDS.index(name.split()[0])]
        dash = ' stroke-dasharray="4 3"' if name.endswith("tinygrad") else ""
        places = [place(*point) for point in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield (
            f'<polyline points="{path}" fill="none" stroke="{color}"'
            f' stroke-width="2"{dash}/>'
        )
        x, y = places[-1]
        yield f'<text x="{x + 5:.1f}" y="{y + 4:.1f}" fill="{color}">{name}</text>'


def rule(x1: float, y1: float, x2: float, y2: float) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="#ddd"/>'


def draw(series: Series) -> str:
    """A plot with logarithmic axes: operations to the right, seconds up."""
    width, height, margin = 760, 480, 60
    points = [point for line in series.values() for point in line]
    left, right = find_powers([x for x, _ in points])
    bottom, top = find_powers([max(y, 1e-5) for _, y in points])

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - left) / (right - left)
        up = (math.log10(max(y, 1e-5)) - bottom) / (top - bottom)
        return (
            margin + across * (width - 3 * margin),
            height - margin - up * (height - 2 * margin),
        )

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        ' font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for power in range(left, right + 1):
        x, y = place(10**power, 10**bottom)
        lines.append(f'<text x="{x:.1f}" y="{y + 18:.1f}">1e{power}</text>')
        lines.append(rule(x, y, x, margin))
    for power in range(bottom, top + 1):
        x, y = place(10**left, 10**power)
        end = place(10**right, 1)[0]
        lines.append(f'<text x="{x - 50:.1f}" y="{y + 4:.1f}">1e{power} s</text>')
        lines.append(rule(x, y, end, y))
    title = "seconds to schedule against operations; dashed: tinygrad"
    lines.append(f'<text x="{margin}" y="30" font-size="14">{title}</text>')
    return "\n".join([*lines, *draw_lines(series, place), "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default=str(ROOT / "build-release/bin/tinygrad-opt"))
    parser.add_argument("--tinygrad", help="a checkout of commit 6d6eb9302d")
    parser.add_argument("--python", default=sys.executable, help="tinygrad's Python")
    parser.add_argument("--limit-seconds", type=float, default=20)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--svg", help="the plot to write")
    arguments = parser.parse_args()

    series: Series = {}
    print("| program | steps | pass s | tool s | tool MiB | tinygrad s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for kind in arguments.kinds:
        is_over = not arguments.tinygrad
        for size in arguments.sizes:
            seconds, wall, memory = measure_ours(arguments.tool, kind, size)
            series.setdefault(kind, []).append((size, seconds))
            theirs = None
            if not is_over:
                theirs = measure_theirs(
                    arguments.python,
                    arguments.tinygrad,
                    kind,
                    size,
                    arguments.limit_seconds,
                )
                is_over = theirs is None
            if theirs is not None:
                series.setdefault(f"{kind} tinygrad", []).append((size, theirs))
            text = "" if theirs is None else f"{theirs:.4f}"
            print(
                f"| {kind} | {size} | {seconds:.4f} | {wall:.3f} | {memory:.0f} "
                f"| {text} |",
                flush=True,
            )
    if arguments.svg:
        Path(arguments.svg).write_text(draw(series))


if __name__ == "__main__":
    main()
