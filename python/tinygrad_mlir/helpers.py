"""Small functions and settings that programs of tinygrad import from here."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import operator
import os
import pathlib
import platform
import re
import string
import sys
import tempfile
import time
from collections.abc import Iterable
from typing import Any, Callable, ClassVar, TypeVar

from . import _tinygrad

# Re-exported.
from .diskcache import (  # noqa: F401
    CACHEDB,
    CACHELEVEL,
    db_connection,
    diskcache,
    diskcache_get,
    diskcache_put,
    fetch,
)
from .dtype import (  # noqa: F401
    DTYPES_DICT,
    INVERSE_DTYPES_DICT,
    DType,
    ImageDType,
    PtrDType,
    dtypes,
    least_upper_dtype,
)
from .environment import getenv

T = TypeVar("T")
U = TypeVar("U")

OSX = platform.system() == "Darwin"
CI = os.getenv("CI", "") != ""

_COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]


# --- Lists -------------------------------------------------------------------


def prod(x: Iterable[Any]) -> Any:
    """Returns the product, 1 of nothing; factors may be numbers or Nodes."""
    return functools.reduce(operator.mul, x, 1)


def dedup(x: Iterable[T]) -> list[T]:
    """Returns the items, each once, in the order of their first occurrence."""
    return list(dict.fromkeys(x))


def argfix(*x: Any) -> tuple:
    """Returns the arguments, or the items of the first one, a tuple or list."""
    return tuple(x[0]) if x and type(x[0]) in (tuple, list) else x


def argsort(x: Any) -> Any:
    """Returns the positions of the items in ascending order, in x's type."""
    return type(x)(sorted(range(len(x)), key=x.__getitem__))


def all_same(items: list) -> bool:
    return all(item == items[0] for item in items)


def all_int(t: Iterable[Any]) -> bool:
    return all(isinstance(item, int) for item in t)


def make_pair(x: int | tuple[int, ...], cnt: int = 2) -> tuple[int, ...]:
    """Returns a number `cnt` times, and a tuple as it is."""
    return (x,) * cnt if isinstance(x, int) else x


def flatten(l: Iterable[Iterable[T]]) -> list[T]:  # noqa: E741
    """Returns the items of the items."""
    return [item for inner in l for item in inner]


def merge_dicts(ds: Iterable[dict[T, U]]) -> dict[T, U]:
    """Returns the union. Errors: AssertionError if a key has two values."""
    result: dict[T, U] = {}
    for mapping in ds:
        for key, value in mapping.items():
            if result.setdefault(key, value) != value:
                raise AssertionError(
                    f"expects one value for {key!r}, got {result[key]!r} and {value!r}"
                )
    return result


def partition(lst: Iterable[T], fxn: Callable[[T], bool]) -> tuple[list[T], list[T]]:
    """Returns the items for which `fxn` holds, and the others."""
    chosen: list[T] = []
    others: list[T] = []
    for item in lst:
        (chosen if fxn(item) else others).append(item)
    return chosen, others


def unwrap(x: T | None) -> T:
    """Returns `x`. Errors: AssertionError for None."""
    if x is None:
        raise AssertionError("expects a value, got None")
    return x


def unwrap2(x: tuple[T, Any]) -> T:
    """Returns the first of a pair. Errors: AssertionError unless the second is None."""
    value, error = x
    if error is not None:
        raise AssertionError(str(error))
    return value


def get_child(obj: Any, key: str) -> Any:
    """Follows a path such as "layers.0.weight" of attributes, keys and positions."""
    for part in key.split("."):
        if part.isnumeric():
            obj = obj[int(part)]
        elif isinstance(obj, dict):
            obj = obj[part]
        else:
            obj = getattr(obj, part)
    return obj


def round_up(num: int, amt: int) -> int:
    """Returns the next multiple of `amt` from `num` on."""
    return -(-num // amt) * amt


# --- Text --------------------------------------------------------------------


def colored(st: Any, color: str | None, background: bool = False) -> Any:
    """Returns the text in a colour of terminals, brighter for one in capitals."""
    if color is None:
        return st
    code = 30 + _COLORS.index(color.lower())
    code += 10 if background else 0
    code += 60 if color.isupper() else 0
    return f"\x1b[{code}m{st}\x1b[0m"


def ansistrip(s: str) -> str:
    """Returns the text without the colours."""
    return re.sub(r"\x1b\[(?:K|.*?m)", "", s)


def ansilen(s: str) -> int:
    return len(ansistrip(s))


def strip_parens(fst: str) -> str:
    """Returns the text without parentheses around all of it."""
    if not (fst.startswith("(") and fst.endswith(")")):
        return fst
    depth = 0
    for character in fst[:-1]:
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return fst
    return fst[1:-1]


@functools.cache
def to_function_name(s: str) -> str:
    """Returns the text with what no name has in it as hexadecimal numbers."""
    allowed = string.ascii_letters + string.digits + "_"
    return "".join(c if c in allowed else f"{ord(c):02X}" for c in ansistrip(s))


def fromimport(mod: str, frm: str) -> Any:
    """Returns what `from mod import frm` gives."""
    return getattr(__import__(mod, fromlist=[frm]), frm)


def temp(x: str) -> str:
    """Returns the path of file `x` in the folder for temporary files."""
    return (pathlib.Path(tempfile.gettempdir()) / x).as_posix()


# --- Settings ----------------------------------------------------------------


class ContextVar:
    """A setting of the process: its first value is that of the environment.

    All variables of one name are one object.
    """

    _cache: ClassVar[dict[str, ContextVar]] = {}
    value: Any

    def __new__(cls, key: str, default_value: Any) -> ContextVar:
        if key not in cls._cache:
            instance = cls._cache[key] = super().__new__(cls)
            instance.value = getenv(key, default_value)
        return cls._cache[key]

    def __bool__(self) -> bool:
        return bool(self.value)

    def __ge__(self, x: Any) -> bool:
        return self.value >= x

    def __gt__(self, x: Any) -> bool:
        return self.value > x

    def __le__(self, x: Any) -> bool:
        return self.value <= x

    def __lt__(self, x: Any) -> bool:
        return self.value < x


class Context(contextlib.ContextDecorator):
    """Sets ContextVars while a block or a function runs: `with Context(DEBUG=2)`.

    At its end all variables that there were at its beginning have their values
    again. Errors: KeyError for one that does not exist.
    """

    def __init__(self, **kwargs: Any) -> None:
        self.kwargs = kwargs
        self._saved: list[dict[str, Any]] = []

    def __enter__(self) -> None:
        variables = {key: ContextVar._cache[key] for key in self.kwargs}
        self._saved.append({k: v.value for k, v in ContextVar._cache.items()})
        for key, variable in variables.items():
            variable.value = self.kwargs[key]

    def __exit__(self, *args: object) -> None:
        for key, value in self._saved.pop().items():
            ContextVar._cache[key].value = value


DEBUG, IMAGE = ContextVar("DEBUG", 0), ContextVar("IMAGE", 0)
BEAM, NOOPT = ContextVar("BEAM", 0), ContextVar("NOOPT", 0)
GRAPH, GRAPHPATH = getenv("GRAPH", 0), getenv("GRAPHPATH", "/tmp/net")


# --- Measuring ---------------------------------------------------------------


class Timing(contextlib.ContextDecorator):
    """Prints how long a block takes, and what `on_exit` says of its nanoseconds."""

    def __init__(
        self,
        prefix: str = "",
        on_exit: Callable[[int], str] | None = None,
        enabled: bool = True,
    ) -> None:
        self.prefix, self.on_exit, self.enabled = prefix, on_exit, enabled

    def __enter__(self) -> Timing:
        self.st = time.perf_counter_ns()
        return self

    def __exit__(self, *exc: object) -> None:
        self.et = time.perf_counter_ns() - self.st
        if self.enabled:
            note = self.on_exit(self.et) if self.on_exit else ""
            print(f"{self.prefix}{self.et * 1e-6:.2f} ms{note}")


class Profiling(contextlib.ContextDecorator):
    """Prints a profile of a block: the share `frac` of its functions, by `sort`."""

    def __init__(
        self, enabled: bool = True, sort: str = "cumtime", frac: float = 0.2
    ) -> None:
        self.enabled, self.sort, self.frac = enabled, sort, frac

    def __enter__(self) -> Profiling:
        import cProfile

        self.pr = cProfile.Profile()
        if self.enabled:
            self.pr.enable()
        return self

    def __exit__(self, *exc: object) -> None:
        import pstats

        if self.enabled:
            self.pr.disable()
            stats = pstats.Stats(self.pr, stream=sys.stdout)
            stats.strip_dirs().sort_stats(self.sort).print_stats(self.frac)


def cpu_time_execution(cb: Callable[[], Any], enable: bool) -> float | None:
    """Calls `cb` and returns how many seconds it took, if that is asked for."""
    start = time.perf_counter()
    cb()
    return time.perf_counter() - start if enable else None


class _Counters(type):
    """The counters are read from the context when they are asked for."""

    _start: dict[str, float]

    def _read(cls, name: str) -> Any:
        total = getattr(_tinygrad.Context.get_default().get_counters(), name)
        return total - cls._start.get(name, 0)

    def _write(cls, name: str, value: Any) -> None:
        cls._start[name] = cls._read(name) + cls._start.get(name, 0) - value

    global_ops = property(
        lambda cls: cls._read("flops"), lambda cls, x: cls._write("flops", x)
    )
    global_mem = property(
        lambda cls: cls._read("bytes"), lambda cls, x: cls._write("bytes", x)
    )
    time_sum_s = property(
        lambda cls: cls._read("seconds"), lambda cls, x: cls._write("seconds", x)
    )
    kernel_count = property(
        lambda cls: cls._read("kernels"), lambda cls, x: cls._write("kernels", x)
    )
    mem_used = property(
        lambda cls: cls._read("memory"), lambda cls, x: cls._write("memory", x)
    )


class GlobalCounters(metaclass=_Counters):
    """What the default context did since the last `reset`.

    `global_ops` and `global_mem`: arithmetic operations, and bytes that kernels
    read and wrote; `time_sum_s`: seconds in which compiled graphs ran;
    `kernel_count`: kernels that ran. `mem_used`, the bytes of live tensors, is
    not reset.
    """

    _start: ClassVar[dict[str, float]] = {}

    @staticmethod
    def reset() -> None:
        """Counts from 0 again, but for the memory that is used."""
        GlobalCounters.global_ops = GlobalCounters.global_mem = 0
        GlobalCounters.time_sum_s, GlobalCounters.kernel_count = 0.0, 0


# --- ctypes ------------------------------------------------------------------


def from_mv(mv: memoryview, to_type: Any = ctypes.c_char) -> Any:
    """Returns a pointer to the first byte of a writable memoryview."""
    address = ctypes.addressof(to_type.from_buffer(mv))
    return ctypes.cast(address, ctypes.POINTER(to_type))


def flat_mv(mv: memoryview) -> memoryview:
    """Returns the same memory as one row of bytes."""
    return mv.cast("B", shape=(mv.nbytes,)) if len(mv) else mv


def to_char_p_p(options: list[bytes], to_type: Any = ctypes.c_char) -> Any:
    """Returns an array of pointers to C strings."""
    pointer = ctypes.POINTER(to_type)
    strings = [ctypes.cast(ctypes.create_string_buffer(o), pointer) for o in options]
    return (pointer * len(options))(*strings)


@functools.cache
def init_c_struct_t(fields: tuple[tuple[str, Any], ...]) -> type:
    """Returns a packed C structure with these fields."""
    return type("CStruct", (ctypes.Structure,), {"_pack_": 1, "_fields_": fields})


def init_c_var(ctypes_var: Any, creat_cb: Callable[[Any], Any]) -> Any:
    """Returns the variable after `creat_cb` has filled it."""
    creat_cb(ctypes_var)
    return ctypes_var
