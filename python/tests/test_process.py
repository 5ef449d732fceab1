"""What the package does to its process: threads, imports, tools."""

import subprocess
import sys
import threading

import numpy as np
from tinygrad_mlir import Tensor


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, **options
    )


def test_other_threads_go_on_while_one_computes(count_steps_beside):
    x = Tensor(np.ones((700, 700), np.float32)).realize()

    def compute():
        for _ in range(5):
            (x @ x).sum(1).exp().realize()

    assert count_steps_beside(compute) > 0


def test_threads_compute_their_own_programs():
    failures = []

    def compute(number):
        for size in range(1, 6):
            array = np.full((size, number + 1), number, np.float32)
            result = (Tensor(array) * number).sum(1).tolist()
            if result != [number * number * (number + 1)] * size:
                failures.append((number, size, result))

    threads = [threading.Thread(target=compute, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_import_waits_for_no_numpy():
    done = run("-c", "import sys, tinygrad_mlir; print('numpy' in sys.modules)")
    assert done.stdout == "False\n", done.stderr


def test_a_process_ends_quietly_with_tensors_alive():
    program = """
import tinygrad_mlir as tg
kept = [tg.Tensor([1.0]) + 1]
kept[0].realize()
class Cycle: pass
cycle = Cycle(); cycle.itself = cycle; cycle.tensor = tg.Tensor([2.0])
"""
    done = run("-c", program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_tools(tmp_path):
    graph = tmp_path / "graph.mlir"
    graph.write_text(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %y = lazy.add %x, %x : tensor<4xf32>\n"
        "  return %y : tensor<4xf32>\n}\n"
    )
    module = ["-m", "tinygrad_mlir"]
    done = run(*module, "opt", graph, "--lazy-schedule")
    assert "lazy.kernel @e_4" in done.stdout, done.stderr
    np.save(tmp_path / "x.npy", np.arange(4, dtype=np.float32))
    done = run(*module, "run", graph, "--input", tmp_path / "x.npy")
    assert "[0. 2. 4. 6.]" in done.stdout, done.stderr
    done = run(*module, "translate", "--kernel-to-plan", graph)
    assert "plan <" in done.stdout, done.stderr
    done = run(*module, "opt", tmp_path / "missing.mlir")
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot open input file" in done.stderr
    done = run(*module, "nothing")
    assert done.returncode == 2
    assert done.stderr.startswith("usage: ")


def test_programs_choose_the_name_of_the_processor(monkeypatch):
    program = (
        "from tinygrad_mlir import Tensor, Device\n"
        "x = Tensor([1.0, 2.0])\n"
        "y = (x.to('cpu') + x.to('llvm')).realize()\n"
        "print(Device.DEFAULT, x.device, y.device, y.tolist(), x.__dlpack_device__())"
    )
    for name in "CLANG", "LLVM", "CPU":
        with monkeypatch.context() as environment:
            environment.setenv(name, "1")
            done = run("-c", program)
        assert done.stdout == f"{name} {name} {name} [2.0, 4.0] (1, 0)\n", done.stderr


def test_the_default_device_is_a_name_of_the_processor():
    program = """
from tinygrad_mlir import Device, Tensor
Device.DEFAULT = "CPU"
for name in ("clang", "LLVM:0"):
    Device.DEFAULT = name
    x = (Tensor([1.0]).to(Device.DEFAULT) + 1).realize()
    print(Device.DEFAULT, x.device, type(Device[Device.DEFAULT]).__name__)
try:
    Device.DEFAULT = "CUDA"
except ValueError as error:
    print(error)
print(Device.DEFAULT)
"""
    assert run("-c", program).stdout.splitlines() == [
        "CLANG CLANG Compiled",
        "LLVM LLVM Compiled",
        "Device.DEFAULT is to be a name of the processor (CLANG, LLVM, CPU, TORCH), "
        "got 'CUDA'; Tensor.to moves tensors to other devices",
        "LLVM",
    ]


def test_the_compiler_is_an_attribute_of_the_package():
    program = (
        "import sys, tinygrad_mlir\n"
        "print('tinygrad_mlir.compiler' in sys.modules, hasattr(tinygrad_mlir, 'x'))\n"
        "print(tinygrad_mlir.compiler.parse.__name__)"
    )
    assert run("-c", program).stdout == "False False\nparse\n"


def test_runs_are_printed(monkeypatch):
    monkeypatch.setenv("DEBUG", "2")
    done = run("-c", "from tinygrad_mlir import Tensor; Tensor.ones(4, 4).sum().item()")
    assert "compiled" in done.stderr and "total of 1" in done.stderr
