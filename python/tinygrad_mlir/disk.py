"""Tensors in files."""

from __future__ import annotations

import os


def prepare_file(device: str, num_bytes: int) -> None:
    """Makes the file that a new tensor on device `disk:PATH` is in.

    One that has bytes stays as it is.
    Errors: OSError if the file cannot be made.
    """
    path = device.partition(":")[2]
    if path.startswith("shm:"):
        path = "/dev/shm/" + path[len("shm:") :]
    if os.path.exists(path) and os.path.getsize(path):
        return
    with open(path, "ab") as file:
        file.truncate(num_bytes)
