"""Settings of the environment, apart so that every module may read them."""

from __future__ import annotations

import functools
import os
from typing import Any


@functools.cache
def getenv(key: str, default: Any = 0) -> Any:
    """Returns the environment's value of `key` in the type of `default`.

    It is read once. Errors: ValueError for text that is none.
    """
    value = os.getenv(key, default)
    try:
        return type(default)(value)
    except ValueError:
        raise ValueError(
            f"{key} in the environment is to be {type(default).__name__}, got {value!r}"
        ) from None
