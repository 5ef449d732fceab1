"""numpy's functions of tensors, and operators between tensors and arrays."""

import collections
import operator

import numpy as np
import pytest
from tinygrad_mlir import Tensor, dtypes

X = np.array([[1.0, 2.0], [3.0, 5.0]], np.float32)

FUNCTIONS = {
    "sum": lambda x: np.sum(x),
    "sum of an axis": lambda x: np.sum(x, axis=0, keepdims=True),
    "mean": lambda x: np.mean(x, axis=1),
    "max": lambda x: np.max(x, 0),
    "min": lambda x: np.min(x),
    "std": lambda x: np.std(x),
    "var": lambda x: np.var(x, ddof=1),
    "prod": lambda x: np.prod(x),
    "cumsum": lambda x: np.cumsum(x),
    "argmax": lambda x: np.argmax(x, 1),
    "sort": lambda x: np.sort(x),
    "exp": lambda x: np.exp(x),
    "add": lambda x: np.add(x, 1),
    "add to a number": lambda x: np.add(1, x),
    "multiply": lambda x: np.multiply(np.ones((2, 2), np.float32), x),
    "reduce": lambda x: np.add.reduce(x),
    "maximum": lambda x: np.maximum(x, 2),
    "isnan": lambda x: np.isnan(x),
    "clip": lambda x: np.clip(x, 0, 2),
    "round": lambda x: np.round(x),
    "squeeze": lambda x: np.squeeze(x),
    "flip": lambda x: np.flip(x),
    "transpose": lambda x: np.transpose(x),
    "reshape": lambda x: np.reshape(x, (4,)),
    "expand_dims": lambda x: np.expand_dims(x, 0),
    "concatenate": lambda x: np.concatenate([x, x]),
    "concatenate a tuple": lambda x: np.concatenate((x, X), axis=1),
    "stack": lambda x: np.stack([x, x]),
    "block": lambda x: np.block([[x, x], [x, x]]),
    "split": lambda x: np.split(x, 2)[1],
    "where": lambda x: np.where(x, x, 0),
    "dot": lambda x: np.dot(x, x),
    "matmul": lambda x: np.matmul(x, x),
    "einsum": lambda x: np.einsum("ij,jk->ik", x, x),
    "norm": lambda x: np.linalg.norm(x),
    "inv": lambda x: np.linalg.inv(x),
    "median": lambda x: np.median(x),
    "unique": lambda x: np.unique(x),
    "zeros_like": lambda x: np.zeros_like(x),
    "array": lambda x: np.array([x, x]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_numpy_give_arrays(name):
    expected = FUNCTIONS[name](X)
    result = FUNCTIONS[name](Tensor(X))
    assert type(result) is type(expected)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_comparisons_of_numpy_take_tensors():
    x = Tensor(X)
    assert np.allclose(x, X) and np.allclose(X, x) and np.array_equal(x, x)
    assert not np.allclose(x, x + 1)
    for check in (
        np.testing.assert_array_equal,
        np.testing.assert_equal,
        np.testing.assert_allclose,
        np.testing.assert_array_almost_equal,
    ):
        check(x, X)
        check(X, x)
        with pytest.raises(AssertionError, match="Mismatched|almost|equal"):
            check(x + 1, X)
    np.testing.assert_almost_equal(x.sum(), 11)


def test_shapes_cost_nothing():
    x = Tensor(X) + 1
    assert (np.shape(x), np.ndim(x)) == ((2, 2), 2)
    assert not x.lazydata.realized
    assert np.size(x) == 4


def test_functions_write_into_arrays():
    x = Tensor(X)
    result = np.zeros((2, 2))
    assert np.add(x, 1, out=result) is result
    np.testing.assert_array_equal(result, X + 1)
    result[0] = x[1]
    result[1, 0] = x.sum()
    np.testing.assert_array_equal(result, [[3, 5], [11, 6]])
    np.copyto(result, x)
    np.testing.assert_array_equal(result, X)


def test_tensors_in_other_containers_are_refused():
    with pytest.raises(TypeError, match="no implementation found"):
        np.concatenate(collections.deque([Tensor(X), Tensor(X)]))


OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.mod,
    operator.pow,
    operator.lt,
    operator.ge,
    operator.eq,
    operator.ne,
]


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("other", [np.float32(2), np.int32(2), np.bool_(True), X + 1])
def test_operators_with_numpy_give_tensors(op, other):
    x = Tensor(X)
    for result, expected in (
        (op(other, x), op(other, X)),
        (op(x, other), op(X, other)),
    ):
        assert type(result) is Tensor
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6)


def test_types_beside_numbers_and_arrays_of_numpy():
    x, i = Tensor(X), Tensor([1, 2], dtype=dtypes.int32)
    # A number takes the tensor's type, as one of Python does.
    for number in (np.float64(2), np.int64(2), np.float16(2), 2.0):
        assert (number * x).dtype == (x * number).dtype == dtypes.float32
    assert (np.int8(2) * i).dtype == dtypes.int32
    assert (np.float64(2.5) * i).dtype == dtypes.float32
    assert (np.uint8(3) * x.half()).dtype == dtypes.float16
    # An array has its own, one without axes, too.
    for array in (np.ones((2, 2)), np.array(2.0), np.ones(2)):
        assert (array @ x if array.ndim == 2 else array + x).dtype == dtypes.float64
    assert (np.array(2) * i).dtype == dtypes.int64
    assert (np.array([1, 2], np.uint8) + i).dtype == dtypes.int32


def test_operators_in_place():
    x, array = Tensor(X), X.copy()
    x += array
    assert type(x) is Tensor and x.tolist() == (X + X).tolist()
    # There is no writing through the array's name, which is the sum's from here on.
    kept = array
    array += x
    assert type(array) is Tensor and array.tolist() == (X * 3).tolist()
    np.testing.assert_array_equal(kept, X)


@pytest.mark.parametrize(
    "array", [np.array(["a"]), np.array([1j]), np.array([object()])]
)
def test_arrays_of_other_elements_are_refused(array):
    for compute in (operator.add, operator.mul, operator.matmul):
        for pair in ((array, Tensor([1.0])), (Tensor([1.0]), array)):
            with pytest.raises(TypeError, match="expects elements of bool"):
                compute(*pair)
    with pytest.raises(TypeError, match="unsupported operand"):
        np.complex64(1) + Tensor([1.0])


@pytest.mark.parametrize("value", [np.datetime64("2020-01-01"), np.timedelta64(5, "s")])
def test_dates_are_no_numbers(value):
    for data in (value, np.array([value])):
        with pytest.raises(TypeError, match="elements that are numbers, got those of"):
            Tensor(data)
