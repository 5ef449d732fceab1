"""Prints a large program: make_graph.py KIND N, for the scheduler's tests."""

import sys

VECTOR = "tensor<4xf32>"
MATRIX = "tensor<4x3xf32>"
SQUARE = "tensor<4x4xf32>"


def unary(op: str, result: str, source: str, kind: str) -> str:
    return f"{result} = lazy.{op} {source} : {kind}"


def step(kind: str, i: int, previous: str) -> list[str]:
    """The operations of step `i`, the last of which defines %i."""
    if kind == "chain":
        return [unary("neg", f"%{i}", previous, VECTOR)]
    if kind == "double":
        return [f"%{i} = lazy.add {previous}, {previous} : {VECTOR}"]
    if kind == "inputs":
        return [f"%{i} = lazy.add {previous}, %in{i} : {VECTOR}"]
    if kind == "diamond":
        return [
            unary("neg", f"%a{i}", previous, VECTOR),
            unary("sin", f"%b{i}", previous, VECTOR),
            f"%{i} = lazy.add %a{i}, %b{i} : {VECTOR}",
        ]
    if kind == "softmax":
        return [
            f"%s{i} = lazy.reduce_sum {previous} : {MATRIX} -> tensor<4x1xf32>",
            f"%e{i} = lazy.expand %s{i} : tensor<4x1xf32> -> {MATRIX}",
            f"%{i} = lazy.div {previous}, %e{i} : {MATRIX}",
        ]
    if kind == "transpose":
        return [
            unary("neg", f"%n{i}", previous, SQUARE),
            f"%{i} = lazy.permute %n{i} [1, 0] : {SQUARE} -> {SQUARE}",
        ]
    if kind == "transpose-double":
        return [
            f"%a{i} = lazy.add {previous}, {previous} : {SQUARE}",
            f"%{i} = lazy.permute %a{i} [1, 0] : {SQUARE} -> {SQUARE}",
        ]
    if kind == "assign":
        return [
            f"%a{i} = lazy.add {previous}, %x : {VECTOR}",
            f"%{i} = lazy.assign {previous}, %a{i} : {VECTOR}",
        ]
    if kind == "shared":
        # Each time %n has two children: %s, and all of the sum so far.
        return [
            f"%s{i} = lazy.reduce_sum %n : {MATRIX} -> tensor<4x1xf32>",
            f"%e{i} = lazy.expand %s{i} : tensor<4x1xf32> -> {MATRIX}",
            f"%m{i} = lazy.mul %n, %e{i} : {MATRIX}",
            f"%{i} = lazy.add {previous}, %m{i} : {MATRIX}",
        ]
    raise SystemExit(f"unknown kind {kind}")


def main() -> None:
    kind, count = sys.argv[1], int(sys.argv[2])
    value = {
        "softmax": MATRIX,
        "shared": MATRIX,
        "transpose": SQUARE,
        "transpose-double": SQUARE,
    }.get(kind, VECTOR)
    arguments = [f"%x: {value}"]
    if kind == "inputs":
        arguments += [f"%in{i}: {value}" for i in range(count)]
    print(f"func.func @graph({', '.join(arguments)}) -> {value} {{")
    if kind == "shared":
        print(" ", unary("exp2", "%n", "%x", value))
    previous = "%x"
    for i in range(count):
        for line in step(kind, i, previous):
            print(" ", line)
        previous = f"%{i}"
    print(f"  return {previous} : {value}\n}}")


if __name__ == "__main__":
    main()
