"""Long work: Ctrl-C stops it, and it is shown on a terminal."""

import io
import os
import signal
import subprocess
import sys
import termios
import threading
from pathlib import Path

import pytest
from tinygrad_mlir import Tensor, _tinygrad, progress

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("stage", "lines"),
    [
        ("compile", "interrupted\n13.0\n61.0\n"),
        ("run", "interrupted\n6.0\n2.0\n"),
        ("compile-on", "interrupted\n13.0\n"),
        ("run-on", "interrupted\n6.0\n"),
    ],
)
def test_an_interrupt_stops_work(stage, lines):
    with subprocess.Popen(
        [sys.executable, HERE / "interrupted.py", stage],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout.readline() == "here\n", child.stderr.read()
        child.send_signal(signal.SIGINT)
        out, errors = child.communicate()
    assert (child.returncode, out, errors) == (0, lines, "")


def test_other_handlers_run_when_the_work_is_done():
    program = """
import os, signal, sys, threading
from tinygrad_mlir import Tensor, _tinygrad
sums = []
signal.signal(signal.SIGINT, lambda *_: sums.append((x + 1).sum().item()))
_tinygrad.set_progress_observer(None, 0, 0)
x = Tensor([1.0, 2.0])
y = Tensor.stack([x + i for i in range(50)]).contiguous() * 2
begin = threading.Event()
def interrupt():
    begin.wait()
    os.kill(os.getpid(), signal.SIGINT)
thread = threading.Thread(target=interrupt)
thread.start()
# The other thread goes on where this one releases the GIL to compute.
sys.setswitchinterval(1000)
begin.set()
y.realize()
thread.join()
print(y.numpy().sum(), sums)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert done.stdout == "5200.0 [5.0]\n", done.stderr


@pytest.fixture
def observe():
    """Sees all progress."""
    yield lambda observer: _tinygrad.set_progress_observer(observer, 0, 0)
    _tinygrad.set_progress_observer(None)


def test_progress_of_compiling_and_running(observe):
    notes = []
    observe(lambda *note: notes.append(note))
    x = Tensor([1.0, 2.0])
    for i in range(5):
        x = (x + i).contiguous()
    assert x.tolist() == [11, 12]
    assert [note for note in notes if not note[0]] == [("", 0, 0)]
    assert notes[-1] == ("", 0, 0)
    stages = [stage for stage, _, _ in notes]
    assert sorted(set(stages[:-1]), key=stages.index) == ["schedule", "compile", "run"]
    runs = [note for note in notes if note[0] == "run"]
    assert runs[-1] == ("run", 4, 5)
    number = len(notes)
    assert (x + 1).shape == (2,)
    assert len(notes) == number


def test_threads_that_hold_the_gil_and_compile(observe, tmp_path):
    observe(lambda *note: None)
    failures = []

    def write_files():
        # Assignments to files compute at once.
        for size in range(1, 40):
            name = f"disk:{tmp_path}/{size}"
            file = Tensor.empty(size, device=name)
            file.assign(Tensor([1.0]).expand(size) * size)
            if file.to("CPU").tolist() != [size] * size:
                failures.append(size)

    thread = threading.Thread(target=write_files)
    thread.start()
    for size in range(1, 40):
        assert (Tensor([2.0]).expand(size + 50) + size).numpy()[-1] == size + 2
    thread.join()
    assert not failures


def test_an_observer_that_fails_is_not_called_again(observe, monkeypatch):
    calls, errors = [], []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: errors.append(found))

    def fail(*note):
        calls.append(note)
        raise ValueError("no")

    observe(fail)
    assert (Tensor([1.0, 2.0]) * 5).tolist() == [5, 10]
    assert len(calls) == 1
    (error,) = errors
    assert (error.exc_type, error.object) == (ValueError, "showing progress")


def show_all(display):
    display("schedule", 0, 0)
    display("compile", 0, 30)
    display("compile", 10, 30)
    display("run", 5, 60)
    display("", 0, 0)


def test_a_line_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    show_all(progress.Display())
    assert stream.getvalue() == (
        "\rcompiling: 0/30 kernels\rcompiling: 10/30 kernels\r\x1b[K"
        "\rrunning: 5/60 kernels\r\x1b[K"
    )


def test_a_bar_of_tqdm(monkeypatch):
    pytest.importorskip("tqdm")
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    show_all(progress.Display())
    text = stream.getvalue()
    assert "compiling:  33%" in text and "10/30" in text and "running" in text
    assert text.endswith("\r")


PROGRAM = """
from tinygrad_mlir import Tensor, _tinygrad, progress
if progress.display:
    _tinygrad.set_progress_observer(progress.display, 0, 0)
print((Tensor([1.0, 2.0]) + 1).tolist())
"""


@pytest.mark.parametrize(
    ("setting", "on_terminal", "shows"),
    [("", True, True), ("", False, False), ("0", True, False), ("1", False, True)],
)
def test_where_progress_is_shown(setting, on_terminal, shows):
    master, slave = os.openpty()
    termios.tcsetwinsize(slave, (24, 80))
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=slave if on_terminal else subprocess.PIPE,
        env={**os.environ, "TINYGRAD_PROGRESS": setting},
        text=True,
    ) as child:
        out, errors = child.communicate()
    assert out == "[2.0, 3.0]\n", errors
    if on_terminal:
        os.write(slave, b"end")
        errors = ""
        while not errors.endswith("end"):
            errors += os.read(master, 100000).decode()
    os.close(slave)
    os.close(master)
    assert ("compiling" in errors) == shows
