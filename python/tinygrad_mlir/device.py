"""Devices and the memory of tensors under tinygrad's names."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable

from . import _tinygrad
from .environment import getenv
from .helpers import (
    DType,
    GlobalCounters,  # noqa: F401
    dtypes,
    flat_mv,
)

if TYPE_CHECKING:
    import numpy

    from .ops import LazyOp


class Compiled:
    """A device that runs compiled kernels."""

    # Programs ask for what there is.
    graph = None
    codegen = None
    compiler: Any = None

    def __init__(self, device: str) -> None:
        self.device = device
        self.allocator = Allocator(device)

    def synchronize(self) -> None:
        """Returns when all kernels have run, which is so at any time."""

    def get_runner(self, ast: LazyOp) -> CompiledASTRunner:
        return CompiledASTRunner(ast, "")


class Interpreted(Compiled):
    """A device that computes without compiling: INTERP, and those that hold data."""


class _Device:
    """The devices: `Device["CPU"]`; `Device.DEFAULT` is where tensors are made.

    `CLANG=1`, `LLVM=1` or `TORCH=1` in the environment, with which programs of
    tinygrad choose a device, give the processor that name, and so does assigning it to
    `Device.DEFAULT`. Errors: ValueError for any other device there.
    """

    def canonicalize(self, device: str | None) -> str:
        """Returns the name in capitals up to a colon; the default one for None."""
        if device is None:
            return self.DEFAULT
        name, colon, rest = device.partition(":")
        name = name.upper()
        if name in _tinygrad.processor_names:
            return self.DEFAULT
        return name if rest == "0" else name + colon + rest

    def __getitem__(self, ix: str) -> Compiled:
        return self._get(self.canonicalize(ix))

    @functools.cache  # noqa: B019
    def _get(self, name: str) -> Compiled:
        _tinygrad.Context.get_default().check_device(name)
        is_compiled = name == self.DEFAULT and name != "INTERP"
        return Compiled(name) if is_compiled else Interpreted(name)

    @property
    def DEFAULT(self) -> str:
        return _tinygrad.Context.get_default().device

    @DEFAULT.setter
    def DEFAULT(self, device: str) -> None:
        name = device.upper().removesuffix(":0")
        if name in _tinygrad.processor_names:
            _tinygrad.set_processor_name(name)
        elif name != self.DEFAULT:
            names = ", ".join(_tinygrad.processor_names)
            raise ValueError(
                f"Device.DEFAULT is to be a name of the processor ({names}), got "
                f"{device!r}; Tensor.to moves tensors to other devices"
            )


for _name in _tinygrad.processor_names:
    if getenv(_name):
        _tinygrad.set_processor_name(_name)
        break

Device = _Device()


class Allocator:
    """The memory of a device, which its buffers allocate by themselves."""

    def __init__(self, device: str) -> None:
        self.device = device

    def free_cache(self) -> None:
        """Gives the memory that is kept for later back to the system."""
        _tinygrad.Context.get_default().trim()


class Buffer:
    """`size` elements of a type on a device.

    `opaque` is a realized tensor that lies there, which may get a new value in that
    memory; without one, memory whose elements are not set.
    """

    def __init__(
        self, device: str, size: int, dtype: DType, opaque: Any = None
    ) -> None:
        self.device, self.size, self.dtype = device, size, dtype
        if not isinstance(opaque, _tinygrad.Tensor):
            opaque = _tinygrad.empty((size,), dtype, device)
        self._memory = _tinygrad.MemoryView(opaque)

    @property
    def _tensor(self) -> _tinygrad.Tensor:
        return self._memory.get_tensor()

    @property
    def _buf(self) -> numpy.ndarray:
        return self.toCPU()

    def copyin(self, mv: memoryview) -> Buffer:
        """Writes all elements. Errors: AssertionError for another size."""
        mv = flat_mv(mv)
        if len(mv) != self.size * self.dtype.itemsize:
            raise AssertionError(
                f"expects {self.size * self.dtype.itemsize} bytes, got {len(mv)}"
            )
        _tinygrad.write_buffer(self._tensor, bytes(mv))
        return self

    @staticmethod
    def fromCPU(device: str, x: numpy.ndarray) -> Buffer:
        return Buffer(device, x.size, dtypes.from_np(x.dtype)).copyin(x.data)

    def toCPU(self) -> numpy.ndarray:
        """Returns the elements as one row, without a copy where that can be."""
        import numpy

        return numpy.asarray(self._tensor).reshape(-1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Buffer):
            return NotImplemented
        return hash(self) == hash(other)

    def __hash__(self) -> int:
        return self._memory.identity

    def __repr__(self) -> str:
        return f"<buf device:{self.device} size:{self.size} dtype:{self.dtype}>"


class JITRunner:
    """What runs as one step."""

    op_estimate: int = 0
    mem_estimate: int = 0

    def exec(self, rawbufs: list[Buffer], var_vals: dict | None = None) -> None:
        self(rawbufs, var_vals or {})

    def __call__(
        self,
        rawbufs: list[Buffer],
        var_vals: dict,
        wait: bool = False,
        jit: bool = False,
    ) -> float | None:
        raise NotImplementedError(f"{type(self).__name__} runs nothing")


class CompiledASTRunner(JITRunner):
    """A kernel that ran, or what it computes."""

    def __init__(self, ast: LazyOp | None, name: str, prg: str = "") -> None:
        self.ast, self.name, self.display_name, self.prg = ast, name, name, prg


class CustomOp(JITRunner):
    """A step that calls a function of Python on its buffers."""

    def __init__(self, fxn: Callable) -> None:
        self.fxn = fxn

    def __call__(
        self,
        rawbufs: list[Buffer],
        var_vals: dict,
        wait: bool = False,
        jit: bool = False,
    ) -> float | None:
        self.fxn(*rawbufs)
        return None


class CacheCollector:
    """Collects the kernels that run between `start` and `finish`."""

    cache: list[JitItem] | None = None

    @classmethod
    def start(cls, var_vals: dict | None = None) -> None:
        cls.cache = []
        _tinygrad.Context.get_default().set_run_observer(cls._add)

    @classmethod
    def _add(cls, names: list[str]) -> None:
        if cls.cache is not None:
            cls.cache += [JitItem(CompiledASTRunner(None, name)) for name in names]

    @classmethod
    def finish(cls) -> list[JitItem]:
        """Returns the kernels, in order. Empty if `start` was not called."""
        _tinygrad.Context.get_default().set_run_observer(None)
        cache, cls.cache = cls.cache, None
        return cache or []


class JitItem:
    """One kernel of a run: `prg.name` is its name."""

    def __init__(self, prg: JITRunner, rawbufs: list[Buffer] | None = None) -> None:
        self.prg, self.rawbufs = prg, rawbufs or []

    def __repr__(self) -> str:
        return f"JitItem(prg={getattr(self.prg, 'name', self.prg)!r})"
