"""Checks what `waves --compare` printed and the picture it saved.

check_waves.py SCENE OUTPUT PICTURE WIDTH HEIGHT
"""

import re
import struct
import sys
import zlib
from pathlib import Path

import numpy as np


def read_png(path: str) -> np.ndarray:
    """Returns the pixels of a PNG file of 8-bit RGB."""
    data = Path(path).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    position, packed = 8, b""
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 8 : position + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, position + 8 + length)
        assert checksum == zlib.crc32(kind + body), kind
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack_from(">IIBB", body)
            assert (depth, color) == (8, 2), (depth, color)
        elif kind == b"IDAT":
            packed += body
        position += 12 + length
    assert kind == b"IEND", kind

    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, -1)
    result = np.zeros((height, width, 3), np.uint8)
    for row in range(height):
        kind, line = rows[row][0], rows[row][1:].reshape(width, 3)
        above = result[row - 1] if row else np.zeros_like(line)
        for column in range(width):
            result[row, column] = line[column] + unfilter(
                kind, result, row, column, above
            )
    return result


def unfilter(kind, pixels, row, column, above) -> np.ndarray:
    """Returns what filter `kind` of a row took from a pixel."""
    zero = np.zeros(3, np.uint8)
    left = pixels[row, column - 1] if column else zero
    corner = above[column - 1] if column else zero
    a, b, c = (value.astype(int) for value in (left, above[column], corner))
    if kind == 4:
        distances = [abs(b - c), abs(a - c), abs(a + b - 2 * c)]
        taken = np.choose(np.argmin(distances, axis=0), [a, b, c])
    else:
        taken = [zero, a, b, (a + b) // 2][kind]
    return np.asarray(taken).astype(np.uint8)


scene, output, picture, width, height = sys.argv[1:]
text = Path(output).read_text()
energies = [float(value) for value in re.findall(r"energy (\S+)", text)]
difference = float(re.search(r"differs by (\S+),", text).group(1))
largest = float(re.search(r"largest value is (\S+)", text).group(1))
assert len(energies) == 9, text
assert 0.01 < largest < 10, text
# Roundings may differ where products and sums are joined.
assert difference < 1e-4 * largest, text
if scene == "drop":
    assert energies[0] > 0.1, text
    assert np.allclose(energies, energies[0], rtol=1e-3), text
else:
    # At rest, driven, then steady: the borders take what the source gives.
    assert energies[0] == 0 < energies[1] < energies[3], text
    assert np.allclose(energies[-3:], energies[-1], rtol=0.2), text

pixels = read_png(picture).astype(int)
assert pixels.shape == (int(height), int(width), 3), pixels.shape
is_wall = (pixels == [40, 40, 45]).all(axis=2)
is_low = pixels[..., 2] > pixels[..., 0] + 100
is_high = pixels[..., 0] > pixels[..., 2] + 100
assert 20 < is_wall.sum() < pixels.shape[0] * pixels.shape[1] / 5, is_wall.sum()
assert (is_low & ~is_wall).any() and (is_high & ~is_wall).any()
if scene == "slits":
    # The scene is its own mirror image, and so is the picture.
    assert (is_wall == is_wall[::-1]).all()
    assert abs(pixels - pixels[::-1]).max() <= 8
    wall = np.flatnonzero(is_wall.any(axis=0))
    assert wall[0] == pixels.shape[1] // 3, wall
    # It is open in two places.
    gaps = np.diff(np.concatenate([[1], is_wall[:, wall[0]], [1]]).astype(int))
    assert (gaps == -1).sum() == 2, gaps
