#!/usr/bin/env python3
"""Compares a step of training in tinygrad-mlir with the same step in PyTorch.

Both train the network of examples/digits on the CPU: forward, backward, Adam, on
batches of the same digits, from the same first weights, on as many threads. The
losses of the first steps, taken without dropout, have to agree; then both take
turns, and the medians of the steps of all turns and of the turns' ratios are
printed. Exit code 1 if the losses differ.

Needs a Python that imports torch: on Debian, `apt install python3-torch` and run
this with /usr/bin/python3. Where there is none, the comparison is skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

try:
    import torch
    from torch import nn
except ImportError as error:
    torch, missing = None, str(error)

ROOT = Path(__file__).resolve().parents[2]

# As in examples/digits/Model.cpp and in DigitsStepBenchmark.cpp.
LEARNING_RATE = 0.008
DROPOUT = 0.2

LOSS_TOLERANCE = 1e-3
WARM_UP = 3


def load_safetensors(path: Path) -> dict[str, torch.Tensor]:
    """The tensors of a file, which holds only float32 and int32."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    types = {"F32": torch.float32, "I32": torch.int32}
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        flat = torch.frombuffer(bytearray(data[begin:end]), dtype=types[entry["dtype"]])
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


def make_peer_model() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(DROPOUT),
        nn.Linear(32 * 4 * 4, 10),
    )


class Peer:
    """The steps in PyTorch."""

    # Our names of the layers, and their places in the peer's model.
    LAYERS = {"conv1": 0, "conv2": 3, "linear": 7}

    def __init__(self, start: dict[str, torch.Tensor], threads: int) -> None:
        torch.set_num_threads(threads)
        self.model = make_peer_model()
        state = {}
        for name, tensor in start.items():
            if name.startswith("model."):
                _, layer, field = name.split(".")
                state[f"{self.LAYERS[layer]}.{field}"] = tensor
        self.model.load_state_dict(state)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=LEARNING_RATE)
        self.loss = nn.CrossEntropyLoss()
        count = sum(name.startswith("images.") for name in start)
        self.batches = [
            (start[f"images.{i}"], start[f"labels.{i}"].long()) for i in range(count)
        ]
        self.steps = 0

    def step(self) -> float:
        images, labels = self.batches[self.steps % len(self.batches)]
        self.steps += 1
        self.optimizer.zero_grad()
        loss = self.loss(self.model(images), labels)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def losses(self, count: int) -> list[float]:
        self.model.eval()
        result = [self.step() for _ in range(count)]
        self.model.train()
        return result

    def times(self, count: int) -> list[float]:
        """The milliseconds of each of `count` steps."""
        result = []
        for _ in range(count):
            start = time.perf_counter()
            self.step()
            result.append(1e3 * (time.perf_counter() - start))
        return result


class Ours:
    """Our steps, in a process that waits for its turns."""

    def __init__(self, program: Path, batch: int, threads: int, save: Path) -> None:
        self.process = subprocess.Popen(
            [program, "--turns", "--batch", str(batch), "--threads", str(threads)]
            + ["--save", save],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.facts = self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args[0]} ended too early")
        return json.loads(line)

    def times(self, count: int) -> list[float]:
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        return self.read()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def compare(options: argparse.Namespace, threads: int, save: Path) -> bool:
    """Prints a row of the table; returns whether the losses agree."""
    ours = Ours(options.program, options.batch, threads, save)
    peer = Peer(load_safetensors(save), threads)
    our_losses = ours.facts["losses"]
    peer_losses = peer.losses(len(our_losses))
    difference = max(abs(a - b) for a, b in zip(our_losses, peer_losses))
    agree = difference <= LOSS_TOLERANCE

    our_times, peer_times, ratios = [], [], []
    for _ in range(options.turns):
        turn = []
        for side, times in ((ours, our_times), (peer, peer_times)):
            # Threads that still spin belong to the other side's turn.
            time.sleep(0.02)
            measured = side.times(WARM_UP + options.steps)[WARM_UP:]
            times += measured
            turn.append(statistics.median(measured))
        ratios.append(turn[0] / turn[1])
    ours.close()

    print(
        f"{threads:7} {statistics.median(our_times):10.3f} {min(our_times):10.3f} "
        f"{statistics.median(peer_times):11.3f} {min(peer_times):11.3f} "
        f"{statistics.median(ratios):8.2f} {ours.facts['compile_ms']:11.0f} "
        f"{difference:12.1e}{'' if agree else '  the losses differ'}"
    )
    return agree


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--program",
        type=Path,
        default=ROOT / "build-release/bin/digits-step-benchmark",
        help="digits-step-benchmark (default: that of the preset release)",
    )
    parser.add_argument("--batch", type=int, default=64, help="default: 64")
    parser.add_argument(
        "--threads",
        type=int,
        nargs="+",
        default=sorted({1, len(os.sched_getaffinity(0))}),
        help="numbers of threads (default: 1, and one per core)",
    )
    parser.add_argument("--turns", type=int, default=15, help="default: 15")
    parser.add_argument(
        "--steps", type=int, default=40, help="steps in a turn (default: 40)"
    )
    options = parser.parse_args()
    if not options.program.exists():
        parser.error(f"{options.program} is missing: build it, or name it by --program")
    if torch is None:
        print(f"skipped: {sys.executable} has no PyTorch ({missing})")
        return 0

    print(
        f"batch {options.batch}, {options.turns} turns of {options.steps} steps; "
        f"PyTorch {torch.__version__}, Python {platform.python_version()}"
    )
    print(
        f"{'threads':>7} {'ours ms':>10} {'best':>10} {'PyTorch ms':>11} "
        f"{'best':>11} {'ratio':>8} {'compile ms':>11} {'losses off by':>12}"
    )
    with tempfile.TemporaryDirectory() as folder:
        save = Path(folder) / "start.safetensors"
        agree = [compare(options, threads, save) for threads in options.threads]
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
