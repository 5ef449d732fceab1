"""One strided view of a buffer, as it is in C++."""

from __future__ import annotations

import itertools
import operator

from .._tinygrad import View  # noqa: F401


def strides_for_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Returns row-major strides; 0 for axes of extent 1."""
    steps = itertools.accumulate(reversed(shape[1:]), operator.mul, initial=1)
    return filter_strides(shape, tuple(steps)[::-1] if shape else ())


def filter_strides(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the strides with 0 for axes of extent 1."""
    return tuple(0 if extent == 1 else step for extent, step in zip(shape, strides))
