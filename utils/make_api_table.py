#!/usr/bin/env python3
"""Writes docs/Tensor-API.md: what the C++ front end has of tinygrad's API.

docs/api/tinygrad.json lists the names of tinygrad with their parameters, and for
some of them the name in C++ (`cpp`), a remark, or why there is no such thing
(`why`). A name counts as there if a header of include/tinygrad/Tensor declares it.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ROOT / "docs/api/tinygrad.json"
PAGE = ROOT / "docs/Tensor-API.md"
HEADERS = ROOT / "include/tinygrad/Tensor"

# The headers of each part; all of them where none is named.
PARTS = {"Tensor": ("Tensor.h", "Ops.h", "Gradient.h"), "Function": ("Gradient.h",)}

HEAD = """# The API, name by name

Made by `utils/make_api_table.py` from `docs/api/tinygrad.json` and the headers of
`include/tinygrad/Tensor`: change these, and run `./dev docs`.
"""


def read_headers(names: Iterable[str]) -> str:
    """Returns the code of headers, without comments."""
    text = "\n".join(
        path.read_text(encoding="utf-8")
        for path in sorted(HEADERS.glob("*.h"))
        if not names or path.name in names
    )
    return re.sub(r"//[^\n]*", "", text)


def is_declared(name: str, code: str) -> bool:
    # Not in a call such as `tinygrad::exp(*this)`.
    place = rf"(?<![\w:.>]){re.escape(name)}"
    return bool(
        re.search(rf"{place}\s*[(;=]", code)
        or re.search(rf"\b(?:class|struct) {re.escape(name)}\b", code)
    )


def make_rows(part: str, entries: list[dict]) -> Iterator[tuple[bool, str]]:
    code = read_headers(PARTS.get(part, ()))
    for entry in entries:
        name = entry["name"]
        cpp = entry.get("cpp", name)
        is_there = "why" not in entry and is_declared(cpp, code)
        parameters = entry["parameters"].replace("|", "\\|")
        shown = f"`{cpp}`" if is_there else "-"
        if is_there:
            remark = entry.get("remark", "")
        else:
            remark = entry.get("why", "not there yet")
        row = f"| `{name}` | `{parameters or '()'}` | {shown} | {remark} |"
        yield is_there, row


def make_page() -> str:
    names = json.loads(NAMES.read_text(encoding="utf-8"))
    parts, summary = [], []
    for part, entries in names.items():
        rows = list(make_rows(part, entries))
        count = sum(is_there for is_there, _ in rows)
        summary.append(f"- {part}: {count} of {len(rows)}")
        table = [
            "| tinygrad | parameters | C++ | remark |",
            "| --- | --- | --- | --- |",
        ]
        table += [row for _, row in rows]
        parts.append(f"## {part}\n\n" + "\n".join(table))
    return HEAD + "\n" + "\n".join(summary) + "\n\n" + "\n\n".join(parts) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes docs/Tensor-API.md.")
    parser.add_argument("--check", action="store_true", help="only say if it is old")
    parser.add_argument("--counts", type=Path, help="write 'passed failed skipped'")
    options = parser.parse_args()
    page = make_page()
    is_new = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page
    if options.check:
        state = "ok" if is_new else "is old: run './dev docs'"
        print(f"docs: {PAGE.relative_to(ROOT)} {state}")
        if options.counts:
            options.counts.write_text(f"{int(is_new)} {int(not is_new)} 0\n")
        return 0 if is_new else 1
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
