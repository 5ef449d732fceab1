"""Settings of the environment, apart so that every module may read them."""

from __future__ import annotations

import functools
import os
from typing import Any


@functools.cache
def getenv(key: str, default: Any = 0) -> Any:
    """Returns the environment's value of `key` in the type of `default`.

    It is read once. Errors: ValueError for text that is no such number.
    """
    return type(default)(os.getenv(key, default))
