"""Running schedules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _tinygrad

if TYPE_CHECKING:
    from .ops import ScheduleItem


def run_schedule(schedule: list[ScheduleItem], disable_logging: bool = False) -> None:
    """Computes what the items compute, and takes them off the list.

    The compiler forms the kernels of all of them again, which gives the same.
    """
    wanted = [item.out._tensor for item in schedule if item.out._tensor is not None]
    schedule.clear()
    if wanted:
        _tinygrad.realize(wanted)
