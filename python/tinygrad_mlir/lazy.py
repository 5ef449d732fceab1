"""What stands behind a tensor: its value in the graph, as tinygrad shows it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _tinygrad
from .device import Buffer
from .environment import getenv
from .function import call_custom
from .helpers import DType, dtypes, prod
from .ops import (
    BinaryOps,
    BufferOps,
    ConstBuffer,
    LazyOp,
    LoadOps,
    MemBuffer,
    MovementOps,
    ReduceOps,
    ScheduleItem,
    TernaryOps,
    UnaryOps,
)
from .shape.shapetracker import ShapeTracker
from .shape.symbolic import Variable

if TYPE_CHECKING:
    import numpy

    from .ops import Op

# The level of lazy.py's rules; see docs/Rules.md.
OPT = getenv("OPT", 2)
LAZYCACHE = getenv("LAZYCACHE", 1)
REMOVE_MOVEMENT_NOPS = MERGE_ELEMENTWISE_INTO_REDUCE = OPT >= 1
SHUFFLE_MOVEMENT_OPS = MERGE_ELEMENTWISE_OPS = OPT >= 1
MERGE_ONE_REDUCE_INTO_ELEMENTWISE = SHUFFLE_PAD_OPS = OPT >= 2
PUSH_PERMUTES = PUSH_CONTIGUOUS = OPT >= 3
PUSH_RESHAPES = OPT >= 4

# Our words for operations, and tinygrad's.
_OPS: dict[str, Op] = {
    "noop": UnaryOps.NOOP,
    "exp2": UnaryOps.EXP2,
    "log2": UnaryOps.LOG2,
    "exp": UnaryOps.EXP,
    "log": UnaryOps.LOG,
    "cast": UnaryOps.CAST,
    "bitcast": UnaryOps.CAST,
    "sin": UnaryOps.SIN,
    "sqrt": UnaryOps.SQRT,
    "recip": UnaryOps.RECIP,
    "neg": UnaryOps.NEG,
    "not": UnaryOps.NOT,
    "add": BinaryOps.ADD,
    "sub": BinaryOps.SUB,
    "mul": BinaryOps.MUL,
    "div": BinaryOps.DIV,
    "max": BinaryOps.MAX,
    "mod": BinaryOps.MOD,
    "cmplt": BinaryOps.CMPLT,
    "cmpeq": BinaryOps.CMPEQ,
    "xor": BinaryOps.XOR,
    "pow": BinaryOps.POW,
    "mulacc": TernaryOps.MULACC,
    "where": TernaryOps.WHERE,
    "reduce_sum": ReduceOps.SUM,
    "reduce_max": ReduceOps.MAX,
    "reshape": MovementOps.RESHAPE,
    "permute": MovementOps.PERMUTE,
    "expand": MovementOps.EXPAND,
    "pad": MovementOps.PAD,
    "shrink": MovementOps.SHRINK,
    "stride": MovementOps.STRIDE,
    "as_strided": MovementOps.AS_STRIDED,
    "empty": LoadOps.EMPTY,
    "const": LoadOps.CONST,
    "copy": LoadOps.COPY,
    "fromcpu": LoadOps.COPY,
    "contiguous": LoadOps.CONTIGUOUS,
    "custom": LoadOps.CUSTOM,
}
_NAMES = {op: name for name, op in reversed(list(_OPS.items()))}


class LazyBuffer:
    """A value of the graph: elements of `base` as `st` shows them.

    Two of them are equal if they are one value. `_tensor` is the handle of C++,
    None for what the scheduler made between two values.
    """

    __slots__ = ("_tensor", "_facts", "_view", "output_buffer", "__weakref__")

    def __init__(
        self,
        tensor: _tinygrad.Tensor | None,
        facts: tuple[tuple, DType, str] | None = None,
    ) -> None:
        self._tensor, self._facts = tensor, facts
        self._view: tuple[LazyBuffer, ShapeTracker] | None = None
        self.output_buffer: Buffer | None = None

    # --- Facts -----------------------------------------------------------------

    @property
    def shape(self) -> tuple:
        return self._facts[0] if self._tensor is None else self._tensor.shape

    @property
    def dtype(self) -> DType:
        return self._facts[1] if self._tensor is None else self._tensor.dtype

    @property
    def device(self) -> str:
        return self._facts[2] if self._tensor is None else self._tensor.device

    def _get_view(self) -> tuple[LazyBuffer, ShapeTracker]:
        if self._tensor is None:
            return self, ShapeTracker.from_shape(self.shape)
        if self._view is None:
            base, tracker = _tinygrad.get_base(self._tensor)
            self._view = LazyBuffer(base), tracker
        return self._view

    @property
    def base(self) -> LazyBuffer:
        base = self._get_view()[0]
        return self if base == self else base

    @property
    def st(self) -> ShapeTracker:
        return self._get_view()[1]

    @property
    def realized(self) -> Buffer | None:
        """The memory of the base, once it is computed."""
        base = self.base
        if base._tensor is None or not base._tensor.is_realized():
            return None
        return Buffer(base.device, prod(base.shape), base.dtype, base._tensor)

    @property
    def op(self) -> LazyOp:
        """What makes the value: a load if it is memory.

        Another one may be set, which makes another value.
        """
        info = _tinygrad.inspect(self._tensor)
        if info.kind is None:
            st = ShapeTracker.from_shape(self.shape)
            return LazyOp(BufferOps.LOAD, (), MemBuffer(0, self.dtype, st))
        op = _OPS[info.kind]
        arg: Any = None
        if op is LoadOps.CONST:
            arg = info.value
        elif op is UnaryOps.CAST:
            arg = (self.dtype, info.kind == "bitcast")
        elif op is LoadOps.CUSTOM:
            arg = info.name
        elif op in (MovementOps.PAD, MovementOps.SHRINK):
            arg = tuple(zip(info.ints[::2], info.ints[1::2]))
        elif op in MovementOps or op in ReduceOps:
            arg = info.ints
        return LazyOp(op, tuple(LazyBuffer(x) for x in info.operands), arg)

    @op.setter
    def op(self, op: LazyOp) -> None:
        if op != self.op:
            st = ShapeTracker.from_shape(self.shape)
            made = create_lazybuffer(self.device, st, type(op.op), op, self.dtype)
            self._tensor, self._view = made._tensor, None

    @property
    def optype(self) -> type:
        """LoadOps, MovementOps, ReduceOps, or BinaryOps for what is elementwise."""
        if self._tensor is None or self._tensor.is_realized():
            return LoadOps
        kind = type(self.op.op)
        return BinaryOps if kind in (UnaryOps, TernaryOps) else kind

    @property
    def buffers(self) -> tuple[LazyBuffer, ...]:
        return (self,)

    def map_buffers(self, real_srcs: Any) -> Any:
        return real_srcs.get(self, self)

    def get_lazyops(self) -> list[LazyOp]:
        return []

    def is_unrealized_const(self) -> bool:
        base = self.base
        if base._tensor is None:
            return False
        return _tinygrad.inspect(base._tensor).kind == "const"

    def is_unrealized_contiguous_const(self) -> bool:
        return self.is_unrealized_const() and self.st.contiguous

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LazyBuffer):
            return NotImplemented
        if self._tensor is None or other._tensor is None:
            return self is other
        return hash(self) == hash(other)

    def __hash__(self) -> int:
        if self._tensor is None:
            return id(self)
        return _tinygrad.value_number(self._tensor)

    def __repr__(self) -> str:
        what = self.realized if self.realized else self.optype.__name__
        return f"<LB {self.shape} {self.dtype} op={what} st={self.st}>"

    # --- Schedules -------------------------------------------------------------

    def schedule(self, seen: set[LazyBuffer] | None = None) -> list[ScheduleItem]:
        """Returns the steps that compute the value, in order.

        What is in `seen` counts as computed; what this schedule computes is added.
        Nothing is computed or compiled.
        """
        seen = set() if seen is None else seen
        if self in seen or self.base in seen or self._tensor is None:
            return []
        return create_schedule([self], seen)

    # --- Operations ------------------------------------------------------------

    def e(self, op: Op, *srcs: LazyBuffer, arg: Any = None) -> LazyBuffer:
        """Makes an elementwise operation on values of one shape."""
        sources = (self, *srcs)
        if op is UnaryOps.CAST:
            name, dtype = ("bitcast" if arg[1] else "cast"), arg[0]
        else:
            values = srcs if op is TernaryOps.WHERE else sources
            name, dtype = _NAMES[op], max(x.dtype for x in values)
        return _make(name, sources, dtype)

    def r(self, op: ReduceOps, new_shape: tuple) -> LazyBuffer:
        """Makes a reduce: axes that have extent 1 in `new_shape` are summed."""
        if self.shape == tuple(new_shape):
            return self
        return _make(_NAMES[op], (self,), self.dtype, new_shape)

    def cast(self, dtype: DType, bitcast: bool = False) -> LazyBuffer:
        return self.e(UnaryOps.CAST, arg=(dtype, bitcast))

    def const(self, val: float) -> LazyBuffer:
        """Returns `val` in this shape and type."""
        return LazyBuffer(_tinygrad.full(self.shape, val, self.dtype))

    def contiguous(self) -> LazyBuffer:
        return _make("contiguous", (self,), self.dtype)

    def copy_to_device(self, device: str) -> LazyBuffer:
        return LazyBuffer(self._tensor.to(device))

    def reshape(self, arg: tuple) -> LazyBuffer:
        return self._move("reshape", arg)

    def expand(self, arg: tuple) -> LazyBuffer:
        return self._move("expand", arg)

    def permute(self, arg: tuple) -> LazyBuffer:
        return self._move("permute", arg)

    def stride(self, arg: tuple) -> LazyBuffer:
        return self._move("stride", arg)

    def pad(self, arg: tuple) -> LazyBuffer:
        return self._move("pad", [x for pair in arg for x in pair])

    def shrink(self, arg: tuple) -> LazyBuffer:
        return self._move("shrink", [x for pair in arg for x in pair])

    def _move(self, name: str, ints: Iterable) -> LazyBuffer:
        return _make(name, (self,), self.dtype, ints)

    @staticmethod
    def loadop(
        op: LoadOps,
        shape: tuple,
        dtype: DType,
        device: str,
        arg: Any = None,
        src: LazyBuffer | None = None,
    ) -> LazyBuffer:
        """Makes a constant, memory that is not set, a copy, or calls a function."""
        sources = () if src is None else (src,)
        st = ShapeTracker.from_shape(tuple(shape))
        return create_lazybuffer(device, st, LoadOps, LazyOp(op, sources, arg), dtype)

    @staticmethod
    def fromCPU(x: numpy.ndarray) -> LazyBuffer:
        return LazyBuffer(_tinygrad.from_buffer(x))


def _make(
    name: str, sources: Iterable[LazyBuffer], dtype: DType, ints: Iterable = ()
) -> LazyBuffer:
    handles = [source._tensor for source in sources]
    return LazyBuffer(_tinygrad.make_lazy(name, handles, dtype, tuple(ints)))


def create_lazybuffer(
    device: str,
    st: ShapeTracker,
    optype: type,
    op: LazyOp,
    dtype: DType,
    base: LazyBuffer | None = None,
) -> LazyBuffer:
    """Makes the value of `op`, in the shape of `st`.

    A custom operation calls `op.arg(result, *sources)` on buffers when it is
    realized.
    """
    if op.op is LoadOps.CONST:
        return LazyBuffer(_tinygrad.full(st.shape, op.arg, dtype))
    if op.op is LoadOps.EMPTY:
        return LazyBuffer(_tinygrad.empty(st.shape, dtype, device))
    if op.op is LoadOps.COPY:
        return op.src[0].copy_to_device(device)
    if op.op is LoadOps.CUSTOM:
        sources = [source.contiguous()._tensor for source in op.src]
        return LazyBuffer(call_custom(op.arg, sources, st.shape, dtype))
    if optype is MovementOps:
        source = op.src[0]
        flat = op.op in (MovementOps.PAD, MovementOps.SHRINK)
        ints = [x for pair in op.arg for x in pair] if flat else op.arg
        return source._move(_NAMES[op.op], ints)
    if op.op in ReduceOps:
        return op.src[0].r(op.op, op.arg)
    if op.op is LoadOps.CONTIGUOUS:
        return op.src[0].contiguous()
    return op.src[0].e(op.op, *op.src[1:], arg=op.arg)


def realize_base(tensor: _tinygrad.Tensor) -> _tinygrad.Tensor:
    """Computes the value of which `tensor` shows elements, and returns `tensor`."""
    base = _tinygrad.get_base(tensor)[0]
    if _tinygrad.value_number(base) == _tinygrad.value_number(tensor):
        base = tensor
    _tinygrad.realize([base])
    return tensor


# --- Schedules -------------------------------------------------------------------


def create_schedule(
    outs: list[LazyBuffer], seen: set[LazyBuffer] | None = None
) -> list[ScheduleItem]:
    """Returns the steps that compute all of `outs`, in order; see `schedule`."""
    seen = set() if seen is None else seen
    known = [x._tensor for x in seen if x._tensor is not None]
    schedule = _tinygrad.schedule([x.base._tensor for x in outs], known)
    reader = _ScheduleReader(schedule)
    result = []
    read = [x for x, is_used in zip(reader.inputs, reader.is_used) if is_used]
    for buffer in dict.fromkeys([*read, *(out.base for out in outs)]):
        if buffer not in seen and _tinygrad.inspect(buffer._tensor).is_unset:
            result.append(ScheduleItem(LazyOp(LoadOps.EMPTY, ()), buffer, (), {}))
    result += reader.read()
    seen.update(item.out for item in result)
    seen.update(outs)
    return result


class _ScheduleReader:
    """Makes ScheduleItems of what C++ tells of a schedule."""

    def __init__(self, schedule: Any) -> None:
        self.records = schedule.items
        self.inputs = [LazyBuffer(tensor) for tensor in schedule.inputs]
        self.outputs = [
            LazyBuffer(x.value, (x.shape, x.dtype, x.device)) for x in self.records
        ]
        self.variables = schedule.variables
        used = {i for x in self.records for i in x.inputs if i >= 0}
        self.is_used = [number in used for number in range(len(self.inputs))]

    def read(self) -> list[ScheduleItem]:
        return [self._read_item(x, out) for x, out in zip(self.records, self.outputs)]

    def _read_item(self, record: Any, out: LazyBuffer) -> ScheduleItem:
        inputs = tuple(
            self.inputs[i] if i >= 0 else self.outputs[-1 - i] for i in record.inputs
        )
        if record.kind == "kernel":
            ast = self._read_tree(record)
        else:
            op = LoadOps.COPY if record.kind == "copy" else LoadOps.CUSTOM
            loads = tuple(
                LazyOp(
                    BufferOps.LOAD,
                    (),
                    MemBuffer(i + 1, x.dtype, ShapeTracker.from_shape(x.shape)),
                )
                for i, x in enumerate(inputs)
            )
            ast = LazyOp(op, loads, record.name)
        used = ast.get_lazyops()
        names = {v.expr: v for x in used if x.op in BufferOps for v in x.arg.st.vars()}
        values = {v: self.variables[n] for n, v in names.items() if n in self.variables}
        return ScheduleItem(ast, out, inputs, values, record.name, record.code)

    def _read_tree(self, record: Any) -> LazyOp:
        ops: list[LazyOp] = []
        for node in record.tree:
            sources = tuple(ops[i] for i in node.operands)
            if node.op == "load":
                buffer = MemBuffer(node.input + 1, node.dtype, node.st)
                ops.append(LazyOp(BufferOps.LOAD, (), buffer))
            elif node.op == "const":
                constant = ConstBuffer(node.value, node.dtype, node.st)
                ops.append(LazyOp(BufferOps.CONST, (), constant))
            elif node.op == "store":
                buffer = MemBuffer(0, node.dtype, node.st)
                ops.append(LazyOp(BufferOps.STORE, sources, buffer))
            else:
                arg: Any = None
                if node.op in ("cast", "bitcast"):
                    arg = (node.dtype, node.op == "bitcast")
                elif node.op.startswith("reduce_"):
                    arg = node.shape
                ops.append(LazyOp(_OPS[node.op], sources, arg))
        return ops[-1]


__all__ = [
    "Buffer",
    "LazyBuffer",
    "Variable",
    "create_lazybuffer",
    "create_schedule",
    "dtypes",
]
