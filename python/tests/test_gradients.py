"""Gradients, settings of the process, and random numbers."""

import copy
import gc
import pickle
import threading

import numpy as np
import pytest
from tinygrad_mlir import Error, Tensor, dtypes


def test_every_tensor_on_the_way_has_a_gradient():
    x, w = Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]], requires_grad=True)
    y = x @ w
    z = y.relu().sum()
    assert z.backward() is z
    assert x.grad is None
    assert (y.grad.tolist(), z.grad.tolist()) == ([[1]], 1)
    assert w.grad.tolist() == [[1], [2]]
    assert y.requires_grad is True and x.requires_grad is None


def test_gradients_add_up_and_are_set():
    x = Tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        (x * 3).sum().backward()
    assert x.grad.tolist() == [6, 6]
    x.grad = x.grad * 0.5
    assert x.grad.tolist() == [3, 3]
    x.grad = None
    assert x.grad is None
    with pytest.raises(Error, match="shape"):
        x.grad = Tensor([1.0])


def test_a_loop_of_descent():
    x = Tensor([4.0, -2.0], requires_grad=True)
    for _ in range(60):
        x.grad = None
        ((x - 1) ** 2).sum().backward()
        x.assign(x.detach() - 0.1 * x.grad).realize()
    np.testing.assert_allclose(x.numpy(), [1, 1], atol=1e-4)
    assert x.requires_grad


def test_requires_grad_has_three_states():
    x = Tensor([1.0])
    assert x.requires_grad is None
    x.requires_grad = None
    assert x.requires_grad is None
    x.requires_grad = True
    assert (x * 2).requires_grad
    x.requires_grad = False
    assert x.requires_grad is False and not (x * 2).requires_grad
    with pytest.raises(Error, match="float type"):
        Tensor([1], dtype=dtypes.int32).requires_grad = True


def test_functions_without_a_slope():
    x = Tensor([-2.0, 3.0], requires_grad=True)
    (x.sign() * 5).sum().backward()
    assert x.grad.tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="backward"):
        (x == 3).sum().backward()
    with pytest.raises(RuntimeError, match="backward"):
        ((x * 2 < 3).float() + 1).mean().backward()
    # Nobody wants these.
    for y in (Tensor([1.0]) < 2, (x.detach() < 3).sum(), Tensor(3.0)):
        assert y.backward() is y and y.grad.item() == 1
    assert x.grad.tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="one element"):
        x.backward()


def test_what_is_computed_of_refused_tensors_is_refused():
    x = Tensor([1.0, 2.0], requires_grad=False)
    y = Tensor([1.0, 2.0])
    w = Tensor([1.0, 2.0], requires_grad=True)
    assert (x * 2 + 1).sum().requires_grad is False
    assert y.detach().requires_grad is False
    assert (x * y).requires_grad is None
    assert (x * w).requires_grad is True
    assert y.assign(x * 3).requires_grad is None


@pytest.mark.parametrize(
    "change_nothing",
    [
        lambda x: x.reshape(2),
        lambda x: x.cast(dtypes.float32),
        lambda x: x.dropout(),
        lambda x: x.expand(2).squeeze(),
    ],
)
def test_a_tensor_of_the_same_value_has_a_gradient_of_its_own(change_nothing):
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = change_nothing(x)
    (y * 3).sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([3, 3], [3, 3])


@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.float32, dtypes.float64])
def test_scalars_are_variables_in_every_type(dtype):
    x = Tensor(3.0, requires_grad=True)
    (x.cast(dtype) * x).backward()
    assert x.grad.item() == 6


def test_functions_of_steps_have_no_slope():
    x = Tensor([0.5, 1.5], requires_grad=True)
    (x.floor() + x.ceil() * 2 + x.trunc() + x).sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_deepwalk_lists_what_was_computed():
    x = Tensor([1.0], requires_grad=True)
    walked = (x.exp() * x).sum().deepwalk()
    assert len(walked) >= 2
    assert all(type(tensor) is Tensor for tensor in walked)


def test_settings_hold_in_every_thread():
    seen = []
    Tensor.training = True
    try:
        thread = threading.Thread(target=lambda: seen.append(Tensor.training))
        thread.start()
        thread.join()
        dropped = Tensor.ones(1000).dropout(p=0.25).numpy()
    finally:
        Tensor.training = False
    assert seen == [True]
    assert set(np.unique(dropped)) == {0, np.float32(4 / 3)}
    assert (Tensor.ones(10).dropout(0.5).numpy() == 1).all()


def test_training_is_what_it_was():
    with Tensor.train():
        assert Tensor.training
        with Tensor.train(val=False):
            assert not Tensor.training
        assert Tensor.training
    assert not Tensor.training
    with pytest.raises(ZeroDivisionError), Tensor.train():
        _ = 1 / 0
    assert Tensor.training is False


def test_no_grad_records_nothing():
    x = Tensor([1.0], requires_grad=True)
    Tensor.no_grad = True
    try:
        y = (x * 2).sum()
    finally:
        Tensor.no_grad = False
    assert y.backward() is y
    assert x.grad is None and y.grad.item() == 1


def test_a_gradient_is_one_object():
    x, y = Tensor([1.0, 2.0], requires_grad=True), Tensor([3.0, 4.0])
    z = x * y
    z.sum().backward()
    assert x.grad is x.grad and z.grad is z.grad
    assert y.grad is None and y.grad is None
    # Another backward adds to it, and gives another object.
    first = x.grad
    (x * 2).sum().backward()
    assert first.tolist() == [3, 4] and x.grad.tolist() == [5, 6]
    x.grad = first
    assert x.grad is first
    for copied in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert copied.tolist() == [1, 2] and copied.requires_grad
    assert copy.copy(x).grad is first and copy.deepcopy(x).grad is not first
    x.grad = None
    assert x.grad is None
    with pytest.raises(Error, match="shape"):
        x.grad = Tensor([1.0])
    with pytest.raises(TypeError, match="expects Tensor | None, got 3"):
        x.grad = 3


def count_tensors():
    gc.collect()
    return sum(isinstance(item, Tensor) for item in gc.get_objects())


def test_the_collector_lists_gradients_as_long_as_their_tensors():
    before = count_tensors()
    x, y = (Tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    for _ in range(2):
        (x * y).sum().backward()
        assert count_tensors() == before + 4
    del y
    assert count_tensors() == before + 2
    x.grad = None
    assert count_tensors() == before + 1
    # Tensors that refer to each other go away, too.
    x.grad, x.peer = Tensor([0.0, 0.0]), x
    del x
    assert count_tensors() == before


@pytest.mark.parametrize(
    ("make", "mean", "std"),
    [
        (lambda n: Tensor.rand(n), 0.5, 12**-0.5),
        (lambda n: Tensor.randn(n), 0, 1),
        (lambda n: Tensor.uniform(n, low=-1.0, high=3.0), 1, 4 / 12**0.5),
        (lambda n: Tensor.normal(n, mean=2.0, std=0.5), 2, 0.5),
        (lambda n: Tensor.randint(n, low=-2, high=3), 0, 2**0.5),
        (lambda n: Tensor.uniform(n, low=-2, high=3, dtype=dtypes.int32), 0, 2**0.5),
        (lambda n: Tensor.kaiming_uniform(n // 4, 4, a=0.0), 0, 0.5**0.5),
        (lambda n: Tensor.kaiming_normal(n // 4, 4, a=0.0), 0, 0.5**0.5),
        (lambda n: Tensor.scaled_uniform(n) * n**0.5, 0, 3**-0.5),
        (lambda n: Tensor.glorot_uniform(100, n // 100), 0, (2 / 500) ** 0.5),
    ],
)  # fmt: skip
def test_random_numbers(make, mean, std):
    Tensor.manual_seed(7)
    first, second = make(40000).numpy(), make(40000).numpy()
    Tensor.manual_seed(seed=7)
    np.testing.assert_array_equal(make(40000).numpy(), first)
    assert (first != second).any()
    assert abs(first.mean() - mean) < 0.03 * max(std, 0.1)
    assert abs(first.std() - std) < 0.03 * std


def test_random_types_and_keywords():
    assert Tensor.rand(2, 3, dtype=dtypes.float16).dtype == dtypes.float16
    assert Tensor.randn((4, 2), dtype=dtypes.int8).dtype == dtypes.int8
    assert Tensor.randint(3).dtype == dtypes.int32
    assert Tensor.rand(3, requires_grad=True).requires_grad
    assert Tensor.rand(3, 0).numpy().shape == (3, 0)
    Tensor._seed = 5
    a = Tensor.rand(4).tolist()
    assert Tensor._seed == 5
    Tensor.manual_seed(5)
    assert Tensor.rand(4).tolist() == a


def test_multinomial():
    Tensor.manual_seed(1)
    drawn = Tensor([0.0, 1.0, 3.0]).multinomial(num_samples=4000, replacement=True)
    assert drawn.dtype == dtypes.int32
    counts = np.bincount(drawn.numpy(), minlength=3)
    assert counts[0] == 0 and abs(counts[2] / 4000 - 0.75) < 0.03
    with pytest.raises(AssertionError):
        Tensor([0.5, 0.5]).multinomial(2)
