"""Runs the programs of the compiler: python -m tinygrad_mlir opt|run|translate ..."""

from __future__ import annotations

import sys

from ._tinygrad import run_tool

TOOLS = ("opt", "run", "translate")


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] not in TOOLS:
        names = "|".join(TOOLS)
        print(f"usage: python -m tinygrad_mlir {names} ...", file=sys.stderr)
        return 2
    return _run(sys.argv[1], sys.argv[2:])


def _run(name: str, arguments: list[str]) -> int:
    sys.stdout.flush()
    return run_tool(name, [f"tinygrad-{name}", *arguments])


# The console scripts.
def opt() -> int:
    return _run("opt", sys.argv[1:])


def run() -> int:
    return _run("run", sys.argv[1:])


def translate() -> int:
    return _run("translate", sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
