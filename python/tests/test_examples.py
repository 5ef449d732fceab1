"""The examples run, and do what they say."""

import os
import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_digits(tmp_path):
    saved = tmp_path / "digits.safetensors"
    result = subprocess.run(
        [sys.executable, EXAMPLES / "digits.py", "--steps", "60", "--save", saved],
        capture_output=True,
        text=True,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
        check=True,
    )
    accuracy = re.search(r"held-out accuracy: ([\d.]+)%", result.stdout)
    assert float(accuracy[1]) > 75
    assert saved.stat().st_size > 4 * 10000
