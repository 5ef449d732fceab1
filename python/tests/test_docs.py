"""The programs in Python that the pages show run."""

import re
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
