"""Element types under tinygrad's names."""

from __future__ import annotations

import functools
from typing import Any

from . import _tinygrad


class DType:
    """An element type, or a vector of `sz` elements of one.

    `priority` is the place in the order of promotion, `itemsize` the bytes of one,
    `name` what C calls it, and `np` numpy's type, or None where numpy has none.
    Types compare by these, in that order.
    """

    __slots__ = ("priority", "itemsize", "name", "_np", "sz")

    def __init__(
        self, priority: int, itemsize: int, name: str, np: Any, sz: int = 1
    ) -> None:
        self.priority, self.itemsize, self.name = priority, itemsize, name
        self._np, self.sz = np, sz

    @property
    def np(self) -> Any:
        # By name, since programs without arrays don't wait for numpy.
        if isinstance(self._np, str):
            import numpy

            return numpy.dtype(self._np).type
        return self._np

    def scalar(self) -> DType:
        """Returns the type of one element of a vector."""
        return DTYPES_DICT[self.name[: -len(str(self.sz))]] if self.sz > 1 else self

    def vec(self, sz: int) -> DType:
        """Returns the vector of `sz` elements. Errors: AssertionError for a vector."""
        if sz <= 1 or self.sz != 1:
            raise AssertionError(f"cannot make a vector of {sz} of {self!r}")
        name = f"{INVERSE_DTYPES_DICT[self]}{sz}"
        return DType(self.priority, self.itemsize * sz, name, None, sz)

    def _key(self) -> tuple:
        return (self.priority, self.itemsize, self.name, self.sz)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, DType) and self._key() == other._key()
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: DType) -> bool:
        return self._key() < other._key()

    def __le__(self, other: DType) -> bool:
        return self._key() <= other._key()

    def __gt__(self, other: DType) -> bool:
        return self._key() > other._key()

    def __ge__(self, other: DType) -> bool:
        return self._key() >= other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        if self.sz > 1:
            return f"dtypes._{INVERSE_DTYPES_DICT[self.scalar()]}{self.sz}"
        return f"dtypes.{INVERSE_DTYPES_DICT[self]}"

    # Copies of a type of `dtypes` are the type itself.
    def __reduce__(self) -> tuple:
        if type(self) is DType and self.sz == 1:
            return (getattr, (dtypes, INVERSE_DTYPES_DICT[self]))
        return (DType, (self.priority, self.itemsize, self.name, self._np, self.sz))


class ImageDType(DType):
    """The type of an image of `shape`, whose elements are read as `base`."""

    __slots__ = ("shape", "base")

    def __init__(
        self,
        priority: int,
        itemsize: int,
        name: str,
        np: Any,
        shape: tuple[int, ...],
        base: DType,
    ) -> None:
        super().__init__(priority, itemsize, name, np)
        self.shape, self.base = shape, base

    def scalar(self) -> DType:
        """Returns the type as which elements are read."""
        return self.base

    def vec(self, sz: int) -> DType:
        """Returns the vector of `sz` elements, as they are read."""
        return self.base.vec(sz)

    def _key(self) -> tuple:
        return (*super()._key(), self.shape)

    def __repr__(self) -> str:
        return f"dtypes.{self.name}({self.shape})"

    def __reduce__(self) -> tuple:
        fields = (self.priority, self.itemsize, self.name, self._np)
        return (ImageDType, (*fields, self.shape, self.base))


class PtrDType(DType):
    """The type of a pointer to elements of a type, to which it is equal."""

    __slots__ = ()

    def __init__(self, dt: DType) -> None:
        super().__init__(dt.priority, dt.itemsize, dt.name, dt._np, dt.sz)

    def __repr__(self) -> str:
        return f"ptr.{super().__repr__()}"

    def __reduce__(self) -> tuple:
        return (PtrDType, (DType(*self._key()[:3], self._np, self.sz),))


class dtypes:
    """The element types; `dtypes.float` and others are tinygrad's short names."""

    # Before the types, some of which take names of Python.
    @staticmethod
    def is_float(x: DType) -> bool:
        """True for float16, bfloat16, float32, float64 and vectors of them."""
        return x.scalar() in _FLOATS

    @staticmethod
    def is_int(x: DType) -> bool:
        """True for integers with and without a sign; bool is none."""
        return x.scalar() in _SIGNED or x.scalar() in _UNSIGNED

    @staticmethod
    def is_unsigned(x: DType) -> bool:
        """True for integers without a sign."""
        return x.scalar() in _UNSIGNED

    @staticmethod
    def from_np(x: Any) -> DType:
        """Returns the type that numpy calls `x`. Errors: KeyError for others."""
        import numpy

        return DTYPES_DICT[numpy.dtype(x).name]

    @staticmethod
    def fields() -> dict[str, DType]:
        """Returns all types by their names, the short ones included."""
        return DTYPES_DICT

    @staticmethod
    def imageh(shp: tuple[int, ...]) -> ImageDType:
        """Returns the type of an image of float16."""
        return ImageDType(100, 2, "imageh", "float16", shp, dtypes.float32)

    @staticmethod
    def imagef(shp: tuple[int, ...]) -> ImageDType:
        """Returns the type of an image of float32."""
        return ImageDType(100, 4, "imagef", "float32", shp, dtypes.float32)

    bool = DType(0, 1, "bool", "bool")
    float16 = half = DType(9, 2, "half", "float16")
    float32 = float = DType(11, 4, "float", "float32")
    float64 = double = DType(12, 8, "double", "float64")
    int8 = char = DType(1, 1, "char", "int8")
    int16 = short = DType(3, 2, "short", "int16")
    int32 = int = DType(5, 4, "int", "int32")
    int64 = long = DType(7, 8, "long", "int64")
    uint8 = uchar = DType(2, 1, "unsigned char", "uint8")
    uint16 = ushort = DType(4, 2, "unsigned short", "uint16")
    uint32 = uint = DType(6, 4, "unsigned int", "uint32")
    uint64 = ulong = DType(8, 8, "unsigned long", "uint64")
    bfloat16 = DType(10, 2, "__bf16", None)
    # What a kernel takes as an argument.
    _arg_int32 = DType(2, 4, "_arg_int32", None)


_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
_SIGNED = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)
_UNSIGNED = (dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64)

DTYPES_DICT = {k: v for k, v in dtypes.__dict__.items() if isinstance(v, DType)}
INVERSE_DTYPES_DICT = {v: k for k, v in DTYPES_DICT.items()}

# The types to which each type is promoted next.
_PROMOTIONS = {
    dtypes.bool: (dtypes.int8, dtypes.uint8),
    dtypes.int8: (dtypes.int16,),
    dtypes.int16: (dtypes.int32,),
    dtypes.int32: (dtypes.int64,),
    dtypes.int64: (dtypes.float16, dtypes.bfloat16),
    dtypes.uint8: (dtypes.int16, dtypes.uint16),
    dtypes.uint16: (dtypes.int32, dtypes.uint32),
    dtypes.uint32: (dtypes.int64, dtypes.uint64),
    dtypes.uint64: (dtypes.float16, dtypes.bfloat16),
    dtypes.float16: (dtypes.float32,),
    dtypes.bfloat16: (dtypes.float32,),
    dtypes.float32: (dtypes.float64,),
    dtypes.float64: (),
}


@functools.lru_cache(None)
def _list_promotions(dtype: DType) -> frozenset[DType]:
    """Returns the type and all to which it can be promoted."""
    return frozenset({dtype}).union(*map(_list_promotions, _PROMOTIONS[dtype]))


@functools.lru_cache(None)
def least_upper_dtype(*ds: DType) -> DType:
    """Returns the first type to which all of `ds` can be promoted, as in JAX."""
    return min(frozenset.intersection(*map(_list_promotions, ds)))


# In the order of the C++ enumeration.
_tinygrad.set_dtypes(
    sorted({d for d in DTYPES_DICT.values() if d != dtypes._arg_int32}),
    {dtypes._arg_int32: dtypes.int32},
)
