"""Tensors by name, in memory and in files."""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from typing import Any

from .. import _tinygrad
from .._tinygrad import Error
from ..dtype import dtypes
from ..helpers import CI, DEBUG, GlobalCounters, Timing
from ..tensor import Tensor

safe_dtypes = {
    "F16": dtypes.float16,
    "F32": dtypes.float32,
    "U8": dtypes.uint8,
    "I8": dtypes.int8,
    "I32": dtypes.int32,
    "I64": dtypes.int64,
    "F64": dtypes.double,
    "BOOL": dtypes.bool,
    "I16": dtypes.short,
    "U16": dtypes.ushort,
    "U32": dtypes.uint,
    "U64": dtypes.ulong,
    "BF16": dtypes.bfloat16,
}
inverse_safe_dtypes = {v: k for k, v in safe_dtypes.items()}


class MissingTensors(Error, KeyError):
    """A state dict that lacks tensors of the model."""

    __str__ = Exception.__str__


# --- Models --------------------------------------------------------------------


def get_state_dict(
    obj: Any, prefix: str = "", tensor_type: type = Tensor
) -> dict[str, Tensor]:
    """Returns the tensors of a model by name, in the order of its attributes.

    A model is an object with attributes, a list, a tuple or a dict, and so are its
    parts; names are joined by dots. `prefix` stands before all of them.
    """
    if isinstance(obj, tensor_type):
        return {prefix.strip("."): obj}
    if hasattr(obj, "_asdict"):
        return get_state_dict(obj._asdict(), prefix, tensor_type)
    if isinstance(obj, OrderedDict):
        return get_state_dict(dict(obj), prefix, tensor_type)
    if hasattr(obj, "__dict__"):
        return get_state_dict(obj.__dict__, prefix, tensor_type)
    if isinstance(obj, (list, tuple)):
        parts: Any = enumerate(obj)
    elif isinstance(obj, dict):
        parts = obj.items()
    else:
        return {}
    result: dict[str, Tensor] = {}
    for key, part in parts:
        result.update(get_state_dict(part, f"{prefix}{key}.", tensor_type))
    return result


def get_parameters(obj: Any) -> list[Tensor]:
    """Returns the tensors of a model (see get_state_dict)."""
    return list(get_state_dict(obj).values())


def load_state_dict(
    model: Any,
    state_dict: dict[str, Tensor],
    strict: bool = True,
    verbose: bool = True,
) -> None:
    """Gives each tensor of a model the value of its name in `state_dict`.

    Values come to the tensor's device and type. Names that the model lacks are left
    out, and without `strict` those that the dict lacks, too. `verbose` prints how
    long it took.
    Errors: MissingTensors (a KeyError) with all names that are missing, and Error
    with all shapes that differ; the model is as it was then.
    """
    used = GlobalCounters.mem_used
    note = _describe_loaded(used)
    with Timing("loaded weights in ", note, enabled=verbose and not CI):
        target = get_state_dict(model)
        missing = [name for name in target if name not in state_dict]
        if strict and missing:
            names = ", ".join(f"`{name}`" for name in missing)
            raise MissingTensors(f"load_state_dict: expects tensors called {names}")
        if DEBUG >= 1:
            unused = sorted(state_dict.keys() - target.keys())
            if unused:
                print("WARNING: unused weights in state_dict", unused)
            for name in missing:
                print(f"WARNING: not loading {name}")
        target = {k: v for k, v in target.items() if k in state_dict}
        source = {k: state_dict[k] for k in target}
        for name, value in source.items():
            if not isinstance(value, Tensor):
                source[name] = Tensor(value)
        _tinygrad.load_state_dict(target, source)


def _describe_loaded(used: int) -> Any:
    def describe(nanoseconds: int) -> str:
        loaded = GlobalCounters.mem_used - used
        rate = loaded / max(nanoseconds, 1)
        return f", {loaded / 1e9:.2f} GB loaded at {rate:.2f} GB/s"

    return describe


# --- safetensors -----------------------------------------------------------------


def _find_path(fn: Any) -> str:
    """Returns the path of a file that is named, or that a tensor of bytes shows."""
    if not isinstance(fn, Tensor):
        return os.fspath(fn)
    if not fn.device.startswith("DISK:"):
        raise TypeError(f"expects a path or a tensor on DISK, got one on {fn.device}")
    return fn.device[len("DISK:") :]


def safe_load_metadata(fn: Any) -> tuple[Tensor, int, dict[str, Any]]:
    """Returns the bytes of a safetensors file, the size of its header, and the header.

    `fn` is a path, or a tensor that shows the file. The bytes stay in the file.
    Errors: Error, OSError or ValueError if there is no such file, or it is damaged.
    """
    path = _find_path(fn)
    size = os.stat(path).st_size
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > size - 8:
            raise ValueError(f"safe_load_metadata: `{path}` is cut off")
        header = json.loads(file.read(length))
    bytes_of_file = Tensor.empty(size, dtype=dtypes.uint8, device=f"disk:{path}")
    return bytes_of_file, length, header


def safe_load(fn: Any) -> dict[str, Tensor]:
    """Returns the tensors of a safetensors file by name, in the header's order.

    They stay in the file until they are used: `to` brings them elsewhere.
    Errors: Error, with the path and what is wrong, if the file cannot be read or is
    damaged.
    """
    path = _find_path(fn)
    tensors = _tinygrad.safe_load(path, "DISK")
    _, _, header = safe_load_metadata(path)
    return {name: tensors[name] for name in header if name != "__metadata__"}


def safe_save(
    tensors: dict[str, Tensor], fn: Any, metadata: dict[str, Any] | None = None
) -> None:
    """Writes tensors to a safetensors file.

    The file appears under its name when it is complete. Values of `metadata` that
    are no strings are written as JSON, as the format has nothing but strings.
    Errors: Error with the path and the system's reason.
    """
    texts = {
        str(k): v if isinstance(v, str) else json.dumps(v)
        for k, v in (metadata or {}).items()
    }
    _tinygrad.safe_save(dict(tensors), os.fspath(fn), texts)


# --- PyTorch -----------------------------------------------------------------------


def torch_load(fn: Any) -> Any:
    """Returns what PyTorch's `torch.save` wrote: dicts and lists with tensors.

    The tensors stay in the file until they are used. Nothing of the file is run.
    Errors: Error, with the path and what is wrong, if the file cannot be read, is
    damaged, or holds anything but tensors, numbers, strings, lists and dicts.
    """
    return _tinygrad.torch_load(_find_path(fn), "DISK")
