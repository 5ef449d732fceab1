"""Methods with tinygrad's names of arguments, and what they compute."""

import math

import numpy as np
import pytest
from tinygrad_mlir import Error, Tensor, dtypes

X = np.array([[-1.5, 0.25, 2.0], [0.5, -0.75, 3.0]], np.float32)


def check(ours, expected):
    np.testing.assert_allclose(ours.numpy(), expected, rtol=2e-5, atol=1e-6)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("relu", {}, np.maximum(X, 0)),
        ("relu6", {}, np.clip(X, 0, 6)),
        ("sigmoid", {}, sigmoid(X)),
        ("silu", {}, X * sigmoid(X)),
        ("swish", {}, X * sigmoid(X)),
        ("quick_gelu", {}, X * sigmoid(1.702 * X)),
        ("softsign", {}, X / (1 + abs(X))),
        ("mish", {}, X * np.tanh(np.log1p(np.exp(X)))),
        ("hardswish", {}, X * np.clip(X + 3, 0, 6) / 6),
        ("elu", {"alpha": 2.0}, np.where(X > 0, X, 2 * np.expm1(X))),
        ("celu", {"alpha": 2.0}, np.where(X > 0, X, 2 * np.expm1(X / 2))),
        ("leakyrelu", {"neg_slope": 0.1}, np.where(X > 0, X, 0.1 * X)),
        ("hardtanh", {"min_val": -0.5, "max_val": 0.5}, np.clip(X, -0.5, 0.5)),
        ("softplus", {"beta": 2.0}, np.log1p(np.exp(2 * X)) / 2),
        ("clip", {"min_": -1, "max_": 1}, np.clip(X, -1, 1)),
        ("sinh", {}, np.sinh(X)),
        ("asinh", {}, np.arcsinh(X)),
        ("sign", {}, np.sign(X)),
        ("square", {}, X * X),
        ("reciprocal", {}, 1 / X),
        ("exp2", {}, np.exp2(X)),
        ("sum", {"axis": (0, 1), "keepdim": True}, X.sum(keepdims=True)),
        ("mean", {"axis": -1}, X.mean(-1)),
        ("std", {"axis": 1, "correction": 0}, X.std(1)),
        ("min", {"axis": [0]}, X.min(0)),
        ("argmin", {"axis": 1}, X.argmin(1)),
        ("cumsum", {"axis": 1}, X.cumsum(1)),
        ("reshape", {"shape": (3, -1)}, X.reshape(3, 2)),
        ("reshape", {"shape": (None, 3, 1)}, X.reshape(2, 3, 1)),
        ("permute", {"order": (1, 0)}, X.T),
        ("expand", {"shape": (4, -1, -1)}, np.broadcast_to(X, (4, 2, 3))),
        ("flip", {"axis": (0, 1)}, X[::-1, ::-1]),
        ("transpose", {"ax1": 0, "ax2": 1}, X.T),
        ("unsqueeze", {"dim": -1}, X[..., None]),
        ("flatten", {"start_dim": 0}, X.ravel()),
        ("repeat", {"repeats": (2, 1, 2)}, np.tile(X, (2, 1, 2))),
        ("pad", {"arg": (None, (1, 0)), "value": 2}, np.insert(X, 0, 2, axis=1)),
        ("shrink", {"arg": (None, (1, 3))}, X[:, 1:]),
        ("slice", {"arg": ((-1, 1), None)}, np.pad(X[:1], ((1, 0), (0, 0)))),
        ("pad2d", {"padding": (1, -1)}, np.pad(X[:, :-1], ((0, 0), (1, 0)))),
        ("triu", {"k": 1}, np.triu(X, 1)),
        ("tril", {"k": -1}, np.tril(X, -1)),
        ("cast", {"dtype": dtypes.int32}, X.astype(np.int32)),
        ("layernorm", {"axis": 1, "eps": 0.0}, ((X.T - X.mean(1)) / X.std(1)).T),
        ("full_like", {"fill_value": 4}, np.full_like(X, 4)),
        ("one_hot", {"num_classes": 3}, (X[..., None].astype(int) == np.arange(3))),
    ],
)  # fmt: skip
def test_methods(name, arguments, expected):
    check(getattr(Tensor(X), name)(**arguments), expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("add", X + 2),
        ("sub", X - 2),
        ("mul", X * 2),
        ("div", X / 2),
        ("maximum", np.maximum(X, 2)),
        ("minimum", np.minimum(X, 2)),
    ],
)
def test_binary(name, expected):
    check(getattr(Tensor(X), name)(2), expected)
    check(getattr(Tensor(X), name)(x=Tensor([2.0])), expected)
    check(getattr(Tensor(X), name)(np.full((2, 1), 2, np.float32)), expected)


def test_reverse_exchanges_the_operands():
    x = Tensor(X)
    check(x.sub(1, reverse=True), 1 - X)
    check(x.div(1, True), 1 / X)
    check(x.pow(2, reverse=True), 2**X)
    check(x.matmul(Tensor(X.T), reverse=True), X.T @ X)
    bits = Tensor([1, 2], dtype=dtypes.int32)
    assert bits.xor(3).tolist() == (3 ^ bits).tolist() == [2, 1]
    check(np.float32(3) - x, 3 - X)
    check(X - x, X - X)
    check([1, 2, 3] * x, [1, 2, 3] * X)


def test_operators_in_place_keep_the_object():
    x = kept = Tensor(X)
    x += 1
    x -= Tensor(0.5)
    x *= 2
    x /= 4
    x **= 2
    check(kept, ((X + 0.5) / 2) ** 2)
    assert x is kept
    x = kept = Tensor(X) @ Tensor(X.T)
    x @= Tensor.eye(2)
    check(kept, X @ X.T)
    with pytest.raises(Error, match="shape"):
        x += Tensor.ones(3, 2, 2)
    weight = Tensor(X, requires_grad=True)
    with pytest.raises(Error, match="gradient"):
        weight -= 1
    try:
        Tensor.no_grad = True
        weight -= 1
    finally:
        Tensor.no_grad = False
    check(weight, X - 1)
    assert weight.requires_grad


def test_windows():
    x, w = np.arange(50.0, dtype=np.float32).reshape(1, 2, 5, 5), np.ones((2, 1, 3, 3))
    a = Tensor(x)
    result = a.conv2d(Tensor(w).float(), bias=Tensor([1.0, 2.0]), groups=2, stride=2)
    expected = [
        [x[0, c, i : i + 3, j : j + 3].sum() for i in (0, 2) for j in (0, 2)]
        for c in (0, 1)
    ]
    check(result.reshape(2, 4), np.array(expected) + [[1], [2]])
    for padding in (1, (1, 1), [1, 1, 1, 1]):
        shape = a.conv2d(Tensor.ones(4, 2, 3, 3), padding=padding, dilation=2).shape
        assert shape == (1, 4, 3, 3)
    assert a.conv2d(Tensor.ones(1, 2, 1, 1), padding=-1).shape == (1, 1, 3, 3)
    weight = Tensor.ones(2, 3, 2, 2)
    shape = a.conv_transpose2d(weight, stride=2, output_padding=1, padding=(0, 1)).shape
    assert shape == (1, 3, 11, 9)
    check(a.max_pool2d(2), x[:, :, 1:4:2, 1:4:2])
    check(a.max_pool2d(kernel_size=(2, 2), stride=1), x[:, :, 1:, 1:])
    check(a.avg_pool2d((1, 5)), x.mean(3, keepdims=True))


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8])
def test_remainder_has_the_sign_of_the_divisor(dtype):
    x = np.array([7, 7, 6, 0, 5], dtype)
    y = np.array([2, 3, 3, 5, 7], dtype)
    for a, b in ((x, y), (0 - x, y), (x, 0 - y), (0 - x, 0 - y)):
        check(Tensor(a) % Tensor(b), a % b)
    check(Tensor(x) % 4, x % 4)
    check(4 % Tensor(y), 4 % y)


def test_comparisons_count_where_a_sign_comes_in():
    x = Tensor([-1.0, 0.0, 2.0])
    assert ((x > 0) - (x < 0)).tolist() == [-1, 0, 1]
    assert (-(x > 0)).tolist() == [0, 0, -1]


def test_integers_become_floats_in_place():
    x = Tensor([1, 2], dtype=dtypes.int32).realize()
    x /= 2
    assert (x.realize().tolist(), x.dtype) == ([0.5, 1], dtypes.float32)


def test_axes_and_flags_of_numpy():
    x = Tensor(X)
    for axes in ((np.int64(0), 1), range(2), np.array([0, 1])):
        check(x.sum(axes), X.sum())
    for yes in (1, np.bool_(True)):
        check(x.max(1, keepdim=yes), X.max(1, keepdims=True))
        assert x.std(0, yes).shape == (1, 3) and x.argmax(0, yes).shape == (1, 3)
        check(x.sub(1, yes), 1 - X)
    powers = np.exp(X)
    check(x.softmax((0, 1)), powers / powers.sum())
    check(x.log_softmax(None), np.log(powers / powers.sum()))
    with pytest.raises(TypeError):
        x.sum("01")


def test_parts_of_nothing():
    assert [part.shape for part in Tensor.zeros(0, 2).chunk(2)] == [(0, 2), (0, 2)]
    assert Tensor([1.0, 2.0]).flatten(1).shape == (2, 1)


def test_logic():
    x = Tensor(X)
    check((x > 0) & (x < 1), (X > 0) & (X < 1))
    check((x < 0) | (x > 1), (X < 0) | (X > 1))
    check(~(x > 0), ~(X > 0))
    assert (~Tensor([1, 2], dtype=dtypes.int16)).tolist() == [-2, -3]
    check(abs(x), abs(X))
    with pytest.raises(Error, match="two tensors of bools"):
        x & x


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.sum(np.int64(0)),
        lambda x: x.sum((np.int32(0),)),
        lambda x: x.sum(range(1)),
        lambda x: x.sum(np.array([0])),
        lambda x: x.sum(0, keepdim=np.bool_(True)).reshape(3),
        lambda x: x.sum(0, keepdim=1).reshape(np.array([3])),
        lambda x: x.pad2d(np.array([0, 0])).sum(0, 0),
        lambda x: x.permute(range(1, -1, -1)).sum(1),
        lambda x: x.repeat(np.array([1, 1])).sum(np.uint8(0)),
    ],
)
def test_numbers_of_numpy_and_sequences_are_arguments(call):
    check(call(Tensor(X)), X.sum(0))


def test_clip_takes_tensors_and_one_end():
    x = Tensor(X)
    check(x.clip(None, 0.5), np.minimum(X, 0.5))
    check(x.clip(Tensor([0.0, 1.0, 2.0]), None), np.maximum(X, [0, 1, 2]))


def test_squeeze():
    assert Tensor.ones(1, 2, 1).squeeze().shape == (2,)
    assert Tensor.ones(1, 2, 1).squeeze(dim=-1).shape == (1, 2)
    assert Tensor.ones(1, 2, 1).squeeze(1).shape == (1, 2, 1)
    text = r"expected to be in range of \[-2, 1\], but got 2"
    with pytest.raises(IndexError, match=text):
        Tensor.ones(1, 2).squeeze(2)


def test_einsum_takes_operands_or_their_list():
    x = Tensor(X)
    check(Tensor.einsum("ij,kj->ik", x, x), X @ X.T)
    check(Tensor.einsum("ij,kj->ik", [x, x]), X @ X.T)
    check(Tensor.einsum("ij->", x), X.sum())
    with pytest.raises(Error, match="einsum"):
        Tensor.einsum("ij,jk->ik", x)


def test_losses_take_labels_of_lists():
    logits = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]], np.float32)
    logs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    loss = Tensor(logits).sparse_categorical_crossentropy(Tensor([1, 2]))
    check(loss, -(logs[0, 1] + logs[1, 2]) / 2)
    one = Tensor(logits).sparse_categorical_crossentropy(
        Tensor([1, -1]), ignore_index=-1
    )
    check(one, -logs[0, 1])
    p, y = Tensor([0.25, 0.5]), Tensor([0.0, 1.0])
    check(p.binary_crossentropy(y), -(math.log(0.75) + math.log(0.5)) / 2)


def test_attention():
    q, k, v = (Tensor.rand(2, 4, 8) for _ in range(3))
    scores = q.numpy() @ k.numpy().transpose(0, 2, 1) / math.sqrt(8)
    scores = np.where(np.tril(np.ones((4, 4))), scores, -np.inf)
    powers = np.exp(scores)
    expected = powers / powers.sum(-1, keepdims=True) @ v.numpy()
    check(q.scaled_dot_product_attention(k, v, is_causal=True), expected)
    mask = Tensor.ones(4, 4).tril(0).cast(dtypes.bool)
    check(q.scaled_dot_product_attention(k, v, attn_mask=mask), expected)


def test_functions_of_several():
    x = Tensor(X)
    assert [part.shape for part in x.chunk(num=2, dim=1)] == [(2, 2), (2, 1)]
    check(Tensor.cat(x, x, dim=-1), np.concatenate([X, X], 1))
    check(Tensor.stack((x, x), dim=1), np.stack([X, X], 1))
    check(x.sequential([Tensor.relu, lambda y: y + 1]), np.maximum(X, 0) + 1)
    check(x.linear(Tensor(X.T), bias=Tensor([1.0, 2.0])), X @ X.T + [1, 2])
    a, b = x + 1, x * 2
    Tensor.corealize([a, b])
    assert a.is_realized() and b.is_realized()


def test_what_is_made():
    check(Tensor.arange(2, 8, 3), np.arange(2, 8, 3))
    check(Tensor.arange(3, 0, -1), [3, 2, 1])
    assert Tensor.arange(4).dtype == dtypes.float32
    check(Tensor.eye(3, dtype=dtypes.int32), np.eye(3))
    check(Tensor.full([2, 1], 1.5), [[1.5], [1.5]])
    assert Tensor.full((2,), True).dtype == dtypes.bool
    assert Tensor.zeros([]).shape == Tensor.ones().shape == ()
    assert Tensor.zeros((2, 3)).shape == Tensor.empty(2, 3).shape == (2, 3)
    assert Tensor.ones(2, requires_grad=True).requires_grad is True
    assert Tensor.ones(2, requires_grad=False).requires_grad is False
    assert Tensor.ones(2).requires_grad is None
    assert Tensor(X).zeros_like(dtype=dtypes.int8).dtype == dtypes.int8
    assert (Tensor(X).nbytes(), Tensor(X).element_size()) == (24, 4)
    for wrong in ({"shape": (2,)}, {"typo": 1}):
        with pytest.raises(TypeError):
            Tensor.zeros(2, **wrong)


def test_a_tensor_is_there():
    assert Tensor([0.0]) and Tensor([]) and Tensor([False, False])
    assert Tensor(2.0) == 2.0
    assert not Tensor(2.0) < 1
    assert (Tensor([1.0]) == "a") is False
    assert len({Tensor([1.0]), Tensor([1.0])}) == 2


def test_values():
    x = Tensor(X)
    view = x.data()
    assert (view.format, view.shape, view.itemsize) == ("f", (2, 3), 4)
    assert view.tolist() == X.tolist() == x.tolist()
    assert np.asarray(x).dtype == np.float32
    assert np.exp(x).shape == (2, 3)


def test_devices():
    x = Tensor(X, device="CLANG")
    assert x.device == Tensor(X).device
    assert x.to(None) is x.to(x.device) is x
    check(x.llvm() + x.cpu() + x.clang(), 3 * X)
    host = x.to("HOST")
    assert host.device == "HOST"
    check(host.to("CPU"), X)
    x.requires_grad = True
    (x * 2).sum().backward()
    assert x.to("HOST").grad.device == "HOST"
    with pytest.raises(Error, match="cannot find the device"):
        x.webgpu()
