"""Compiles each header of an installation alone: check_headers.py CXX INCLUDE

A header may include others of the installation and the compiler's own, those of
C and C++; nothing else, in particular none of LLVM and MLIR.
"""

import re
import subprocess
import sys
from pathlib import Path

compiler, include = sys.argv[1], Path(sys.argv[2]).resolve()
headers = sorted(include.rglob("*.h"))
assert include / "tinygrad/Tensor/Tensor.h" in headers
flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-x", "c++"]

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
        path for path in included if re.search(r"/(?:llvm|mlir|llvm-c|mlir-c)/", path)
    ]
    if done.returncode or foreign:
        failed = True
        print(f"{header}: {done.stderr}{' '.join(foreign)}")
sys.exit(failed)
