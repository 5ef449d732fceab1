"""Expressions of elements, shapes and positions."""

from __future__ import annotations

import numpy

from .program import DTYPES, Program, get_type

# Of floats alone; then of numbers.
FLOAT_UNARY = [
    "log",
    "log2",
    "exp",
    "exp2",
    "sigmoid",
    "sin",
    "sqrt",
    "rsqrt",
    "cos",
    "tan",
    "reciprocal",
    "elu",
    "celu",
    "swish",
    "silu",
    "hardswish",
    "tanh",
    "sinh",
    "cosh",
    "atanh",
    "asinh",
    "acosh",
    "gelu",
    "quick_gelu",
    "leakyrelu",
    "mish",
    "softplus",
    "softsign",
]
UNARY = [
    "neg",
    "relu",
    "trunc",
    "ceil",
    "floor",
    "square",
    "abs",
    "sign",
    "relu6",
    "contiguous",
    "contiguous_backward",
    "detach",
    "float",
    "half",
]
OPERATORS = [
    "+",
    "-",
    "*",
    "/",
    "+",
    "-",
    "*",
    "/",
    "**",
    "<",
    ">",
    "<=",
    ">=",
    "==",
    "!=",
    "@",
    "^",
]


def elementwise(p: Program) -> str:
    x = p.old()
    kind = p.rng.random()
    is_float = p.get(x).is_floating_point()
    if get_type(p.get(x)) == "bool" and not p.chance(0.1):
        return p.pick(
            f"{x}.where({p.operand(x)}, {p.operand(x)})",
            f"{x}.where({p.scalar()}, {p.scalar()})",
            f"{x}.cast(dtypes.{p.rng.choice(DTYPES)})",
            f"{x} ^ {x}",
            f"{x} == {x}",
        )
    if kind < 0.35:
        return f"{x}.{p.rng.choice(UNARY + FLOAT_UNARY * is_float)}()"
    y, z = p.operand(x), p.operand(x)
    if kind < 0.7:
        op = p.rng.choice(OPERATORS)
        if not is_float and op in ("/", "**"):
            op = "*"
        return f"{x} {op} {y}" if p.chance(0.7) else f"{y} {op} {x}"
    low = p.rng.choice((-2, -1, 0, 3))
    reverse = p.pick("", ", True", ", reverse=True", ", reverse=False")
    whole = [
        f"{x}.{p.pick('add', 'sub', 'mul')}({y}{reverse})",
        f"{x}.maximum({y})",
        f"{x}.minimum({y})",
        f"{x}.where({y}, {z})",
        f"({x} > {p.scalar(x)}).where({x}, {z})",
        f"{x}.clip({low}, {low + 2})",
        f"{x}.cast(dtypes.{p.rng.choice(DTYPES)})",
        f"{x}.bitcast(dtypes.{p.pick('int32', 'uint32', 'float32', 'int16')})",
        f"{x}.dropout()",
    ]
    if not is_float:
        return p.rng.choice(whole)
    return p.pick(
        *whole,
        f"{x}.{p.pick('div', 'pow')}({y}{reverse})",
        f"{x}.clip({low / 2}, {low + 0.5})",
        f"{x}.hardtanh({low}, {low + 1})",
        f"{x}.elu({p.pick(0.5, 2)})",
        f"{x}.celu({p.pick(0.5, 2.0)})",
        f"{x}.leakyrelu({p.pick(0.1, 0.3)})",
        f"{x}.softplus({p.pick(1, 2.0)})",
    )


def movement(p: Program) -> str:
    x = p.old()
    shape, rank = p.get(x).shape, p.get(x).ndim
    order = p.rng.sample(range(rank), rank)
    if p.chance(0.1):
        order = [a - rank for a in order]
    pads = [
        None if p.chance(0.1) else (p.rng.choice((0, 0, 1, 2)), p.rng.choice((0, 0, 1)))
        for _ in shape
    ]
    sides = [p.rng.choice((0, 1, 2, -1)) for _ in range(2 * min(rank, 2))]
    cuts = []
    for n in shape:
        begin = p.rng.randint(0, n)
        cuts.append(None if p.chance(0.2) else (begin, p.rng.randint(begin, n)))
    slices = [
        (p.rng.randint(-1, max(n - 1, 0)), p.rng.randint(n, n + 2)) for n in shape
    ]
    size = p.get(x).numel()
    factors = [n for n in range(1, size + 1) if size % n == 0] or [0, 1]
    first = p.rng.choice(factors)
    a, b = p.axis(rank), p.axis(rank)
    grown = [p.rng.choice((2, 3)) if n == 1 else n for n in shape]
    kept = [-1 if p.chance(0.2) else n for n in grown]
    some = tuple(n if p.chance(0.7) else None for n in shape)
    star = p.pick("{}", "*{}")
    value = p.pick("", f", value={p.pick(1, -2.5, 0)}", f", {p.pick(0.5, 3)}")
    new = (first, size // first) if first else (0, 1)
    if p.chance(0.3):
        new = (p.pick(new[0], -1), new[1], 1) if new[1] else new
    return p.pick(
        f"{x}.reshape({star.format(new)})",
        f"{x}.reshape({list(new)})",
        f"{x}.reshape(-1)",
        f"{x}.reshape({star.format(some)})",
        f"{x}.expand({star.format(tuple(kept))})",
        f"{x}.unsqueeze({p.axis(rank + 1)}).expand({kept})",
        f"{x}.permute({star.format(tuple(order))})",
        f"{x}.permute({order})",
        f"{x}.flip({p.axis(rank)})",
        f"{x}.flip({star.format(tuple(order[:2]))})",
        f"{x}.shrink({tuple(cuts)})",
        f"{x}.pad({tuple(pads)}{value})",
        f"{x}.slice({slices}{value})",
        f"{x}.pad2d({sides}{value})",
        f"{x}.transpose({p.pick('', f'{a}, {b}', f'ax1={a}', f'{a}')})",
        f"{x}.T",
        f"{x}.squeeze({p.pick('', str(a), f'dim={a}')})",
        f"{x}.unsqueeze({p.axis(rank + 1)})",
        f"{x}.flatten({p.pick('', str(a), f'start_dim={abs(a)}')})",
        f"{x}.repeat({p.pick('{}', '{}')}".format(
            [p.rng.choice((1, 2)) for _ in range(rank + p.pick(0, 0, 1))]
        ) + ")",
        f"{x}.cat({x}, {p.old()}, dim={a})",
        f"{x}.cat({p.tensor(shape)}, dim={a})",
        f"Tensor.stack([{x}, {p.tensor(shape)}]{p.pick('', f', dim={a}', f', {a}')})",
        f"{x}.chunk({p.pick(1, 2, 3)}, {a})[{p.pick(0, -1, 1)}]",
        f"{x}.triu({p.pick('', '1', '-1', 'k=2')})",
        f"{x}.tril({p.pick('', '1', '-1', 'k=-2')})",
    )  # fmt: skip


def reduction(p: Program) -> str:
    x = p.old()
    rank = p.get(x).ndim
    axis = p.pick(f"{p.axes(rank)}", f"axis={p.axes(rank)}")
    one = p.axis(rank)
    whole = [
        *(f"{x}.{name}()" for name in ("sum", "max", "min")),
        *(f"{x}.{name}({axis}{p.keepdim()})" for name in ("sum", "max", "sum", "min")),
        f"{x}.cumsum({p.pick('', str(one), f'axis={one}')})",
        f"{x}.argmax({p.pick('', f'{one}', f'axis={one}')})",
        f"{x}.argmin({one}{p.keepdim()})",
        f"{x}.argmax({one}{p.keepdim()})",
    ]
    if get_type(p.get(x)) == "bool":
        return f"{x}.max({axis}{p.keepdim()})"
    if not p.get(x).is_floating_point():
        return p.rng.choice(whole)
    return p.pick(
        *whole,
        *(f"{x}.{name}({axis}{p.keepdim()})" for name in ("mean", "mean", "std")),
        f"{x}.std({p.pick('', f'{one}, correction=0')})",
        f"{x}.softmax({p.pick('', str(one))})",
        f"{x}.log_softmax({p.pick('', f'axis={one}')})",
        f"{x}.layernorm({p.pick('', str(one), 'eps=1e-3')})",
    )


def index(p: Program, n: int) -> str:
    """An index for an axis of n elements."""
    kind = p.rng.random()
    slack = 1 if p.chance(0.05) else 0
    if kind < 0.3:
        return str(p.rng.randint(-n - slack, n - 1 + slack)) if n else "0"
    if kind < 0.7:

        def bound() -> str:
            return "" if p.chance(0.3) else str(p.rng.randint(-n - 1, n + 1))

        step = p.pick("", "", "", ":2", ":-1", ":-2", ":3", ":1")
        return f"{bound()}:{bound()}{step}"
    if kind < 0.8:
        return p.pick("None", "...", ":")
    shape = p.pick((2,), (3,), (2, 2), (1,), ())
    numbers = p.rng.choices(
        range(-n, n) if n else (0,), k=max(1, int(numpy.prod(shape)))
    )
    array = numpy.array(numbers[: int(numpy.prod(shape))]).reshape(shape).tolist()
    if kind < 0.85 and len(shape) == 1:
        return str(array)
    return f"Tensor({array}, dtype=dtypes.int32)"


def indices(p: Program, x: str) -> str:
    shape = p.get(x).shape
    count = p.rng.randint(0, len(shape)) if not p.chance(0.03) else len(shape) + 1
    items = [index(p, n) for n in [*shape, 1][:count]] or [p.pick("...", "None", ":")]
    if p.chance(0.1):
        items.insert(p.rng.randrange(len(items) + 1), p.pick("None", "..."))
    return ", ".join(items)


def indexing(p: Program) -> str:
    x = p.old()
    shape, rank = p.get(x).shape, p.get(x).ndim
    axis = p.rng.randrange(rank) if rank else 0
    picked = p.shape(rank) if rank <= 4 else shape
    picked = tuple(min(a, b) for a, b in zip(picked, shape))
    most = max(shape[axis] if rank else 1, 1)
    data = numpy.array(p.rng.choices(range(most), k=int(numpy.prod(picked))))
    data = data.reshape(picked).tolist()
    if p.chance(0.15) and rank and 0 not in picked:
        dim = p.pick("dim=", "")
        return f"{x}.gather(Tensor({data}, dtype=dtypes.int32), {dim}{axis})"
    return f"{x}[{indices(p, x)}]"
