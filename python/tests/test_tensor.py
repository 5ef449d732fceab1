"""Tensors: creation, operations, values, and what Python sees of them."""

import gc
import math
import weakref

import numpy as np
import pytest
from tinygrad_mlir import Tensor, Variable, dtypes


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,), (2, 0, 3)])
def test_arrays_go_there_and_back(type_name, shape):
    array = (np.arange(math.prod(shape)).reshape(shape) % 2).astype(type_name)
    tensor = Tensor(array)
    assert tensor.shape == shape
    assert tensor.dtype == dtypes.fields()[type_name]
    result = tensor.numpy()
    assert result.dtype == array.dtype
    assert result.shape == shape
    np.testing.assert_array_equal(result, array)


@pytest.mark.parametrize(
    "view",
    [
        np.arange(12.0).reshape(3, 4).T,
        np.arange(12.0)[::-2],
        np.broadcast_to(np.float32(2), (3, 2)),
        np.arange(12)[3:7],
    ],
)
def test_strided_arrays_are_read_in_their_order(view):
    np.testing.assert_array_equal(Tensor(view).numpy(), view)


def test_tensors_copy_the_data():
    array = np.ones(3, np.float32)
    tensor = Tensor(array)
    array[:] = 5
    assert tensor.tolist() == [1, 1, 1]
    result = tensor.numpy()
    result[:] = 7
    assert tensor.tolist() == [1, 1, 1]


def test_numbers_and_lists():
    assert Tensor(2).dtype == dtypes.float32
    assert Tensor(2.5).dtype == dtypes.float32
    assert Tensor(True).dtype == dtypes.bool
    assert Tensor([1, 2]).dtype == dtypes.float32
    assert Tensor([1, 2], dtype=dtypes.int32).dtype == dtypes.int32
    assert Tensor([[1.5], [2.0]]).dtype == dtypes.float32
    assert Tensor([True, False]).dtype == dtypes.bool
    assert Tensor([]).shape == (0,)
    assert Tensor([1, 2], dtype=dtypes.float64).tolist() == [1.0, 2.0]
    assert Tensor(bytearray(b"ab")).tolist() == [97, 98]
    assert Tensor(b"ab").dtype == dtypes.uint8
    assert Tensor(None).shape == (0,)
    assert Tensor(2**64 - 1, dtype=dtypes.uint64).item() == 2**64 - 1
    assert Tensor(2**62 + 1, dtype=dtypes.int64).item() == 2**62 + 1


def test_a_tensor_of_a_number_has_a_type_of_its_own():
    half = Tensor([1.0], dtype=dtypes.float16)
    assert (half + 2.0).dtype == dtypes.float16
    assert (half + Tensor(2.0)).dtype == dtypes.float32


def test_a_tensor_of_a_tensor_is_another_variable():
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = Tensor(x * 2, dtype=dtypes.float64, requires_grad=True)
    assert (y.dtype, y.tolist()) == (dtypes.float64, [2.0, 4.0])
    z = Tensor(x, requires_grad=False)
    assert x.requires_grad and not z.requires_grad
    y.sum().backward()
    assert y.grad is not None and x.grad is None


def test_other_byte_orders_are_refused():
    with pytest.raises(TypeError, match="byte order"):
        Tensor(np.ones(2, ">f4"))
    with pytest.raises(TypeError, match="expects elements"):
        Tensor(np.ones(2, np.complex64))


def test_operators():
    x, y = np.array([1.0, -2.0, 3.5], np.float32), np.array([2.0, 4.0, 0.5], np.float32)
    a, b = Tensor(x), Tensor(y)
    for ours, expected in [
        (a + b, x + y),
        (a - 1, x - 1),
        (1 - a, 1 - x),
        (a * b, x * y),
        (2 / b, 2 / y),
        (-a, -x),
        (b**2, y**2),
        (2**b, 2**y),
        (a < b, x < y),
        (a == 3.5, x == 3.5),
        ((a > 0).where(a, 0), np.maximum(x, 0)),
        (a.maximum(b), np.maximum(x, y)),
        (a.exp(), np.exp(x)),
    ]:
        np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-6)


def test_movement_and_reduce():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    a = Tensor(x)
    for ours, expected in [
        (a.reshape(4, 6), x.reshape(4, 6)),
        (a.reshape((6, -1)), x.reshape(6, -1)),
        (a.permute(2, 0, 1), x.transpose(2, 0, 1)),
        (a[1, ::-1, None, 1:3], x[1, ::-1, None, 1:3]),
        (a[..., -1], x[..., -1]),
        (a.flip(1), np.flip(x, 1)),
        (a.shrink([(0, 1), (1, 3), (0, 4)]), x[:1, 1:3]),
        (
            a.pad([(1, 0), (0, 0), (0, 2)], 3),
            np.pad(x, [(1, 0), (0, 0), (0, 2)], constant_values=3),
        ),
        (a.sum(), x.sum()),
        (a.sum(1), x.sum(1)),
        (a.max((0, -1), keepdim=True), x.max((0, -1), keepdims=True)),
        (a.mean(axis=0), x.mean(0)),
        (a.argmax(2), x.argmax(2)),
        (a.cat(a, dim=1), np.concatenate([x, x], 1)),
        (Tensor.stack([a, a], 1), np.stack([x, x], 1)),
        (a @ a.permute(0, 2, 1), x @ x.transpose(0, 2, 1)),
    ]:
        np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-6)
    assert [part.shape for part in a.split(2, dim=1)] == [(2, 2, 4), (2, 1, 4)]


def test_item_has_the_type_of_the_elements():
    assert Tensor([2.5]).item() == 2.5
    assert Tensor([True]).item() is True
    assert Tensor(np.array([2**64 - 1], np.uint64)).item() == 2**64 - 1
    assert isinstance(Tensor([3], dtype=dtypes.int8).item(), int)
    assert (float(Tensor(2.5)), int(Tensor([3.0]))) == (2.5, 3)


def test_results_are_of_the_class():
    a = Tensor([1.0])
    for result in (
        a,
        a + 1,
        1 + a,
        a.relu(),
        a.realize(),
        a.split(1)[0],
        Tensor.ones(2),
    ):
        assert type(result) is Tensor


def test_the_collector_lists_tensors_and_frees_them():
    a = Tensor([1.0]) + 1
    assert any(found is a for found in gc.get_objects())
    seen = weakref.ref(a)
    a.itself = a
    del a
    gc.collect()
    assert seen() is None


def test_gradients():
    x = Tensor([1.0, 2.0], requires_grad=True)
    assert x.grad is None
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    x.grad = None
    assert x.grad is None


def test_assign_keeps_the_object():
    x = Tensor([1.0, 2.0])
    before = x + 1
    assert x.assign(x * 3) is x
    assert before.tolist() == [2.0, 3.0]
    assert x.tolist() == [3.0, 6.0]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ([1.0, 2.5], "[1. , 2.5], shape=(2,), dtype=float32"),
        ([True, False], "[ True, False], shape=(2,), dtype=bool"),
        (np.arange(3), "[0, 1, 2], shape=(3,), dtype=int64"),
        (3.0, "3., shape=(), dtype=float32"),
        ([[1.0], [2.0]], "[[1.],\n        [2.]], shape=(2, 1), dtype=float32"),
        (np.zeros((0, 2), np.float16), "[], shape=(0, 2), dtype=float16"),
        (np.full(2000, 7, np.uint8), "[7, 7, 7, ..., 7, 7, 7], shape=(2000,), "),
        ([float("nan"), -float("inf")], "[ nan, -inf], shape=(2,), "),
    ],
)
def test_values_are_shown_as_numpy_shows_them(data, text):
    assert repr(Tensor(data)).startswith(f"Tensor({text}")


def test_what_is_shown_beside_values():
    assert repr(Tensor(1.0)) == "Tensor(1., shape=(), dtype=float32, device=CPU)"
    x = Tensor([1.0], requires_grad=True)
    shown = "shape=(1,), dtype=float32, device=CPU, requires_grad=True)"
    assert repr(x) == f"Tensor([1.], {shown}" and str(x * 2) == f"Tensor([2.], {shown}"
    assert repr(Tensor([1.5]).cast(dtypes.bfloat16)).startswith("Tensor([1.5], ")
    bound = Tensor.ones(3, 2).shrink(((0, Variable("n", 1, 3).bind(2)), (0, 2)))
    assert "shape=(n, 2)" in repr(bound) and repr(bound).startswith("Tensor([[1")
