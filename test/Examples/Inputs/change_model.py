"""Changes what a safetensors file says about itself.

    change_model.py FILE RESULT --NAME [VALUE]

Without a value the entry goes away.
"""

import json
import struct
import sys
from pathlib import Path

source, result, flag, *value = sys.argv[1:]
data = Path(source).read_bytes()
(length,) = struct.unpack_from("<Q", data)
header = json.loads(data[8 : 8 + length])
name = flag.removeprefix("--")
del header["__metadata__"][name]
if value:
    header["__metadata__"][name] = value[0]
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
Path(result).write_bytes(struct.pack("<Q", len(text)) + text + data[8 + length :])
