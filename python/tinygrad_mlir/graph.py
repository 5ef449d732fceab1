"""Schedules as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .helpers import DEBUG

if TYPE_CHECKING:
    from .ops import ScheduleItem


def log_schedule_item(si: ScheduleItem) -> None:
    """Prints the item where DEBUG is 3 or more."""
    if DEBUG >= 3:
        print(si.name or si.ast.op)
        print_tree(si.ast)


def _draw(x: Any) -> list[str]:
    """Returns the lines of a tree, its sources below it."""
    argument = "" if getattr(x, "arg", None) is None else f" {x.arg}"
    sources = getattr(x, "src", ())
    name = getattr(x.op, "name", x.op) if hasattr(x, "op") else repr(x)
    lines = [f"{name}{argument}"]
    for number, source in enumerate(sources):
        is_last = number == len(sources) - 1
        first, *others = _draw(source)
        lines.append(("└─ " if is_last else "├─ ") + first)
        lines += [("   " if is_last else "│  ") + line for line in others]
    return lines


def print_tree(lazydata: Any) -> None:
    """Prints an operation and, below it, its sources."""
    for number, line in enumerate(_draw(lazydata)):
        print(f"{number:3d} {line}")
