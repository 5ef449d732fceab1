"""Checks that each block of C++ or CMake of a page stands in one of the given sources.

usage: check_quotes.py PAGE SOURCE...
"""

import re
import sys

page, *sources = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    blocks = re.findall(r"^```(?:cpp|cmake)\n(.*?)^```$", file.read(), re.M | re.S)
texts = []
for source in sources:
    with open(source, encoding="utf-8") as file:
        texts.append(file.read())
missing = [block for block in blocks if not any(block in text for text in texts)]
for block in missing:
    print(f"{page}: not in {', '.join(sources)}:\n{block}", end="")
if not blocks:
    print(f"{page}: expects blocks of C++ or CMake, got none")
sys.exit(bool(missing) or not blocks)
