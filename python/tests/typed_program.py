"""A small program of a user, whose types a checker knows."""

import copy
from typing import Any

import numpy as np
from tinygrad_mlir import Error, Tensor, compiler, dtypes


class Layer:
    def __init__(self, inputs: int, outputs: int) -> None:
        self.weight = Tensor.glorot_uniform(inputs, outputs)
        self.bias = Tensor.zeros(outputs, dtype=dtypes.float32)

    def __call__(self, x: Tensor) -> Tensor:
        return (x @ self.weight + self.bias).relu()


def loss(model: Layer, x: Tensor, y: Tensor) -> Tensor:
    error = 2 * (model(x) - y) / 3.0
    return (error**2).mean(axis=1, keepdim=True).sum()


def step(model: Layer, x: Tensor) -> float:
    value = loss(model, x, -x[:, :2].detach())
    parts: list[Tensor] = x.split(1, dim=0)
    smallest: Tensor = Tensor.stack([part.min() for part in parts])
    mask: Tensor = (smallest > 0) == (smallest >= 0)
    assert mask.shape == (len(parts),)
    return float(value.realize().item())


@compiler.jit
def double(x: Tensor) -> Tensor:
    return x + x


def share(values: "np.ndarray[Any, np.dtype[np.float32]]") -> "np.ndarray[Any, Any]":
    return Tensor.from_buffer(values).numpy()


def explain(text: str) -> list[int]:
    try:
        module: compiler.Module = compiler.parse(text).run("tinygrad-schedule")
        return [function.flops for function in module.functions]
    except Error as error:
        return [diagnostic.line for diagnostic in error.diagnostics]


if __name__ == "__main__":
    model = copy.deepcopy(Layer(3, 2))
    assert step(model, Tensor.rand(4, 3)) >= 0
    assert share(np.ones(2, np.float32)).tolist() == [1, 1]
    assert explain("\nwrong") == [2]
    kernels = compiler.schedule(double(Tensor([1.0])) + 1)
    names: list[str] = [kernel.name for kernel in kernels]
    assert len(names) == 1 and "define" in double.ir("llvm-ir")
    print("ok")
