"""Views of views: what of a buffer a tensor shows."""

from __future__ import annotations

import itertools
import operator

from .._tinygrad import ShapeTracker
from . import symbolic as _symbolic
from .symbolic import Node, sint
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
    return position if isinstance(position, Node) else _symbolic.NumNode(position)


def expr_idxs(view: View, idxs: tuple[sint, ...]) -> Node:
    """Returns the position in the buffer of `idxs`, whatever the mask says."""
    return Node.sum(
        [view.offset, *(i * st for i, st in zip(idxs, view.strides) if st != 0)]
    )


def expr_node(view: View, idx: Node | None = None) -> Node:
    """Returns the position in the buffer of position `idx` of the flat view."""
    return ShapeTracker((View.create(view.shape, view.strides, view.offset),)).expr_node(
        idx
    )[0]


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
