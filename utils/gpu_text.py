#!/usr/bin/env python3
"""Takes every distinct kernel of the golden schedules to the code of GPUs.

Each kernel becomes PTX that `ptxas` assembles for sm_90a, and SPIR-V that
`spirv-val` accepts. A kernel counts once per target. Where a tool is missing,
its kernels are compiled all the same and counted as skipped. The last line is
`N passed, N failed, N skipped`. Exit code 1 if a kernel failed.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "conformance/golden/schedule.jsonl"
OUTLINE = (
    "--pass-pipeline=builtin.module(func.func(lazy-materialize-buffers,"
    "lazy-plan-memory),lazy-outline-kernels)"
)
# Kernels that one run of the tools gets: most of the time is their start.
BATCH = 16
# The longest time that one run of a tool may take, in seconds.
LIMIT_S = 300


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    text: str


@dataclasses.dataclass(frozen=True)
class Target:
    """A translation, and the tool that checks what it gives."""

    name: str
    translation: str
    suffix: str
    checker: str

    def command(self, tool: str, path: Path, kernels: list[Kernel]) -> list[str]:
        if self.checker == "ptxas":
            return [tool, "-arch=sm_90a", str(path), "-o", os.devnull]
        # What OpenCL leaves to extensions is not in the validator's rules for it.
        is_f16 = any("f16" in kernel.text for kernel in kernels)
        return [tool, "--target-env", "spv1.2" if is_f16 else "opencl2.2", str(path)]


TARGETS = (
    Target("cuda", "--kernel-to-ptx", "ptx", "ptxas"),
    Target("opencl", "--kernel-to-spirv", "spv", "spirv-val"),
)


def find_tool(name: str) -> str | None:
    """A program of PATH, of the CUDA Toolkit, or of a wheel of its compiler."""
    folders = [os.environ.get("PATH", "")]
    if name == "ptxas":
        folders += [
            os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin"),
            *map(str, Path(sys.prefix).glob("lib/python*/site-packages/nvidia/*/bin")),
        ]
    return shutil.which(name, path=os.pathsep.join(folders))


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT_S, **options
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", "error: takes too long")


def reason(done: subprocess.CompletedProcess) -> str:
    """The error of a program: its first line that says so."""
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or [f"exit code {done.returncode}"])[0].strip()


def distinct_kernels(bin_folder: Path, golden: Path) -> list[Kernel]:
    """Schedules each program at level 2 and outlines its kernels."""
    check = [bin_folder / "tinygrad-golden-check", golden, "--level", "2", "--print"]
    check += ["--liveness", "dropped", "--values=0"]
    programs = run([str(part) for part in check]).stdout
    # The mark of a part begins after the end of a line.
    modules = "\n" + programs
    modules = re.sub(r"^// .* level 2$", "// -----", modules, flags=re.MULTILINE)
    # Lines between and after the programs are rows that differ, and the counts.
    modules = re.sub(r"^(\w+/|\d+ ).*$", "", modules, flags=re.MULTILINE)
    done = run(
        [str(bin_folder / "tinygrad-opt"), OUTLINE, "--split-input-file", "-"],
        input=modules,
    )
    if done.returncode != 0:
        sys.exit(f"error: the golden programs cannot be outlined: {reason(done)}")
    function = re.compile(
        r"^  func\.func private @(\w+)\([^\n]*tinygrad\.kernel\} \{\n.*?^  \}\n",
        re.MULTILINE | re.DOTALL,
    )
    seen: set[str] = set()
    versions: dict[str, int] = {}
    kernels = []
    for match in function.finditer(done.stdout):
        name = match[1]
        body = re.sub(rf"@{name}\b", "@NAME", match[0])
        if body in seen:
            continue
        seen.add(body)
        number = versions[name] = versions.get(name, 0) + 1
        unique = name if number == 1 else f"{name}_v{number}"
        kernels.append(Kernel(unique, body.replace("@NAME", f"@{unique}")))
    return kernels


def check_batch(
    bin_folder: Path, target: Target, tool: str | None, kernels: list[Kernel]
) -> list[tuple[Kernel, str]]:
    """Returns the kernels that fail, with reasons."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernels.mlir"
        code = Path(folder) / f"kernels.{target.suffix}"
        source.write_text("".join(kernel.text for kernel in kernels))
        translate = bin_folder / "tinygrad-translate"
        done = run([str(translate), target.translation, str(source), "-o", str(code)])
        if done.returncode == 0 and tool:
            done = run(target.command(tool, code, kernels))
    if done.returncode == 0:
        return []
    if len(kernels) == 1:
        return [(kernels[0], reason(done))]
    # One at a time, to name those that fail.
    failures = []
    for kernel in kernels:
        failures += check_batch(bin_folder, target, tool, [kernel])
    # They fail together only.
    return failures or [(kernel, reason(done)) for kernel in kernels]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the build tree")
    parser.add_argument("--golden", type=Path, default=GOLDEN, metavar="FILE")
    parser.add_argument(
        "--sample", type=int, metavar="N", help="only N kernels, evenly spread"
    )
    parser.add_argument("--counts", type=Path, help="write the counts to this file")
    parser.add_argument("--list", action="store_true", help="print each kernel's name")
    options = parser.parse_args()

    bin_folder = options.build / "bin"
    kernels = distinct_kernels(bin_folder, options.golden)
    if not kernels:
        sys.exit(f"error: there is no kernel in {options.golden}")
    total = len(kernels)
    if options.sample and options.sample < total:
        kernels = [kernels[i * total // options.sample] for i in range(options.sample)]
    print(f"{len(kernels)} of {total} distinct kernels")
    if options.list:
        print("\n".join(kernel.name for kernel in kernels))
    batches = [kernels[i : i + BATCH] for i in range(0, len(kernels), BATCH)]
    passed = failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for target in TARGETS:
            tool = find_tool(target.checker)
            jobs = [
                pool.submit(check_batch, bin_folder, target, tool, batch)
                for batch in batches
            ]
            failures = [failure for job in jobs for failure in job.result()]
            for kernel, text in failures:
                print(f"{target.name}: {kernel.name}: {text}")
            good = len(kernels) - len(failures)
            failed += len(failures)
            if tool:
                passed += good
                print(f"{target.name}: {good} kernels pass {target.checker}")
            else:
                skipped += good
                print(
                    f"{target.name}: {good} kernels are compiled, but skipped: "
                    f"{target.checker} is not installed"
                )
    if options.counts:
        options.counts.write_text(f"{passed} {failed} {skipped}\n")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
