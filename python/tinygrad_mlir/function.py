"""Differentiable functions of the user's own, and functions that run on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from . import _tinygrad

if TYPE_CHECKING:
    from .dtype import DType
    from .lazy import LazyBuffer
    from .tensor import Tensor


class Function:
    """A differentiable function: subclasses have `forward` and, for it, `backward`.

    `forward` gets the LazyBuffers of the inputs and the keyword arguments of
    `apply`, and returns a LazyBuffer. `backward` gets that of the result's gradient,
    and returns one for each input, with its shape and type, or None where none
    flows; a function of one input may return it alone. What `forward` keeps in
    `self`, `backward` finds there.
    """

    def __init__(self, device: str, *tensors: Tensor) -> None:
        self.device = device
        self.needs_input_grad = [t.requires_grad for t in tensors]
        self.requires_grad: bool | None = (
            True
            if any(self.needs_input_grad)
            else None
            if None in self.needs_input_grad
            else False
        )
        if self.requires_grad:
            self.parents = tensors

    def forward(self, *args: Any, **kwargs: Any) -> LazyBuffer:
        raise NotImplementedError(f"forward not implemented for {type(self)}")

    def backward(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"backward not implemented for {type(self)}")

    @classmethod
    def apply(cls, *x: Tensor, **kwargs: Any) -> Tensor:
        """Returns the result for tensors `x`.

        Errors: what `forward` raises; `Tensor.backward` raises Error if `backward`
        returns too many gradients, or one of another shape or type.
        """
        context = cls(x[0].device, *x)

        def forward(values: list[Tensor]) -> Tensor:
            result = context.forward(*[value.lazydata for value in values], **kwargs)
            return _to_tensor(result)

        def backward(
            inputs: list[Tensor], result: Tensor, grad: Tensor
        ) -> list[Tensor | None]:
            grads = context.backward(grad.lazydata)
            if not isinstance(grads, (tuple, list)):
                grads = (grads,)
            return [None if g is None else _to_tensor(g) for g in grads]

        return _tinygrad.apply_function(list(x), forward, backward)


def _to_tensor(buffer: Any) -> Tensor:
    from .tensor import Tensor

    return buffer if isinstance(buffer, Tensor) else Tensor(buffer)


# --- The host --------------------------------------------------------------------


class HostBuffer:
    """The elements of a tensor, as a function of the host gets them.

    `_buf` is a flat array of numpy over the memory, which the function reads, or
    fills for the result; the memory is gone when the function returns.
    """

    def __init__(self, device: str, dtype: DType, memory: memoryview) -> None:
        self.device, self.dtype, self._memory = device, dtype, memory
        self.size = memory.nbytes // dtype.itemsize

    @property
    def _buf(self) -> Any:
        import numpy

        return numpy.frombuffer(self._memory, dtype=self.dtype.np)

    def toCPU(self) -> Any:
        """Returns the elements as an array of their own."""
        return self._buf.copy()

    def copyin(self, mv: memoryview) -> HostBuffer:
        """Sets the elements to the bytes of `mv`.

        Errors: ValueError for another size.
        """
        source = mv.cast("B", (mv.nbytes,)) if mv.nbytes else mv
        self._memory[:] = source
        return self

    def copyout(self, mv: memoryview) -> memoryview:
        """Copies the bytes of the elements to `mv`, and returns it."""
        mv.cast("B", (mv.nbytes,))[:] = self._memory
        return mv


def call_custom(
    fxn: Callable[..., Any], tensors: list[Tensor], shape: tuple, dtype: DType
) -> Tensor:
    """Makes a tensor that `fxn(result, *inputs)` fills when it is realized.

    The function gets HostBuffers. It is kept until the tensor is computed or gone,
    and by captured steps, which call it with the values of each call.
    Errors: realizing raises Error with the text of what the function raises.
    """
    types = (*(t.dtype for t in tensors), dtype)
    device = tensors[0].device if tensors else "CPU"

    def run(memories: list[memoryview]) -> None:
        buffers = [HostBuffer(device, t, m) for t, m in zip(types, memories)]
        fxn(buffers[-1], *buffers[:-1])

    name = getattr(fxn, "__qualname__", "function")
    return _tinygrad.call_host_function(name, run, tensors, shape, dtype)
