"""Runs the commands of a section of a Markdown page and compares their output.

    run_tour.py PAGE SECTION PROGRAMS FOLDER

All ```sh blocks below the heading SECTION run in one shell, which starts in the
source tree. A block after a ```sh block is the output of its commands: a line of
`...` stands for any lines, `...` within a line for any text. With the word
`example` after the language it is shown for one machine and not compared; with
a path it is a part of that file, which is compared in place of an output.

PROGRAMS is the folder of the programs, whatever the page calls it; FOLDER is
made, and takes the place of temporary folders.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
MARK = "@@ end of block"


class Block(NamedTuple):
    line: int
    language: str
    info: str
    text: str


def read_blocks(page: Path, section: str) -> list[Block]:
    """Returns the fenced blocks between the heading and the next of its rank."""
    blocks: list[Block] = []
    inside, fence, start, lines = False, None, 0, []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if fence is not None:
            if line.strip() == "```":
                language, _, info = fence.partition(" ")
                blocks.append(Block(start, language, info, "\n".join(lines)))
                fence = None
            else:
                lines.append(line)
        elif line.startswith("## "):
            inside = line[3:].strip() == section
        elif inside and line.startswith("```"):
            fence, start, lines = line[3:].strip(), number, []
    if fence is not None:
        sys.exit(f"{page}:{start}: the block has no end")
    return blocks


def matches(expected: str, output: str) -> bool:
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            parts = [re.escape(part) for part in line.rstrip().split("...")]
            pattern += ".*".join(parts) + r"\s*?\n"
    return re.fullmatch(pattern, output.strip("\n") + "\n") is not None


def main() -> int:
    page, section, programs, folder = Path(sys.argv[1]), *sys.argv[2:]
    blocks = read_blocks(page, section)
    os.makedirs(folder, exist_ok=True)

    # The page's own words for the programs, Python and a place to write to.
    script = [
        "set -euo pipefail",
        f'python3() {{ {shlex.quote(sys.executable)} "$@"; }}',
        f"mktemp() {{ echo {shlex.quote(os.path.abspath(folder))}; }}",
    ]
    shells = [block for block in blocks if block.language == "sh"]
    for block in shells:
        text = block.text.replace("$PWD/build/bin", programs)
        script += [f"echo '{MARK}'; echo '{MARK}' >&2", text]
    run = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    outputs = run.stdout.split(MARK + "\n")[1:]
    errors = run.stderr.split(MARK + "\n")[1:]
    if run.returncode or len(outputs) != len(shells):
        block = shells[max(len(outputs) - 1, 0)]
        print(f"{page}:{block.line}: a command failed ({run.returncode})")
        print(block.text, errors[-1] if errors else run.stderr, sep="\n")
        return 1

    numbers = {block.line: i for i, block in enumerate(shells)}
    failed, num_compared, shell = 0, 0, None
    for block in blocks:
        if block.language == "sh":
            shell = block
        elif block.info == "example":
            pass
        elif block.info:
            num_compared += 1
            if block.text not in (ROOT / block.info).read_text():
                failed += 1
                print(f"{page}:{block.line}: is no part of {block.info}")
        elif shell:
            num_compared += 1
            # What a tool says of a mistake is output, too.
            output = outputs[numbers[shell.line]] + errors[numbers[shell.line]]
            if not matches(block.text, output):
                failed += 1
                print(f"{page}:{block.line}: expected", block.text, sep="\n")
                print("got", output, sep="\n")
    print(f"{len(shells)} blocks ran, {num_compared} outputs and files compared")
    return failed != 0 or not shells or not num_compared


if __name__ == "__main__":
    sys.exit(main())
