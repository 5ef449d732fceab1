"""The class Tensor, over the handle that the C++ front end binds.

Whatever the handle has is inherited, so that an operation costs one call of C++.
Here stands what reads arguments as Python has them.
"""

from __future__ import annotations

import builtins
import functools
import math
import operator
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar

from . import _tinygrad
from .device import Device  # noqa: F401
from .disk import prepare_file
from .dtype import DTYPES_DICT, DType, dtypes
from .function import Function  # noqa: F401
from .interchange import Interchange, read_array
from .lazy import LazyBuffer


def _read_list(data: Any, dtype: DType | None) -> _tinygrad.Tensor:
    """Makes a tensor from nested lists: of bools, or of `Tensor.default_type`."""
    # Not at the top: programs without arrays don't wait for numpy.
    import numpy

    target = dtype or Tensor.default_type
    if dtype is None or target.np is None:
        array = numpy.array(data)
        if dtype is None and array.dtype.name == "bool":
            target = dtypes.bool
        array = array.astype((target if target.np else dtypes.float32).np)
    else:
        array = numpy.array(data, dtype=target.np)
    return _tinygrad.from_buffer(array)


def _read_host_data(data: Any, dtype: DType | None) -> _tinygrad.Tensor:
    """Makes a tensor from data of the host: an array, nested lists, a buffer."""
    if data is None:
        data = []
    if isinstance(data, (list, tuple, range)):
        return _read_list(data, dtype)
    if hasattr(data, "__fspath__"):
        # The bytes of a file, which stay there.
        size = os.path.getsize(data)
        return _tinygrad.empty((size,), dtypes.uint8, f"DISK:{os.fspath(data)}")
    return read_array(data)


def _make_to(device: str) -> Callable[[Tensor], Tensor]:
    """Makes a method that is short for `to` with a device."""

    def to_device(self: Tensor) -> Tensor:
        return self.to(device)

    to_device.__name__ = device.lower()
    to_device.__qualname__ = f"Tensor.{device.lower()}"
    to_device.__doc__ = f"Short for `to({device!r})`. Errors: Error where it is not."
    return to_device


class Tensor(Interchange):
    """A tensor: numbers of one type, which are computed when they are asked for.

    Shapes: any. Errors: `Error`, in which the operation and the shapes stand.
    `Tensor.training`, `Tensor.no_grad`, `Tensor.wino` and `Tensor.default_type` are
    settings of the process.
    """

    # What `grad` returned, for the extension; see Tensor.cpp.
    __slots__ = ("_grad",)

    default_type: ClassVar[DType] = dtypes.float32
    # Arrays of numpy leave operators to us.
    __array_priority__ = 1000

    # Python calls `__init__` alone for what it makes itself. Results of operations
    # are made by the extension.
    def __init__(
        self,
        data: Any,
        device: str | None = None,
        dtype: DType | None = None,
        requires_grad: bool | None = None,
    ) -> None:
        """Makes a tensor from a number, nested lists, an array or another tensor.

        Another tensor gives its value, without its history. Numbers and lists become
        `Tensor.default_type`, or bool where they are bools; arrays keep their type.
        `dtype` converts. None is no elements, and bytes are uint8, as are those of the
        file that a pathlib.Path names, which stay in the file.
        Errors: TypeError where the data has no element type of ours.
        """
        if dtype is not None and not isinstance(dtype, DType):
            raise TypeError(f"expects a dtype such as dtypes.int32, got {dtype!r}")
        # A float64 of numpy is a float of Python, too, but has a type of its own.
        if type(data) in (builtins.bool, int, builtins.float):
            if dtype is None and isinstance(data, builtins.bool):
                dtype = dtypes.bool
            # A number of more bits than numbers of the engine have goes through numpy.
            if isinstance(data, int) and not -(2**63) <= data < 2**63:
                source = _read_list(data, dtype)
            else:
                source = _tinygrad.full((), data, dtype or self.default_type)
        elif isinstance(data, _tinygrad.Tensor):
            source = _tinygrad.get_value(data)
        elif type(data) is LazyBuffer:
            source = data._tensor
        else:
            source = _read_host_data(data, dtype)
        if dtype is not None and dtype != source.dtype:
            source = source.cast(dtype)
        if device is not None:
            source = _tinygrad.to(source, device)
        super().__init__(source)
        if requires_grad is not None:
            self.requires_grad = requires_grad

    @staticmethod
    def _read(data: Any) -> Tensor:
        """Reads the operand of an operator, or positions between brackets."""
        if isinstance(data, (list, tuple)):
            return Tensor(data)
        return _read_host_data(data, None)

    class train:
        """`with Tensor.train():` trains, or does not with `val=False`."""

        def __init__(self, val: bool = True) -> None:
            self.val = val

        def __enter__(self) -> None:
            self.prev, Tensor.training = Tensor.training, self.val

        def __exit__(self, *exc: Any) -> None:
            Tensor.training = self.prev

    # --- Creation ---------------------------------------------------------------

    @staticmethod
    def empty(*shape: Any, **kwargs: Any) -> Tensor:
        """Makes a tensor whose elements are not set, or are what a file holds.

        A file that is not there or empty is made.
        """
        device = kwargs.pop("device", None) or ""
        if device[:5].lower() == "disk:":
            dtype = kwargs.get("dtype") or Tensor.default_type
            prepare_file(device, math.prod(_read_shape(shape)) * dtype.itemsize)
        return _create(_tinygrad.empty, _read_shape(shape), kwargs, device)

    @staticmethod
    def full(shape: Any, fill_value: Any, **kwargs: Any) -> Tensor:
        """Makes a tensor that holds `fill_value` everywhere."""
        if isinstance(fill_value, builtins.bool):
            kwargs["dtype"] = kwargs.get("dtype") or dtypes.bool
        return _create(_tinygrad.full, _read_shape((shape,)), kwargs, fill_value)

    @staticmethod
    def zeros(*shape: Any, **kwargs: Any) -> Tensor:
        """Makes a tensor of zeros; the shape is given as numbers or as one tuple."""
        return _create(_tinygrad.full, _read_shape(shape), kwargs, 0)

    @staticmethod
    def ones(*shape: Any, **kwargs: Any) -> Tensor:
        """Makes a tensor of ones; the shape is given as numbers or as one tuple."""
        return _create(_tinygrad.full, _read_shape(shape), kwargs, 1)

    @staticmethod
    def arange(
        start: builtins.float,
        stop: builtins.float | None = None,
        step: builtins.float = 1,
        **kwargs: Any,
    ) -> Tensor:
        """Makes start, start + step, ... before stop; `arange(n)` begins at 0.

        Errors: Error if the step is 0.
        """
        if stop is None:
            start, stop = 0, start
        return _create(_tinygrad.arange, start, kwargs, stop, step)

    @staticmethod
    def eye(dim: int, **kwargs: Any) -> Tensor:
        """Makes the matrix with ones on its diagonal."""
        return _create(_tinygrad.eye, dim, kwargs)

    def full_like(self, fill_value: Any, **kwargs: Any) -> Tensor:
        """Makes a tensor of this shape, type and device that holds `fill_value`."""
        kwargs.setdefault("dtype", self.dtype)
        kwargs.setdefault("device", self.device)
        return Tensor.full(self.shape, fill_value, **kwargs)

    def zeros_like(self, **kwargs: Any) -> Tensor:
        """Makes a tensor of zeros of this shape, type and device."""
        return self.full_like(0, **kwargs)

    def ones_like(self, **kwargs: Any) -> Tensor:
        """Makes a tensor of ones of this shape, type and device."""
        return self.full_like(1, **kwargs)

    # --- Random numbers ---------------------------------------------------------

    @staticmethod
    def manual_seed(seed: int = 0) -> None:
        """Starts the random numbers anew."""
        Tensor._seed = seed

    @staticmethod
    def rand(*shape: Any, **kwargs: Any) -> Tensor:
        """Makes numbers that are uniform in [0, 1)."""
        return _draw(_tinygrad.rand, shape, kwargs)

    @staticmethod
    def randn(*shape: Any, dtype: DType | None = None, **kwargs: Any) -> Tensor:
        """Makes normal numbers of mean 0 and variance 1."""
        return _draw(_tinygrad.randn, shape, {**kwargs, "dtype": dtype})

    @staticmethod
    def randint(*shape: Any, low: int = 0, high: int = 10, **kwargs: Any) -> Tensor:
        """Makes integers in [low, high), at most 2^24 of them."""
        kwargs["dtype"] = kwargs.get("dtype") or dtypes.int32
        return _create(_tinygrad.randint, _read_shape(shape), kwargs, low, high)

    @staticmethod
    def uniform(
        *shape: Any,
        low: builtins.float = 0.0,
        high: builtins.float = 1.0,
        **kwargs: Any,
    ) -> Tensor:
        """Makes numbers that are uniform in [low, high)."""
        return _draw(_tinygrad.uniform, shape, kwargs, low, high)

    @staticmethod
    def normal(
        *shape: Any,
        mean: builtins.float = 0.0,
        std: builtins.float = 1.0,
        **kwargs: Any,
    ) -> Tensor:
        """Makes normal numbers."""
        return _draw(_tinygrad.normal, shape, kwargs, mean, std)

    @staticmethod
    def scaled_uniform(*shape: Any, **kwargs: Any) -> Tensor:
        """Uniform in (-1, 1) over the root of the number of elements."""
        return _draw(_tinygrad.scaled_uniform, shape, kwargs)

    @staticmethod
    def glorot_uniform(*shape: Any, **kwargs: Any) -> Tensor:
        """Uniform in (-b, b), b = sqrt(6 / (shape[0] + size of the other axes))."""
        return _draw(_tinygrad.glorot_uniform, shape, kwargs)

    @staticmethod
    def kaiming_uniform(*shape: Any, a: builtins.float = 0.01, **kwargs: Any) -> Tensor:
        """Uniform in (-b, b), b = sqrt(6 / (1 + a^2) / size of the other axes)."""
        return _draw(_tinygrad.kaiming_uniform, shape, kwargs, a)

    @staticmethod
    def kaiming_normal(*shape: Any, a: builtins.float = 0.01, **kwargs: Any) -> Tensor:
        """Normal of variance 2 / (1 + a^2) / size of all axes but the first."""
        return _draw(_tinygrad.kaiming_normal, shape, kwargs, a)

    # --- Facts and values -------------------------------------------------------

    @property
    def lazydata(self) -> LazyBuffer:
        """The value in the graph, without its history."""
        return LazyBuffer(_tinygrad.get_value(self))

    @lazydata.setter
    def lazydata(self, value: LazyBuffer) -> None:
        self.assign(Tensor(value))

    @staticmethod
    def corealize(lst: Iterable[Tensor]) -> None:
        """Computes several tensors in one compiled graph."""
        _tinygrad.realize(list(lst))

    def tolist(self) -> Any:
        """Returns the values as nested lists, or the value of a scalar."""
        return self.numpy().tolist()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(_describe_scalar())
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __float__(self) -> builtins.float:
        return builtins.float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __repr__(self) -> str:
        """The values as numpy prints them, and what else a tensor is."""
        import numpy

        is_numbers = all(isinstance(extent, int) for extent in self.shape)
        if not _tinygrad.has_values(self):
            values = "..."
        elif is_numbers:
            # numpy shortens numbers of its own types alone.
            x = self.float() if self.dtype == dtypes.bfloat16 else self
            values = numpy.array2string(x.numpy(), separator=", ", prefix="Tensor(")
        else:
            values = self.to_string()[len("Tensor(") :].rpartition(", shape=")[0]
        extents = [e.render() if hasattr(e, "render") else str(e) for e in self.shape]
        shape = ", ".join(extents) + "," * (len(extents) == 1)
        dtype = next(k for k, v in DTYPES_DICT.items() if v == self.dtype)
        grad = ", requires_grad=True" if self.requires_grad else ""
        return (
            f"Tensor({values}, shape=({shape}), dtype={dtype}, "
            f"device={self.device}{grad})"
        )

    # --- Devices ----------------------------------------------------------------

    def to(self, device: str | None) -> Tensor:
        """Returns the value on a device, and its gradient there; None is here."""
        if device is None or device == self.device:
            return self
        result = _tinygrad.to(self, device)
        if (grad := self.grad) is not None:
            result.grad = grad.to(device)
        return result

    def to_(self, device: str | None) -> None:
        """Moves the tensor and its gradient to a device; None is here."""
        if device is not None and device != self.device:
            _tinygrad.move_to(self, device)

    cpu, clang, llvm = _make_to("CPU"), _make_to("CLANG"), _make_to("LLVM")
    cuda, gpu, metal = _make_to("CUDA"), _make_to("GPU"), _make_to("METAL")
    hip, torch, webgpu = _make_to("HIP"), _make_to("TORCH"), _make_to("WEBGPU")

    def disk(self, path: str) -> Tensor:
        """Returns the value in a file."""
        return self.to(f"DISK:{path}")

    # --- Movement ----------------------------------------------------------------

    @property
    def T(self) -> Tensor:
        """The matrix with its first two axes exchanged."""
        return self.transpose()

    def squeeze(self, dim: int | None = None) -> Tensor:
        """Removes the axis `dim` if its size is 1, or all such axes.

        Errors: IndexError if there is no such axis.
        """
        if dim is not None:
            dim = operator.index(dim)
            least, most = (-self.ndim, self.ndim - 1) if self.ndim else (-1, 0)
            if not least <= dim <= most:
                raise IndexError(
                    "Dimension out of range (expected to be in range of "
                    f"[{least}, {most}], but got {dim})"
                )
            if not self.ndim or self.shape[dim] != 1:
                return self
        return _tinygrad.squeeze(self, dim)

    def cat(self, *args: Tensor, dim: int = 0) -> Tensor:
        """Joins tensors along an axis that they have.

        Errors: Error if the other axes differ.
        """
        return _tinygrad.cat([self, *args], dim)

    @staticmethod
    def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
        """Joins tensors of one shape along a new axis."""
        return _tinygrad.stack(list(tensors), dim)

    # --- Functions of several tensors ---------------------------------------------

    @staticmethod
    def einsum(formula: str, *raw_xs: Any) -> Tensor:
        """Multiplies tensors whose axes have letters, and sums over some.

        The operands are given one by one or as one list: `Tensor.einsum("ij,jk->ik",
        a, b)`. Errors: Error if the formula does not fit the shapes.
        """
        return _tinygrad.einsum(formula, list(_read_shape(raw_xs)))

    def sequential(self, ll: list[Callable[[Tensor], Tensor]]) -> Tensor:
        """Applies functions one after the other."""
        return functools.reduce(lambda x, f: f(x), ll, self)

    # Last, since these hide Python's types in what follows.
    def half(self) -> Tensor:
        """Converts the elements to float16."""
        return self.cast(dtypes.float16)

    def float(self) -> Tensor:
        """Converts the elements to float32."""
        return self.cast(dtypes.float32)


def _describe_scalar() -> str:
    """Says that a scalar has no length, which `torch.tensor` asks it for."""
    text = "a scalar has no length"
    if "torch" in sys.modules:
        text += "; torch.from_dlpack(x) and torch.tensor(x.numpy()) take tensors"
    return text


def _read_shape(shape: tuple) -> tuple:
    """Arguments that are given one by one, or as one tuple or list."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        return tuple(shape[0])
    return shape


def _create(
    function: Callable[..., Tensor], shape: Any, kwargs: dict[str, Any], *args: Any
) -> Tensor:
    """Calls `function(shape, *args, dtype)` and does what keywords say."""
    dtype = kwargs.pop("dtype", None) or Tensor.default_type
    device, requires_grad = (
        kwargs.pop("device", None),
        kwargs.pop("requires_grad", None),
    )
    if kwargs:
        raise TypeError(
            f"{function.__name__}() got an unexpected keyword argument "
            f"'{next(iter(kwargs))}'; it takes dtype, device and requires_grad"
        )
    if function is _tinygrad.empty:
        result = function(shape, dtype, *args)
    else:
        result = function(shape, *args, dtype)
    if device is not None:
        result = result.to(device)
    if requires_grad is not None:
        result.requires_grad = requires_grad
    return result


def _draw(
    function: Callable[..., Tensor], shape: tuple, kwargs: dict[str, Any], *args: Any
) -> Tensor:
    """The same for random numbers, which are drawn as floats."""
    dtype = kwargs.pop("dtype", None) or Tensor.default_type
    drawn = dtype if dtypes.is_float(dtype) else dtypes.float32
    requires_grad = kwargs.pop("requires_grad", None)
    result = _create(function, _read_shape(shape), {**kwargs, "dtype": drawn}, *args)
    if drawn != dtype:
        # As floor does, so that each integer of a range is as likely.
        result = result.floor().cast(dtype)
    if requires_grad is not None:
        result.requires_grad = requires_grad
    return result


_tinygrad.set_tensor_class(Tensor)
