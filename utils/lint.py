#!/usr/bin/env python3
"""Checks the sources of the project against its conventions.

Each check looks at all files it concerns and counts as one. A finding is one
line, `path:line: what is wrong`. Exit code 1 if a check failed.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
LLVM = 22

# Suffixes of files that are data: made by programs, and read by programs only.
DATA = {".gz", ".jsonl", ".npy", ".npz", ".png", ".pt", ".safetensors", ".svg"}
# Inputs that fuzzers wrote, under names without a suffix.
DATA_FOLDER = "fuzz/corpus/"

LICENCE = (
    "// Part of tinygrad-mlir, under the Apache License v2.0 with LLVM Exceptions.",
    "// See LICENSE for license information.",
    "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
)

MAX_SOURCE_LINES = 800
MAX_TEST_LINES = 400

# Text that has no place in any file: pattern, reason. Brackets keep the patterns
# from matching themselves.
FORBIDDEN = (
    (r"(?<![\w.])/(?:work|home|root|Users)/", "an absolute path of one machine"),
    (r"^(?:<{7}|>{7}|={7}$)", "a conflict marker"),
    (r"\b(?:FIX[M]E|XX[X]|HAC[K])\b", "an open end: mend it, or name its issue"),
    (r"(?<!`)\bTOD[O]\b(?!\(#\d+\))", "without an issue: write TODO(#12)"),
    (r"[\u200b\u202a-\u202e\u2066-\u2069]", "an invisible character"),
)

# Text that has no place in the code of some folder: folder, pattern, reason.
# Comments and string literals are not code.
FORBIDDEN_CODE = (
    (
        "lib",
        r"\bstd::(?:cout|cerr)\b|\b(?:llvm::)(?:outs|errs)\(\)"
        r"|(?<![\w.>])(?:std::)?(?:printf|puts|fprintf)\s*\(",
        "libraries never print",
    ),
    (
        "lib",
        r"(?<![\w.>])(?:std::)?(?:exit|_Exit|_exit|quick_exit)\s*\(",
        "libraries never exit",
    ),
    ("lib/Engine", r"\bgetenv\s*\(", "the engine reads no environment"),
    ("lib", r"\bcl::opt\b", "options of passes are pass options"),
)

# The one place of the libraries that prints: the front end's default engine,
# to stderr, where TINYGRAD_DEBUG asks for it.
MAY_PRINT = {"lib/Tensor/Context.cpp"}

# The layers: what the headers and sources of a room may include from others.
# `MLIR` and `LLVM` stand for the headers of mlir/ and llvm/.
_DIALECT = {"Dialect", "Ops", "Shape", "MLIR", "LLVM"}
_LOWERING = _DIALECT | {"Conversion", "Target"}
LAYERS = {
    "Shape": {"Shape"},
    "Ops": {"Ops", "Shape"},
    "Dialect": _DIALECT,
    "Conversion": _LOWERING,
    "Target": _LOWERING,
    "Pipelines": _LOWERING | {"Pipelines"},
    "Runtime": {"Runtime", "Target", "Ops", "Shape", "LLVM"},
    "Engine": _LOWERING | {"Pipelines", "Runtime", "Engine"},
    "Tensor": {"Tensor", "Engine", "Runtime", "Ops", "Shape", "LLVM"},
}


class Skip(Exception):
    """A check cannot run on this machine; the message says why."""


class Sources:
    """The files of the project, tracked or not, without what git ignores."""

    def __init__(self) -> None:
        self.paths = sorted(path for path in self._list() if (ROOT / path).is_file())

    @staticmethod
    def _list() -> Iterator[PurePosixPath]:
        # The owner of a checkout may be another user, in a container say.
        git = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
        listing = subprocess.run(
            [*git, "-co", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        if listing.returncode == 0:
            yield from map(PurePosixPath, filter(None, listing.stdout.split("\0")))
            return
        # No git repository (a source archive): everything but build trees.
        for folder, subfolders, names in os.walk(ROOT):
            subfolders[:] = [
                name
                for name in subfolders
                if name != "__pycache__" and not name.startswith((".", "build"))
            ]
            for name in names:
                yield PurePosixPath((Path(folder) / name).relative_to(ROOT))

    def select(self, *suffixes: str, under: str = "") -> list[PurePosixPath]:
        return [
            path
            for path in self.paths
            if path.suffix in suffixes and f"{path}".startswith(under)
        ]

    def text(self) -> Iterator[tuple[PurePosixPath, str]]:
        """Files that people write, with their text."""
        for path in self.paths:
            is_data = path.suffix in DATA or f"{path}".startswith(DATA_FOLDER)
            if not is_data and path.name != "LICENSE":
                yield path, read(path)


def read(path: PurePosixPath) -> str:
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


def tool(name: str) -> str:
    found = shutil.which(name)
    if not found:
        raise Skip(f"{name} is not installed")
    return found


def run(command: list[str]) -> list[str]:
    """Runs a program in the root and returns its lines where it failed."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode == 0:
        return []
    return done.stdout.splitlines() or [f"{command[0]}: exit code {done.returncode}"]


def is_test(path: PurePosixPath) -> bool:
    return path.parts[0] in ("test", "unittests") or "tests" in path.parts


# --- The checks ----------------------------------------------------------------


def check_format(sources: Sources) -> Iterable[str]:
    """C++ sources are formatted by clang-format"""
    files = [f"{path}" for path in sources.select(".cpp", ".h", ".c")]
    lines = run([tool(f"clang-format-{LLVM}"), "--dry-run", "-Werror", *files])
    places = {}
    for line in lines:
        place = re.match(r"(.+?):(\d+):\d+: error: ", line)
        if place:
            places.setdefault(*place.groups())
    for path, line in places.items():
        yield f"{path}:{line}: is not formatted: run './dev lint --fix'"
    if lines and not places:
        yield from lines


def check_length(sources: Sources) -> Iterable[str]:
    """no source has more than 800 lines, no test more than 400"""
    suffixes = (".cpp", ".h", ".td", ".c", ".py", ".mlir", ".ll", ".test")
    for path in sources.select(*suffixes):
        limit = MAX_TEST_LINES if is_test(path) else MAX_SOURCE_LINES
        lines = read(path).count("\n")
        if lines > limit:
            yield f"{path}:{limit}: has {lines} lines: split it by subject"


def check_banner(sources: Sources) -> Iterable[str]:
    """C++ and TableGen sources open with banner and licence"""
    for path in sources.select(".cpp", ".h", ".td", ".def"):
        lines = read(path).splitlines()
        head = lines[0] if lines else ""
        if not re.fullmatch(rf"//===- {re.escape(path.name)} - .+===//", head):
            yield f"{path}:1: expects '//===- {path.name} - purpose ---...---===//'"
        elif len(head) != 80:
            yield f"{path}:1: has a banner of {len(head)} columns instead of 80"
        if tuple(lines[2:5]) != LICENCE:
            yield f"{path}:3: expects the three lines of the licence"


def guard(path: PurePosixPath) -> str:
    """The include guard of a header: its path, without include/."""
    parts = path.parts[1:] if path.parts[0] == "include" else ("tinygrad", *path.parts)
    return re.sub(r"[^A-Z0-9]", "_", "_".join(parts).upper())


def check_guard(sources: Sources) -> Iterable[str]:
    """include guards spell the path of the header"""
    for path in sources.select(".h", ".td"):
        text = read(path)
        found = re.search(r"^#ifndef (\w+)\n#define (\w+)$", text, re.MULTILINE)
        wanted = guard(path)
        if not found or found.groups() != (wanted, wanted):
            yield f"{path}:1: expects the include guard {wanted}"
        elif not re.search(rf"^#endif // {wanted}\s*\Z", text, re.MULTILINE):
            yield f"{path}:{text.count(chr(10))}: expects '#endif // {wanted}' last"


def check_text(sources: Sources) -> Iterable[str]:
    """no forbidden text"""
    patterns = [(re.compile(pattern), reason) for pattern, reason in FORBIDDEN]
    for path, text in sources.text():
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, reason in patterns:
                match = pattern.search(line)
                if match:
                    yield f"{path}:{number}: '{match.group().strip()}' is {reason}"


def check_whitespace(sources: Sources) -> Iterable[str]:
    """no trailing whitespace, tabs or DOS line ends; one newline at the end"""
    for path, text in sources.text():
        for number, line in enumerate(text.split("\n"), 1):
            if line != line.rstrip():
                yield f"{path}:{number}: has trailing whitespace"
            if "\t" in line:
                yield f"{path}:{number}: has a tab"
        if text and not re.search(r"[^\n]\n\Z", text):
            yield f"{path}:{text.count(chr(10)) + 1}: does not end with one newline"


def code_of(text: str) -> str:
    """C++ text with comments and literals blanked, lines kept."""
    token = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"'
        r'|"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])+'",
        re.DOTALL,
    )
    return token.sub(lambda match: " " + "\n" * match.group().count("\n"), text)


def check_code(sources: Sources) -> Iterable[str]:
    """libraries do not print, exit, or read the environment"""
    for folder, pattern, reason in FORBIDDEN_CODE:
        for path in sources.select(".cpp", ".h", ".c", under=f"{folder}/"):
            if reason == "libraries never print" and path.as_posix() in MAY_PRINT:
                continue
            for number, line in enumerate(code_of(read(path)).splitlines(), 1):
                match = re.search(pattern, line)
                if match:
                    yield f"{path}:{number}: has '{match.group().strip()}': {reason}"


def check_layers(sources: Sources) -> Iterable[str]:
    """rooms include only what is below them"""
    include = re.compile(r'^\s*#\s*include\s+["<](tinygrad|mlir|llvm)/(\w+)')
    for path in sources.select(".cpp", ".h", ".td", ".c"):
        if path.parts[:2] == ("include", "tinygrad"):
            room = path.parts[2]
        elif path.parts[0] == "lib":
            room = path.parts[1]
        else:
            continue
        allowed = LAYERS.get(room)
        if allowed is None:
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            match = include.match(line)
            if not match:
                continue
            origin, folder = match.groups()
            other = folder if origin == "tinygrad" else origin.upper()
            if other not in allowed and (other in LAYERS or origin != "tinygrad"):
                yield f"{path}:{number}: {room} includes {other}, which is not below it"


def check_cmake(sources: Sources) -> Iterable[str]:
    """CMake files list their sources by name"""
    for path in sources.paths:
        if path.name != "CMakeLists.txt" and path.suffix != ".cmake":
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            if re.search(r"file\(\s*GLO[B]", line):
                yield f"{path}:{number}: lists sources by a pattern"
            if re.search(r"\bFetch[C]ontent|file\(\s*DOWN[L]OAD", line):
                yield f"{path}:{number}: downloads while it configures"


def check_shell(sources: Sources) -> Iterable[str]:
    """shell scripts pass shellcheck"""
    shellcheck = tool("shellcheck")
    scripts = [
        f"{path}"
        for path in sources.paths
        if path.suffix == ".sh"
        or (not path.suffix and re.match(r"#!.*\b(ba)?sh\b", read(path)))
    ]
    return run([shellcheck, "--format=gcc", *scripts])


def check_python(sources: Sources) -> Iterable[str]:
    """Python sources pass ruff"""
    ruff = tool("ruff")
    files = [f"{path}" for path in sources.select(".py")]
    return run([ruff, "check", "--quiet", "--output-format=concise", *files])


CHECKS = (
    check_format,
    check_length,
    check_banner,
    check_guard,
    check_text,
    check_whitespace,
    check_code,
    check_layers,
    check_cmake,
    check_shell,
    check_python,
)


# --- clang-tidy ------------------------------------------------------------------


def changed_files() -> set[str]:
    """Files that differ from the main branch, or that git does not know yet."""

    def git(*arguments: str) -> list[str]:
        command = ["git", "-c", f"safe.directory={ROOT}", *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        return done.stdout.split("\n") if done.returncode == 0 else []

    for branch in ("origin/main", "main", "HEAD"):
        base = git("merge-base", "HEAD", branch)
        if base:
            changed = git("diff", "--name-only", "--diff-filter=d", base[0])
            return {*changed, *git("ls-files", "-o", "--exclude-standard")}
    return set(git("ls-files", "-co", "--exclude-standard"))


def check_tidy(sources: Sources, build: Path) -> Iterable[str]:
    """changed C++ sources pass clang-tidy"""
    clang_tidy = tool(f"clang-tidy-{LLVM}")
    if not (build / "compile_commands.json").is_file():
        return [f"{build}/compile_commands.json is missing: configure first"]
    changed = changed_files()
    files = [f"{path}" for path in sources.select(".cpp") if f"{path}" in changed]
    if not files:
        raise Skip("no C++ source has changed")

    def tidy(path: str) -> list[str]:
        lines = run([clang_tidy, "-p", f"{build}", "--quiet", path])
        return [line.replace(f"{ROOT}/", "") for line in lines]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [line for lines in pool.map(tidy, files) for line in lines]


# --- Main --------------------------------------------------------------------------


def fix(sources: Sources) -> None:
    """Reformats in place: banners to 80 columns, C++ and Python sources."""
    for path in sources.select(".cpp", ".h", ".td", ".def"):
        head, _, rest = read(path).partition("\n")
        banner = re.fullmatch(r"(//===- .+? )-+((?:\*- C\+\+ -\*-)?===//)", head)
        if banner and len(head) != 80:
            title, end = banner.groups()
            dashes = "-" * (80 - len(title) - len(end))
            (ROOT / path).write_text(f"{title}{dashes}{end}\n{rest}", encoding="utf-8")

    files = [f"{path}" for path in sources.select(".cpp", ".h", ".c")]
    subprocess.run([tool(f"clang-format-{LLVM}"), "-i", *files], cwd=ROOT, check=True)
    ruff = shutil.which("ruff")
    scripts = [f"{path}" for path in sources.select(".py")]
    if ruff and scripts:
        subprocess.run([ruff, "check", "--quiet", "--fix", *scripts], cwd=ROOT)
        subprocess.run([ruff, "format", "--quiet", *scripts], cwd=ROOT, check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--counts", type=Path, help="write 'passed failed skipped'")
    parser.add_argument("--fix", action="store_true", help="reformat in place first")
    parser.add_argument("--tidy", type=Path, metavar="BUILD", help="also clang-tidy")
    options = parser.parse_args()

    sources = Sources()
    if options.fix:
        fix(sources)
    checks = [(check, (sources,)) for check in CHECKS]
    if options.tidy:
        checks.append((check_tidy, (sources, options.tidy)))

    passed = failed = skipped = 0
    for check, arguments in checks:
        title = check.__doc__
        try:
            findings = list(check(*arguments))
        except Skip as reason:
            skipped += 1
            print(f"lint: skipped: {title} ({reason})")
            continue
        if findings:
            failed += 1
            print(f"lint: FAILED: {title}")
            for finding in findings:
                print(f"  {finding}")
        else:
            passed += 1
            print(f"lint: ok: {title}")

    if options.counts:
        options.counts.write_text(f"{passed} {failed} {skipped}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
