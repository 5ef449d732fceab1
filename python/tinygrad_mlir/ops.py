"""The vocabulary of kernels under tinygrad's names."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Union

from .helpers import DType, dedup, prod

if TYPE_CHECKING:
    from .lazy import LazyBuffer
    from .shape.shapetracker import ShapeTracker
    from .shape.symbolic import Variable

# Programs of tinygrad import these from here or there.
from .helpers import GlobalCounters  # noqa: F401


class UnaryOps(Enum):
    EXP2 = auto()
    LOG2 = auto()
    CAST = auto()
    SIN = auto()
    SQRT = auto()
    RECIP = auto()
    NEG = auto()
    # tinygrad makes these of others.
    NOOP = auto()
    EXP = auto()
    LOG = auto()
    NOT = auto()


class BinaryOps(Enum):
    ADD = auto()
    SUB = auto()
    MUL = auto()
    DIV = auto()
    MAX = auto()
    MOD = auto()
    CMPLT = auto()
    XOR = auto()
    # tinygrad makes these of others.
    CMPEQ = auto()
    POW = auto()


class TernaryOps(Enum):
    MULACC = auto()
    WHERE = auto()


class ReduceOps(Enum):
    SUM = auto()
    MAX = auto()


class BufferOps(Enum):
    LOAD = auto()
    CONST = auto()
    STORE = auto()


# What follows does not occur within kernels.
class MovementOps(Enum):
    RESHAPE = auto()
    PERMUTE = auto()
    EXPAND = auto()
    PAD = auto()
    SHRINK = auto()
    STRIDE = auto()
    AS_STRIDED = auto()


class LoadOps(Enum):
    EMPTY = auto()
    CONST = auto()
    COPY = auto()
    CONTIGUOUS = auto()
    CUSTOM = auto()


Op = Union[UnaryOps, BinaryOps, TernaryOps, ReduceOps, BufferOps, MovementOps, LoadOps]


@dataclass(frozen=True)
class MemBuffer:
    """Buffer `idx` of a kernel (0 is its result), read or written through `st`."""

    idx: int
    dtype: DType
    st: ShapeTracker


@dataclass(frozen=True)
class ConstBuffer:
    """A constant in a kernel."""

    val: int | float
    dtype: DType
    st: ShapeTracker


@dataclass(frozen=True)
class LazyOp:
    """An operation with its sources: operations, or buffers outside of kernels."""

    op: Op
    src: tuple[LazyOp | LazyBuffer, ...]
    arg: Any = None

    def __repr__(self) -> str:
        return f"LazyOp(op={self.op}, src={self.src}, arg={self.arg})"

    @functools.cached_property
    def buffers(self) -> tuple[LazyBuffer, ...]:
        return tuple(dedup(b for s in self.src for b in s.buffers))

    @functools.cached_property
    def hash(self) -> int:
        return hash((self.op, self.src, self.arg))

    def __hash__(self) -> int:
        return self.hash

    def map_buffers(self, real_srcs: Mapping[Any, Any]) -> LazyOp:
        """Returns the operation with what `real_srcs` has for its parts."""
        src = (
            real_srcs[s] if s in real_srcs else s.map_buffers(real_srcs)
            for s in self.src
        )
        return LazyOp(self.op, tuple(src), self.arg)

    def get_lazyops(self) -> list[LazyOp]:
        """Returns this and all operations below, parents first."""
        return [self] + [op for s in self.src for op in s.get_lazyops()]


@dataclass(frozen=True)
class ScheduleItem:
    """One step of a schedule: what computes `out` from `inputs`.

    `ast.op` is BufferOps.STORE for a kernel, or one of LoadOps. `name` is the
    kernel's, `code` the compiler's text of the step.
    """

    ast: LazyOp
    out: LazyBuffer
    inputs: tuple[LazyBuffer, ...]
    var_vals: dict[Variable, int]
    name: str = ""
    code: str = ""


def vars_from_ast(ast: LazyOp) -> list[Variable]:
    """Returns the variables of a kernel's views, sorted by name."""
    found = set()
    for op in ast.get_lazyops():
        if op.op in BufferOps:
            found |= op.arg.st.vars()
    return sorted(found, key=lambda variable: str(variable.expr))


@dataclass
class FlopCounter:
    """How many operations a kernel needs, and how many bytes of each buffer."""

    shape: tuple[int, ...]
    dtype: DType
    flops: int
    mem: dict[int, int]

    @property
    def mem_estimate(self) -> int:
        return sum(self.mem.values())


@functools.lru_cache(None)
def get_lazyop_info(ast: LazyOp) -> FlopCounter:
    """Counts operations and bytes; what occurs twice in the tree is counted once."""
    infos: dict[LazyOp, tuple[tuple, DType]] = {}
    memory: dict[int, int] = {}
    flops = 0

    def visit(op: LazyOp) -> tuple[tuple, DType]:
        nonlocal flops
        if op in infos:
            return infos[op]
        sources = [visit(source) for source in op.src]
        if op.op in BufferOps:
            if op.op is not BufferOps.CONST:
                size = op.arg.st.size() * op.arg.dtype.itemsize
                memory[op.arg.idx] = size
            shape, dtype = op.arg.st.shape, op.arg.dtype
        elif op.op is UnaryOps.CAST:
            shape, dtype = sources[0][0], op.arg[0]
        else:
            flops += prod(sources[0][0])
            shape = op.arg if op.op in ReduceOps else sources[0][0]
            values = sources[1:] if op.op is TernaryOps.WHERE else sources
            dtype = max(source[1] for source in values)
        infos[op] = (shape, dtype)
        return infos[op]

    shape, dtype = visit(ast)
    return FlopCounter(shape, dtype, flops, memory)
