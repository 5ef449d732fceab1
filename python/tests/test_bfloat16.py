"""bfloat16, which numpy has from ml_dtypes."""

import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from tinygrad_mlir import Tensor, dtypes

VALUES = np.array([[1.5, -2.0, np.inf], [0.0, 3e38, 1e-40]], ml_dtypes.bfloat16)


def bits(array):
    return array.view(np.uint16).tolist()


def test_arrays_go_there_and_back():
    x = Tensor(VALUES)
    assert (x.dtype, x.shape) == (dtypes.bfloat16, (2, 3))
    assert x.numpy().dtype == VALUES.dtype
    assert bits(x.numpy()) == bits(np.asarray(x)) == bits(VALUES)
    assert bits(Tensor(VALUES.T).numpy()) == bits(VALUES.T.copy())
    x.numpy()[...] = 0
    assert bits(x.numpy()) == bits(VALUES)
    assert Tensor(VALUES[:0]).numpy().shape == (0, 3)
    assert Tensor(VALUES[0, 0]).item() == 1.5


def test_memory_is_shared():
    values = VALUES.copy()
    x = Tensor.from_buffer(values)
    values[0, 0] = 7
    assert x.tolist()[0][0] == 7
    assert Tensor.from_dlpack(x.__dlpack__()).tolist()[0][0] == 7
    with pytest.raises(BufferError, match="has no bfloat16"):
        memoryview(x)


def test_computations_are_those_of_bfloat16():
    x = np.linspace(-2, 2, 64).astype(ml_dtypes.bfloat16)
    ours = (Tensor(x) * Tensor(x) + 1).numpy().astype(np.float32)
    np.testing.assert_allclose(ours, (x * x + 1).astype(np.float32), rtol=1e-2)


def test_other_small_floats_are_refused():
    with pytest.raises((TypeError, ValueError)):
        Tensor(VALUES.astype(ml_dtypes.float8_e5m2))


def test_without_ml_dtypes_values_come_as_float32():
    program = """
import sys
sys.modules["ml_dtypes"] = None
from tinygrad_mlir import Tensor, dtypes
x = Tensor([1.5, 2.0]).cast(dtypes.bfloat16)
assert x.numpy().dtype == "float32" and x.tolist() == [1.5, 2.0]
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
