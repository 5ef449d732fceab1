"""Mistakes are exceptions, with what is wrong and where, and change nothing."""

import pytest
from tinygrad_mlir import Error, Tensor


def test_error_has_its_parts():
    with pytest.raises(Error, match="same number of elements") as caught:
        Tensor([1.0, 2.0]).reshape(3, 3)
    assert caught.value.op == "reshape"
    assert caught.value.shapes == [(2,)]
    assert caught.value.compiler_text == ""
    assert isinstance(caught.value, RuntimeError)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x + Tensor([1.0, 2.0, 3.0]),
        lambda x: x < Tensor([1.0, 2.0, 3.0]),
        lambda x: x == Tensor([1.0, 2.0, 3.0]),
        lambda x: x.permute(0, 0),
        lambda x: x.sum(2),
        lambda x: x[5],
        lambda x: x.item(),
        lambda x: x.to("NOWHERE"),
        lambda x: x @ Tensor([[1.0]]),
    ],
)
def test_wrong_shapes_and_axes(call):
    x = Tensor([1.0, 2.0])
    with pytest.raises(Error) as caught:
        call(x)
    # No place in our sources, which nobody has called.
    assert ".cpp" not in str(caught.value)
    assert x.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x + "a",
        lambda x: "a" + x,
        lambda x: x.reshape("a"),
        lambda x: x["a"],
        lambda x: x.sum("a"),
        lambda x: x + 2**70,
        lambda x: len(x.sum()),
        lambda x: Tensor({1: 2}),
    ],
)
def test_wrong_types(call):
    with pytest.raises(TypeError):
        call(Tensor([1.0, 2.0]))


def test_ragged_lists_are_refused():
    with pytest.raises(ValueError):
        Tensor([[1.0], [1.0, 2.0]])
