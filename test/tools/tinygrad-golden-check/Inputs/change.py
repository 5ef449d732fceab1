"""Prints a golden file with one row changed: change.py FILE ROW STATEMENT.

ROW is a name, or the number of a line where rows have none. STATEMENT changes
the variable `row`.
"""

import json
import sys

path, wanted, statement = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    rows = [json.loads(line) for line in file]

found = 0
for number, row in enumerate(rows, start=1):
    if row.get("name", str(number)) == wanted:
        before = json.dumps(row)
        exec(statement, {"row": row})
        found += json.dumps(row) != before
    print(json.dumps(row))
if found != 1:
    sys.exit(f"{found} rows called {wanted} were changed")
