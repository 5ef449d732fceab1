"""What the extension says of functions: signatures, and why a call does not fit.

It asks for it when a user looks at a function, or when a call has failed. Nobody waits
for it otherwise.
"""

from __future__ import annotations

import ast
import functools
import operator
import re
import reprlib
import textwrap
import traceback
from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any, Callable

from . import _tinygrad
from .dtype import DType


class _Annotation(str):
    """A type as text, which a signature shows without quotes."""

    __repr__ = str.__str__


def _list_alternatives(node: ast.expr) -> list[str]:
    """Returns the types of a union, as users write them."""
    if isinstance(node, ast.BinOp):
        return _list_alternatives(node.left) + _list_alternatives(node.right)
    return [re.sub(r"[\w.]+\.(?=\w)", "", ast.unparse(node))]


def _read_annotation(node: ast.expr | None) -> Any:
    """Returns a type as text, or that anything may come."""
    # None may come twice: from the type, and since the argument may be None.
    parts = dict.fromkeys(_list_alternatives(node) if node else ["object"])
    return Parameter.empty if "object" in parts else _Annotation(" | ".join(parts))


def get_signature(function: Any) -> Signature:
    """Returns the signature of a bound function."""
    text, _, defaults = function.__nb_signature__[-1]
    # The defaults stand in a list, and the text has their places.
    text = re.sub(r"\\(\d+)", r"\1", text)
    # A setter has no name.
    tree = ast.parse(f"{text.replace('def (', 'def f(', 1)}: ...").body[0]
    assert isinstance(tree, ast.FunctionDef)
    arguments = tree.args
    parameters = []
    names = [*arguments.posonlyargs, *arguments.args]
    places = [None] * (len(names) - len(arguments.defaults)) + arguments.defaults
    for argument, place in zip(names, places):
        is_positional = argument in arguments.posonlyargs
        parameters.append(
            Parameter(
                argument.arg,
                Parameter.POSITIONAL_ONLY
                if is_positional
                else Parameter.POSITIONAL_OR_KEYWORD,
                default=defaults[ast.literal_eval(place)] if place else Parameter.empty,
                annotation=_read_annotation(argument.annotation),
            )
        )
    if arguments.vararg:
        parameters.append(Parameter(arguments.vararg.arg, Parameter.VAR_POSITIONAL))
    return Signature(parameters, return_annotation=_read_annotation(tree.returns))


def get_doc(function: Any) -> str | None:
    """Returns the text for `help`, without the signature."""
    doc = function.__nb_signature__[0][1]
    if doc is None:
        return None
    return "\n".join(textwrap.fill(line, 80) for line in doc.splitlines())


# --- Calls that do not fit --------------------------------------------------------


def explain(function: Any, args: list, kwargs: dict[str, Any]) -> str:
    """Says in one sentence what of the arguments the function does not take."""
    signature = get_signature(function)
    parameters = dict(signature.parameters)
    names = [name for name in parameters if name != "self"]
    # A setter has no name, and one argument.
    is_setter = not function.__name__
    owner, _, name = (function.__qualname__ or "").rpartition(".")
    is_constructor = name == "__init__"
    prefix = "" if is_setter else f"{owner if is_constructor else name}() "
    takes = "it takes " + (", ".join(names) or "none")
    for keyword in kwargs:
        if keyword not in names:
            return f"{prefix}got an unexpected keyword argument '{keyword}'; {takes}"
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        verb = "is" if str(error).startswith("missing") else "got"
        return f"{prefix}{verb} {error}; {takes}"
    if is_constructor:
        del bound["self"]
    # What surely does not fit, else what may not.
    for doubt in (2, 1):
        for name, value in bound.items():
            expected = parameters[name].annotation if name != "self" else owner
            if not expected or expected is Parameter.empty:
                continue
            culprit = _find_culprit(ast.parse(expected, mode="eval").body, value)
            if culprit and culprit[0] == doubt:
                part = "" if culprit[1] is value else "one with "
                subject = "" if is_setter else f"{name} to be "
                got = part + describe(culprit[1])
                return f"{prefix}expects {subject}{expected}, got {got}"
    shown = ", ".join(f"{k}={describe(bound[k])}" for k in names if k in bound)
    return f"{prefix}does not take {shown}"


def _is_integer(value: Any) -> bool:
    try:
        return -(2**63) <= operator.index(value) < 2**64
    except TypeError:
        return False


def _is_number(value: Any) -> bool:
    return _is_integer(value) or hasattr(value, "__float__")


# What is sure to fit a type; a list of tensors is one tensor, too.
_CHECKS: dict[str, Callable[[Any], bool]] = {
    "int": _is_integer,
    "float": lambda x: _is_number(x) and not isinstance(x, _tinygrad.Tensor),
    "bool": lambda x: isinstance(x, int) or type(x).__module__ == "numpy",
    "str": lambda x: isinstance(x, str),
    "bytes": lambda x: isinstance(x, bytes),
    "list": lambda x: isinstance(x, list),
    "dict": lambda x: isinstance(x, dict),
    "tuple": lambda x: isinstance(x, tuple),
    "object": lambda x: True,
    "DType": lambda x: isinstance(x, DType),
    "Node": lambda x: hasattr(x, "_expr"),
    "Callable": callable,
}


def _find_culprit(expected: ast.expr, value: Any) -> tuple[int, Any] | None:
    """Returns what of `value` is not of a type, after 2 if that is sure, else 1."""
    if isinstance(expected, ast.BinOp):
        left = _find_culprit(expected.left, value)
        right = left and _find_culprit(expected.right, value)
        if not left or not right:
            return None
        # A part that is wrong says more than that all is.
        return min(left, right, key=lambda found: (found[0], found[1] is value))
    if isinstance(expected, ast.Constant):
        return None if value is expected.value else (2, value)
    if isinstance(expected, ast.Subscript):
        assert isinstance(expected.value, ast.Name)
        return _find_culprit_among(expected.value.id, expected.slice, value)
    assert isinstance(expected, ast.Name)
    if expected.id == "Tensor" and not isinstance(value, _tinygrad.Tensor):
        # Where numbers are taken, so is what becomes a tensor.
        is_data = isinstance(value, (list, tuple, int)) or hasattr(value, "__array__")
        return (1 if is_data else 2), value
    check = _CHECKS.get(expected.id)
    if not check:
        check = functools.partial(_is_of_class, getattr(_tinygrad, expected.id, object))
    return None if check(value) else (2, value)


def _is_of_class(expected: type, value: Any) -> bool:
    return isinstance(value, expected)


def _find_culprit_among(
    kind: str, parts: ast.expr, value: Any
) -> tuple[int, Any] | None:
    if kind == "Mapping" and isinstance(value, Mapping):
        assert isinstance(parts, ast.Tuple)
        pairs = zip(parts.elts, (value.keys(), value.values()))
        found = (_find_culprit(part, item) for part, items in pairs for item in items)
        return next(filter(None, found), None)
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        return 2, value
    expected = parts.elts if isinstance(parts, ast.Tuple) else [parts] * len(value)
    if len(expected) != len(value):
        return 2, value
    found = (_find_culprit(part, item) for part, item in zip(expected, value))
    return next(filter(None, found), None)


def describe(value: Any) -> str:
    """Names a value without computing anything."""
    if isinstance(value, _tinygrad.Tensor):
        return f"a Tensor of shape {value.shape}"
    if isinstance(value, (str, bytes, int, float, type(None), DType)):
        return reprlib.repr(value)
    return f"a {type(value).__name__}" if not isinstance(value, type) else repr(value)


def describe_exception(error: BaseException) -> str:
    """Returns an exception as one line, with where it was raised."""
    lines = traceback.format_exception_only(type(error), error)
    text = " ".join("".join(lines).split())
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return text + place
