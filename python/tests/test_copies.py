"""Copies of tensors, and tensors in other processes."""

import copy
import io
import multiprocessing
import pickle

import numpy as np
import pytest
from tinygrad_mlir import Tensor, dtypes


class Model:
    def __init__(self):
        self.weight = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        self.steps = Tensor([0], dtype=dtypes.int32)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "x",
    [
        Tensor([[1.5, 2.0]], requires_grad=True),
        Tensor([1, 2, 3], dtype=dtypes.int64, requires_grad=False),
        Tensor([True, False]),
        Tensor(3.5),
        Tensor([1.0, 2.0]).cast(dtypes.bfloat16),
        Tensor.zeros(2, 0),
        Tensor.ones(2, 3).expand(2, 3).permute(1, 0) + 1,
    ],
)
def test_pickling(protocol, x):
    y = pickle.loads(pickle.dumps(x, protocol))
    assert (type(y), y.shape, y.dtype) == (Tensor, x.shape, x.dtype)
    assert y.requires_grad == x.requires_grad
    assert y.tolist() == x.tolist()


def test_elements_go_out_of_band():
    x = Tensor(np.arange(1000, dtype=np.float32))
    buffers = []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(data) < 1000
    assert [len(buffer.raw()) for buffer in buffers] == [4000]
    assert pickle.loads(data, buffers=buffers).tolist() == x.tolist()


def test_attributes_and_classes_are_kept():
    x = Tensor([1.0])
    x.name = "x"
    assert pickle.loads(pickle.dumps(x)).name == "x"
    assert copy.copy(x).name == copy.deepcopy(x).name == "x"


def test_damaged_pickles_are_refused():
    data = pickle.dumps(Tensor([1.0, 2.0]), 2).replace(b"K\x02\x85", b"K\x03\x85")
    with pytest.raises(ValueError, match="as many bytes"):
        pickle.loads(data)


def test_a_model_in_another_process():
    model = Model()
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        result = pool.apply(double, (model.weight,))
    assert result.tolist() == [[2, 4], [6, 8]]


def double(x):
    return x * 2


def test_a_deep_copy_is_another_model():
    model = Model()
    (model.weight * model.weight).sum().backward()
    other = copy.deepcopy(model)
    assert other.weight.requires_grad
    assert other.weight.grad.tolist() == [[2, 4], [6, 8]]
    other.weight.assign(other.weight + 1)
    np.asarray(other.steps)[0] = 5
    other.weight.grad = None
    assert model.weight.tolist() == [[1, 2], [3, 4]]
    assert model.steps.tolist() == [0]
    assert model.weight.grad is not None
    # One tensor that is there twice is one in the copy, too.
    twice = copy.deepcopy([model.weight, model.weight])
    assert twice[0] is twice[1]


def test_a_copy_is_another_variable():
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = copy.copy(x)
    y.assign(y * 3)
    assert (x.tolist(), y.tolist()) == ([1, 2], [3, 6])
    z = copy.copy(x)
    z.sum().backward()
    assert (x.grad, z.grad.tolist()) == (None, [1, 1])


def test_a_copy_keeps_the_history():
    x = Tensor([1.0, 2.0], requires_grad=True)
    copy.copy(x * 2).sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_pickling_writes_to_files():
    file = io.BytesIO()
    pickle.dump({"w": Model().weight}, file)
    file.seek(0)
    assert pickle.load(file)["w"].tolist() == [[1, 2], [3, 4]]
