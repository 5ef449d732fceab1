#!/usr/bin/env python3
"""Builds the wheel and tries it in an empty virtual environment.

The environment gets numpy and nothing else. Each check counts as one; what fails is
printed. Needs a package index, or numpy in pip's cache.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The wheel's size that people were promised.
MAX_WHEEL_BYTES = 30 << 20

PROGRAM = """
import tinygrad_mlir as tg
x = tg.Tensor([[1.0, 2.0], [3.0, 4.0]])
assert ((x @ x + 1).sum().item()) == 58
"""

# What a wheel could have left behind: other modules, numpy, pickling, the compiler.
WIDE_PROGRAM = """
import pickle
import numpy as np
from tinygrad_mlir import Tensor, TinyJit, compiler, nn
from tinygrad_mlir.nn import optim, state

model = nn.Linear(4, 2)
optimizer = optim.SGD(state.get_parameters(model), lr=0.1)
values = np.ones((3, 4), np.float32)
x = Tensor.from_buffer(values)
assert np.shares_memory(np.asarray(x), values)
assert np.sum(x) == 12

@TinyJit
def step(x):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.realize()

Tensor.training = True
losses = [step(x + 0).item() for _ in range(5)]
assert losses[4] < losses[0], losses
copy = pickle.loads(pickle.dumps(model.weight))
assert copy.tolist() == model.weight.tolist()

@compiler.jit
def f(x):
    return x.exp().sum()

assert "define void" in f.ir("llvm-ir", x)
assert compiler.schedule(model(x))._repr_html_()
"""

GRAPH = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = lazy.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
"""


def run(*command: object, **options) -> str:
    """Runs a command outside of the checkout and returns what it prints."""
    environment = {
        key: value
        for key, value in os.environ.items()
        if key not in ("PYTHONPATH", "LD_LIBRARY_PATH")
    }
    environment.update(options.pop("environment", {}))
    done = subprocess.run(
        [str(word) for word in command],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        **options,
    )
    if done.returncode:
        raise AssertionError(f"{command[0]} failed:\n{done.stdout[-4000:]}")
    return done.stdout


def check_wheel_file(wheel: Path) -> None:
    """one library, no link, no header, of the promised size"""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    libraries = [name for name in names if re.search(r"\.so(\.|$)", name)]
    assert len(libraries) == 2, libraries
    assert "tinygrad_mlir/libtinygrad.so" in libraries, libraries
    sources = {
        path.relative_to(ROOT / "python").as_posix()
        for path in (ROOT / "python/tinygrad_mlir").rglob("*.py")
    }
    sources |= {"tinygrad_mlir/_tinygrad.pyi", "tinygrad_mlir/py.typed"}
    assert sources <= set(names), sources - set(names)
    assert wheel.stat().st_size < MAX_WHEEL_BYTES, wheel.stat().st_size
    print(f"wheel: {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB")


def check_program(bin_folder: Path, folder: Path) -> None:
    """programs of tensors run, where no other program can be found"""
    for program in (PROGRAM, WIDE_PROGRAM):
        environment = {"PATH": "", "TINYGRAD_CACHE": "0"}
        run(
            bin_folder / "python",
            "-c",
            program,
            cwd=folder,
            environment=environment,
        )


def check_tools(bin_folder: Path, folder: Path) -> None:
    """the tools run, as modules and as scripts"""
    graph = folder / "graph.mlir"
    graph.write_text(GRAPH)
    for command in (
        [bin_folder / "python", "-m", "tinygrad_mlir", "opt"],
        [bin_folder / "tinygrad-opt"],
    ):
        assert "lazy.kernel" in run(*command, graph, "--lazy-schedule", cwd=folder)


def check_libraries(bin_folder: Path, folder: Path) -> None:
    """no LLVM of the system is loaded"""
    program = PROGRAM + "print(open('/proc/self/maps').read())"
    maps = run(bin_folder / "python", "-c", program, cwd=folder)
    assert "libtinygrad.so" in maps
    assert not re.search(r"lib(LLVM|MLIR)", maps), maps


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--counts", type=Path, help="write 'passed failed skipped'")
    parser.add_argument("--wheel", type=Path, help="try this one")
    options = parser.parse_args()

    passed = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = options.wheel
        if not wheel:
            run(sys.executable, "-m", "pip", "wheel", "--no-deps", ROOT, "-w", folder)
            (wheel,) = folder.glob("*.whl")
            shutil.copy(wheel, ROOT / "build-wheel")
        run(sys.executable, "-m", "venv", folder / "venv")
        bin_folder = folder / "venv/bin"
        run(bin_folder / "python", "-m", "pip", "install", wheel)
        checks = (
            (check_wheel_file, (wheel,)),
            (check_program, (bin_folder, folder)),
            (check_tools, (bin_folder, folder)),
            (check_libraries, (bin_folder, folder)),
        )
        for check, arguments in checks:
            try:
                check(*arguments)
                passed += 1
            except AssertionError as error:
                failed += 1
                print(f"wheel: FAILED: {check.__doc__}: {error}")
    if options.counts:
        options.counts.write_text(f"{passed} {failed} 0\n")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
