#!/usr/bin/env python3
"""Runs the reference's own tests on the Python package.

    TG_MIRROR=PATH python conformance/run.py [SUITE...] [-k WORDS]

The tests are taken at run time from the git repository TG_MIRROR, a clone of
tinygrad/tinygrad that holds the commit of the reference; nothing of them is kept
here. In them `import tinygrad` gives tinygrad_mlir. README.md says what is needed.

A line is printed for each suite: how many tests pass of those that pass in the
reference. The exit code is 1 if one of them fails that expected_failures.txt does
not name. --write puts the outcomes of the suites into last_run.json.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LAST_RUN = HERE / "last_run.json"
EXPECTED_FAILURES = HERE / "expected_failures.txt"

COMMIT = "6d6eb9302d"

# The files of a suite, in the reference's folder test/.
SUITES = {
    "ops": "test_ops.py",
    "tensor": "test_tensor.py test_tensor_data.py test_to_numpy.py test_sample.py",
    "optim": "test_optim.py",
    "nn": "test_nn.py",
    "jit": "test_jit.py",
    "dtype": "test_dtype.py",
    "dtype_alu": "test_dtype_alu.py",
    "indexing": "imported/test_indexing.py",
    "randomness": "test_randomness.py",
    "custom_function": "test_custom_function.py",
    "assign": "test_assign.py",
    "conv": "test_conv.py test_specific_conv.py test_winograd.py test_masked_st.py",
    "symbolic_ops": "test_symbolic_ops.py",
    "symbolic_jit": "test_symbolic_jit.py",
    "models": "models/test_train.py models/test_end2end.py models/test_real_world.py"
    " models/test_rnnt.py models/test_bert.py",
    "schedule": "test_schedule.py",
    "opt": "external/external_test_opt.py",
    "lazybuffer": "test_lazybuffer.py test_lazyop.py test_conv_shapetracker.py"
    " test_gc.py test_kernel_cache.py test_zero_copy.py",
    "shapetracker": "unit/test_shapetracker.py",
    "symbolic_shapetracker": "test_symbolic_shapetracker.py",
    "helpers": "unit/test_helpers.py",
    "disk": "unit/test_disk_tensor.py unit/test_shm_tensor.py",
    "symbolic": "unit/test_symbolic.py",
    "linearizer": "test_linearizer.py test_linearizer_failures.py test_uops.py"
    " unit/test_flopcounter.py unit/test_disk_cache.py test_search.py",
}

# Apart from the total: they look into the reference's code generator, and at the
# text of its index algebra.
APART = ("symbolic", "linearizer")

# These compare numbers of kernels with the reference's, at its default level.
LEVEL_2 = ("schedule", "opt", "lazybuffer")

# What is changed in the copy of the tests: counts of kernels that are compared only
# on one of the reference's devices, and a download at import.
EDITS = {
    "test/external/external_test_opt.py": (r'Device\.DEFAULT == "GPU"', "True"),
    "examples/stable_diffusion.py": (r"(def default_bpe\(\): return).*", r"\1 ''"),
}


def extract(mirror: str, folder: Path) -> None:
    """Copies the reference's tree, without its package, to `folder`."""
    with subprocess.Popen(
        ["git", "-C", mirror, "archive", COMMIT], stdout=subprocess.PIPE
    ) as archive:
        subprocess.run(
            ["tar", "x", "-C", folder, "--exclude=./tinygrad", "--exclude=tinygrad/*"],
            stdin=archive.stdout,
            check=True,
        )
    if archive.returncode:
        sys.exit(f"conformance: TG_MIRROR does not hold the commit {COMMIT}")
    for name, (pattern, text) in EDITS.items():
        file = folder / name
        edited, count = re.subn(pattern, text, file.read_text(encoding="utf-8"))
        assert count, f"nothing to edit in {name}"
        file.write_text(edited, encoding="utf-8")


def run_suite(name: str, tree: Path, args: argparse.Namespace) -> dict[str, dict]:
    """Returns the outcome of each test of a suite."""
    outcomes = tree / f"{name}.outcomes.json"
    # The tests run in another folder.
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    folders = [HERE / "shim", HERE, tree, *(Path(path).resolve() for path in paths)]
    environment = {
        "CI": "1",
        # Some tests skip themselves on what tinygrad calls its CPU, or off it.
        "CPU" if name == "custom_function" else "CLANG": "1",
        "PYTHONHASHSEED": "0",
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(folder) for folder in folders),
        "CONFORMANCE_OUTCOMES": str(outcomes),
    }
    if name in LEVEL_2:
        environment.setdefault("OPT", "2")
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "plugin"]
    command += ["-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(tree)]
    command += [f"--timeout={args.timeout}", "--continue-on-collection-errors"]
    command += ["-k", args.k] if args.k else []
    command += [f"test/{file}" for file in SUITES[name].split()]
    with open(args.logs / f"{name}.log", "w", encoding="utf-8") as log:
        subprocess.run(
            command, cwd=tree, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    if not outcomes.exists():
        print(f"conformance: {name} did not end, see {log.name}", file=sys.stderr)
        return {}
    return json.loads(outcomes.read_text(encoding="utf-8"))


def read_expected_failures() -> dict[str, str]:
    """Returns the reason of each test, or file of tests, that may fail."""
    result = {}
    for line in EXPECTED_FAILURES.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            test, _, reason = line.partition(" ")
            result[test] = reason
    return result


def find_reason(test: str, expected: dict[str, str]) -> str | None:
    """Returns why a test may fail, or None."""
    return expected.get(test) or expected.get(test.partition("::")[0])


def read_last_run() -> dict[str, dict[str, dict[str, str]]]:
    """Returns for each suite and test its `reference` outcome, and ours."""
    return json.loads(LAST_RUN.read_text(encoding="utf-8"))["suites"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(SUITES))
    parser.add_argument("-k", metavar="WORDS", help="as of pytest")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for a test")
    parser.add_argument("--logs", type=Path, default=Path("conformance-logs"))
    parser.add_argument("--counts", type=Path, help="file for three counts")
    parser.add_argument("--write", action="store_true", help="write last_run.json")
    args = parser.parse_args()
    names = args.suites or list(SUITES)
    for name in names:
        if name not in SUITES:
            parser.error(f"there is no suite {name}: {', '.join(SUITES)}")
    if args.write and args.k:
        parser.error("--write wants whole suites")
    mirror = os.environ.get("TG_MIRROR")
    if not mirror:
        parser.error("TG_MIRROR names no clone of tinygrad/tinygrad")
    args.logs.mkdir(parents=True, exist_ok=True)

    last_run = read_last_run()
    expected = read_expected_failures()
    passed = skipped = 0
    unexpected = []
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        extract(mirror, Path(folder))
        for name in names:
            ours = run_suite(name, Path(folder), args)
            wanted = [
                test
                for test, entry in last_run[name].items()
                if entry["reference"] == "passed" and (not args.k or test in ours)
            ]
            missing = [
                test for test in wanted if ours.get(test, {}).get("outcome") != "passed"
            ]
            unexpected += [test for test in missing if not find_reason(test, expected)]
            passed += len(wanted) - len(missing)
            skipped += sum(bool(find_reason(test, expected)) for test in missing)
            print(f"{name}: {len(wanted) - len(missing)} of {len(wanted)}", flush=True)
            for test, entry in last_run[name].items() if args.write else ():
                entry.pop("reason", None)
                entry.update(ours.get(test, {"outcome": "not collected"}))
    for test in unexpected:
        print("unexpected:", test)
    if args.counts:
        args.counts.write_text(f"{passed} {len(unexpected)} {skipped}\n")
    if args.write:
        text = json.dumps({"commit": COMMIT, "suites": last_run}, indent=1)
        LAST_RUN.write_text(text + "\n", encoding="utf-8")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
