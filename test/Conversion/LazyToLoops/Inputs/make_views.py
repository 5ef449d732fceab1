#!/usr/bin/env python3
"""Prints a program of N permutes and reshapes in turn, of which no two merge."""

import sys

SHAPES = [(6, 35), (10, 21), (14, 15), (7, 30)]


def write(shape: tuple) -> str:
    return f"tensor<{shape[0]}x{shape[1]}xf32>"


body = []
shape, value = SHAPES[0], "%x"
for number in range(int(sys.argv[1])):
    if number % 2 == 0:
        result, operation = shape[::-1], f"lazy.permute {value} [1, 0]"
    else:
        result, operation = SHAPES[number // 2 % 4], f"lazy.reshape {value}"
    body.append(f"  %{number} = {operation} : {write(shape)} -> {write(result)}")
    shape, value = result, f"%{number}"
print(f"func.func @main(%x: {write(SHAPES[0])}) -> {write(shape)} {{")
print("\n".join(body))
print(f"  %r = lazy.neg {value} : {write(shape)}\n  return %r : {write(shape)}\n}}")
