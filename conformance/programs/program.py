"""A program in the making, and the tensors that stand in it."""

from __future__ import annotations

import contextlib
import random

import numpy
from differential_worker import PRELUDE
from tinygrad_mlir import Tensor

DTYPES = (
    ["float32"] * 10
    + ["int32"] * 4
    + ["bool", "bool", "float16", "float64", "int64", "int8", "int16"]
)


def get_type(x: Tensor) -> str:
    """The name of numpy for the type of a tensor."""
    return numpy.dtype(x.dtype.np).name


class Program:
    """A program in the making."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.scope: dict = {}
        exec(PRELUDE.replace("tinygrad", "tinygrad_mlir"), self.scope)
        self.tensors: list[str] = []
        self.count = 0
        # Large tensors are those for which kernels are split and vectorized.
        self.is_large = self.chance(0.15)
        extents = (3, 4, 7, 16, 20, 33) if self.is_large else (1, 2, 3, 4, 5)
        self.base = [self.rng.choice(extents) for _ in range(4)]

    # --- Choices ----------------------------------------------------------------

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def pick(self, *choices):
        return self.rng.choice(choices)

    def shape(self, rank: int | None = None) -> tuple[int, ...]:
        """A shape that broadcasts with most others of the program."""
        rank = self.rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4)) if rank is None else rank
        rank = min(rank, 4)
        shape = [1 if self.chance(0.15) else n for n in self.base[4 - rank :]]
        if rank and self.chance(0.03):
            shape[self.rng.randrange(rank)] = 0
        return tuple(shape)

    def axis(self, rank: int) -> int:
        slack = 1 if self.chance(0.05) else 0
        return self.rng.randint(-max(rank, 1) - slack, max(rank, 1) - 1 + slack)

    def axes(self, rank: int) -> str:
        """An argument `axis` of a reduce."""
        kind = self.rng.random()
        if kind < 0.3:
            return "None"
        if kind < 0.7:
            return str(self.axis(rank))
        chosen = self.rng.sample(range(rank), self.rng.randint(0, rank))
        chosen = [a - rank if self.chance(0.3) else a for a in chosen]
        return repr(tuple(chosen) if self.chance(0.7) else chosen)

    def keepdim(self) -> str:
        return self.pick("", "", ", keepdim=True", ", keepdim=False")

    def scalar(self, name: str = "") -> str:
        """A number beside a variable: where that has integers, it is whole."""
        whole = ["2", "-1", "0", "1", "3", "7", "100", "np.int64(3)"]
        if not name or self.get(name).is_floating_point():
            whole += ["0.5", "-1.5", "2.0", "True", "False", "1e-3", "np.float32(1.5)"]
        return self.rng.choice(whole)

    def number(self, dtype: str, mode: str):
        rng = self.rng
        if dtype == "bool":
            return rng.random() < 0.5
        if dtype.startswith(("int", "uint")):
            least = 0 if dtype.startswith("u") else -9
            if mode == "special":
                return rng.choice((least, 0, 1, 100, 127))
            return rng.randint(least, 9)
        if mode == "special" and rng.random() < 0.3:
            return rng.choice(("nan", "inf", "-inf", -0.0, 1e30, 1e-30))
        return rng.choice((rng.randint(-12, 12) / 4, round(rng.gauss(0, 1.5), 3)))

    def values(self, shape: tuple[int, ...], dtype: str) -> str:
        mode = "special" if self.chance(0.04) else "plain"

        def nest(rest: tuple[int, ...]) -> str:
            if not rest:
                text = str(self.number(dtype, mode))
                return f"float('{text}')" if text[-1] in "nf" else text
            return "[" + ", ".join(nest(rest[1:]) for _ in range(rest[0])) + "]"

        return nest(shape)

    # --- Tensors ----------------------------------------------------------------

    def tensor(self, shape: tuple[int, ...] | None = None, dtype: str = "") -> str:
        """An expression that makes a tensor."""
        shape = self.shape() if shape is None else shape
        dtype = dtype or self.rng.choice(DTYPES)
        grad = self.pick("", "", ", requires_grad=False", ", requires_grad=True")
        if "True" in grad and "float" not in dtype:
            grad = ""
        if numpy.prod(shape) > 200:
            start, step = self.rng.randint(0, 100), self.rng.choice((7, 37, 55))
            numbers = f"np.arange({start}, {start + numpy.prod(shape)}) * {step} % 101"
            numbers = f"({numbers} - 50) {'/ 16' if 'float' in dtype else '// 6'}"
            return f"Tensor(({numbers}).astype('{dtype}').reshape({shape}){grad})"
        data = self.values(shape, dtype)
        if 0 in shape or dtype != "float32" or self.chance(0.4):
            source = f"np.array({data}, dtype='{dtype}')"
            source += f".reshape({shape})" if 0 in shape else ""
            return f"Tensor({source}{grad})"
        return f"Tensor({data}{grad})"

    def creation(self) -> str:
        shape = self.shape()
        args = str(shape) if self.chance(0.6) else ", ".join(map(str, shape)) or "()"
        dtype = f", dtype=dtypes.{self.rng.choice(DTYPES)}" if self.chance(0.5) else ""
        n = self.rng.randint(-3, 6)
        return self.pick(
            f"Tensor({self.scalar()}{dtype})",
            f"Tensor({self.values(shape, 'float32')}{dtype})",
            f"Tensor({self.values(shape, 'int32')}{dtype})",
            f"Tensor({self.values(shape, 'bool')}{dtype})",
            f"Tensor(np.array({self.values(shape, 'int32')}){dtype})",
            f"Tensor(None{dtype})",
            f"Tensor.zeros({args}{dtype})",
            f"Tensor.ones({args}{dtype})",
            f"Tensor.full({shape}, {self.scalar()}{dtype})",
            f"Tensor.full({shape}, fill_value={self.scalar()}{dtype})",
            f"Tensor.arange({self.rng.randint(1, 7)}{dtype})",
            f"Tensor.arange({n}, {n + 5}, {self.pick(1, 2, 3)}{dtype})",
            f"Tensor.arange({n + 5}, {n}, {self.pick(-1, -2)}{dtype})",
            f"Tensor.arange({n}, {n + 3}, {self.pick(0.5, 0.25)}{dtype})",
            f"Tensor.eye({self.rng.randint(1, 4)}{dtype})",
            f"{self.old()}.zeros_like({dtype[2:]})",
            f"{self.old()}.ones_like({dtype[2:]})",
            f"{self.old()}.full_like({self.scalar()}{dtype})",
        )

    def old(self) -> str:
        """A variable, rather one of the last."""
        while not self.tensors:
            self.add(self.tensor())
        return self.rng.choice(self.tensors[-4:] + self.tensors)

    def get(self, name: str) -> Tensor:
        return self.scope[name]

    def operand(self, name: str) -> str:
        """An operand beside a variable."""
        kind = self.rng.random()
        x = self.get(name)
        if kind < 0.3:
            return self.scalar(name)
        if kind < 0.5:
            other = self.old()
            if self.get(other).dtype == x.dtype or self.chance(0.1):
                return other
        shape = x.shape[self.rng.randint(0, x.ndim) :] if x.ndim else self.shape()
        shape = tuple(1 if self.chance(0.2) else n for n in shape)
        return self.tensor(shape, "" if self.chance(0.1) else get_type(x))

    def add(self, expression: str) -> str:
        """Adds `v = expression` and returns the variable."""
        name = self.name()
        self.do(f"{name} = {expression}")
        value = self.scope.get(name)
        limit = 100000 if self.is_large else 4000
        if isinstance(value, Tensor) and value.numel() <= limit:
            self.tensors.append(name)
        return name

    def name(self) -> str:
        """A variable of its own, for statements that compute what it is."""
        self.count += 1
        return f"v{self.count - 1}"

    def do(self, line: str, runs: bool = True) -> None:
        """Adds a statement, and runs it unless it computes tensors."""
        self.lines.append(line)
        if runs:
            with contextlib.suppress(Exception):
                exec(line, self.scope)
