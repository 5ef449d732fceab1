"""Files of tensors, and tensors in files."""

import json
import pathlib
import struct

import numpy as np
import pytest
from tinygrad_mlir import Error, Tensor, dtypes, nn
from tinygrad_mlir.nn.state import (
    get_state_dict,
    load_state_dict,
    safe_load,
    safe_load_metadata,
    safe_save,
    torch_load,
)

DATA = pathlib.Path(__file__).parents[2] / "unittests/Tensor/data"


def test_safetensors_go_there_and_back(tmp_path):
    path = tmp_path / "model.safetensors"
    tensors = {
        "b": Tensor([[1.0, 2.0]]),
        "a": Tensor([1, 2, 3], dtype=dtypes.int64),
        "c": Tensor([True, False]),
    }
    safe_save(tensors, path, {"made": "here", "epoch": 3})
    loaded = safe_load(str(path))
    assert sorted(loaded) == ["a", "b", "c"]
    assert loaded["a"].device == f"DISK:{path}"
    for name, tensor in tensors.items():
        assert loaded[name].dtype == tensor.dtype
        np.testing.assert_array_equal(loaded[name].numpy(), tensor.numpy())
    # Beside other tensors they come to these.
    np.testing.assert_array_equal((loaded["b"] + tensors["b"]).numpy(), [[2, 4]])
    contents, length, header = safe_load_metadata(path)
    assert contents.shape == (path.stat().st_size,)
    assert header["__metadata__"] == {"made": "here", "epoch": "3"}
    with path.open("rb") as file:
        assert struct.unpack("<Q", file.read(8))[0] == length
        assert json.loads(file.read(length)) == header


def test_damaged_files_are_errors(tmp_path):
    path = tmp_path / "damaged"
    path.write_bytes(b"\xff" * 20)
    with pytest.raises(Error, match="damaged"):
        safe_load(path)
    with pytest.raises(ValueError, match="cut off"):
        safe_load_metadata(path)
    with pytest.raises(Error, match="No such file"):
        safe_load(tmp_path / "missing")


def test_models_load_what_they_have():
    model = nn.Linear(2, 1)
    state = {"weight": Tensor([[3.0, 4.0]]), "bias": Tensor([5], dtype=dtypes.int32)}
    # As in tinygrad, what the model lacks is left out.
    load_state_dict(model, {**state, "more": Tensor([1.0])}, verbose=False)
    assert model.bias.dtype == dtypes.float32
    assert model(Tensor([[1.0, 1.0]])).numpy() == [[12]]
    with pytest.raises(KeyError, match="expects tensors called `bias`"):
        load_state_dict(model, {"weight": Tensor([[0.0, 0.0]])}, verbose=False)
    with pytest.raises(Error, match=r"expects `weight` to be \[1, 2\]"):
        load_state_dict(model, {**state, "weight": Tensor([1.0])}, verbose=False)
    np.testing.assert_array_equal(model.weight.numpy(), [[3, 4]])
    load_state_dict(model, {"bias": Tensor([6.0])}, strict=False, verbose=False)
    assert model(Tensor([[1.0, 1.0]])).numpy() == [[13]]
    assert list(get_state_dict(model)) == ["weight", "bias"]


@pytest.mark.parametrize("name", ["torch_zip.pt", "torch_older.pt"])
def test_files_of_pytorch_are_nested_as_they_were(name):
    loaded = torch_load(DATA / name)
    assert loaded["epoch"] == 3
    assert loaded["rate"] == 0.5
    assert loaded["text"] == "a text"
    assert loaded["nothing"] is None
    assert list(loaded["model"]) == ["weight", "bias"]
    assert loaded["model"]["bias"].device.startswith("DISK:")
    np.testing.assert_array_equal(loaded["model"]["weight"].numpy(), [[0.5, -1.5]])
    turned = np.arange(12, dtype=np.float32).reshape(3, 4).T
    np.testing.assert_array_equal(loaded["views"][1].numpy(), turned)
    assert loaded["types"]["bfloat16"].dtype == dtypes.bfloat16
    assert loaded["numbers"][0].numpy() == [1]


def test_files_that_are_not_there_are_made(tmp_path):
    path = tmp_path / "memory"
    tensor = Tensor.empty(2, 3, dtype=dtypes.int32, device=f"disk:{path}")
    assert path.stat().st_size == 24
    tensor[0] = [1, 2, 3]
    tensor[1, 1:] = Tensor([8.0, 9.0])
    tensor[1, 0:1].assign(Tensor([7], dtype=dtypes.int32))
    written = np.fromfile(path, np.int32)
    np.testing.assert_array_equal(written, [1, 2, 3, 7, 8, 9])
    # One with bytes is left alone, and has to have as many.
    again = Tensor.empty(6, dtype=dtypes.int32, device=f"disk:{path}")
    np.testing.assert_array_equal(again.numpy(), written)
    with pytest.raises(Error):
        Tensor.empty(7, dtype=dtypes.int32, device=f"disk:{path}")


def test_paths_are_bytes_in_files(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"abc")
    tensor = Tensor(path)
    assert tensor.dtype == dtypes.uint8
    assert tensor.device == f"DISK:{path}"
    np.testing.assert_array_equal(tensor.numpy(), [97, 98, 99])


def test_bytes_of_a_file_are_read_as_other_types(tmp_path):
    path = tmp_path / "numbers"
    np.arange(10, dtype=np.float32).tofile(path)
    tensor = Tensor(path)
    numbers = tensor[8:].cast(dtypes.float32)
    # As many as there were bytes, of which the first eight are there.
    assert numbers.shape == (32,)
    np.testing.assert_array_equal(numbers[:8].to("CPU").numpy(), range(2, 10))
    np.testing.assert_array_equal(numbers[2:4].numpy(), [4, 5])
    with pytest.raises(Error, match="numbers"):
        numbers.numpy()
    tensor[0:1].cast(dtypes.int64).assign([7])
    assert tensor[:9].numpy().tolist() == [7, 0, 0, 0, 0, 0, 0, 0, 0]
    # Numbers of other types are not converted there.
    whole = Tensor.empty(10, dtype=dtypes.int32, device=f"disk:{path}")
    with pytest.raises(Error, match="DISK"):
        whole.cast(dtypes.int64).numpy()


def test_arrays_are_loaded():
    layer = nn.Linear(2, 1)
    arrays = {"weight": np.float32([[1, 2]]), "bias": np.float32([3])}
    load_state_dict(layer, arrays, verbose=False)
    assert (layer.weight.tolist(), layer.bias.tolist()) == ([[1, 2]], [3])
