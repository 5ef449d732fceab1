"""The differentiable functions of tinygrad by name, which are methods of Tensor here.

`mlops.Log.apply(x)` is `x.log()`, with its gradient. `forward` takes and returns
LazyBuffers, as that of a Function of the user's own does.
"""

from __future__ import annotations

from typing import Any, Callable

from .function import Function
from .tensor import Tensor

__all__ = [
    "Add",
    "Cast",
    "Contiguous",
    "ContiguousBackward",
    "Div",
    "Exp",
    "Expand",
    "Flip",
    "Less",
    "Log",
    "Max",
    "Mul",
    "Neg",
    "Pad",
    "Permute",
    "Relu",
    "Reshape",
    "Shrink",
    "Sigmoid",
    "Sin",
    "Sqrt",
    "Sub",
    "Sum",
    "Where",
    "Xor",
    "Zero",
]


def _make(name: str, compute: Callable[..., Tensor]) -> type[Function]:
    """Makes the Function whose `apply` is `compute`."""

    def forward(self: Function, *args: Any, **kwargs: Any) -> Any:
        return compute(*(Tensor(buffer) for buffer in args), **kwargs).lazydata

    members = {
        "__module__": __name__,
        "apply": staticmethod(compute),
        "forward": forward,
    }
    return type(name, (Function,), members)


def _cast(x: Tensor, dtype: Any, bitcast: bool = False) -> Tensor:
    return x.bitcast(dtype) if bitcast else x.cast(dtype)


def _find_reduced(x: Tensor, new_shape: tuple) -> tuple[int, ...]:
    """Returns the axes that are 1 in `new_shape`, and not in the shape of `x`."""
    return tuple(i for i, n in enumerate(x.shape) if n != 1 and new_shape[i] == 1)


def _sum(x: Tensor, new_shape: tuple) -> Tensor:
    axes = _find_reduced(x, new_shape)
    return x.sum(axes, keepdim=True) if axes else x


def _max(x: Tensor, new_shape: tuple) -> Tensor:
    axes = _find_reduced(x, new_shape)
    return x.max(axes, keepdim=True) if axes else x


Contiguous = _make("Contiguous", Tensor.contiguous)
ContiguousBackward = _make("ContiguousBackward", Tensor.contiguous_backward)
Cast = _make("Cast", _cast)
Zero = _make("Zero", Tensor.zeros_like)
Neg = _make("Neg", Tensor.neg)
Sin = _make("Sin", Tensor.sin)
Relu = _make("Relu", Tensor.relu)
Log = _make("Log", Tensor.log)
Exp = _make("Exp", Tensor.exp)
Sqrt = _make("Sqrt", Tensor.sqrt)
Sigmoid = _make("Sigmoid", Tensor.sigmoid)
Less = _make("Less", lambda x, y: x < y)
Xor = _make("Xor", Tensor.xor)
Add = _make("Add", Tensor.add)
Sub = _make("Sub", Tensor.sub)
Mul = _make("Mul", Tensor.mul)
Div = _make("Div", Tensor.div)
Where = _make("Where", Tensor.where)
Sum = _make("Sum", _sum)
Max = _make("Max", _max)
Expand = _make("Expand", lambda x, shape: x.expand(shape))
Reshape = _make("Reshape", lambda x, shape: x.reshape(shape))
Permute = _make("Permute", lambda x, order: x.permute(order))
Pad = _make("Pad", lambda x, arg: x.pad(arg))
Shrink = _make("Shrink", lambda x, arg: x.shrink(arg))
Flip = _make("Flip", lambda x, axis: x.flip(axis))
