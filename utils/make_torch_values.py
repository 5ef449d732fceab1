#!/usr/bin/env python3
"""Writes unittests/Tensor/data/torch_values.json: what PyTorch computes for the
methods of `Tensor`, with gradients. Needs PyTorch (1.13 was used) and numpy; the
test that reads the file needs neither.

A case has the name of a function in MethodTable.cpp: a method, and what sets the
case apart from others of that method. Its gradients are those of the sum of the
result's elements times 1, 1.5, 2, 1, 1.5, 2, ….
"""

from __future__ import annotations

import json
import math
import zlib
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "unittests/Tensor/data/torch_values.json"
INF, NAN = math.inf, math.nan

cases: list[dict] = []


def number(value) -> object:
    if isinstance(value, (bool, int)):
        return int(value)
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return float(f"{value:.13g}")


def tensor_to_json(tensor: torch.Tensor) -> dict:
    return {
        "shape": list(tensor.shape),
        "type": str(tensor.dtype).removeprefix("torch."),
        "values": [number(value) for value in tensor.detach().flatten().tolist()],
    }


def case(name: str, fn, *inputs, edge: bool = False, signs: bool = False) -> None:
    """Adds a case. At an edge no finite differences are taken; `signs` says that
    the signs of zeros count."""
    leaves = [
        value.clone().requires_grad_() if value.is_floating_point() else value
        for value in inputs
    ]
    result = fn(*leaves)
    entry = {"name": name, "inputs": [tensor_to_json(value) for value in inputs]}
    entry["result"] = tensor_to_json(result)
    if edge:
        entry["edge"] = True
    if signs:
        entry["signs"] = True
    if result.requires_grad:
        count = result.numel()
        weights = (1 + torch.arange(count) % 3 * 0.5).to(result.dtype)
        (result * weights.reshape(result.shape)).sum().backward()
        entry["grads"] = [
            tensor_to_json(leaf.grad if leaf.grad is not None else leaf * 0)
            if leaf.is_floating_point()
            else None
            for leaf in leaves
        ]
    cases.append(entry)


def rand(*shape: int, low: float = -2, high: float = 2, seed: str = "") -> torch.Tensor:
    """Numbers without a pattern or ties, the same every time."""
    state = np.random.RandomState(zlib.crc32(f"{shape}{seed}".encode()) % 2**31)
    values = np.round(state.uniform(low, high, shape), 4)
    return torch.tensor(values, dtype=torch.float64)


def f64(*values) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def ints(*values, dtype=torch.int32) -> torch.Tensor:
    return torch.tensor(values, dtype=dtype)


def add_unary() -> None:
    anywhere = {
        "neg": torch.neg,
        "exp": torch.exp,
        "exp2": torch.exp2,
        "sin": torch.sin,
        "cos": torch.cos,
        "tan": torch.tan,
        "sigmoid": torch.sigmoid,
        "tanh": torch.tanh,
        "sinh": torch.sinh,
        "cosh": torch.cosh,
        "asinh": torch.asinh,
        "gelu": lambda x: F.gelu(x, approximate="tanh"),
        "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
        "silu": F.silu,
        "swish": F.silu,
        "softplus": F.softplus,
        "softplus beta=2": lambda x: F.softplus(x, beta=2),
        "mish": F.mish,
        "softsign": F.softsign,
        "elu": F.elu,
        "elu alpha=0.5": lambda x: F.elu(x, 0.5),
        "celu": F.celu,
        "celu alpha=2": lambda x: F.celu(x, 2),
        "relu": F.relu,
        "relu6": F.relu6,
        "hardswish": F.hardswish,
        "hardtanh": F.hardtanh,
        "leakyrelu": F.leaky_relu,
        "leakyrelu slope=0.2": lambda x: F.leaky_relu(x, 0.2),
        "abs": torch.abs,
        "sign": torch.sign,
        "square": torch.square,
        "trunc": torch.trunc,
        "floor": torch.floor,
        "ceil": torch.ceil,
        "clip": lambda x: torch.clip(x, -1, 1.5),
    }
    for name, fn in anywhere.items():
        case(name, fn, rand(2, 3, seed=name) * 2)
    positive = {
        "log": torch.log,
        "log2": torch.log2,
        "sqrt": torch.sqrt,
        "rsqrt": torch.rsqrt,
        "reciprocal": torch.reciprocal,
    }
    for name, fn in positive.items():
        case(name, fn, rand(2, 3, low=0.25, high=3, seed=name))
    case("acosh", torch.acosh, rand(4, low=1.2, high=5))
    case("atanh", torch.atanh, rand(4, low=-0.9, high=0.9))
    case("logical_not", torch.logical_not, f64(0, -0.0, 0.5, NAN), edge=True)

    # The edges: zeros, ties with the ends of pieces, what is large, infinite, NaN.
    zeros = f64(-0.0, 0.0)
    ends = f64(-INF, INF, NAN)
    large = f64(-1000, 1000)
    at_ends = (
        "exp exp2 sigmoid tanh softplus elu celu relu relu6 hardtanh leakyrelu sinh "
        "cosh asinh square sqrt log log2 rsqrt reciprocal sin abs neg"
    )
    for name in at_ends.split():
        fn = {**anywhere, **positive}[name]
        case(name, fn, zeros, edge=True)
        case(name, fn, ends, edge=True)
    at_large = (
        "exp sigmoid tanh softplus elu celu silu gelu mish relu6 hardswish softsign "
        "asinh quick_gelu leakyrelu"
    )
    for name in at_large.split():
        case(name, anywhere[name], large, edge=True)
    case("asinh", torch.asinh, f64(-1e200, 1e200, -1e9, 1e-9), edge=True)
    case("sqrt", torch.sqrt, f64(-1, 0), edge=True)
    case("log", torch.log, f64(-1, 1e-300), edge=True)
    case("relu6", F.relu6, f64(-1, 0, 6, 7), edge=True)
    case("atanh", torch.atanh, f64(-1, 1), edge=True)
    whole = f64(-2.5, -1.0, -0.5, -0.0, 0.0, 0.5, 1.5, 1e300, -INF, INF, NAN)
    for name in ("trunc", "floor", "ceil"):
        case(name, anywhere[name], whole, edge=True, signs=True)
    case("neg", torch.neg, f64(0.0, -0.0, 3), edge=True, signs=True)


def add_binary() -> None:
    x, y = rand(2, 3, seed="x"), rand(2, 3, seed="y", low=0.5)
    row, column = rand(3, seed="row", low=0.5), rand(2, 1, seed="column", low=0.5)
    functions = {
        "add": torch.add,
        "sub": torch.sub,
        "mul": torch.mul,
        "div": torch.div,
        "mod": torch.fmod,
        "maximum": torch.maximum,
        "minimum": torch.minimum,
    }
    for name, fn in functions.items():
        case(name, fn, x, y)
        case(name, fn, row, column)
        if name != "mod":
            case(name, fn, f64(1, INF, NAN, 0), f64(0, INF, 1, NAN), edge=True)
    for name in ("add", "sub", "mul", "div"):
        case(f"{name} reverse", lambda a, b, f=functions[name]: f(b, a), y, column)
    case("pow", torch.pow, y, x)
    case("pow reverse", lambda a, b: torch.pow(b, a), x, y)
    for exponent in (2, 3, 0.5, -1, 0, 1, -2, 2.5):
        case(f"pow {exponent}", lambda a, e=exponent: a**e, rand(3, low=0.5))
    for exponent in (2, 3, 1, 0, 0.5, -1):
        case(f"pow {exponent}", lambda a, e=exponent: a**e, f64(0, -0.0), edge=True)
    case("pow", torch.pow, f64(0, 0, 0, 2, -2, -2), f64(0, 2, -1, 0, 2, 3), edge=True)
    case("pow", torch.pow, f64(1, NAN, 1, 0), f64(NAN, 0, INF, 0.5), edge=True)
    case("maximum", torch.maximum, f64(1, 2, 0), f64(1, 3, 0), edge=True)
    case("minimum", torch.minimum, f64(1, 2, 0), f64(1, 3, 0), edge=True)
    case("mul", torch.mul, f64(-1, 0, 0), f64(0, -0.0, INF), edge=True, signs=True)
    case("add", torch.add, f64(-0.0, 0), f64(-0.0, -0.0), edge=True, signs=True)

    compared = (f64(1, 2, 3, NAN, -0.0, INF), f64(2, 2, 1, NAN, 0, INF))
    comparisons = {
        "less": torch.lt,
        "equal": torch.eq,
        "<": torch.lt,
        ">": torch.gt,
        "<=": torch.le,
        ">=": torch.ge,
        "==": torch.eq,
        "!=": torch.ne,
    }
    for name, fn in comparisons.items():
        case(name, fn, *compared, edge=True)
    mask = torch.tensor([[True], [False]])
    case("where", torch.where, mask, x, y)
    # The branch that is not taken has no influence, whatever it is.
    case("where", torch.where, ints(1, 0).bool(), f64(1, NAN), f64(INF, 2), edge=True)
    case(
        "where sqrt",
        lambda a: torch.where(a > 0, torch.sqrt(torch.where(a > 0, a, 1.0)), -a),
        f64(-4, 9),
        edge=True,
    )
    case("bitwise_xor", torch.bitwise_xor, ints(5, -1, 12), ints(3, 1, 12))
    case("cast float32", lambda a: a.float(), f64(1.1, -2.7), edge=True)
    case("cast int32", lambda a: a.int(), f64(1.9, -1.9, 0))
    case("float_", lambda a: a.float(), ints(1, 2))
    case("half", lambda a: a.half(), f64(65504, 65519, 65520, 2049, 2051), edge=True)
    case("bitcast", lambda a: a.view(torch.int32), ints(1, 2).float())


def add_promotion() -> None:
    """Where numpy and PyTorch agree."""
    types = {
        "bool": ints(1, 0).bool(),
        "uint8": ints(200, 7, dtype=torch.uint8),
        "int8": ints(-3, 7, dtype=torch.int8),
        "int16": ints(-300, 7, dtype=torch.int16),
        "int32": ints(-70000, 7),
        "int64": ints(-(2**40), 7, dtype=torch.int64),
        "float32": ints(-3, 7).float(),
        "float64": f64(-3, 7),
    }
    for x in types.values():
        for y in types.values():
            agrees = np.add(x.numpy(), y.numpy()).dtype.name
            if agrees == str((x + y).dtype).removeprefix("torch."):
                case("add", torch.add, x, y, edge=True)
            if not (x.is_floating_point() or y.is_floating_point()):
                case("div float32", lambda a, b: (a / b).float(), x, y, edge=True)
    case("div", torch.div, ints(7, -7, 5), ints(2, 2, 0), edge=True)


def add_movement() -> None:
    x = rand(2, 3, seed="movement")
    case("reshape", lambda a: a.reshape(3, 2), x)
    case("permute", lambda a: a.permute(2, 0, 1), rand(2, 3, 2))
    case("transpose", lambda a: a.T, x)
    case("T", lambda a: a.T, x)
    case("expand", lambda a: a.expand(2, 3), rand(3))
    case("pad", lambda a: F.pad(a, (0, 2, 1, 0)), x)
    case("pad value=inf", lambda a: F.pad(a, (0, 2, 1, 0), value=INF), x, edge=True)
    case("pad2d", lambda a: F.pad(a, (1, 0, -1, 2), value=3), x)
    case("shrink", lambda a: a[0:1, 1:3], x)
    case("slice", lambda a: F.pad(a, (1, 0, 0, 2), value=5)[1:4, 0:3], x)
    case("flip", lambda a: a.flip(1), x)
    case("stride", lambda a: a[:, ::2].flip(0), x)
    case("unsqueeze", lambda a: a.unsqueeze(-1), x)
    case("squeeze", lambda a: a.squeeze(), rand(1, 3, 1))
    case("squeeze axis=0", lambda a: a.squeeze(0), rand(1, 3, 1))
    case("flatten", lambda a: a.flatten(1), rand(2, 3, 2))
    case("repeat", lambda a: a.repeat(2, 1, 2), x)
    case("cat", lambda a, b: torch.cat([a, b], 1), x, rand(2, 2))
    case("stack", lambda a, b: torch.stack([a, b], -1), x, rand(2, 3, seed="other"))
    case("chunk", lambda a: torch.chunk(a, 2, 1)[1], rand(2, 5))
    case("split", lambda a: torch.split(a, 2, 1)[2], rand(2, 5))
    square = rand(3, 4)
    for k in (-1, 0, 2, 9):
        case(f"triu k={k}", lambda a, k=k: a.triu(k), square)
        case(f"tril k={k}", lambda a, k=k: a.tril(k), square)
    case("tril k=0", lambda a: a.tril(), f64([1, NAN], [INF, 2]), edge=True)
    case("detach", lambda a: a.detach(), x)
    case("contiguous", lambda a: a.contiguous(), x)
    case("contiguous_backward", lambda a: a * 1, x)


def add_indexing() -> None:
    x = rand(3, 4, 2)
    i, j = ints(2, 0, 2, dtype=torch.int64), ints(1, -1, 3, dtype=torch.int64)
    table = ints([0, -1], [2, 2], dtype=torch.int64)
    case("getitem slices", lambda a: a.flip(0)[0:3:2, None, 1], x)
    case("getitem [i]", lambda a, b: a[b], x, i)
    case("getitem [table]", lambda a, b: a[b], x, table)
    case("getitem [:, j]", lambda a, b: a[:, b], x, j)
    case("getitem [i, j]", lambda a, b, c: a[b, c], x, i, j)
    case("getitem [table, None, j0]", lambda a, b, c: a[b, None, c], x, table, j[:2])
    case("getitem [..., 1:3, one]", lambda a, b: a[..., 1:3, b], x, ints(1).long())
    case("getitem [i, :, one]", lambda a, b, c: a[b, :, c], x, i, ints(1).long())
    case("getitem [1, :, one]", lambda a, b: a[1, :, b], x, ints(1, 0).long())
    case("getitem [::-2, j]", lambda a, b: a.flip(0)[::2][:, b], x, j)
    special = f64(-INF, 2, INF, -0.0, NAN)
    case(
        "getitem [i]",
        lambda a, b: a[b],
        special,
        ints(3, 0, 1, 4).long(),
        edge=True,
        signs=True,
    )
    for axis in range(3):
        index = torch.tensor(np.arange(12).reshape(2, 3, 2) * 5 % 2)
        case(f"gather axis={axis}", lambda a, b, d=axis: a.gather(d, b), x, index)
    case(
        "gather axis=0",
        lambda a, b: a.gather(0, b),
        special,
        ints(0, 3, 2, 0).long(),
        edge=True,
        signs=True,
    )

    def set_in(place):
        def fn(a, v, *index):
            result = a.clone()
            place(result, v, *index)
            return result

        return fn

    def slices(a, v):
        a[1:, ::2] = v

    def position(a, v):
        a[1] = v

    def tensor(a, v, b):
        a[b] = v

    def tensors(a, v, b, c):
        a[:, b, c] = v

    case("setitem [1:, ::2]", set_in(slices), x, rand(2))
    case("setitem [1]", set_in(position), x, rand(4, 2))
    case("setitem [i]", set_in(tensor), x, rand(2, 4, 2), ints(2, 0).long())
    case(
        "setitem [:, i, one]",
        set_in(tensors),
        x,
        rand(3, 2),
        ints(3, -3).long(),
        ints(1).long(),
    )


def add_reduces() -> None:
    x = rand(2, 3, 2, seed="reduce")
    axes = {"": None, " axis=1": (1,), " axis=-1": (-1,), " axis=0,2": (0, 2)}
    every = (0, 1, 2)
    for text, axis in axes.items():
        over = every if axis is None else axis
        case(f"sum{text}", lambda a, o=over: a.sum(o), x)
        case(f"mean{text}", lambda a, o=over: a.mean(o), x)
        case(f"max{text}", lambda a, o=over: a.amax(o), x)
        case(f"min{text}", lambda a, o=over: a.amin(o), x)
        case(f"var{text}", lambda a, o=over: a.var(o), x)
        case(f"std{text}", lambda a, o=over: a.std(o), x)
    case("sum keepdim", lambda a: a.sum(1, keepdim=True), x)
    case("std correction=0", lambda a: a.std((0, 1, 2), unbiased=False), x)
    ties = f64([2, 2, 1], [3, 3, 3])
    case("max axis=1", lambda a: a.amax(1), ties, edge=True)
    case("min axis=1", lambda a: a.amin(1), ties, edge=True)
    case("max", lambda a: a.amax(0), f64(1, 3, 3, 2), edge=True)
    for values in ((NAN, 1, 2), (1, NAN, 2), (1, 2, NAN)):
        case("max", lambda a: a.detach().max(), f64(*values), edge=True)
        case("min", lambda a: a.detach().min(), f64(*values), edge=True)
        case("argmax", lambda a: a.argmax(), f64(*values), edge=True)
    case("std axis=1", lambda a: a.std(1), ties, edge=True)
    case("mean", lambda a: a.mean(), f64(), edge=True)
    case("sum", lambda a: a.sum(), f64(), edge=True)
    case(
        "sum axis=1",
        lambda a: a.sum(1),
        torch.zeros(2, 0, dtype=torch.float64),
        edge=True,
    )
    case(
        "mean",
        lambda a: a.detach().float().mean().half(),
        ints(60000, 60000, 60000).half(),
        edge=True,
    )
    case("sum", lambda a: a.sum(), torch.ones(300).bool(), edge=True)
    case("cumsum", lambda a: a.cumsum(0), x)
    case("cumsum axis=1", lambda a: a.cumsum(1), x)
    case("cumsum", lambda a: a.cumsum(0), f64(1, INF, -INF, 2), edge=True)
    case("cumsum", lambda a: a.detach().cumsum(0), rand(600, low=-1, high=1), edge=True)
    case("softmax", lambda a: a.softmax(-1), x)
    case("softmax axis=0", lambda a: a.softmax(0), x)
    case("log_softmax", lambda a: a.log_softmax(-1), x)
    case("log_softmax axis=0", lambda a: a.log_softmax(0), x)
    rows = f64([1000, 1000, 0], [-INF, 0, 1], [-INF, -INF, -INF])
    case("softmax", lambda a: a.softmax(-1), rows, edge=True)
    case("log_softmax", lambda a: a.log_softmax(-1), rows[:1], edge=True)
    positions = f64([1, 5, 5], [7, 2, 0])
    case("argmax", lambda a: a.argmax(), positions)
    case("argmax axis=1", lambda a: a.argmax(1), positions)
    case("argmin", lambda a: a.argmin(), positions)
    case("argmin axis=0", lambda a: a.argmin(0), positions)


def add_contractions() -> None:
    shapes = (
        ((2, 3), (3, 4)),
        ((3,), (3,)),
        ((2, 2, 3), (3, 2)),
        ((2, 1, 2, 3), (2, 3, 2)),
    )
    for left, right in shapes:
        case("dot", torch.matmul, rand(*left), rand(*right, seed="w"))
    case("matmul", torch.matmul, rand(2, 3), rand(3, 2))
    case("matmul reverse", lambda a, b: b @ a, rand(2, 3), rand(3, 2))
    case(
        "dot",
        torch.matmul,
        torch.zeros(3, 0).double(),
        torch.zeros(0, 2).double(),
        edge=True,
    )
    formulas = {
        "ij,jk->ik": ((2, 3), (3, 2)),
        "ij->ji": ((2, 3),),
        "ij->": ((2, 3),),
        "ii->i": ((3, 3),),
        "ii": ((3, 3),),
        "bij,bjk": ((2, 2, 3), (2, 3, 2)),
        "...ij,...jk->...ik": ((2, 2, 3), (3, 2)),
        "i,j,k->kij": ((2,), (3,), (2,)),
        "bnhd,bmhd->bhnm": ((1, 2, 2, 3), (1, 3, 2, 3)),
    }
    for formula, given in formulas.items():
        inputs = [rand(*shape, seed=f"{k}") for k, shape in enumerate(given)]
        case(f"einsum {formula}", lambda *a, f=formula: torch.einsum(f, *a), *inputs)
    case("linear", lambda a, w, b: a @ w + b, rand(2, 3), rand(3, 2), rand(2))
    x, weight, bias = rand(1, 4, 5, 6), rand(4, 2, 3, 2), rand(4)
    case(
        "conv2d groups=2", lambda a, w, b: F.conv2d(a, w, b, groups=2), x, weight, bias
    )
    case(
        "conv2d stride=2,1 padding=1 dilation=1,2",
        lambda a, w: F.conv2d(a, w, stride=(2, 1), padding=1, dilation=(1, 2)),
        rand(1, 2, 5, 6),
        rand(3, 2, 3, 2),
    )
    case("conv2d", lambda a, w: F.conv1d(a, w), rand(2, 2, 5), rand(2, 2, 3))
    small = rand(1, 2, 3, 3)
    case(
        "conv_transpose2d",
        lambda a, w: F.conv_transpose2d(a, w),
        small,
        rand(2, 2, 2, 3),
    )
    case(
        "conv_transpose2d stride=2 padding=1 output_padding=1",
        lambda a, w, b: F.conv_transpose2d(a, w, b, 2, 1, 1),
        small,
        rand(2, 2, 3, 3),
        rand(2),
    )
    case(
        "conv_transpose2d groups=2 dilation=2,1 stride=3,2",
        lambda a, w: F.conv_transpose2d(a, w, stride=(3, 2), groups=2, dilation=(2, 1)),
        small,
        rand(2, 2, 2, 2),
    )
    case(
        "conv_transpose2d padding=2",
        lambda a, w: F.conv_transpose2d(a, w, padding=2),
        small,
        rand(2, 1, 3, 3),
    )
    image = rand(1, 2, 5, 6, seed="image")
    case("max_pool2d", lambda a: F.max_pool2d(a, 2), image)
    case("avg_pool2d", lambda a: F.avg_pool2d(a, 2), image)
    case(
        "max_pool2d 3 stride=1 dilation=2",
        lambda a: F.max_pool2d(a, (2, 3), 1, 0, 2),
        image,
    )
    case("avg_pool2d 2,3 stride=2,1", lambda a: F.avg_pool2d(a, (2, 3), (2, 1)), image)


def add_networks() -> None:
    def attend(q, k, v, mask=None):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None and mask.dtype == torch.bool:
            scores = scores.masked_fill(~mask, -INF)
        elif mask is not None:
            scores = scores + mask
        return scores.softmax(-1) @ v

    q, k, v = rand(2, 3, 4, seed="q"), rand(2, 3, 4, seed="k"), rand(2, 3, 2, seed="v")
    name = "scaled_dot_product_attention"
    case(name, attend, q, k, v)
    case(f"{name} mask", attend, q, k, v, rand(3, 3))
    case(f"{name} mask", attend, q, k, v, ints([1, 0, 1], [1, 1, 0], [0, 0, 1]).bool())
    causal = torch.ones(3, 3).tril().bool()
    case(f"{name} causal", lambda a, b, c: attend(a, b, c, causal), q, k, v)

    x = rand(2, 3, 2, 2)
    mean, invstd = rand(3, seed="mean"), rand(3, low=0.5, seed="invstd")
    shape = (1, 3, 1, 1)
    case(
        "batchnorm",
        lambda a, w, b, m, s: (
            (a - m.reshape(shape)) * w.reshape(shape) * s.reshape(shape)
            + b.reshape(shape)
        ),
        x,
        rand(3, seed="weight"),
        rand(3, seed="bias"),
        mean,
        invstd,
    )
    case(
        "batchnorm plain",
        lambda a, m, s: (a - m.reshape(shape)) * s.reshape(shape),
        x,
        mean,
        invstd,
    )
    case("layernorm", lambda a: F.layer_norm(a, (3,)), rand(2, 3))
    case("layernorm axes=1,2", lambda a: F.layer_norm(a, (2, 2)), rand(2, 2, 2))
    labels = ints(1, -1, 2, dtype=torch.int64)
    case(
        "sparse_categorical_crossentropy",
        lambda a, b: F.cross_entropy(a, b, ignore_index=-1),
        rand(3, 3),
        labels,
    )
    probability, target = rand(4, low=0.1, high=0.9), rand(4, low=0, high=1)
    case("binary_crossentropy", F.binary_cross_entropy, probability, target)
    case(
        "binary_crossentropy_logits",
        F.binary_cross_entropy_with_logits,
        rand(4) * 3,
        target,
    )
    logits = f64(0, 1000, -1000)
    case(
        "binary_crossentropy_logits",
        F.binary_cross_entropy_with_logits,
        logits,
        f64(0.25, 1, 0),
        edge=True,
    )
    case("one_hot", lambda a: F.one_hot(a, 3), ints(2, 0, dtype=torch.int64))


def add_creation() -> None:
    like = rand(2, 2)
    case("zeros", lambda: torch.zeros(2, 3))
    case("ones", lambda: torch.ones(2, 3))
    case("full", lambda: torch.full((2,), 2.5))
    case("eye", lambda: torch.eye(3))
    case("arange 5", lambda: torch.arange(5))
    case("arange 5, -3, -2", lambda: torch.arange(5, -3, -2))
    case("arange 0, 1, 0.25", lambda: torch.arange(0, 1, 0.25))
    case("zeros_like", lambda a: torch.zeros_like(a), like)
    case("ones_like", lambda a: torch.ones_like(a), like)
    case("full_like", lambda a: torch.full_like(a, 3), like)


def main() -> None:
    add_unary()
    add_binary()
    add_promotion()
    add_movement()
    add_indexing()
    add_reduces()
    add_contractions()
    add_networks()
    add_creation()
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in cases)
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(
        f"{len(cases)} cases, {sum('grads' in entry for entry in cases)} with gradients"
    )


if __name__ == "__main__":
    main()
