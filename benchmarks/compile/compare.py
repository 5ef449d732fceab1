#!/usr/bin/env python3
"""From the start of a process to its first result, cold and from the cache.

Starts compile-benchmark anew for each case and each state of the cache: none, a
folder that is empty, and the same folder once it is full. Where a checkout of
tinygrad at 6d6eb9302d is given, its CLANG device computes the first case too, with
an empty folder for its cache and with a full one. All take turns. Beside the time
that passes stands that of the processor, which other programs on a busy machine
lengthen less.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = ["matmul", "digits", "kernels"]

# What runs in tinygrad's Python: relu(a @ b) of the same sizes.
THEIRS = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from tinygrad.tensor import Tensor
a = (np.arange(256 * 512) % 7 - 2).astype(np.float32).reshape(256, 512)
b = (np.arange(512 * 128) % 5 - 1).astype(np.float32).reshape(512, 128)
result = Tensor(a).matmul(Tensor(b)).relu().numpy()
assert abs(result[0, 0] - max((a[0] @ b[:, 0]).item(), 0)) < 1e-2
"""


def measure(command: list, environment: dict) -> tuple[float, float, str]:
    """Milliseconds that pass, those of the processor, and what is printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    output = subprocess.run(
        command, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1e3 * wall, 1e3 * used, output


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--program", type=Path, default=ROOT / "build-release/bin/compile-benchmark"
    )
    parser.add_argument("--tinygrad", help="a checkout of commit 6d6eb9302d")
    parser.add_argument("--python", default=sys.executable, help="tinygrad's Python")
    parser.add_argument("--turns", type=int, default=11, help="default: 11")
    options = parser.parse_args()
    if not options.program.exists():
        parser.error(f"{options.program} is missing: ./dev bench builds it")

    rows: dict[tuple, list] = {}

    def add(name: str, state: str, command: list, environment: dict) -> None:
        wall, used, output = measure(command, environment)
        compiled = json.loads(output)["compile_ms"] if output else None
        rows.setdefault((name, state), []).append((wall, used, compiled))

    for _ in range(options.turns):
        for case in CASES:
            with tempfile.TemporaryDirectory() as folder:
                plain = [options.program, case]
                add(case, "none", plain, dict(os.environ))
                for state in ["empty", "full"]:
                    command = [*plain, "--cache", folder]
                    add(case, state, command, dict(os.environ))
        if options.tinygrad:
            with tempfile.TemporaryDirectory() as folder:
                # It keeps compiled programs in the temporary folder, too.
                environment = {
                    **os.environ,
                    "CLANG": "1",
                    "TMPDIR": folder,
                    "XDG_CACHE_HOME": folder,
                    "CACHEDB": f"{folder}/cache.db",
                }
                command = [options.python, "-c", THEIRS, options.tinygrad]
                for state in ["empty", "full"]:
                    add("tinygrad", state, command, environment)

    print(f"medians of {options.turns} turns")
    print("| case | cache | process ms | best | processor ms | compile ms |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for (name, state), values in rows.items():
        walls, used, compiled = zip(*values, strict=True)
        inside = f"{statistics.median(compiled):.1f}" if compiled[0] is not None else ""
        print(
            f"| {name} | {state} | {statistics.median(walls):.0f} | {min(walls):.0f} "
            f"| {statistics.median(used):.0f} | {inside} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
