"""Element types under tinygrad's names."""

from __future__ import annotations

from . import _tinygrad
from ._tinygrad import DType


class dtypes:
    """The element types; `dtypes.float` and others are tinygrad's short names."""

    bool = DType.bool
    int8 = DType.int8
    uint8 = DType.uint8
    int16 = DType.int16
    uint16 = DType.uint16
    int32 = DType.int32
    uint32 = DType.uint32
    int64 = DType.int64
    uint64 = DType.uint64
    float16 = DType.float16
    bfloat16 = DType.bfloat16
    float32 = DType.float32
    float64 = DType.float64

    char, uchar = int8, uint8
    short, ushort = int16, uint16
    int, uint = int32, uint32
    long, ulong = int64, uint64
    half, float, double = float16, float32, float64

    is_float = staticmethod(_tinygrad.is_float)
    is_int = staticmethod(_tinygrad.is_integer)
    is_unsigned = staticmethod(_tinygrad.is_unsigned)
