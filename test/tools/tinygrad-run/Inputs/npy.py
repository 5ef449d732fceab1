#!/usr/bin/env python3
"""Makes and checks .npy files of tests.

    npy.py make OUT.npy EXPRESSION [NAME=FILE.npy ...]
    npy.py check GOT.npy EXPRESSION [NAME=FILE.npy ...] [--rtol R] [--atol A]
    npy.py show IN.npy
    npy.py bytes OUT.npy HEADER [--version N] [--data N] [--length N]

An expression is Python over numpy (np), the arrays that are named, and bf16 and
f32, which turn float32 into the two-byte void that ml_dtypes calls bfloat16, and
back. `check` compares type, shape and values, exactly where no tolerance is
given; NaN equals NaN. `show` prints the array as numpy does. `bytes`
writes a file whose header may be damaged.
"""

from __future__ import annotations

import argparse
import struct
import sys
from pathlib import Path

import numpy as np


def bf16(values) -> np.ndarray:
    """Rounds float32 to the nearest bfloat16, ties to even; NaN stays NaN."""
    bits = np.asarray(values, np.float32).reshape(-1).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    is_nan = (bits & 0x7FFFFFFF) > 0x7F800000
    halves = np.where(is_nan, 0x7FC0, rounded).astype(np.uint16)
    return halves.view("V2").reshape(np.shape(values))


def f32(values: np.ndarray) -> np.ndarray:
    """Widens bfloat16 to float32."""
    bits = np.ascontiguousarray(values).reshape(-1).view(np.uint16)
    return (bits.astype(np.uint32) << 16).view(np.float32).reshape(values.shape)


def evaluate(expression: str, names: list[str]) -> np.ndarray:
    scope = {"np": np, "bf16": bf16, "f32": f32}
    for name in names:
        key, _, path = name.partition("=")
        scope[key] = np.load(path)
    with np.errstate(all="ignore"):
        return np.asarray(eval(expression, scope))


def check(got: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> str:
    """Says what is wrong, or nothing."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return (
            f"expects {expected.dtype} {list(expected.shape)}, "
            f"got {got.dtype} {list(got.shape)}"
        )
    if got.dtype.kind == "V":
        got, expected = f32(got), f32(expected)
    if rtol == 0 and atol == 0:
        is_equal = np.array_equal(got, expected, equal_nan=got.dtype.kind == "f")
    else:
        is_equal = np.allclose(
            got.astype(np.float64), expected.astype(np.float64), rtol, atol, True
        )
    return "" if is_equal else f"expects\n{expected}\ngot\n{got}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["make", "check", "show", "bytes"])
    parser.add_argument("file", type=Path)
    parser.add_argument("text", nargs="?", default="")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rtol", type=float, default=0)
    parser.add_argument("--atol", type=float, default=0)
    parser.add_argument("--version", type=int, default=1)
    parser.add_argument("--data", type=int, default=0, help="bytes of elements")
    parser.add_argument("--length", type=int, help="the header's length as stated")
    args = parser.parse_args()

    if args.command == "bytes":
        header = args.text.encode()
        length = len(header) if args.length is None else args.length
        prefix = b"\x93NUMPY" + bytes([args.version, 0])
        size = struct.pack("<H" if args.version == 1 else "<I", length)
        args.file.write_bytes(prefix + size + header + bytes(args.data))
        return 0
    if args.command == "show":
        print(np.load(args.file))
        return 0
    value = evaluate(args.text, args.names)
    if args.command == "make":
        np.save(args.file, value)
        return 0
    wrong = check(np.load(args.file), value, args.rtol, args.atol)
    if wrong:
        print(f"{args.file}: {wrong}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
