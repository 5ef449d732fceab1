#!/usr/bin/env python3
"""Runs random programs on the Python package and on the reference, and compares.

    TG_MIRROR=PATH python conformance/differential.py [--count N] [--seed S]

The programs are those of programs/. The reference computes them with numpy, or, with
--device CLANG, with a compiler of C. With --setting OPT=1, or another one, our package
with this setting takes the reference's place. Differences are grouped by the statement
in which a program differs first; each group is printed with its smallest program.
"""

from __future__ import annotations

import argparse
import base64
import collections
import json
import os
import re
import selectors
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import programs
from run import COMMIT, HERE


def extract(mirror: str, folder: Path) -> None:
    """Copies the reference's package to `folder`."""
    with subprocess.Popen(
        ["git", "-C", mirror, "archive", COMMIT, "tinygrad"], stdout=subprocess.PIPE
    ) as archive:
        subprocess.run(["tar", "x", "-C", folder], stdin=archive.stdout, check=True)


class Worker:
    """A process that runs programs, started anew when one ends it."""

    def __init__(self, paths: list[Path], environment: dict[str, str]) -> None:
        self.paths = paths
        path = os.pathsep.join(str(p) for p in paths)
        self.folder = tempfile.TemporaryDirectory(prefix="differential-")
        self.environment = {**os.environ, **environment, "PYTHONPATH": path}
        self.process: subprocess.Popen | None = None

    def run(self, lines: list[str], timeout: int) -> dict | None:
        """Returns what became of a program, or None if the process ended or hangs."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, str(HERE / "differential_worker.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self.environment,
                cwd=self.folder.name,
            )
        try:
            self.process.stdin.write(json.dumps(lines).encode() + b"\n")
            self.process.stdin.flush()
            with selectors.DefaultSelector() as selector:
                selector.register(self.process.stdout, selectors.EVENT_READ)
                if selector.select(timeout):
                    return json.loads(self.process.stdout.readline())
        except (BrokenPipeError, json.JSONDecodeError):
            pass
        self.stop()
        return None

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def read_array(entry: dict) -> numpy.ndarray:
    data = base64.b64decode(entry["data"])
    return numpy.frombuffer(data, dtype=entry["type"]).reshape(entry["shape"])


def compare_arrays(ours: dict, theirs: dict) -> str | None:
    x, y = read_array(ours), read_array(theirs)
    if x.shape != y.shape:
        return f"shape {x.shape} not {y.shape}"
    half = numpy.float16 in (x.dtype, y.dtype)
    with numpy.errstate(all="ignore"):
        x, y = x.astype(numpy.float64), y.astype(numpy.float64)
        finite = numpy.abs(y[numpy.isfinite(y)])
        scale = float(finite.max()) if finite.size else 0.0
        tolerance = 1e-2 if half else 1e-4
        if not numpy.allclose(x, y, tolerance, tolerance * scale, equal_nan=True):
            return "value"
    return None


def compare_variables(ours: dict, theirs: dict) -> str | None:
    """Returns in what two values of a variable differ."""
    if ("error" in ours) != ("error" in theirs):
        which, entry = ("ours", ours) if "error" in ours else ("reference", theirs)
        return f"{which} raises {entry['error']} when read"
    if "error" in ours:
        return None
    if ours["kind"] != theirs["kind"]:
        return f"kind {ours['kind']} not {theirs['kind']}"
    if ours["kind"] == "object":
        return None if ours["value"] == theirs["value"] else "object"
    if difference := compare_arrays(ours["value"], theirs["value"]):
        return difference
    if ours["kind"] == "array":
        return None
    if ours["dtype"] != theirs["dtype"]:
        return f"dtype {ours['dtype']} not {theirs['dtype']}"
    # Integers have no gradients here, and elements that are not there need none.
    wants, wanted = bool(ours["requires_grad"]), bool(theirs["requires_grad"])
    if wants != wanted and "float" in ours["dtype"] and ours["value"]["data"]:
        return f"requires_grad {wants} not {wanted}"
    return None


def compare_gradients(ours: dict, theirs: dict) -> str | None:
    """Returns in what the gradients of two variables differ."""
    if "grad" not in ours or "grad" not in theirs:
        has = ("grad" in ours, "grad" in theirs)
        return f"grad {has[0]} not {has[1]}" if has[0] != has[1] else None
    difference = compare_arrays(ours["grad"], theirs["grad"])
    return f"grad {difference}" if difference else None


# Patterns of a statement and of its difference: what docs/Semantics.md says, and
# arguments that the reference takes though they are wrong.
KNOWN = (
    # Comparisons, and tensors of bools, are bools.
    (r"[<>]|[=!]= ", r"dtype dtypes\.bool not"),
    (r"Tensor\((True|False|\[)|\.full\(", r"dtype dtypes\.bool not dtypes\.float"),
    (r"dtype=dtypes\.bool", r"value"),
    # Sums of narrow integers, positions and whole numbers are int32.
    (r"sum\(|arg(max|min)\(|\.where\(", r"dtype dtypes\.int not"),
    # What is taken keeps its type.
    (r"\.gather\(|\w\[", r"dtype dtypes\.(bool|short|char) not"),
    # Operators of numpy's numbers leave the work to us.
    (r"np\.\w+\(-?[0-9.]+\) ", r"kind tensor not object"),
    (r"\^", r"ours raises Error: bitwise_xor: expects integer"),
    (r"", r"ours raises Error: \w+: expects an axis of a tensor"),
    (r"", r"ours raises Error: \w+: expects axes that are not empty"),
)


def is_known(line: str, difference: str) -> bool:
    return any(
        re.search(statement, line) and re.match(pattern, difference)
        for statement, pattern in KNOWN
    )


def get_names(line: str) -> set[str]:
    return set(re.findall(r"\bv\d+\b", line))


def get_changed(line: str) -> str | None:
    """Returns the variable that a statement makes or changes."""
    found = re.match(r"(v\d+) .?=|(v\d+)\.assign\(|(v\d+) \*\*?=", line)
    return found and (found[1] or found[2] or found[3])


def list_defined(lines: list[str]) -> dict[str, int]:
    """Returns the statement that says what each variable is at the end.

    What a variable was made from may have been changed before it was computed.
    """
    result: dict[str, int] = {}
    for i, line in enumerate(lines):
        if name := get_changed(line):
            result[name] = i
    return result


def compare(lines: list[str], ours: dict | None, theirs: dict | None) -> list:
    """Returns (number of the statement, difference) for the roots of differences."""
    if ours is None or theirs is None:
        return [(len(lines) - 1, "ours crashes")] if ours is None else []
    defined = list_defined(lines)
    bad: set[str] = set()
    result = []
    for i, line in enumerate(lines):
        names, name = get_names(line), get_changed(line)
        x, y = ours["errors"][i], theirs["errors"][i]
        if bad & names:
            bad |= {name} if name else set()
        elif x or y:
            bad |= {name} if name else set()
            # The reference may find it when it computes.
            if x and not y and "error" in theirs["variables"].get(name, {}):
                continue
            if not y:
                text = f"ours raises {x['error']}: {x['text'][:60]}"
            elif not x:
                text = f"reference raises {y['error']}: {y['text'][:60]}"
            elif not set(y["bases"][:-3]) & set(x["bases"][:-3]):
                text = f"ours raises {x['error']} not {y['error']}"
            else:
                continue
            if not is_known(line, text):
                result.append((i, text))
        elif name and i == defined[name]:
            difference = compare_variables(
                ours["variables"][name], theirs["variables"][name]
            )
            if difference:
                bad.add(name)
                if not is_known(line, difference):
                    result.append((i, difference))
    if result:
        return result
    # Gradients differ by what is between a leaf and a loss.
    for i, line in enumerate(lines):
        if (
            re.fullmatch(r"v\d+\.backward\(\)", line)
            and not bad & get_needed(lines, i)[1]
        ):
            for name in sorted(get_needed(lines, i)[1]):
                x, y = ours["variables"][name], theirs["variables"][name]
                if difference := compare_gradients(x, y):
                    return [(i, difference)]
    return []


def get_needed(lines: list[str], i: int) -> tuple[list[str], set[str]]:
    """Returns the statements on which statement i depends, and their variables."""
    wanted, kept = get_names(lines[i]), [lines[i]]
    for line in reversed(lines[:i]):
        name = get_changed(line)
        if name in wanted or not get_names(line):
            wanted |= get_names(line)
            kept.append(line)
    return kept[::-1], wanted


def get_group(line: str, difference: str) -> str:
    """The operation of a statement, and how it differs."""
    text = re.sub(r"^v\d+ = ", "", line)
    calls = re.findall(r"\.\w+(?=\()|[@%^]|\*\*|[-+*/<>=!]=?|\[", text)
    return f"{' '.join(calls[:1]) if calls else text}: {difference}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200, help="programs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=programs.KINDS, help="of programs")
    parser.add_argument("--all", action="store_true", help="what the reference refuses")
    parser.add_argument("--device", default="CPU", help="of the reference")
    parser.add_argument("--setting", help="of our package in the reference's place")
    parser.add_argument("--timeout", type=int, default=120, help="for a program")
    args = parser.parse_args()
    mirror = os.environ.get("TG_MIRROR")
    if not mirror and not args.setting:
        parser.error("TG_MIRROR names no clone of tinygrad/tinygrad")
    groups: dict[str, list] = collections.defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="differential-") as folder:
        paths = [Path(p).resolve() for p in os.environ.get("PYTHONPATH", "").split(":")]
        our = Worker([HERE / "shim", *paths], {})
        if args.setting:
            their = Worker(our.paths, dict([args.setting.split("=")]))
        else:
            extract(mirror, Path(folder))
            their = Worker([Path(folder)], {args.device: "1"})
        for seed in range(args.seed, args.seed + args.count):
            lines = programs.make(seed, args.kind)
            ours, theirs = our.run(lines, args.timeout), their.run(lines, args.timeout)
            for i, difference in compare(lines, ours, theirs):
                if difference.startswith("reference") and not args.all:
                    continue
                groups[get_group(lines[i], difference)].append(
                    (seed, get_needed(lines, i)[0])
                )
        our.stop()
        their.stop()
    for group, found in sorted(groups.items(), key=lambda item: -len(item[1])):
        seed, lines = min(found, key=lambda item: sum(map(len, item[1])))
        print(f"{len(found)} x {group} (seed {seed})")
        print("".join(f"    {line}\n" for line in "\n".join(lines).splitlines()))
    print(f"{args.count} programs, {len(groups)} kinds of differences")
    return 1 if groups else 0


if __name__ == "__main__":
    sys.exit(main())
