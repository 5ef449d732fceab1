"""Writes and reads files by the safetensors library, for safetensors.test."""

import sys
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

METADATA = {"format": "np", "ключ": 'a "quoted" \n text'}
TYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64"


def make_tensors():
    tensors = {name: np.array([[0, 1, 2]] * 2).astype(name) for name in TYPES.split()}
    for name, values in tensors.items():
        if values.dtype.kind != "b":
            info = np.iinfo if values.dtype.kind in "iu" else np.finfo
            values[1] = [info(name).min, info(name).max, 1]
    tensors["special"] = np.array([np.nan, np.inf, -np.inf, -0.0], np.float32)
    tensors["scalar"] = np.array(1.5)
    tensors["empty"] = np.zeros((2, 0, 3), np.float32)
    tensors["ones"] = np.ones((1, 1, 1, 1, 1), np.int16)
    tensors["имя.ß"] = np.arange(5)
    tensors["odd"] = np.arange(3, dtype=np.uint8)
    return tensors


def check(path):
    expected, actual = make_tensors(), load_file(path)
    assert expected.keys() == actual.keys(), actual.keys()
    for name, values in expected.items():
        other = actual[name]
        assert values.dtype == other.dtype and values.shape == other.shape, name
        assert values.tobytes() == other.tobytes(), name
    with safe_open(path, "np") as file:
        assert file.metadata() == METADATA, file.metadata()
    print(f"the same {len(expected)} tensors")


def main():
    command, path = sys.argv[1:3]
    if command == "write":
        save_file(make_tensors(), path, METADATA)
    elif command == "check":
        check(path)
    elif command == "cut":
        Path(sys.argv[3]).write_bytes(Path(path).read_bytes()[:-1])
    else:
        with safe_open(path, "np") as file:
            names = list(file.keys())
            # numpy has no bfloat16.
            for name in sorted(set(names) - {"types.bfloat16"}):
                values = file.get_tensor(name)
                numbers = " ".join(f"{value:g}" for value in values.flatten())
                print(name, list(values.shape), values.dtype, numbers)
            print(len(names), "tensors")


main()
