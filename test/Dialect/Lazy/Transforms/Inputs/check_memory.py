"""Checks that memory grows with the program, not with its square.

check_memory.py TOOL KIND: the peak memory of TOOL --lazy-schedule on programs of
10,000 and 40,000 steps, less that of one of 10 steps, may differ by a factor of 6.
"""

import os
import subprocess
import sys
from pathlib import Path

GENERATOR = Path(__file__).parent / "make_graph.py"


def measure(tool: str, kind: str, count: int) -> int:
    """The peak memory in KiB."""
    graph = subprocess.run(
        [sys.executable, str(GENERATOR), kind, str(count)],
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    process = subprocess.Popen(
        [tool, "--lazy-schedule", "-o", os.devnull], stdin=subprocess.PIPE
    )
    process.stdin.write(graph)
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{tool} fails on {kind} {count}")
    return usage.ru_maxrss


def main() -> int:
    tool, kind = sys.argv[1:]
    base = measure(tool, kind, 10)
    small = measure(tool, kind, 10000) - base
    large = measure(tool, kind, 40000) - base
    print(f"{kind}: {small} KiB, {large} KiB")
    return 0 if large < 6 * small else 1


if __name__ == "__main__":
    sys.exit(main())
