"""Types: a checker accepts a right program and refuses a wrong one."""

import os
import subprocess
import sys
from pathlib import Path

import tinygrad_mlir

PROGRAM = Path(__file__).parent / "typed_program.py"

WRONG = """
from tinygrad_mlir import Tensor

x: int = Tensor([1.0]) + 1
y: str = Tensor([1.0]).relu().shape
Tensor([1.0]).no_such_method()
Tensor([1.0]).sum(axis="a")
"""


def check(*arguments, cwd):
    package = Path(tinygrad_mlir.__file__).parent.parent
    return subprocess.run(
        [sys.executable, "-m", "mypy", *arguments],
        env={**os.environ, "MYPYPATH": str(package)},
        capture_output=True,
        text=True,
        cwd=cwd,
    )


def list_errors(path, cwd):
    """The lines of a user's program in which a strict checker finds errors."""
    done = check("--strict", "--follow-imports=silent", path, cwd=cwd)
    lines = [line for line in done.stdout.splitlines() if ": error: " in line]
    own = [line for line in lines if line.startswith(path.name)]
    return [int(line.split(":")[1]) for line in own], done.stdout


def test_a_right_program_is_accepted(tmp_path):
    path = tmp_path / "right.py"
    path.write_text(PROGRAM.read_text(encoding="utf-8"), encoding="utf-8")
    lines, text = list_errors(path, tmp_path)
    assert lines == [], text


def test_a_right_program_runs():
    done = subprocess.run([sys.executable, PROGRAM], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


def test_wrong_programs_are_refused(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(WRONG)
    lines, text = list_errors(path, tmp_path)
    assert lines == [4, 5, 6, 7], text


def test_the_stub_names_what_is_there(tmp_path):
    stub = Path(tinygrad_mlir.__file__).parent / "_tinygrad.pyi"
    done = check("--follow-imports=silent", stub, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
