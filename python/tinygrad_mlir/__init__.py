"""Tensors that are compiled: the front end of tinygrad-mlir.

Names and behaviour are tinygrad's. Operations are lazy: they build a graph, which
is compiled and run when values are asked for.
"""

import importlib as _importlib
import os as _os

from . import _tinygrad
from . import progress as _progress  # noqa: F401
from ._tinygrad import Context, Error
from .dtype import DType, dtypes
from .environment import getenv as _getenv

# tinygrad's name of the variable, before anything reads ours.
if _os.environ.get("DEBUG", "").isdigit():
    _os.environ.setdefault("TINYGRAD_DEBUG", _os.environ["DEBUG"])

# Kernels as tinygrad has them, before anything makes the context.
if "OPT" in _os.environ:
    if not 0 <= _getenv("OPT") <= 4:
        raise ValueError(
            f"OPT in the environment is to be from 0 to 4, got {_os.environ['OPT']}"
        )
    _tinygrad.set_reference_level(_getenv("OPT"))

from .device import Device  # noqa: E402
from .helpers import GlobalCounters  # noqa: E402
from .jit import TinyJit  # noqa: E402
from .shape.symbolic import Variable  # noqa: E402
from .tensor import Tensor  # noqa: E402

if "OPT" in _os.environ:
    from .lazy import realize_base as _realize_base

    # A view needs no memory of its own there.
    Tensor.realize = _realize_base


def __getattr__(name: str) -> object:
    """Imports the compiler when somebody wants it: few programs do."""
    if name != "compiler":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _importlib.import_module(".compiler", __name__)


__all__ = [
    "Context",
    "DType",
    "Device",
    "Error",
    "GlobalCounters",
    "Tensor",
    "TinyJit",
    "Variable",
    "dtypes",
]
