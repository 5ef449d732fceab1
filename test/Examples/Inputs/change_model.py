"""Changes what a safetensors file says about itself, or a tensor in it.

    change_model.py FILE RESULT --NAME [VALUE]
    change_model.py FILE RESULT --nan TENSOR

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
body = bytearray(data[8 + length :])
if flag == "--nan":
    begin, end = header[value[0]]["data_offsets"]
    body[begin:end] = b"\xff" * (end - begin)
else:
    del header["__metadata__"][flag[2:]]
    if value:
        header["__metadata__"][flag[2:]] = value[0]
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
Path(result).write_bytes(struct.pack("<Q", len(text)) + text + body)
