"""Placeholder; see the package's real helpers."""

import contextlib
import functools
import os
import platform
import tempfile
from pathlib import Path

from .dtype import (  # noqa: F401
    DTYPES_DICT,
    DType,
    ImageDType,
    PtrDType,
    dtypes,
    least_upper_dtype,
)


@functools.lru_cache(None)
def getenv(key, default=0):
    return type(default)(os.getenv(key, default))


DEBUG, IMAGE, CI = getenv("DEBUG"), getenv("IMAGE"), os.getenv("CI", "") != ""
OSX = platform.system() == "Darwin"
Timing = Profiling = contextlib.nullcontext


def temp(x):
    return (Path(tempfile.gettempdir()) / x).as_posix()


def prod(x):
    return functools.reduce(lambda a, b: a * b, x, 1)
