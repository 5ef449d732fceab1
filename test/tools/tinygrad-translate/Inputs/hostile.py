"""Compiles kernels of every type in odd shapes for one target.

usage: hostile.py TINYGRAD-TRANSLATE TARGET FOLDER

A kernel that the target can't do is one error; nothing may end the process.
"""

import pathlib
import subprocess
import sys

INTEGERS = ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
SHAPES = {
    "odd": [7, 33],
    "empty": [0, 5],
    "scalar": [],
    "rank30": [2] * 10 + [1] * 20,
    "large": [1 << 40],
}
UNARY = ["exp2", "log2", "exp", "log", "sin", "sqrt", "recip"]
BINARY = ["add", "sub", "mul", "div", "max", "mod", "pow"]
# A grid of a GPU has fewer blocks. PTX has not all functions of f64 either.
ERRORS = {("--kernel-to-ptx", "large"), ("--kernel-to-spirv-text", "large")}


def make_type(shape, element):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + element + ">"


def make_function(name, arguments, result, body):
    """Makes a function that returns the last value of `body`."""
    lines = "".join(f"  %{i} = lazy.{op}\n" for i, op in enumerate(body))
    last = len(body) - 1
    return (
        f"func.func @{name}({arguments}) -> {result} {{\n{lines}"
        f"  return %{last} : {result}\n}}\n"
    )


def make_module(shape, element):
    is_float = element in FLOATS
    tensor = make_type(shape, element)
    both = f"%x: {tensor}, %y: {tensor}"
    functions = []
    for op in (UNARY if is_float else []) + ["neg"] + ["not"] * (element == "i1"):
        functions.append(
            make_function(op, f"%x: {tensor}", tensor, [f"{op} %x : {tensor}"])
        )
    for op in BINARY + ([] if is_float else ["xor"]):
        functions.append(make_function(op, both, tensor, [f"{op} %x, %y : {tensor}"]))
    bools = make_type(shape, "i1")
    functions.append(
        make_function("cmplt", both, bools, [f"cmplt %x, %y : {tensor} -> {bools}"])
    )
    for other in ["i1", *INTEGERS, *FLOATS]:
        result = make_type(shape, other)
        functions.append(
            make_function(
                f"cast_{other}",
                f"%x: {tensor}",
                result,
                [f"cast %x : {tensor} -> {result}"],
            )
        )
    ones = make_type([1] * len(shape), element)
    for op in ["reduce_sum", "reduce_max"] if shape else []:
        functions.append(
            make_function(op, f"%x: {tensor}", ones, [f"{op} %x : {tensor} -> {ones}"])
        )
    turned = make_type(shape[::-1], element)
    order = list(range(len(shape)))[::-1]
    functions.append(
        make_function(
            "permute",
            f"%x: {tensor}",
            turned,
            [f"neg %x : {tensor}", f"permute %0 {order} : {tensor} -> {turned}"],
        )
    )
    return "".join(functions)


def main():
    translate, target, folder = sys.argv[1:]
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for element in ["i1", *INTEGERS, *FLOATS]:
        for name, shape in SHAPES.items():
            path = pathlib.Path(folder, f"{element}-{name}.mlir")
            path.write_text(make_module(shape, element))
            done = subprocess.run(
                [translate, target, path, "-o", "/dev/null"],
                capture_output=True,
                text=True,
            )
            codes = [1] if (target, name) in ERRORS else [0]
            if target == "--kernel-to-ptx" and element == "f64":
                codes = [0, 1]
            explained = done.returncode == 0 or "error: " in done.stderr
            if done.returncode not in codes or not explained:
                print(f"{path} {target}: {done.returncode}\n{done.stderr}")
    print("done")


main()
