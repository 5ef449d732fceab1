"""Tensors that are compiled: the front end of tinygrad-mlir.

Names and behaviour are tinygrad's. Operations are lazy: they build a graph, which
is compiled and run when values are asked for.
"""

from ._tinygrad import Context, Error
from .dtype import DType, dtypes
from .device import Device
from .tensor import Tensor

__all__ = ["Context", "DType", "Device", "Error", "Tensor", "dtypes"]
