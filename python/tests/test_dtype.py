"""Element types: their fields, their order, and what they become in Python."""

import copy
import pickle

import numpy as np
import pytest
from tinygrad_mlir import DType, Tensor, dtypes
from tinygrad_mlir.dtype import ImageDType, PtrDType, least_upper_dtype


def test_fields_fit_numpy(type_name):
    dtype = dtypes.fields()[type_name]
    assert dtype.np is getattr(np, type_name if type_name != "bool" else "bool_")
    assert dtype.itemsize == np.dtype(type_name).itemsize
    assert dtypes.from_np(np.dtype(type_name)) is dtype
    assert dtypes.from_np(dtype.np) is dtype
    assert dtypes.is_float(dtype) == type_name.startswith("float")
    assert dtypes.is_unsigned(dtype) == type_name.startswith("uint")
    assert dtypes.is_int(dtype) == ("int" in type_name)


def test_short_names_are_the_same_objects():
    assert dtypes.float is dtypes.float32
    assert dtypes.uchar is dtypes.uint8
    assert dtypes.half.name == "half"
    assert (str(dtypes.float32), str(dtypes.uint8)) == ("dtypes.float", "dtypes.uchar")
    assert dtypes.bfloat16.np is None
    with pytest.raises(KeyError):
        dtypes.from_np(np.complex64)


def test_order_is_that_of_promotion():
    order = sorted(d for d in dtypes.fields().values() if d.np is not None)
    assert order[0] is dtypes.bool
    assert order[-1] is dtypes.float64
    assert dtypes.int8 < dtypes.uint8 < dtypes.int16
    assert max(dtypes.int32, dtypes.float16) == dtypes.float16
    assert least_upper_dtype(dtypes.uint8, dtypes.int8) == dtypes.int16
    assert least_upper_dtype(dtypes.int64, dtypes.uint64) == dtypes.float16
    assert least_upper_dtype(dtypes.bool, dtypes.bfloat16) == dtypes.bfloat16


def test_vectors_images_and_pointers():
    vector = dtypes.float32.vec(4)
    assert (vector.name, vector.itemsize, vector.sz) == ("float4", 16, 4)
    assert vector.scalar() is dtypes.float32
    assert str(vector) == "dtypes._float4"
    with pytest.raises(AssertionError):
        vector.vec(2)
    image = dtypes.imagef((2, 3, 4))
    assert isinstance(image, ImageDType)
    assert image == dtypes.imagef((2, 3, 4)) != dtypes.imagef((3, 2, 4))
    assert image.scalar() is dtypes.float32
    assert PtrDType(dtypes.int32) == dtypes.int32
    assert repr(PtrDType(dtypes.int32)) == "ptr.dtypes.int"


@pytest.mark.parametrize(
    "dtype",
    [dtypes.float32, dtypes.bfloat16, dtypes.int8.vec(2), dtypes.imageh((1, 2))],
)
def test_copies_are_equal(dtype):
    for other in (copy.deepcopy(dtype), pickle.loads(pickle.dumps(dtype))):
        assert (other, type(other)) == (dtype, type(dtype))
    assert (copy.deepcopy(dtypes.float32)) is dtypes.float32


def test_tensors_take_what_equals_a_type():
    made = DType(5, 4, "int", np.int32)
    assert made == dtypes.int32
    assert Tensor([1.5]).cast(made).dtype is dtypes.int32
    assert Tensor([1.5]).cast(PtrDType(dtypes.int8)).dtype is dtypes.int8
    assert Tensor.zeros(2, dtype=dtypes._arg_int32).dtype is dtypes.int32
    for wrong in (dtypes.float32.vec(4), "float32", np.float32, None):
        with pytest.raises(TypeError):
            Tensor([1.0]).cast(wrong)


def test_default_type_is_that_of_what_is_made():
    try:
        Tensor.default_type = dtypes.float16
        for made in (Tensor(1), Tensor([1, 2]), Tensor.ones(2), Tensor.arange(3)):
            assert made.dtype == dtypes.float16
        assert Tensor.rand(2).dtype == Tensor.randn(2).dtype == dtypes.float16
        assert Tensor(np.ones(2)).dtype == dtypes.float64
        assert Tensor.zeros(2, dtype=dtypes.int8).dtype == dtypes.int8
    finally:
        Tensor.default_type = dtypes.float32


# The type of what two tensors give is the one with the higher priority, as in
# tinygrad, but where numpy and PyTorch agree on another one.
@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (dtypes.int8, dtypes.uint8, dtypes.int16),
        (dtypes.int16, dtypes.uint16, dtypes.uint16),
        (dtypes.int32, dtypes.uint32, dtypes.uint32),
        (dtypes.int8, dtypes.uint64, dtypes.uint64),
        (dtypes.int32, dtypes.float16, dtypes.float16),
        (dtypes.bool, dtypes.uint8, dtypes.uint8),
        (dtypes.float16, dtypes.bfloat16, dtypes.bfloat16),
    ],
)
def test_promotion(x, y, expected):
    for a, b in ((x, y), (y, x)):
        assert (Tensor([1], dtype=a) + Tensor([1], dtype=b)).dtype == expected


def test_products_keep_integer_types():
    x = Tensor([[100, 2], [3, 4]], dtype=dtypes.int8)
    product = x @ x
    assert product.dtype == dtypes.int8
    array = np.array([[100, 2], [3, 4]], np.int8)
    np.testing.assert_array_equal(product.numpy(), array @ array)
    assert x.sum().dtype == dtypes.int32
