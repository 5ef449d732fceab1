"""What broke for users of such systems, where it is a matter of Python.

The compiler's rows are in test_cases_compiler.py.
"""

import functools
import math
import operator
import threading

import numpy as np
import pytest
from tinygrad_mlir import Tensor, TinyJit, compiler, dtypes


def iota(*shape):
    return np.arange(1, math.prod(shape) + 1, dtype=np.float32).reshape(shape)


def same(ours, expected):
    np.testing.assert_array_equal(ours.numpy(), expected)


# R001, R003, R010: a mask goes through reshapes.
def test_padding_survives_reshapes():
    x = iota(2, 5, 5)
    ours = Tensor(x).pad(((2, 0), None, None)).reshape(2, 2, 5, 5).reshape(4, 5, 5)
    same(ours, np.pad(x, ((2, 0), (0, 0), (0, 0))))
    x = iota(1, 2)
    same(
        Tensor(x).pad(((1, 1), (0, 2))).reshape(4, 3),
        np.pad(x, ((1, 1), (0, 2))).reshape(4, 3),
    )
    x = iota(1, 4)
    ours = Tensor(x).pad(((0, 1), (0, 0))).flip(0).reshape(2, 1, 4).reshape(4, 2, 1)
    same(ours, np.pad(x, ((0, 1), (0, 0)))[::-1].reshape(4, 2, 1))


# R005, R011, R013: steps, slices of padding, reversed views.
def test_slices():
    x = iota(2, 3)
    same(Tensor(x).T.reshape(6)[::3], x.T.reshape(6)[::3])
    x = iota(4, 4)
    ours = Tensor(x).pad(((1, 2), (3, 4)), 3.5)
    padded = np.pad(x, ((1, 2), (3, 4)), constant_values=3.5)
    for index in (0, 6, (slice(None), 1), (slice(5, 7), slice(2)), (0, 0)):
        same(ours[index], padded[index])
    x = iota(7, 6)
    a = Tensor(x)
    same(a.flip((0, 1)) * 2 - a[::-1, ::2][:, :1], x[::-1, ::-1] * 2 - x[::-1, :1])


# R007: what pads is not what a function makes of 0.
def test_functions_of_parts_of_a_concatenation():
    x = np.array([1.0, 4.0], np.float32)
    a = Tensor(x)
    for ours, expected in ((a.exp(), np.exp(x)), (1 / a, 1 / x), (a == 0, x == 0)):
        joined = np.concatenate([x, expected])
        np.testing.assert_allclose(a.cat(ours).numpy(), joined, rtol=1e-6)


# R022: more elements than 2^31 where only a few are read.
def test_positions_beyond_2_to_the_31():
    x = Tensor(np.arange(65536, dtype=np.int32))
    big = x.reshape(65536, 1).expand(65536, 65536).reshape(2**32)
    assert big.numel() == 2**32
    same(big.shrink(((2**32 - 3, 2**32),)), [65535] * 3)
    same(big[-2:], [65535] * 2)


# R026, R028, R030: no elements.
def test_nothing():
    empty = Tensor.zeros(4, 4, 4).shrink((None, (0, 0), None))
    same(empty.cat(Tensor.ones(4, 1, 4), dim=1), np.ones((4, 1, 4)))
    for left, right in (((3, 0), (0, 2)), ((0, 3), (3, 2)), ((3, 2), (2, 0))):
        same(Tensor.ones(left) @ Tensor.ones(right), np.ones(left) @ np.ones(right))
    x = Tensor.zeros(1, 0, 32)
    assert (x > 0).where(x, 1).linear(Tensor.ones(32, 4)).numpy().shape == (1, 0, 4)


# R031, R035, R037: integers beside numbers and each other.
def test_integers():
    x = np.array([0, 1, 2, 3], np.int32)
    a = Tensor(x)
    same(a.maximum(1.5), np.maximum(x, 1.5))
    same((a > 1).where(a, 0.5), np.where(x > 1, x, 0.5))
    same(a + 0.25, x + 0.25)
    same(a / 2, x / 2)
    x, y = np.array([1, 200, 7], np.uint8), np.array([2, 100, 7], np.uint8)
    same((Tensor(x) - Tensor(y)).abs(), x - y)


# R038, R040, R042, R045, R079: special values.
def test_special_values():
    for size in (2, 5, 16):
        for place in (0, size // 2, size - 1):
            x = np.arange(size, dtype=np.float32)
            x[place] = np.nan
            assert math.isnan(Tensor(x).max().item())
    x = np.array([-np.inf, 2.0, np.inf], np.float32)
    same(Tensor(x).gather(Tensor([2, 1, 0]), 0), x[::-1])
    same(Tensor(x)[[2, 1, 0]], x[::-1])
    zeros = (-Tensor([0.0, -0.0])).numpy()
    assert list(np.signbit(zeros)) == [True, False]
    assert np.isnan(Tensor([-math.inf, -math.inf]).softmax().numpy()).all()
    same(Tensor([1.0, -1.0, 0.0]) / 0, [np.inf, -np.inf, np.nan])
    same(Tensor.full((2,), 1.0) / Tensor.zeros(2), [np.inf, np.inf])


# R047, R096, R098: ties, whole numbers, large scores.
def test_ties_and_rounding():
    x = np.array([[3, 7, 7, 1], [5, 5, 5, 5]], np.float32)
    for axis in (0, 1, None):
        same(Tensor(x).argmax(axis), x.argmax(axis))
    x = np.array([1.0, 2.1, 0.0, -5.0, -2.5, 2.5, 16777216.0], np.float32)
    for name in ("floor", "ceil", "trunc"):
        same(getattr(Tensor(x), name)(), getattr(np, name)(x))
    assert Tensor([1000.0, 1001.0]).softmax().sum().item() == pytest.approx(1)


# R049, R051, R053, R054, R056, R094: narrow types and sums.
def test_types():
    x = np.array([65504.0, 65519.0, -65520.0, 2049.0], np.float32)
    with np.errstate(over="ignore"):
        same(Tensor(x).half(), x.astype(np.float16))
    assert Tensor(np.full(3, 60000, np.float16)).mean().item() == 60000
    odd = Tensor([1.0, math.nan, 2.0]).cast(dtypes.bfloat16)
    assert math.isnan(odd.sum().item())
    assert Tensor(np.ones(300, bool)).sum().item() == 300
    tenths = Tensor(np.full(10**6, 0.1, np.float32))
    assert tenths.sum().item() == pytest.approx(1e5, rel=1e-4)
    assert Tensor(1.0).bitcast(dtypes.uint32).item() == 1065353216


# R058, R060, R062: a value is what it was when it was made.
def test_assign():
    a = (Tensor.ones(4) + 0).realize()
    before = a * 3
    a.assign(Tensor.full((4,), 2))
    same(a + (before - 1), [4] * 4)
    x = np.arange(5000, dtype=np.float32)
    a = Tensor(x).realize()
    a.assign(a + a.flip(0))
    same(a, x + x[::-1])
    a, b = (Tensor.zeros(8).contiguous().realize() for _ in range(2))
    a += 1
    same(a, [1] * 8)
    same(b, [0] * 8)


# R064, R066, R089: deep, shared and wide graphs.
def test_graphs():
    x = Tensor([0.0, 1.0])
    for _ in range(3000):
        x = x + 1
    same(x, [3000, 3001])
    x = Tensor([1.0, 3.0])
    for _ in range(22):
        x = x + x
    same(x, [2**22, 3 * 2**22])
    same(sum(Tensor([i]).realize() for i in range(300)), [44850])


# R068, R081: constants in kernels are told apart, and exact.
def test_constants():
    c = Tensor([1.0, 0.0])
    for zero in (0.0, -0.0, 0.0, -0.0):
        result = (1.0 / (c > 0.5).where(zero, 1.0)).numpy()
        assert result[0] == math.copysign(math.inf, zero)
    x = Tensor(np.zeros(2, np.float32))
    for number in (math.inf, -math.inf, 3.4028234e38, 2e-38):
        same(x + number, np.full(2, number, np.float32))
    i = Tensor(np.zeros(2, np.int32))
    for number in (-(2**31), 2**31 - 1):
        same(i + number, [number] * 2)


# R072, R074, R078: gradients at the edges.
def test_gradients():
    x = Tensor([[2.0, 5.0, 5.0], [4.0, 4.0, 4.0]], requires_grad=True)
    x.max(axis=1).sum().backward()
    expected = [[0, 0.5, 0.5], [1 / 3] * 3]
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-6)
    for power, expected in ((2, [0, 4, -3]), (3, [0, 12, 6.75])):
        x = Tensor([0.0, 2.0, -1.5], requires_grad=True)
        (x**power).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-5)
    x = Tensor([-1.0, 0.0, -0.0, 2.0], requires_grad=True)
    x.relu().sum().backward()
    same(x.grad, [0, 0, 0, 1])


# R085: threads with programs of their own.
def test_threads():
    wrong = []

    def compute(number):
        for size in range(3, 8):
            x = np.arange(size, dtype=np.float32) + number
            if (Tensor(x) * number + size).sum().item() != (x * number + size).sum():
                wrong.append((number, size))

    threads = [threading.Thread(target=compute, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# R091, R092, R108, R118: fusions.
def test_fusions():
    parts = [Tensor([1.0, -5.0]), Tensor([2.0, -7.0]), Tensor([-3.0, -6.0])]
    same(Tensor.stack(parts).max(axis=0), [2, -5])
    x, y = iota(2, 4), iota(4)
    product = Tensor(x).unsqueeze(2).expand(2, 4, 3) * Tensor(y).reshape(1, 4, 1)
    same(product.sum((0, 2)), (x * y).sum(0) * 3)
    assert (Tensor.ones(8, 8).pad(((1, 1), (1, 1))) + 1)[1, 1].item() == 2
    x, w = Tensor.rand(1, 3, 11, 28), Tensor.rand(4, 3, 3, 3)
    plain = x.conv2d(w, padding=1).numpy()
    try:
        Tensor.wino = True
        tiles = x.conv2d(w, padding=1)
    finally:
        Tensor.wino = False
    np.testing.assert_allclose(tiles.numpy(), plain, rtol=1e-4, atol=1e-4)


# R024: a view that starts more than 4 GiB into memory and into a file.
def test_offsets_beyond_4_gib(tmp_path):
    path = tmp_path / "sparse"
    size = 2**32 + 64
    with open(path, "wb") as file:
        file.truncate(size)
        file.seek(2**32)
        file.write(bytes(range(64)))
    expected = np.arange(64, dtype=np.uint8)
    for x in (Tensor.from_buffer(np.memmap(path, mode="r")), Tensor(path)):
        assert x.shape == (size,)
        same(x[2**32 : 2**32 + 64].to("CPU"), expected)
        same(x[-2:].to("CPU"), [62, 63])
        same(x[2**32 - 1 :: 2].to("CPU") + 1, [1, *range(2, 65, 2)])


# R114: more inputs than a kernel or a call of some systems takes.
def test_hundreds_of_inputs():
    arrays = [np.full(3, i, np.float32) for i in range(600)]
    tensors = [Tensor(array).realize() for array in arrays]
    expected = np.sum(arrays, axis=0)
    same(functools.reduce(operator.add, tensors), expected)
    same(Tensor.stack(tensors).sum(0), expected)
    same(tensors[0].cat(*tensors[1:]).reshape(600, 3).sum(0), expected)
    step = TinyJit(lambda *xs: functools.reduce(operator.add, xs).realize())
    for _ in range(4):
        same(step(*tensors), expected)
    module = compiler.trace([functools.reduce(operator.add, tensors)], tensors)
    same(compiler.compile(module)(*arrays), expected)


# R116: what a captured function reads, and what it assigns to.
def test_captured_lists_and_assigned_inputs():
    weights = [Tensor([float(i)]).realize() for i in range(3)]

    @TinyJit
    def total(x):
        return (sum(weights, x) * 2).realize()

    for i in range(4):
        assert total(Tensor([float(i)]).realize()).item() == 2 * (i + 3 + 3 * i)
        for weight in weights:
            weight.assign(weight + 1).realize()
    # Another tensor takes the place of one.
    weights[0] = Tensor([100.0]).realize()
    assert total(Tensor([0.0]).realize()).item() == 2 * (100 + 5 + 6)

    @TinyJit
    def grow(x):
        x.assign(x + 1)
        return (x * 10).realize()

    for i in range(4):
        x = Tensor([float(i)]).realize()
        assert grow(x).item() == (i + 1) * 10
        assert x.item() == i + 1


# R118: a convolution as tiles, at odd sizes and with groups.
@pytest.mark.parametrize("shape", [(1, 3, 11, 28), (2, 4, 3, 3), (1, 2, 8, 5)])
@pytest.mark.parametrize("groups", [1, 0])
def test_winograd(shape, groups):
    groups = groups or shape[1]
    x = Tensor.rand(*shape)
    w = Tensor.rand(4 * groups, shape[1] // groups, 3, 3)
    for padding in (0, 1):
        plain = x.conv2d(w, padding=padding, groups=groups).numpy()
        try:
            Tensor.wino = True
            tiles = x.conv2d(w, padding=padding, groups=groups)
        finally:
            Tensor.wino = False
        np.testing.assert_allclose(tiles.numpy(), plain, rtol=1e-4, atol=1e-4)
