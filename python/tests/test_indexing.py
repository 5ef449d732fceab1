"""What stands between brackets, read as numpy reads it."""

import numpy as np
import pytest
from tinygrad_mlir import Error, Tensor, dtypes

X = np.arange(3 * 4 * 5 * 2, dtype=np.float32).reshape(3, 4, 5, 2)
MASK = np.arange(12).reshape(3, 4) % 3 == 1

PLAIN = [
    1,
    -1,
    np.int64(2),
    (),
    ...,
    None,
    slice(None, None, -2),
    (1, slice(3, 0, -2)),
    (slice(-100, 100), 2),
    (..., -1),
    (0, ..., None, 1),
    (slice(2, 1), 0),
    (slice(None), None, slice(1, None, 3)),
]
LISTED = [
    [0, 2],
    ([0, -1], [1, 3]),
    (slice(None), [3, 0, 1], slice(None), [1, 0, 1]),
    (..., np.array([[1], [0]])),
    ((0, 1), slice(1, 3)),
    (slice(None), [[0, 1], [2, 3]], [0, 4]),
    (None, [1, 1], None),
    ([],),
    MASK,
    [True, False, True],
    (1, np.array([True, False, True, True])),
    (..., np.array([True, False])),
    np.zeros(3, bool),
]


@pytest.mark.parametrize("index", PLAIN + LISTED, ids=str)
def test_getitem(index):
    result, expected = Tensor(X)[index], X[index]
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result.numpy(), expected)


@pytest.mark.parametrize("index", PLAIN + LISTED, ids=str)
@pytest.mark.parametrize("number", [True, False])
def test_setitem(index, number):
    expected = X.copy()
    size = np.asarray(X[index]).shape
    value = 7 if number else np.random.default_rng(0).random(size, np.float32)
    expected[index] = value
    x = Tensor(X)
    before = x + 0
    x[index] = value if number else Tensor(value)
    np.testing.assert_array_equal(x.numpy(), expected)
    np.testing.assert_array_equal(before.numpy(), X)


def test_tensors_of_positions_and_masks():
    x = Tensor(X)
    np.testing.assert_array_equal(x[Tensor([2, 0])].numpy(), X[[2, 0]])
    positions = Tensor([-1, 1], dtype=dtypes.int8)
    np.testing.assert_array_equal(x[:, positions].numpy(), X[:, [-1, 1]])
    np.testing.assert_array_equal(x[x > 100].numpy(), X[X > 100])
    x[x > 100] = 0
    np.testing.assert_array_equal(x.numpy(), np.where(X > 100, 0, X))
    assert Tensor([1.0, 2.0])[Tensor([5])].tolist() == [0]


def test_gradients_go_through():
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x[[0, 0, 2]] * Tensor([1.0, 2.0, 3.0])).sum().backward()
    assert x.grad.tolist() == [3, 0, 3]
    x.grad = None
    (x[x > 1] ** 2).sum().backward()
    assert x.grad.tolist() == [0, 4, 6]


def test_gather():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    positions = np.array([[0, 3], [1, 1], [2, 0]])
    expected = np.take_along_axis(x, positions, 1)
    for idx in (Tensor(positions), Tensor(positions.tolist())):
        np.testing.assert_array_equal(Tensor(x).gather(idx, 1).numpy(), expected)
        np.testing.assert_array_equal(Tensor(x).gather(idx, dim=-1).numpy(), expected)


@pytest.mark.parametrize(
    ("index", "kind", "text"),
    [
        (3, IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
        ((0, -5), IndexError, "index -5 is out of bounds for dimension 1 with size 4"),
        (1 << 64, IndexError, "out of bounds"),
        ([0, 3], IndexError, "index 3 is out of bounds for dimension 0"),
        ((..., np.array([-3])), IndexError, "index -3 .* for dimension 3 with size 2"),
        ((0,) * 5, IndexError, "at most 4 indices"),
        ((..., ...), IndexError, "at most one ellipsis"),
        (0.0, IndexError, "no float"),
        (True, IndexError, "no bool"),
        ((0.0, slice("a")), IndexError, "no float"),
        (slice(None, None, 0), ValueError, "step"),
        (slice("a", "b"), TypeError, "slice indices"),
        ("a", TypeError, "expects indices"),
        (np.zeros(4, bool), IndexError, "mask"),
        ((slice(None), np.zeros((4, 2), bool)), IndexError, "mask"),
        (([0, 1], [0, 1, 2]), Error, "broadcast"),
    ],
)
def test_errors(index, kind, text):
    x = Tensor(X)
    with pytest.raises(kind, match=text):
        x[index]
    with pytest.raises(kind, match=text):
        x[index] = 1
    np.testing.assert_array_equal(x.numpy(), X)


def test_setitem_takes_what_fits():
    x = Tensor(X)
    with pytest.raises(Error, match="expanded"):
        x[0] = Tensor([1.0, 2.0, 3.0])
    with pytest.raises(TypeError):
        x[0] = "a"
    whole = Tensor([1, 2], dtype=dtypes.int32)
    whole[0] = 2.9
    assert (whole.tolist(), whole.dtype) == ([2, 2], dtypes.int32)


def test_iteration():
    rows = list(Tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert [row.tolist() for row in rows] == [[1, 2], [3, 4]]
    with pytest.raises(TypeError):
        iter(Tensor(1.0)).__next__()


def test_pairs_of_positions_take_one_axis_after_the_other():
    values = np.arange(60, dtype=np.float32).reshape(5, 3, 4)
    rows, columns = np.int32([[4, -1], [0, 2]]), np.int64([[3, 0], [-4, 1]])
    x = Tensor(values, requires_grad=True)
    picked = x[Tensor(rows), :, Tensor(columns)]
    assert np.array_equal(picked.numpy(), values[rows, :, columns])
    picked.sum().backward()
    grad = np.zeros_like(values)
    np.add.at(grad, (rows, slice(None), columns), 1)
    assert np.array_equal(x.grad.numpy(), grad)
