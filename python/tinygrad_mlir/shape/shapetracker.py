"""Views of views: what of a buffer a tensor shows."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable

from .._tinygrad import ShapeTracker
from ..helpers import prod
from ..ops import MovementOps
from .symbolic import (
    DivNode,
    LtNode,
    ModNode,
    MulNode,
    Node,
    NumNode,
    RedNode,
    SumNode,
    Variable,
    sint,
)
from .view import View

__all__ = [
    "ShapeTracker",
    "View",
    "expr_idxs",
    "expr_node",
    "expr_node_mask",
    "get_contraction",
    "idxs_to_idx",
    "merge_views",
]


def idxs_to_idx(shape: tuple[sint, ...], idxs: tuple[sint, ...]) -> Node:
    """Returns the row-major position of `idxs`, one per axis, in `shape`."""
    position: sint = 0
    for extent, index in zip(shape, idxs):
        position = position * extent + index
    return position if isinstance(position, Node) else NumNode(position)


def expr_idxs(view: View, idxs: tuple[sint, ...]) -> Node:
    """Returns the position in the buffer of `idxs`, whatever the mask says."""
    return Node.sum(
        [view.offset, *(i * st for i, st in zip(idxs, view.strides) if st != 0)]
    )


def expr_node(view: View, idx: Node | None = None) -> Node:
    """Returns the position in the buffer of position `idx` of the flat view."""
    unmasked = View.create(view.shape, view.strides, view.offset)
    return ShapeTracker((unmasked,)).expr_node(idx)[0]


def expr_node_mask(view: View, idx: Node, valid: Node | None = None) -> Node:
    """Returns the condition that position `idx` is read, and that `valid` holds."""
    inside = ShapeTracker((view,)).expr_node(idx)[1]
    return Node.ands([inside] if valid is None else [valid, inside])


def merge_views(vm2: View, vm1: View) -> View | None:
    """Returns the view that reads `vm2` through `vm1`, or None where none does."""
    views = ShapeTracker((vm2, vm1)).simplify().views
    return views[0] if len(views) == 1 else None


def get_contraction(
    old_shape: tuple[sint, ...], new_shape: tuple[sint, ...]
) -> list[list[int]] | None:
    """Returns for each axis of `new_shape` those of `old_shape` that make it.

    None where an axis would have to be split.
    """
    old = list(itertools.accumulate(old_shape, operator.mul))
    ends = []
    for product in itertools.accumulate(new_shape, operator.mul):
        if product == 1:
            ends.append(0)
        elif product in old:
            ends.append(old.index(product) + 1)
        else:
            return None
    # What is left has extent 1 and goes to the last axis.
    starts, ends = [0, *ends[:-1]], [*ends[:-1], len(old_shape)]
    return [list(range(start, end)) for start, end in zip(starts, ends)]


# --- What trackers are as expressions -------------------------------------------


def _st_expr_idxs(
    self: ShapeTracker, idxs: Iterable[Node] | None = None
) -> tuple[Node, Node]:
    """Returns where position `idxs` is read, and the condition that it is.

    By default variables idx0, idx1, ... Where nothing is read the place is -1.
    """
    if idxs is None:
        idxs = [Variable(f"idx{i}", 0, s - 1) for i, s in enumerate(self.shape)]
    index, conditions = self.get_access(tuple(idxs))
    valid = Node.ands([c for x, lo, hi in conditions for c in (x >= lo, x <= hi)])
    return (index if valid.max else NumNode(-1)), valid


def _st_expr_node(
    self: ShapeTracker, idx: Node | str | None = "idx"
) -> tuple[Node, Node]:
    """The same for position `idx` of the flat shape, a node or the name of one."""
    if idx is None or isinstance(idx, str):
        idx = Variable(idx or "idx", 0, prod(self.shape) - 1)
    # In terms of a position that is inside, and that has no other name.
    size = prod(self.shape)
    flat = Variable("expr_node.flat", 0, max(size - 1, 0))
    idxs: list[Node] = []
    rest = flat
    for extent in reversed(self.shape):
        idxs.append(rest % extent)
        rest = rest // extent
    index, valid = self.expr_idxs(idxs[::-1])
    return _wrap_flat(index, flat, idx, size), _wrap_flat(valid, flat, idx, size)


def _wrap_flat(node: Node, flat: Node, idx: Node, size: int) -> Node:
    """Returns `node` with `idx % size`, of which digits are digits of `idx`."""
    if flat not in node.vars():
        return node
    if idx.min >= 0 and idx.max < size:
        return node.substitute({flat: idx})

    def wrap(x: Node | int) -> Node | int:
        return _wrap_flat(x, flat, idx, size) if isinstance(x, Node) else x

    if node == flat:
        return idx % size
    if isinstance(node, (LtNode, MulNode)):
        a, b = wrap(node.a), wrap(node.b)
        return a < b if isinstance(node, LtNode) else a * b
    if isinstance(node, RedNode):
        parts = [wrap(x) for x in node.nodes]
        return Node.sum(parts) if isinstance(node, SumNode) else Node.ands(parts)
    # A digit, (flat // k) % n, is one of idx where these divide the size.
    number, base = node.a, node.b
    if isinstance(base, int):
        if number == flat and size % base == 0:
            is_rest = isinstance(node, ModNode)
            return idx % base if is_rest else idx // base % (size // base)
        if isinstance(node, ModNode) and isinstance(number, DivNode):
            step = number.b
            is_digit = number.a == flat and isinstance(step, int)
            if is_digit and size % (step * base) == 0:
                return idx // step % base
    number = wrap(number)
    return number % base if isinstance(node, ModNode) else number // base


def _st_unit_stride_axes(self: ShapeTracker, ignore_valid: bool = False) -> list[int]:
    """Returns the axes along which elements lie side by side."""
    return [i for i, st in enumerate(self.real_strides(ignore_valid)) if st == 1]


def _st_axis_is_masked(self: ShapeTracker, axis: int) -> bool:
    """True if it depends on the position on `axis` whether an element is read."""
    return f"idx{axis}" in {v.expr for v in self.expr_idxs()[1].vars()}


def _st_to_movement_ops(self: ShapeTracker) -> list[tuple[MovementOps, tuple]]:
    """Returns movements that, applied to the buffer in order, give what is read."""
    ops: list[tuple[MovementOps, tuple]] = []
    for view in self.views:
        shape = view.shape
        mask = view.mask or tuple((0, extent) for extent in shape)
        size = tuple(end - begin for begin, end in mask)
        offset = view.offset + sum(m[0] * st for m, st in zip(mask, view.strides))
        # One element of each axis that repeats it, which comes after the pads.
        read = tuple(n if st != 0 else min(n, 1) for n, st in zip(size, view.strides))
        ops.append((MovementOps.AS_STRIDED, (read, view.strides, offset)))
        if size != read:
            ops.append((MovementOps.EXPAND, size))
        pads = tuple((b, n - e) for (b, e), n in zip(mask, shape))
        if any(pad != (0, 0) for pad in pads):
            ops.append((MovementOps.PAD, pads))
    return ops


for _method in (
    _st_expr_idxs,
    _st_expr_node,
    _st_unit_stride_axes,
    _st_axis_is_masked,
    _st_to_movement_ops,
):
    setattr(ShapeTracker, _method.__name__.removeprefix("_st_"), _method)
