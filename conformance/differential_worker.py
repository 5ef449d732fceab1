"""Runs programs of differential.py: one JSON object a line in, one out.

`import tinygrad` is the reference or, with the shim before it, our package.
"""

from __future__ import annotations

import base64
import json
import os
import sys

PRELUDE = """
import copy, math, pickle
import numpy as np
from tinygrad import nn
from tinygrad.helpers import Context, GlobalCounters, dtypes
from tinygrad.jit import TinyJit
from tinygrad.nn import optim
from tinygrad.nn.state import get_parameters, get_state_dict, load_state_dict
from tinygrad.nn.state import safe_load, safe_save
from tinygrad.shape.symbolic import Variable
from tinygrad.tensor import Function, Tensor
"""


def describe_error(error: Exception) -> dict[str, str]:
    classes = [c.__name__ for c in type(error).__mro__]
    return {"error": classes[0], "bases": classes, "text": str(error)[:200]}


def describe_array(array) -> dict:
    return {
        "type": array.dtype.str,
        "shape": list(array.shape),
        "data": base64.b64encode(array.tobytes()).decode(),
    }


def describe(value, names: dict) -> dict:
    """Returns what a variable is, computing it."""
    import numpy

    if not isinstance(value, names["Tensor"]):
        if isinstance(value, numpy.ndarray):
            return {"kind": "array", "value": describe_array(value)}
        return {"kind": "object", "value": repr(value)}
    result = {"kind": "tensor"}
    try:
        result["dtype"] = repr(value.dtype)
        result["requires_grad"] = value.requires_grad
        result["value"] = describe_array(value.numpy())
        if value.grad is not None:
            result["grad"] = describe_array(value.grad.numpy())
    except Exception as error:
        result.update(describe_error(error))
    return result


def run(lines: list[str], names: dict) -> list[dict]:
    """Runs statements; returns what each raised, and what variables are then.

    A statement that raises ends nothing; what needs its variable raises NameError.
    """
    tensor = names["Tensor"]
    tensor.manual_seed(1)
    tensor.training = tensor.no_grad = False
    tensor.default_type = names["dtypes"].float32
    names = dict(names)
    errors = []
    for line in lines:
        try:
            exec(line, names)
            errors.append(None)
        except Exception as error:
            errors.append(describe_error(error))
    variables = {
        name: describe(value, names)
        for name, value in names.items()
        if name[0] == "v" and name[1:].isdigit()
    }
    return {"errors": errors, "variables": variables}


def main() -> None:
    # What programs print is no answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    names: dict = {}
    exec(PRELUDE, names)
    for line in sys.stdin:
        answers.write(json.dumps(run(json.loads(line), names)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
