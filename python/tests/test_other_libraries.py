"""PyTorch and another LLVM in one process with the package, whichever comes first."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tinygrad_mlir

HERE = Path(__file__).parent
# Debian's Python has Debian's PyTorch, and takes our extension where it is of the
# same version as ours.
PYTHONS = (sys.executable, "/usr/bin/python3")
PROBE = "import sys, {}; print(sys.implementation.cache_tag)"


def find_python(module):
    for python in PYTHONS:
        if not os.path.exists(python):
            continue
        done = subprocess.run(
            [python, "-c", PROBE.format(module)], capture_output=True, text=True
        )
        if done.stdout.strip() == sys.implementation.cache_tag:
            return python
    pytest.skip(f"no Python of this version imports {module}")


def run(program, module, first):
    python = find_python(module)
    package = Path(tinygrad_mlir.__file__).parent.parent
    done = subprocess.run(
        [python, HERE / program, first],
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
    )
    if done.stderr.startswith("skipped: "):
        pytest.skip(done.stderr.strip())
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


@pytest.mark.parametrize("first", ["torch", "tinygrad_mlir"])
def test_beside_torch(first):
    run("beside_torch.py", "torch", first)


@pytest.mark.parametrize("first", ["pyopencl", "tinygrad_mlir"])
def test_beside_pocl(first):
    run("beside_pocl.py", "pyopencl", first)
