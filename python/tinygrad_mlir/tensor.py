"""The class Tensor, over the handle that the C++ front end binds.

Whatever the handle has is inherited, so that an operation costs one call of C++.
Here stands what reads arguments as Python has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _tinygrad
from ._tinygrad import DType
from .dtype import dtypes

if TYPE_CHECKING:
    import numpy

# What numpy makes of Python's numbers, and what tensors make of them.
_NARROWED = {"float64": "float32", "int64": "int32"}


def _read_host_data(data: Any) -> _tinygrad.Tensor:
    """Makes a tensor from data of the host: an array, nested lists, a buffer."""
    if isinstance(data, (list, tuple)):
        # Not at the top: programs without arrays don't wait for numpy.
        import numpy

        array = numpy.array(data)
        narrowed = _NARROWED.get(array.dtype.name)
        if array.size == 0:
            narrowed = "float32"
        data = array.astype(narrowed) if narrowed else array
    elif not isinstance(data, (bytes, bytearray, memoryview)) and hasattr(
        data, "__array__"
    ):
        data = data.__array__()
    return _tinygrad.from_buffer(data)


class Tensor(_tinygrad.Tensor):
    """A tensor: numbers of one type, which are computed when they are asked for.

    Shapes: any. Errors: `Error`, in which the operation and the shapes stand.
    """

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

        Another tensor gives its value, without its history. Numbers give float32,
        int32 (int64 where that is too narrow) or bool, and lists float32, int32 or
        bool; arrays keep their type. `dtype` converts.
        Errors: TypeError where the data has no element type of ours.
        """
        # A float64 of numpy is a float of Python, too, but has a type of its own.
        if type(data) in (bool, int, float):
            source = _tinygrad.Tensor(data)
        elif isinstance(data, _tinygrad.Tensor):
            source = data.detach()
        else:
            source = _read_host_data(data)
        if dtype is not None and dtype != source.dtype:
            source = source.cast(dtype)
        if device is not None and device != source.device:
            source = source.to(device)
        super().__init__(source)
        if requires_grad is not None:
            self.set_requires_grad(requires_grad)

    # The bound class compares elements, which makes objects without a hash.
    def __hash__(self) -> int:
        return id(self)

    # --- Creation ---------------------------------------------------------------

    @staticmethod
    def empty(*shape: int, dtype: DType = dtypes.float32, device: str = "") -> Tensor:
        return _tinygrad.empty(_read_shape(shape), dtype, device)

    @staticmethod
    def full(
        shape: tuple[int, ...], fill_value: float, dtype: DType = dtypes.float32
    ) -> Tensor:
        return _tinygrad.full(shape, fill_value, dtype)

    @staticmethod
    def zeros(*shape: int, dtype: DType = dtypes.float32) -> Tensor:
        return _tinygrad.full(_read_shape(shape), 0, dtype)

    @staticmethod
    def ones(*shape: int, dtype: DType = dtypes.float32) -> Tensor:
        return _tinygrad.full(_read_shape(shape), 1, dtype)

    @staticmethod
    def manual_seed(seed: int = 0) -> None:
        _tinygrad.Context.get_current().manual_seed(seed)

    # --- Facts and values -------------------------------------------------------

    def numpy(self) -> numpy.ndarray:
        """Returns the values as an array of their own; realizes.

        numpy has no bfloat16, whose values come as float32.
        """
        import numpy

        source = self.cast(dtypes.float32) if self.dtype == dtypes.bfloat16 else self
        return numpy.asarray(memoryview(source))

    def tolist(self) -> Any:
        """Returns the values as nested lists, or the value of a scalar."""
        return self.numpy().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a scalar has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        return self.to_string()

    # --- Gradients ---------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        return self.get_requires_grad()

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.set_requires_grad(value)

    @property
    def grad(self) -> Tensor | None:
        return self.get_grad()

    @grad.setter
    def grad(self, value: None) -> None:
        if value is not None:
            raise TypeError("a gradient can be forgotten, not set: expects None")
        self.clear_grad()

    # --- Movement ----------------------------------------------------------------

    @property
    def T(self) -> Tensor:
        return self.transpose()

    def cat(self, *args: Tensor, dim: int = 0) -> Tensor:
        return _tinygrad.cat([self, *args], dim)

    @staticmethod
    def stack(tensors: list[Tensor], dim: int = 0) -> Tensor:
        return _tinygrad.stack(tensors, dim)


def _read_shape(shape: tuple) -> tuple[int, ...]:
    """A shape that is given as numbers, or as one tuple or list."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        return tuple(shape[0])
    return shape


_tinygrad.set_tensor_class(Tensor)
