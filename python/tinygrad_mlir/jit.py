"""Functions of tensors that are captured at their second call and run again."""

from __future__ import annotations

import copy
import dataclasses
import functools
import threading
import warnings
from collections.abc import Iterator
from typing import Any, Callable, Generic, TypeVar

from . import _tinygrad
from ._tinygrad import Error
from .device import CacheCollector, CompiledASTRunner, JitItem
from .shape.symbolic import Variable
from .tensor import Tensor

__all__ = ["CacheCollector", "GraphException", "JitError", "JitItem", "TinyJit"]

ReturnType = TypeVar("ReturnType")


class JitError(Error, AssertionError):
    """A function that cannot be captured, or a call that does not fit it."""


class GraphException(Exception):
    """Kept for programs that name it: nothing here raises it."""


class _Wrapped:
    """The attribute `__wrapped__` of objects; their class wraps nothing."""

    def __get__(self, obj: TinyJit | None, objtype: type | None = None) -> Any:
        if obj is None:
            raise AttributeError("__wrapped__")
        return obj.fxn


class TinyJit(Generic[ReturnType]):
    """A function or a method that is captured at its second call.

    Calls from the third on run no Python: they hand the inputs to the kernels, and
    give new values to each tensor that the function assigned, such as the parameters
    of a model, and to the tensors of the result. That is the same object each time;
    what the second call returned shows the values of the last one.

    Inputs are the tensors among the arguments, also those in tuples, lists and
    dicts, and Variables that have a value. All other arguments, and numbers that the
    function takes from elsewhere, stay as they were at the second call. Random
    numbers go on changing. `jit_cache` lists the kernels, `reset` forgets them.

    A function that reads values of tensors, as `x.numpy()` does, can't run without
    Python: it is not captured but called each time, and a RuntimeWarning says so.

    Errors: JitError, an AssertionError, if two inputs are one tensor, if inputs have
    other shapes or types than at the second call, if a method is that of another
    object than then, if the function realizes nothing, and what the function raises.
    Tensors are as they were before the call then.
    """

    # No attributes: those of a model are its tensors (see get_state_dict).
    __slots__ = (
        "__weakref__",
        "fxn",
        "cnt",
        "ret",
        "jit_cache",
        "_step",
        "_names",
        "_results",
        "_owner",
        "_lock",
    )

    def __init__(self, fxn: Callable[..., ReturnType]) -> None:
        self.fxn = fxn
        self._lock = threading.RLock()
        self.reset()

    def __repr__(self) -> str:
        state = "captured" if self._step.is_captured else "not captured yet"
        return f"<TinyJit of {self.fxn!r}, {state}>"

    # Python's tools find the name and the signature of the function by these.
    @property
    def __name__(self) -> str:
        return getattr(self.fxn, "__name__", "TinyJit")

    __wrapped__ = _Wrapped()

    def reset(self) -> None:
        """Forgets what was captured: the next two calls run the function again."""
        self._step = _tinygrad.CapturedStep()
        self._step.allow_reads()
        self._names: list[str] = []
        self._results: list[Tensor] = []
        self._owner: Any = None
        self.cnt: int = 0
        self.ret: ReturnType | None = None
        self.jit_cache: list[JitItem] = []

    def __get__(self, obj: Any, objtype: type | None = None) -> Any:
        return self if obj is None else functools.partial(self._call_method, obj)

    def _call_method(self, obj: Any, *args: Any, **kwargs: Any) -> ReturnType:
        with self._lock:
            # The kernels read the tensors of the object that was captured.
            if self._step.is_captured and self._owner is not obj:
                raise JitError(
                    "TinyJit: expects the object of the second call; an object has "
                    "a capture of its own if it calls TinyJit, as in "
                    "`self.step = TinyJit(self.step)`"
                )
            result = self(obj, *args, **kwargs)
            self._owner = obj
            return result

    def __call__(self, *args: Any, **kwargs: Any) -> ReturnType:
        found = _Inputs(args, kwargs)
        with self._lock:
            if self._step.is_captured and found.names != self._names:
                raise JitError(
                    f"TinyJit: expects the inputs {self._names} as at the second "
                    f"call, got {found.names}"
                )
            return self._run(found, args, kwargs)

    def _run(self, found: _Inputs, args: tuple, kwargs: dict) -> ReturnType:
        called: list[Any] = []

        def call_function(own: list[Tensor]) -> list[Tensor]:
            runs = _count_runs()
            values = iter(own)
            ret = self.fxn(
                *_map_inputs(args, values),
                **{k: _map_inputs(kwargs[k], values) for k in sorted(kwargs)},
            )
            if self.cnt and _count_runs() == runs:
                raise JitError("TinyJit: expects a function that realizes tensors")
            results: list[Tensor] = []
            _map_results(ret, lambda tensor: results.append(tensor))
            called.append(ret)
            return results

        try:
            results = self._step.call(found.tensors, found.extents, call_function)
        except Error as error:
            if getattr(error, "op", "") != "TinyJit":
                raise
            # With the place in the function, where it has one.
            raise JitError(str(error)).with_traceback(error.__traceback__) from None
        self.cnt += 1
        if self.cnt == 2 and self._step.reads_values:
            warnings.warn(
                f"TinyJit: `{self.__name__}` reads values of tensors, so that it runs "
                "anew at each call; return them instead",
                RuntimeWarning,
                stacklevel=3,
            )
        if called:
            # Tensors of its own: what the function returned may be its variables.
            values = iter(results)
            self.ret = _map_results(called[0], lambda tensor: next(values))
            self._results, self._names = results, found.names
            self.jit_cache = [
                JitItem(CompiledASTRunner(None, name))
                for name in self._step.kernel_names
            ]
        else:
            for tensor, value in zip(self._results, results):
                _tinygrad.replace(tensor, value)
        return self.ret  # type: ignore[return-value]


class _Inputs:
    """The inputs among the arguments of a call, and where they stand."""

    __slots__ = ("extents", "names", "tensors")

    def __init__(self, args: tuple, kwargs: dict[str, Any]) -> None:
        self.tensors: list[Tensor] = []
        self.extents: list[Variable] = []
        self.names: list[str] = []
        for i, value in enumerate(args):
            self._add(str(i), value)
        for key in sorted(kwargs):
            self._add(key, kwargs[key])

    def _add(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor):
            self.tensors.append(value)
        elif isinstance(value, Variable):
            self.extents.append(value)
        elif type(value) in (tuple, list):
            for i, item in enumerate(value):
                self._add(f"{name}[{i}]", item)
            return
        elif type(value) is dict:
            for key, item in value.items():
                self._add(f"{name}[{key!r}]", item)
            return
        else:
            return
        self.names.append(name)


def _map_inputs(value: Any, tensors: Iterator[Tensor]) -> Any:
    """Returns an argument with `tensors` in place of its own, in order."""
    if isinstance(value, Tensor):
        return next(tensors)
    if type(value) in (tuple, list):
        return type(value)(_map_inputs(item, tensors) for item in value)
    if type(value) is dict:
        return {key: _map_inputs(item, tensors) for key, item in value.items()}
    return value


def _map_results(value: Any, replace: Callable[[Tensor], Any]) -> Any:
    """Returns a result with `replace(tensor)` for each tensor in it.

    Tuples, lists, dicts and dataclasses are walked through.
    """
    if isinstance(value, Tensor):
        return replace(value)
    if isinstance(value, (tuple, list)):
        items = [_map_results(item, replace) for item in value]
        # A named tuple takes its items one by one.
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        result = copy.copy(value)
        for key, item in value.items():
            result[key] = _map_results(item, replace)
        return result
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        result = copy.copy(value)
        for entry in dataclasses.fields(value):
            item = _map_results(getattr(value, entry.name), replace)
            object.__setattr__(result, entry.name, item)
        return result
    return value


def _count_runs() -> int:
    statistics = _tinygrad.Context.get_current().get_statistics()
    later = _tinygrad.count_realized_later()
    return statistics.hits + statistics.misses + later
