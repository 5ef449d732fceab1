#!/usr/bin/env python3
"""Checks what the reference pages are made of: the .td files.

- Every op and pass has a summary and a description.
- The input lines of each `mlir` example in a description (those before a line
  `// After`) occur in a lit test, so that no example goes stale.

TableGen itself reads the files, so a description that a class supplies counts.
Each op or pass is one check, and so is each example. Exit code 1 if one failed.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from lint import LLVM, ROOT, Sources, read

# Classes of records that must be described: of ops, and of passes.
DESCRIBED = ("Op", "PassBase")


class TableGenError(Exception):
    """A file that llvm-tblgen rejects; the message is its output."""


def records(path: PurePosixPath) -> Iterator[tuple[str, dict]]:
    """The place and the record of each definition that stands in `path`."""
    tblgen = shutil.which(f"llvm-tblgen-{LLVM}")
    if not tblgen:
        raise SystemExit(f"llvm-tblgen-{LLVM} is missing: run './dev setup'")
    libraries = Path(tblgen).resolve().parent.parent / "include"
    include = ROOT / "include"
    done = subprocess.run(
        [tblgen, "--dump-json", "-I", include, "-I", libraries, ROOT / path],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise TableGenError(done.stderr.replace(f"{ROOT}/", "").strip())

    dump = json.loads(done.stdout)
    described = {
        name for kind in DESCRIBED for name in dump["!instanceof"].get(kind, ())
    }
    for name, record in dump.items():
        if name.startswith("!") or record.get("!anonymous"):
            continue
        # A place has the file's name without its folder. A file that includes
        # another of the same name would show the other's records too.
        for place in record["!locs"]:
            if place.rsplit(":", 1)[0] == path.name:
                line = place.rsplit(":", 1)[1]
                yield f"{path}:{line}", record | {"described": name in described}
                break


def squeeze(line: str) -> str:
    """A line of IR without comment, indentation and doubled blanks."""
    return " ".join(re.sub(r"(^|\s)//.*", "", line).split())


def examples(description: str) -> Iterator[list[str]]:
    """The input lines of each `mlir` block of a description."""
    for block in re.findall(r"```mlir\n(.*?)```", description, re.DOTALL):
        before = re.split(r"^\s*// After\b", block, maxsplit=1, flags=re.MULTILINE)[0]
        yield [line for line in map(squeeze, before.splitlines()) if line]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--counts", type=Path, help="write 'passed failed skipped'")
    options = parser.parse_args()

    sources = Sources()
    tests = "\n".join(
        squeeze(line)
        for path in sources.select(".mlir", under="test/")
        for line in read(path).splitlines()
    )
    passed = failed = 0

    def check(findings: list[str]) -> None:
        nonlocal passed, failed
        if findings:
            failed += 1
            print(*(f"docs: {finding}" for finding in findings), sep="\n")
        else:
            passed += 1

    for path in sources.select(".td", under="include/"):
        try:
            found = list(records(path))
        except TableGenError as error:
            check([f"{path}: llvm-tblgen rejects the file:\n{error}"])
            continue
        for place, record in found:
            name = record["!name"]
            if record["described"]:
                check(
                    [
                        f"{place}: {name} has no {field}"
                        for field in ("summary", "description")
                        if not (record.get(field) or "").strip()
                    ]
                )
            for lines in examples(record.get("description") or ""):
                check(
                    [
                        f"{place}: no lit test has this line of the example of {name}: "
                        f"{line}"
                        for line in lines
                        if line not in tests
                    ]
                )

    print(f"docs: descriptions and examples: {passed} ok, {failed} failed")
    if options.counts:
        options.counts.write_text(f"{passed} {failed} 0\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
