"""Progress of long work on a terminal: a bar of tqdm where it is installed, or a line.

It is shown on stderr while the main thread compiles or runs kernels for more than a
second. TINYGRAD_PROGRESS=0 turns it off, =1 shows it where stderr is no terminal, too.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from . import _tinygrad

_TITLES = {"schedule": "forming kernels", "compile": "compiling", "run": "running"}


class Display:
    """Shows how many kernels are done; `display("", 0, 0)` is the end."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar: Any = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self._close()
            self._stage = stage
        # What is formed is not counted before it is there.
        if total:
            self._show(done, total)

    def _show(self, done: int, total: int) -> None:
        if self._bar is None:
            self._bar = _make_bar(_TITLES[self._stage], done, total)
        # A graph that comes after another one has a number of its own.
        self._bar.total = total
        self._bar.n = done
        self._bar.refresh()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None


class Line:
    """What of tqdm's bar is used, where there is no tqdm."""

    def __init__(self, title: str, done: int, total: int) -> None:
        self.title, self.n, self.total = title, done, total

    def refresh(self) -> None:
        _write(f"\r{self.title}: {self.n}/{self.total} kernels")

    def close(self) -> None:
        _write("\r\x1b[K")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _make_bar(title: str, done: int, total: int) -> Any:
    try:
        from tqdm import tqdm
    except ImportError:
        return Line(title, done, total)
    return tqdm(
        desc=title,
        initial=done,
        total=total,
        unit="kernel",
        leave=False,
        file=sys.stderr,
    )


def _is_wanted() -> bool:
    setting = os.environ.get("TINYGRAD_PROGRESS", "")
    if setting:
        return setting != "0"
    return sys.stderr is not None and sys.stderr.isatty()


# What shows progress, or None.
display = Display() if _is_wanted() else None
_tinygrad.set_progress_observer(display)
