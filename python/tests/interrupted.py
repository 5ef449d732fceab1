"""Computes until Ctrl-C comes, then goes on.

usage: interrupted.py STAGE, `compile` or `run`. Prints a line when it is at that stage,
and then waits for a signal there, or works for long with `compile-on` and `run-on`.
"""

import os
import signal
import sys
import time

# Whoever runs in the background may ignore it, and so would we.
signal.signal(signal.SIGINT, signal.default_int_handler)
# One thread compiles, so that there is a lot to stop.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.environ["TINYGRAD_THREADS"] = "1"

import numpy as np  # noqa: E402
from tinygrad_mlir import Tensor, _tinygrad  # noqa: E402

stage, _, goes_on = sys.argv[1].partition("-")
reached = (0, 0)
is_announced = False


def note(name, done, total):
    global reached, is_announced
    if name != stage:
        return
    reached = (done, total)
    if not is_announced and done:
        is_announced = True
        print("here", flush=True)
        while not goes_on:
            time.sleep(1)


_tinygrad.set_progress_observer(note, 0, 0)
if stage == "compile":
    # As many kernels, each of another shape.
    count = 1500 if goes_on else 20
    tensors = [(Tensor.ones(i + 2, 7) * 2).sum(0) + i for i in range(count)]
    sample = tensors[3]
else:
    size = 512 if goes_on else 8
    matrix = Tensor(np.eye(size, dtype=np.float32) * 2).realize()
    tensors = [matrix]
    for _ in range(3000 if goes_on else 20):
        tensors = [(tensors[0] @ matrix * 0.5).contiguous()]
    sample = matrix * 3
try:
    Tensor.corealize(tensors)
except KeyboardInterrupt:
    print("interrupted", flush=True)
done, total = reached
assert 0 < done < total, reached
assert not any(x.lazydata.realized for x in tensors)
_tinygrad.set_progress_observer(None)

# What was stopped, or a part of it, and something else.
print(sample.numpy().ravel()[0])
if not goes_on:
    Tensor.corealize(tensors)
    print(tensors[-1].numpy().ravel()[0])
