"""Compiles each header of an installation alone: check_headers.py CXX INCLUDE [MLIR]

A header may include others of the installation and the compiler's own, those of
C and C++; nothing else, in particular none of LLVM and MLIR. With MLIR, a folder of
headers, those of the component Engine are compiled: Engine may include headers of
MLIR and LLVM, Runtime those of LLVM.
"""

import re
import subprocess
import sys
from pathlib import Path

compiler, include = sys.argv[1], Path(sys.argv[2]).resolve()
flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-x", "c++"]
headers = sorted(include.rglob("*.h"))
allowed = {}
if sys.argv[3:]:
    allowed = {"Engine": ("llvm", "llvm-c", "mlir"), "Runtime": ("llvm", "llvm-c")}
    headers = [header for header in headers if header.parent.name in allowed]
    flags += ["-Wno-unused-parameter", "-isystem", Path(sys.argv[3]).resolve()]
expected = "Engine/Engine.h" if allowed else "Tensor/Tensor.h"
assert include / "tinygrad" / expected in headers

failed = False
for header in headers:
    done = subprocess.run(
        [compiler, *flags, "-I", include, "-fsyntax-only", "-MD", "-MF", "-", "-"],
        input=f'#include "{header.relative_to(include)}"\n',
        capture_output=True,
        text=True,
    )
    included = re.findall(r"\S+", done.stdout.replace("\\\n", " "))
    foreign = [
        path
        for path in included
        for library in re.findall(r"/(llvm|mlir|llvm-c|mlir-c)/", path)
        if library not in allowed.get(header.parent.name, ())
    ]
    if done.returncode or foreign:
        failed = True
        print(f"{header}: {done.stderr}{' '.join(foreign)}")
sys.exit(failed)
