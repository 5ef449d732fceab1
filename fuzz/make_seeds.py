#!/usr/bin/env python3
"""Writes the modules of the lit tests as inputs of a fuzzer.

make_seeds.py OPT FUZZER FOLDER: OPT is the program tinygrad-opt, FUZZER the
name of the fuzzer. Each part of a test (between lines `// -----`) is a file for
some of the pipelines, which the last byte chooses.
"""

import random
import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "test"
# As many as FuzzModule.cpp has, from 'A'; and how many of them a part gets.
PIPELINES = 25
CHOICES = 6
MAX_BYTES = 4000


def parts():
    for path in sorted(TESTS.rglob("*.mlir")):
        for part in path.read_text(encoding="utf-8").split("// -----"):
            # Comments are of no use to a fuzzer.
            lines = [line for line in part.splitlines() if "//" not in line]
            text = "\n".join(line for line in lines if line.strip()) + "\n"
            if len(text) < MAX_BYTES and "lazy." in text:
                # The name that pipelines look for.
                function = re.search(r"func\.func (@\w+)\(", text)
                if function:
                    text = re.sub(rf"{function[1]}\b", "@main", text)
                yield text.encode()
                # Values are compared where all are integers.
                if "f32" in text:
                    text = re.sub(r"dense<(-?\d+)\.\d*>", r"dense<\1>", text)
                    yield text.replace("f32", "i32").encode()


def to_bytecode(opt, text):
    done = subprocess.run([opt, "--emit-bytecode"], input=text, capture_output=True)
    return (
        done.stdout if done.returncode == 0 and len(done.stdout) < MAX_BYTES else None
    )


def main():
    opt, fuzzer, folder = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    chosen = random.Random(0)
    for number, part in enumerate(parts()):
        if fuzzer == "bytecode-fuzzer":
            part = to_bytecode(opt, part)
        elif fuzzer != "opt-fuzzer":
            sys.exit(f"{fuzzer} has no seeds in lit tests")
        if part is None:
            continue
        for pipeline in chosen.sample(range(PIPELINES), CHOICES):
            name = f"seed-{number}-{pipeline}"
            Path(folder, name).write_bytes(part + bytes([ord("A") + pipeline]))


main()
