#!/usr/bin/env python3
"""Compares our ShapeTracker with the reference's on the golden chains.

Both compose the chains of conformance/golden/shapetracker.jsonl, in turns. The
reference is the Python ShapeTracker of a tinygrad checkout at 6d6eb9302d. Its
functions remember their results: cold is with these caches emptied before each
turn, as in a program that meets a chain for the first time; warm is with them
full. Of its packages only those that the ShapeTracker needs are imported, so that
numpy is all it takes.

Views are counted at the end of each chain, before and after `simplify`. Chains
where the reference is known to be wrong are timed, but not counted.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import subprocess
import sys
import time
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMIT = "6d6eb9302d"


def import_reference(checkout: Path) -> tuple[type, list]:
    """The class ShapeTracker of a checkout, and the functions that remember."""
    package = types.ModuleType("tinygrad")
    package.__path__ = [str(checkout / "tinygrad")]
    sys.modules["tinygrad"] = package
    # A progress bar, which the helpers import for downloads.
    sys.modules.setdefault("tqdm", types.SimpleNamespace(tqdm=None))
    try:
        from tinygrad.shape import shapetracker, symbolic, view
    except ImportError as error:
        raise SystemExit(
            f"compare.py: {checkout} is no tinygrad at {COMMIT}: {error}"
        ) from error
    caches = []
    for module in (shapetracker, symbolic, view):
        for owner in (
            module,
            *(each for each in vars(module).values() if isinstance(each, type)),
        ):
            caches += [
                each for each in vars(owner).values() if hasattr(each, "cache_clear")
            ]
    return shapetracker.ShapeTracker, caches


def as_argument(value: list) -> tuple:
    return tuple(tuple(each) if isinstance(each, list) else each for each in value)


class Reference:
    def __init__(self, checkout: Path, rows: list[dict]):
        self.tracker, self.caches = import_reference(checkout)
        self.chains = [
            (
                row["name"].split("/")[0],
                tuple(row["shape"]),
                [(name, as_argument(argument)) for name, argument in row["ops"]],
            )
            for row in rows
        ]

    def compose(self, shape: tuple, ops: list):
        tracker = self.tracker.from_shape(shape)
        for name, argument in ops:
            tracker = getattr(tracker, name)(argument)
        return tracker

    def measure(self, group: str, simplifies: bool, cold: bool) -> float:
        """Nanoseconds of CPU time per operation; chains that it fails on count, too."""
        chains = [each for each in self.chains if group in ("all", each[0])]
        for cache in self.caches if cold else ():
            cache.cache_clear()
        gc.collect()
        start = time.process_time_ns()
        for _, shape, ops in chains:
            try:
                tracker = self.compose(shape, ops)
                if simplifies:
                    tracker.simplify()
            except Exception:  # noqa: BLE001 - it is wrong on some chains
                pass
        elapsed = time.process_time_ns() - start
        return elapsed / sum(len(ops) for _, _, ops in chains)


class Ours:
    def __init__(self, program: Path):
        self.program = program

    def measure(self) -> dict[str, dict]:
        """One turn of all benchmarks: nanoseconds per operation, and views."""
        done = subprocess.run(
            [self.program, "--benchmark_format=json", "--benchmark_min_time=0.05"],
            capture_output=True,
            text=True,
            check=True,
        )
        return {
            each["name"]: {"ns": each["time_per_op"] * 1e9, "views": int(each["views"])}
            for each in json.loads(done.stdout)["benchmarks"]
        }


def compare_times(ours: Ours, reference: Reference, turns: int) -> None:
    groups = ["hand", "random", "found", "all"]
    kinds = [(kind, group) for kind in ("compose", "simplify") for group in groups]
    times: dict[tuple, list[tuple[float, float, float]]] = {each: [] for each in kinds}
    for _ in range(turns):
        mine = ours.measure()
        for kind, group in kinds:
            cold = reference.measure(group, kind == "simplify", cold=True)
            warm = reference.measure(group, kind == "simplify", cold=False)
            times[kind, group].append((mine[f"{kind}/{group}"]["ns"], cold, warm))
    print(f"nanoseconds of CPU time per movement operation, medians of {turns} turns")
    print(f"{'':18} {'ours':>8} {'cold':>8} {'ratio':>7} {'warm':>8} {'ratio':>7}")
    for (kind, group), rows in times.items():
        mine, cold, warm = (statistics.median(column) for column in zip(*rows))
        to_cold = statistics.median(row[1] / row[0] for row in rows)
        to_warm = statistics.median(row[2] / row[0] for row in rows)
        name = f"{kind}/{group}"
        print(
            f"{name:18} {mine:8.0f} {cold:8.0f} {to_cold:7.1f}"
            f" {warm:8.0f} {to_warm:7.1f}"
        )


def compare_views(reference: Reference, rows: list[dict], program: Path) -> None:
    done = subprocess.run(
        [program, "--views"], capture_output=True, text=True, check=True
    )
    mine = {}
    for line in done.stdout.splitlines():
        name, views, simplified = line.split()
        mine[name] = (int(views), int(simplified))
    totals = [0] * 4
    fewer = more = 0
    right = [row for row in rows if "reference_wrong" not in row]
    for row in right:
        tracker = reference.compose(
            tuple(row["shape"]),
            [(name, as_argument(value)) for name, value in row["ops"]],
        )
        counts = (*mine[row["name"]], len(tracker.views), len(tracker.simplify().views))
        totals = [total + count for total, count in zip(totals, counts)]
        fewer += counts[1] < counts[3]
        more += counts[1] > counts[3]
    print(f"\nviews of the {len(right)} chains on which the reference is right")
    print(f"{'':18} {'ours':>8} {'theirs':>8} {'saved':>8}")
    for name, ours, theirs in (
        ("composed", totals[0], totals[2]),
        ("simplified", totals[1], totals[3]),
    ):
        print(f"{name:18} {ours:8} {theirs:8} {theirs - ours:8}")
    print(f"simplified: fewer views on {fewer} chains, more on {more}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--tinygrad",
        type=Path,
        required=True,
        help=f"a checkout of tinygrad at {COMMIT}",
    )
    parser.add_argument(
        "--program",
        type=Path,
        default=ROOT / "build-release/bin/shape-tracker-benchmark",
        help="the benchmark (default: that of the preset release)",
    )
    parser.add_argument(
        "--turns", type=int, default=11, help="turns of each (default: 11)"
    )
    options = parser.parse_args()
    if options.turns < 1:
        parser.error("expects at least one turn")
    if not options.program.exists():
        parser.error(f"{options.program} is not built")
    golden = ROOT / "conformance/golden/shapetracker.jsonl"
    rows = [json.loads(line) for line in golden.read_text().splitlines()]
    reference = Reference(options.tinygrad, rows)
    compare_times(Ours(options.program), reference, options.turns)
    compare_views(reference, rows, options.program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
