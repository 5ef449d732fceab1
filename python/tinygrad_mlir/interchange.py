"""Tensors to and from other libraries, other processes and copies.

What shares memory and what copies it:

- `numpy()`, `tolist()`, `numpy.array(x)`, `Tensor(array)` and pickling copy.
- `numpy.asarray(x)`, `memoryview(x)`, `numpy.from_dlpack(x)`, `torch.from_dlpack(x)`,
  `Tensor.from_buffer(array)` and `Tensor.from_dlpack(array)` share: both sides see what
  either writes, and the memory lives as long as one of them.

We never write into memory that is shared: `assign`, an optimizer's step or a TinyJit
gives a tensor other memory, and leaves what the array shows as it is. What others write
changes the tensor, its views and what is computed from it later, and no other tensor.
"""

from __future__ import annotations

import importlib.util
import pickle
from typing import TYPE_CHECKING, Any

from . import _tinygrad
from .dtype import DType, dtypes

if TYPE_CHECKING:
    from numpy import ndarray

    from .tensor import Tensor

# DLPack's numbers of devices, by our names.
_DLPACK_DEVICES = {"CPU": 1, "HOST": 1, "INTERP": 1, "CUDA": 2, "GPU": 4, "HIP": 10}


def read_array(data: Any, share: bool = False) -> Tensor:
    """Makes a tensor from an array or a buffer: a copy, or of the same memory.

    Arrays of ml_dtypes' bfloat16, of which the buffer protocol does not know, too.
    Errors: TypeError where the data has no element type of ours.
    """
    dtype = None
    if hasattr(data, "__array__"):
        if not _is_numpy(data):
            try:
                data = data.__array__()
            except (TypeError, RuntimeError):
                # PyTorch's bfloat16, for one.
                if not hasattr(data, "__dlpack__"):
                    raise
                shared = from_dlpack(data)
                return shared if share else _tinygrad.copy_elements(shared)
        if data.dtype.kind in "mM":
            raise TypeError(
                f"expects elements that are numbers, got those of {data.dtype}"
            )
        if getattr(data.dtype, "name", "") == "bfloat16":
            data, dtype = data.view("uint16"), dtypes.bfloat16
    else:
        try:
            memoryview(data)
        except TypeError:
            raise TypeError(
                "expects numbers, lists of them, an array or a buffer, got "
                f"`{type(data).__name__}`"
            ) from None
    if share:
        return _tinygrad.share_buffer(data, dtype)
    return _tinygrad.from_buffer(data, dtype)


def _show_arrays(data: Any, seen: list) -> Any:
    """Replaces tensors, in lists, tuples and dicts, too, by arrays; lists them."""
    if isinstance(data, _tinygrad.Tensor):
        seen.append(data)
        return data.__array__()
    if isinstance(data, (list, tuple)):
        kind = list if isinstance(data, list) else tuple
        return kind(_show_arrays(item, seen) for item in data)
    if isinstance(data, dict):
        return {key: _show_arrays(item, seen) for key, item in data.items()}
    return data


def _is_numpy(data: Any) -> bool:
    # Subclasses, too; without waiting for numpy.
    return any(base.__module__ == "numpy" for base in type(data).__mro__)


def from_dlpack(source: Any) -> Tensor:
    """Makes a tensor of the memory of another library's; see Tensor.from_dlpack."""
    if hasattr(source, "__dlpack__"):
        device, number = source.__dlpack_device__()
        if device != _DLPACK_DEVICES["CPU"]:
            raise BufferError(
                "expects elements in memory of the host, got some on device "
                f"({device}, {number}) of DLPack"
            )
        try:
            source = source.__dlpack__(max_version=(1, 0))
        except TypeError:
            # It was written before DLPack 1.0.
            source = source.__dlpack__()
    return _tinygrad.from_dlpack(source)


class Interchange(_tinygrad.Tensor):
    """The methods of Tensor that speak with other libraries."""

    if TYPE_CHECKING:
        # A slot of the class, which no stub shows.
        def __buffer__(self, flags: int, /) -> memoryview: ...

    # --- Arrays -----------------------------------------------------------------

    def numpy(self) -> ndarray:
        """Returns the values as an array of their own; realizes.

        bfloat16 comes as `ml_dtypes.bfloat16` where that package is installed, else
        as float32. Errors: Error where the shape has a variable.
        """
        # Not at the top: programs without arrays don't wait for numpy.
        import numpy

        if not all(isinstance(extent, int) for extent in self.shape):
            raise _tinygrad.Error(
                f"numpy: expects a shape of numbers, got {list(self.shape)}; "
                "reshape gives it one"
            )
        if self.dtype != dtypes.bfloat16:
            array = numpy.empty(self.shape, self.dtype.np)
            _tinygrad.copy_to(self, array)
            return array
        if importlib.util.find_spec("ml_dtypes") is None:
            return self.cast(dtypes.float32).numpy()
        import ml_dtypes

        array = numpy.empty(self.shape, "uint16")
        _tinygrad.copy_to(self, array)
        return array.view(ml_dtypes.bfloat16)

    def data(self) -> memoryview:
        """Returns the values as a buffer of their own; realizes."""
        return self.numpy().data

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> ndarray:
        """Returns an array: of the same memory, unless `dtype` or `copy` ask for other.

        Errors: ValueError where a copy is needed and `copy` is False.
        """
        import numpy

        try:
            array = numpy.frombuffer(memoryview(self), self.dtype.np).reshape(
                self.shape
            )
            shares = True
        except (BufferError, ValueError):
            # A file, bfloat16, or no elements.
            if copy is False:
                raise ValueError(
                    "the elements cannot be shared: a copy is needed"
                ) from None
            array, shares = self.numpy(), False
        if dtype is not None and numpy.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError(f"another type than {array.dtype} needs a copy")
            return array.astype(dtype)
        return array.copy() if copy and shares else array

    def __array_function__(
        self, func: Any, types: Any, args: tuple, kwargs: dict
    ) -> Any:
        """Calls a function of numpy, `numpy.sum` for one, on arrays of tensors.

        Its result is what numpy makes of arrays. `shape` and `ndim` compute
        nothing. Errors: TypeError where tensors are in a container that numpy reads,
        but that is neither a list nor a tuple nor a dict.
        """
        import numpy

        if func in (numpy.shape, numpy.ndim):
            return func.__wrapped__(*args, **kwargs)
        seen: list[Tensor] = []
        args, kwargs = _show_arrays(args, seen), _show_arrays(kwargs, seen)
        return func(*args, **kwargs) if seen else NotImplemented

    @staticmethod
    def from_buffer(source: Any) -> Tensor:
        """Makes a tensor of the memory of an array, or of what shows a buffer.

        Nothing is copied: both sides see what is written, and read-only memory is
        never written. Errors: Error unless the elements lie side by side in row-major
        order; TypeError where they have no element type of ours.
        """
        return read_array(source, share=True)

    # --- DLPack -----------------------------------------------------------------

    @staticmethod
    def from_dlpack(source: Any) -> Tensor:
        """Makes a tensor of the memory of another library's, as PyTorch's or JAX's.

        `source` has `__dlpack__`, or is a capsule. Nothing is copied: both sides see
        what is written. Errors: BufferError unless the elements are in memory of the
        host; Error unless they lie side by side in row-major order; TypeError where
        they have no element type of ours.
        """
        return from_dlpack(source)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Returns a capsule of DLPack; realizes.

        Errors: BufferError where another device is asked for, or read-only memory
        cannot be told from other.
        """
        if stream is not None:
            raise BufferError("the CPU has no streams")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the tensor is on device {self.__dlpack_device__()}")
        versioned = max_version is not None and max_version[0] >= 1
        return _tinygrad.to_dlpack(self, versioned, bool(copy))

    def __dlpack_device__(self) -> tuple[int, int]:
        """Returns DLPack's kind and number of the device.

        Errors: BufferError where DLPack knows no such device.
        """
        name, _, number = _tinygrad.read_device(self.device).partition(":")
        if name not in _DLPACK_DEVICES:
            raise BufferError(
                f"DLPack has no device `{self.device}`; `to` moves the tensor"
            )
        return _DLPACK_DEVICES[name], int(number or 0)

    # --- Copies -----------------------------------------------------------------

    def __copy__(self) -> Tensor:
        """Another tensor of the same value and history."""
        result = _tinygrad.copy_variable(self)
        result.__dict__.update(self.__dict__)
        if self.requires_grad and self.grad is not None:
            result.grad = self.grad
        return result

    def __deepcopy__(self, memo: dict) -> Tensor:
        """Another tensor in memory of its own, with a copy of the gradient."""
        import copy

        result = _tinygrad.copy_elements(self)
        memo[id(self)] = result
        result.requires_grad = self.requires_grad
        if self.grad is not None:
            result.grad = copy.deepcopy(self.grad, memo)
        result.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return result

    def __reduce_ex__(self, protocol: Any) -> tuple:
        """Pickles value, type, device and whether gradients are wanted.

        From protocol 5 on the elements can be handed over out of band.
        """
        data: Any = _tinygrad.to_bytes(self)
        if protocol >= 5:
            data = pickle.PickleBuffer(data)
        fields = (self.shape, self.dtype, self.device, self.requires_grad)
        return _rebuild, (type(self), data, *fields), self.__dict__ or None


def _rebuild(
    cls: type,
    data: Any,
    shape: tuple[int, ...],
    dtype: DType,
    device: str,
    requires_grad: bool | None,
) -> Tensor:
    """Makes a pickled tensor again. A file's comes to the default device."""
    result = cls(_tinygrad.from_bytes(data, shape, dtype))
    if not device.startswith("DISK"):
        result = result.to(device)
    result.requires_grad = requires_grad
    return result
