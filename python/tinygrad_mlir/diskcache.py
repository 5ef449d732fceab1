"""Files that are kept between processes: values by key, and downloads."""

from __future__ import annotations

import functools
import hashlib
import os
import pathlib
import pickle
import platform
import tempfile
from typing import Any, Callable

from .environment import getenv

_FOLDER: str = getenv(
    "XDG_CACHE_HOME",
    os.path.expanduser(
        "~/Library/Caches" if platform.system() == "Darwin" else "~/.cache"
    ),
)
CACHEDB: str = getenv(
    "CACHEDB", os.path.abspath(os.path.join(_FOLDER, "tinygrad-mlir", "cache.db"))
)
CACHELEVEL: int = getenv("CACHELEVEL", 2)

_connections: dict[int, Any] = {}


def db_connection() -> Any:
    """Returns this process's connection to the database `CACHEDB`."""
    # A connection must not be used after a fork.
    process = os.getpid()
    if process not in _connections:
        import sqlite3

        os.makedirs(os.path.dirname(CACHEDB), exist_ok=True)
        connection = sqlite3.connect(CACHEDB, timeout=60, check_same_thread=False)
        connection.execute(
            "CREATE TABLE IF NOT EXISTS entries "
            "(name TEXT, key TEXT, value BLOB, PRIMARY KEY (name, key))"
        )
        _connections[process] = connection
    return _connections[process]


def _encode_key(key: dict | str | int) -> str:
    """One text per key; numbers are as their digits."""
    fields = key if isinstance(key, dict) else {"key": key}
    texts = {k: v if isinstance(v, bytes) else str(v) for k, v in fields.items()}
    return repr(sorted(texts.items()))


def diskcache_get(table: str, key: dict | str | int) -> Any:
    """Returns what was put under `key` in `table`, or None."""
    if CACHELEVEL == 0:
        return None
    row = (
        db_connection()
        .execute(
            "SELECT value FROM entries WHERE name = ? AND key = ?",
            (table, _encode_key(key)),
        )
        .fetchone()
    )
    return pickle.loads(row[0]) if row else None


def diskcache_put(table: str, key: dict | str | int, val: Any) -> Any:
    """Keeps `val` under `key` in `table` in place of what was there; returns it."""
    if CACHELEVEL != 0:
        connection = db_connection()
        with connection:
            connection.execute(
                "REPLACE INTO entries VALUES (?, ?, ?)",
                (table, _encode_key(key), pickle.dumps(val)),
            )
    return val


def diskcache(func: Callable) -> Callable:
    """Returns `func` with its results kept by its name and the pickled arguments."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        table = f"cache_{func.__name__}"
        key = hashlib.sha256(pickle.dumps((args, kwargs))).hexdigest()
        found = diskcache_get(table, key)
        if found is not None:
            return found
        return diskcache_put(table, key, func(*args, **kwargs))

    return wrapper


def fetch(
    url: str,
    name: pathlib.Path | str | None = None,
    allow_caching: bool = not getenv("DISABLE_HTTP_CACHE"),
) -> pathlib.Path:
    """Returns the path of a file that was downloaded from `url`, once.

    What begins with "/" or "." is a path already. `name` is the file's name in
    the folder of downloads, or a path.
    Errors: those of urllib; RuntimeError where less came than was announced.
    """
    if url.startswith(("/", ".")):
        return pathlib.Path(url)
    if isinstance(name, pathlib.Path) or (name is not None and "/" in name):
        target = pathlib.Path(name)
    else:
        key = name or hashlib.md5(url.encode()).hexdigest()
        target = pathlib.Path(_FOLDER) / "tinygrad-mlir" / "downloads" / key
    if not (allow_caching and target.is_file()):
        _download(url, target)
    return target


def _download(url: str, target: pathlib.Path) -> None:
    from urllib import request

    try:
        from tqdm import tqdm
    except ImportError:
        tqdm = None
    with request.urlopen(url, timeout=10) as response:
        size = int(response.headers.get("content-length", 0))
        bar = tqdm(total=size, unit="B", unit_scale=True, desc=url) if tqdm else None
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
            done = 0
            while chunk := response.read(1 << 16):
                done += file.write(chunk)
                if bar is not None:
                    bar.update(len(chunk))
        if bar is not None:
            bar.close()
        if done < size:
            os.unlink(file.name)
            raise RuntimeError(f"expects {size} bytes of {url}, got {done}")
        # Others see all of the file or none.
        os.replace(file.name, target)
