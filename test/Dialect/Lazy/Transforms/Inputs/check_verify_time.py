"""Checks that the time of lazy-verify-schedule grows with the schedule.

check_verify_time.py TOOL: 32,000 kernels that write a part of one argument each, and
as many values of which each has memory of its own, may take 32 times what 4,000 do.
With the square it would be 64 times; what is above 8 is left to caches and other
programs of the machine. The best of three runs counts.
"""

import os
import re
import subprocess
import sys

KERNEL = """lazy.kernel @k ins(%v : memref<2xf32>) outs(%x : memref<4xf32>)
  attributes {{lazy.versions = array<i64: 1, {old}, {new}>}} {{
  ^bb0(%in: memref<2xf32>, %out: memref<4xf32>):
    %0 = lazy.load %in <[2]> : memref<2xf32> -> tensor<2xf32>
    lazy.store %0, %out <[2]> : tensor<2xf32>, memref<4xf32>
  }}"""
VALUE = """%t{i} = memref.alloc() : memref<2xf32>
  lazy.copy %v into %t{i} {{lazy.versions = array<i64: 1, {new}>}}
    : memref<2xf32>, memref<2xf32>"""
FREE = "memref.dealloc %t{i} {{lazy.versions = array<i64: {new}>}} : memref<2xf32>"


def make_schedule(count: int) -> str:
    writes = [KERNEL.format(old=i + 1 if i else 0, new=i + 2) for i in range(count)]
    values = [VALUE.format(i=i, new=count + 2 + i) for i in range(count)]
    frees = [FREE.format(i=i, new=count + 2 + i) for i in range(count)]
    return "\n".join(
        ["func.func @f(%x: memref<4xf32>, %v: memref<2xf32>) {"]
        + writes
        + values
        + frees
        + [f"return {{lazy.versions = array<i64: {count + 1}, 1>}}", "}"]
    )


def measure(tool: str, count: int) -> float:
    """The seconds in the pass."""
    schedule = make_schedule(count)
    flags = ["--lazy-verify-schedule", "--mlir-timing", "--mlir-timing-display=list"]
    times = []
    for _ in range(3):
        done = subprocess.run(
            [tool, *flags, "-o", os.devnull],
            input=schedule,
            stderr=subprocess.PIPE,
            check=True,
            text=True,
        )
        found = re.search(r"([0-9.]+) \([^)]*\)\s+VerifySchedulePass", done.stderr)
        if not found:
            raise SystemExit(f"{tool} prints no time of the pass")
        times.append(float(found.group(1)))
    return min(times)


def main() -> int:
    (tool,) = sys.argv[1:]
    small, large = measure(tool, 4000), measure(tool, 32000)
    print(f"{small} s, {large} s")
    return 0 if large < 32 * small else 1


if __name__ == "__main__":
    sys.exit(main())
