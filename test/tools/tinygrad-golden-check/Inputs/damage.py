"""Damages rows of golden files at random: the tool must answer, not crash.

damage.py TOOL COUNT SCRATCH FILE...: damages COUNT rows of each file, one value
each, and runs the tool on each row by itself. An answer is exit code 0 or 1, or
exit code 2 with one line that names the place.
"""

import json
import random
import subprocess
import sys

tool, count, scratch, *paths = sys.argv[1:]
VALUES = [None, True, "x", "", 1.5, 0, -1, 1, 7, 2**31, 2**62, -(2**63), [], {}, [[]]]


def places(value, found):
    """Lists each container of `value` with a key in it."""
    keys = range(len(value)) if isinstance(value, list) else list(value)
    for key in keys:
        found.append((value, key))
        if isinstance(value[key], (dict, list)):
            places(value[key], found)
    return found


def damage(row):
    container, key = random.choice(places(row, []))
    if random.random() < 0.2:
        del container[key]
    else:
        container[key] = random.choice(VALUES)


random.seed(0)
for path in paths:
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if len(line) < 5000]
    for _ in range(int(count)):
        row = json.loads(random.choice(lines))
        damage(row)
        with open(scratch, "w", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        # The chains of view_merge.jsonl are beside it.
        command = [tool, scratch, paths[0], "--level=2", "--name", row.get("name", "")]
        if not isinstance(command[-1], str):
            command[-1] = ""
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        error = done.stderr.splitlines()
        answered = done.returncode in (0, 1) and not error
        if not answered and not (
            done.returncode == 2
            and len(error) == 1
            and error[0].startswith(f"{scratch}:1: error: ")
        ):
            print(f"{path}: exit code {done.returncode}: {done.stderr}")
            print(json.dumps(row))
            sys.exit(1)
print("all were answered")
