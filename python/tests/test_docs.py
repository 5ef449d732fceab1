"""The programs in Python that the pages show run."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_readme(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    programs = re.findall(
        r"^```python[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL
    )
    assert programs
    for program in programs:
        exec(program, {})
    assert capsys.readouterr().out.startswith("25.0 [[ 3.")


def test_the_tutorial_runs():
    program = ROOT / "docs/tour/tutorial.py"
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "% right" in done.stdout
