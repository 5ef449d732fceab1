"""Learns handwritten digits, as a user of tinygrad writes it: python digits.py.

Two convolutions, a linear layer, Adam and TinyJit: what examples/digits does in C++.
"""

from __future__ import annotations

import argparse
import gzip
import math
import pathlib
import time

import numpy as np
from tinygrad_mlir import Tensor, TinyJit, dtypes, nn
from tinygrad_mlir.nn.state import get_parameters, get_state_dict, safe_save

try:
    from tqdm import trange
except ImportError:
    trange = range

DATA = pathlib.Path(__file__).parents[2] / "examples/digits/data/digits.csv.gz"
LEARNING_RATE = 0.008


class Model:
    """Shapes: [N, 1, 8, 8] gives the logits [N, 10]."""

    def __init__(self) -> None:
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.linear = nn.Linear(32 * 4 * 4, 10)

    def __call__(self, x: Tensor) -> Tensor:
        x = self.conv1(x).relu().max_pool2d()
        x = self.conv2(x).relu()
        return self.linear(x.flatten(1).dropout(0.2))


def read_digits(path: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
    """Returns images [N, 1, 8, 8] from 0 to 1, and their digits [N]."""
    with gzip.open(path) as file:
        rows = np.loadtxt(file, delimiter=",", dtype=np.float32)
    return rows[:, :64].reshape(-1, 1, 8, 8) / 16, rows[:, 64].astype(np.int32)


def train(
    model: Model, images: np.ndarray, digits: np.ndarray, steps: int, batch_size: int
) -> float:
    """Takes steps of training; returns the seconds of a step once it is captured."""
    optimizer = nn.optim.Adam(get_parameters(model), lr=LEARNING_RATE)
    random = np.random.default_rng(0)

    @TinyJit
    def step(x: Tensor, y: Tensor) -> Tensor:
        optimizer.zero_grad()
        loss = model(x).sparse_categorical_crossentropy(y)
        loss.backward()
        optimizer.step()
        return loss.realize()

    seconds: list[float] = []
    with Tensor.train():
        for i in (bar := trange(steps)):
            start = time.perf_counter()
            chosen = random.integers(0, len(images), batch_size)
            # There are few images: each moves by a column or not at all.
            moved = np.roll(images[chosen], random.integers(-1, 2), axis=3)
            rate = LEARNING_RATE * 0.5 * (1 + math.cos(math.pi * i / steps))
            optimizer.lr.assign(Tensor([rate]))
            loss = step(Tensor(moved), Tensor(digits[chosen], dtype=dtypes.int32))
            value = loss.item()
            seconds.append(time.perf_counter() - start)
            if hasattr(bar, "set_description"):
                bar.set_description(f"loss {value:.4f}")
    return float(np.median(seconds[3:])) if steps > 3 else math.nan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--save", help="where the weights go")
    options = parser.parse_args()

    Tensor.manual_seed(0)
    images, digits = read_digits(DATA)
    order = np.random.default_rng(1998).permutation(len(images))
    held_out = (len(images) + 4) // 5
    learn, test = order[:-held_out], order[-held_out:]
    model = Model()
    start = time.perf_counter()
    seconds = train(model, images[learn], digits[learn], options.steps, batch_size=64)
    answers = model(Tensor(images[test])).argmax(axis=1).numpy()
    accuracy = (answers == digits[test]).mean()
    if options.save:
        safe_save(get_state_dict(model), options.save)
    print(f"{options.steps} steps, {seconds * 1e3:.2f} ms per step")
    print(
        f"held-out accuracy: {accuracy:.1%} ({held_out} digits) "
        f"in {time.perf_counter() - start:.1f} s"
    )


if __name__ == "__main__":
    main()
