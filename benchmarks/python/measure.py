#!/usr/bin/env python3
"""Measures what the Python package costs: its import, a node, a small computation.

Times of calls are medians of batches, in microseconds of the thread's processor
time, which others on the machine don't lengthen; kernels run on that thread.

    ./dev python benchmarks/python/measure.py
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

os.environ["TINYGRAD_THREADS"] = "1"

from tinygrad_mlir import Tensor  # noqa: E402

IMPORT = """
import time
start = time.process_time()
import {}
print(time.process_time() - start)
"""


def import_ms(module: str, runs: int) -> float:
    def once() -> float:
        command = [sys.executable, "-c", IMPORT.format(module)]
        return float(subprocess.run(command, capture_output=True, check=True).stdout)

    return 1e3 * statistics.median(once() for _ in range(runs))


def call_us(function: Callable[[], object], calls: int, batches: int = 100) -> float:
    """The time of a call, without that of the loop."""

    def batch(function: Callable[[], object]) -> float:
        start = time.thread_time()
        for _ in range(calls // batches):
            function()
        return time.thread_time() - start

    times = sorted(batch(function) for _ in range(batches))
    empty = sorted(batch(lambda: None) for _ in range(batches))
    return 1e6 * (times[batches // 2] - empty[batches // 2]) / (calls // batches)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=10000, help="default: 10000")
    parser.add_argument("--runs", type=int, default=11, help="default: 11")
    options = parser.parse_args()

    for module in ("tinygrad_mlir", "numpy"):
        print(f"{'import ' + module:<24} {import_ms(module, options.runs):8.1f} ms")
    a, b = Tensor([1.0, 2, 3, 4]).realize(), Tensor([5.0, 6, 7, 8]).realize()
    for name, function in (
        ("a.shape", lambda: a.shape),
        ("a.neg()", lambda: a.neg()),
        ("a + b", lambda: a + b),
        ("a + 1", lambda: a + 1),
        ("(a + b).realize()", lambda: (a + b).realize()),
        ("a.numpy()", lambda: a.numpy()),
    ):
        function(), function()
        print(f"{name:<24} {call_us(function, options.calls):8.2f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
