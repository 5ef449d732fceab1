"""Counts the rows whose number of kernels changes at level 4 without one flag.

The golden README has these numbers for the reference, over the 366 rows without
an assignment. Where ours differ, the rows are named here: `hand/pad_over_mod` has
2 kernels anyway, since lazy.py moves a pad where it must not, and
`hand/pad_then_shrink_back` has 1 anyway, since a pad that is undone leaves no
mask. `test_dont_fuse_binops_with_children#2` has a kernel that `pre` makes; it is
counted here and not there, so that the sum stays.
"""

import json
import re
import subprocess
import sys

# For each flag: the reference's number, rows that change there alone, and here
# alone.
MOD = "hand/pad_over_mod"
SHRINK = "hand/pad_then_shrink_back"
BEFORE = "test_schedule/test_dont_fuse_binops_with_children#2"
FLAGS = {
    "remove-movement-nops": (1, [], []),
    "merge-elementwise-into-reduce": (88, [], []),
    "shuffle-movement-ops": (93, [MOD], []),
    "merge-elementwise-ops": (171, [MOD, BEFORE], []),
    "merge-one-reduce-into-elementwise": (98, [], [SHRINK]),
    "shuffle-pad-ops": (21, [MOD], []),
    "push-permutes": (12, [], []),
    "push-contiguous": (8, [], []),
    "push-reshapes": (17, [], []),
}


def count_kernels(tool: str, golden: str, *options: str) -> dict[str, int]:
    """The number of kernels of each row."""
    command = [
        tool,
        golden,
        "--level=4",
        "--liveness=dropped",
        "--print",
        "--list=0",
        "--values=0",
    ]
    output = subprocess.run(
        [*command, *options], capture_output=True, text=True, check=False
    ).stdout
    parts = re.split(r"^// (\S+) level 4$", output, flags=re.MULTILINE)
    texts = zip(parts[1::2], parts[2::2])
    return {name: text.count("lazy.kernel @") for name, text in texts}


def main() -> int:
    tool, golden = sys.argv[1:]
    with open(golden) as file:
        rows = [json.loads(line) for line in file]
    names = {row["name"] for row in rows if not row.get("assign")}
    before = count_kernels(tool, golden)
    status = 0
    for flag, (number, only_there, only_here) in FLAGS.items():
        after = count_kernels(tool, golden, f"--without={flag}")
        changed = {name for name in names if before[name] != after[name]}
        same = changed - set(only_here)
        explained = (
            not same & set(only_there)
            and set(only_here) <= changed
            and len(same) + len(only_there) == number
        )
        print(f"{flag}: {len(changed)} of {len(names)} rows")
        if not explained:
            print(f"  expected {number} - {only_there} + {only_here}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
