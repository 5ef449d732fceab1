#!/usr/bin/env python3
"""Turns the tables of docs/Semantics.md into programs, and checks what they give.

    semantics.py folds TABLES.md > OUT.mlir
    semantics.py check-folds TABLES.md FOLDED.mlir
    semantics.py program TABLES.md FOLDER
    semantics.py check-run TABLES.md FOLDER

`folds` writes a function per row on constants. `program` writes one function
that computes every row on inputs, the inputs, and the arguments with which
tinygrad-run runs it. Values go in and come out as the integers that have their
bits, so that no reader or printer of numbers takes part.
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Enough elements for whole vectors and a rest.
COUNT = 19

FLOATS = {"f16": "<e", "f32": "<f", "f64": "<d"}
INTEGERS = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}


def width(element: str) -> int:
    """Returns the bytes of one element."""
    return max(int(element.lstrip("buif")) // 8, 1)


def encode(element: str, text: str) -> int:
    """Returns the bits of the value that `text` writes."""
    if element == "i1":
        return {"false": 0, "true": 1}[text]
    if not element.startswith(("f", "bf")):
        value = int(text)
        low = 0 if element.startswith("u") else -(1 << (8 * width(element) - 1))
        assert low <= value < low + (1 << 8 * width(element)), (element, text)
        return value % (1 << 8 * width(element))
    number = float.fromhex(text) if "0x" in text else float(text)
    # A bfloat16 is the upper half of a float32.
    data = struct.pack(FLOATS.get(element, "<f"), number)
    if element == "bf16":
        assert data[:2] == b"\0\0" or text == "nan", f"{text} is no bf16"
        data = data[2:]
    bits = int.from_bytes(data, "little")
    assert text == "nan" or decode(element, bits) == number, f"{text} is no {element}"
    return bits


def decode(element: str, bits: int) -> float:
    """Returns the float that has `bits`."""
    data = bits.to_bytes(width(element), "little")
    data = b"\0\0" + data if element == "bf16" else data
    return struct.unpack(FLOATS.get(element, "<f"), data)[0]


def is_nan(element: str, bits: int) -> bool:
    return element.startswith(("f", "bf")) and decode(element, bits) != decode(
        element, bits
    )


@dataclass
class Row:
    """One row: an operation on operands, or a reduce of a list of elements."""

    text: str
    op: str
    sources: list[str]
    result: str
    operands: list[str]
    expected: list[str]

    @property
    def is_reduce(self) -> bool:
        return self.op.startswith("reduce_")

    def accepts(self, bits: int) -> bool:
        wanted = [encode(self.result, text) for text in self.expected]
        return bits in wanted or (
            is_nan(self.result, bits)
            and any(is_nan(self.result, other) for other in wanted)
        )


def read_rows(path: str) -> Iterator[Row]:
    """Reads the rows `| operation | types | operands | result | remark |`."""
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("| `") or len(cells) != 5:
            continue
        op = cells[0].strip("`")
        types, _, result = cells[1].partition(" -> ")
        sources = [source.strip() for source in types.split(",")]
        operands = cells[2].strip("[]").split(",")
        yield Row(
            text=line,
            op=op,
            sources=sources,
            result=result or sources[-1],
            operands=[operand.strip() for operand in operands if operand.strip()],
            expected=cells[3].split(" or "),
        )


def to_unsigned(element: str) -> str:
    return f"ui{8 * width(element)}"


def convert(value: str, shape: str, element: str, to_bits: bool) -> str:
    """Returns the operation that reads bits as `element`, or gives its bits."""
    bits = f"tensor<{shape}x{to_unsigned(element)}>"
    typed = f"tensor<{shape}x{element}>"
    op = "cast" if element == "i1" else "bitcast"
    if to_bits:
        return f"lazy.{op} {value} : {typed} -> {bits}"
    return f"lazy.{op} {value} : {bits} -> {typed}"


def compute(row: Row, shapes: list[str], result: str) -> str:
    """Returns the operation of `row` on values %x0, ... of `shapes`."""
    sources = row.sources * len(shapes) if len(row.sources) == 1 else row.sources
    types = [f"tensor<{s}x{e}>" for s, e in zip(shapes, sources, strict=True)]
    values = ", ".join(f"%x{k}" for k in range(len(types)))
    result_type = f"tensor<{result}x{row.result}>"
    if row.op in ("cast", "bitcast", "cmplt", "cmpeq") or row.is_reduce:
        return f"lazy.{row.op} {values} : {types[0]} -> {result_type}"
    if row.op == "where":
        return f"lazy.where {values} : {types[0]}, {result_type}"
    return f"lazy.{row.op} {values} : {result_type}"


def element_of(row: Row, k: int) -> str:
    return row.sources[k] if len(row.sources) > 1 else row.sources[0]


# --- Folds -----------------------------------------------------------------------


def has_fold(row: Row) -> bool:
    """A constant of the dialect is one value: a list of several is none."""
    return not row.is_reduce or len(set(row.operands)) <= 1


def write_folds(path: str) -> None:
    for number, row in enumerate(read_rows(path)):
        if not has_fold(row):
            continue
        bits = to_unsigned(row.result)
        print(f"func.func @row{number}() -> tensor<1x{bits}> {{")
        shape = f"{len(row.operands)}x1" if row.is_reduce else "1x1"
        # An empty list has no element; a constant of no elements has any value.
        operands = row.operands[:1] or [None] if row.is_reduce else row.operands
        for k, operand in enumerate(operands):
            element = element_of(row, k)
            value = 0 if operand is None else encode(element, operand)
            kind = to_unsigned(element)
            print(f"  %b{k} = lazy.const dense<{value}> : tensor<{shape}x{kind}>")
            print(f"  %x{k} = {convert(f'%b{k}', shape, element, False)}")
        print(f"  %r = {compute(row, [shape] * len(operands), '1x1')}")
        print(f"  %s = {convert('%r', '1x1', row.result, True)}")
        print(f"  %t = lazy.reshape %s : tensor<1x1x{bits}> -> tensor<1x{bits}>")
        print(f"  return %t : tensor<1x{bits}>\n}}")


def check_folds(path: str, folded: str) -> Iterator[str]:
    text = Path(folded).read_text(encoding="utf-8")
    for number, row in enumerate(read_rows(path)):
        if not has_fold(row):
            continue
        body = text.split(f"@row{number}()")[1].split("}")[0]
        found = re.search(r"\{\n +%\S+ = lazy.const dense<(\d+)> : .*\n +return", body)
        if not found:
            yield f"{row.text}\n  is not folded:{body}"
        elif not row.accepts(int(found[1])):
            yield f"{row.text}\n  folds to the bits {int(found[1]):#x}"


# --- Programs --------------------------------------------------------------------


def write_array(path: Path, element: str, shape: list[int], values: list[int]) -> None:
    """Writes a .npy file of unsigned integers."""
    dims = "".join(f"{extent}, " for extent in shape)
    header = f"{{'descr': '<u{width(element)}', 'fortran_order': False, "
    header += f"'shape': ({dims})}}"
    header = header.ljust(117) + "\n"
    data = b"".join(struct.pack(INTEGERS[width(element)], value) for value in values)
    path.write_bytes(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data
    )


def read_array(path: Path, element: str) -> list[int]:
    data = path.read_bytes()
    (length,) = struct.unpack_from("<H", data, 8)
    values = struct.iter_unpack(INTEGERS[width(element)], data[10 + length :])
    return [bits for (bits,) in values]


def write_program(path: str, folder: Path) -> None:
    rows = list(read_rows(path))
    arguments: list[str] = []
    types: list[str] = []
    options: list[str] = []
    body: list[str] = []
    for number, row in enumerate(rows):
        lists = [row.operands] if row.is_reduce else [[x] for x in row.operands]
        shapes = []
        for k, values in enumerate(lists):
            element = element_of(row, k)
            shape = [len(values), COUNT] if row.is_reduce else [1, COUNT]
            shapes.append("x".join(map(str, shape)))
            name = f"x{number}_{k}"
            bits = [encode(element, value) for value in values for _ in range(COUNT)]
            write_array(folder / f"{name}.npy", element, shape, bits)
            options.append(f"--input={folder / name}.npy")
            kind = to_unsigned(element)
            arguments.append(f"%{name}: tensor<{shapes[-1]}x{kind}>")
            typed = convert(f"%{name}", shapes[-1], element, False)
            body.append(f"%v{number}_{k} = {typed}")
        result = f"1x{COUNT}"
        line = compute(row, shapes, result)
        body.append(f"%r{number} = " + re.sub(r"%x(\d)", rf"%v{number}_\1", line))
        body.append(f"%s{number} = " + convert(f"%r{number}", result, row.result, True))
        types.append(f"tensor<{result}x{to_unsigned(row.result)}>")
        options.append(f"--output={folder / f'r{number}'}.npy")
    names = ", ".join(f"%s{number}" for number in range(len(rows)))
    lines = [
        f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{",
        *(f"  {line}" for line in body),
        f"  return {names} : {', '.join(types)}",
        "}",
    ]
    (folder / "main.mlir").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "arguments").write_text("\n".join(options) + "\n", encoding="utf-8")


def check_run(path: str, folder: Path) -> Iterator[str]:
    for number, row in enumerate(read_rows(path)):
        results = read_array(folder / f"r{number}.npy", row.result)
        assert len(results) == COUNT
        wrong = [bits for bits in results if not row.accepts(bits)]
        if wrong:
            yield f"{row.text}\n  gives the bits {wrong[0]:#x}"


def main() -> int:
    command, path, *rest = sys.argv[1:]
    # A table that nothing reads would pass.
    assert len(list(read_rows(path))) > 100, "expects more rows"
    if command == "folds":
        write_folds(path)
        return 0
    if command == "program":
        write_program(path, Path(rest[0]))
        return 0
    findings = list(
        check_folds(path, rest[0])
        if command == "check-folds"
        else check_run(path, Path(rest[0]))
    )
    print("\n".join(findings))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
