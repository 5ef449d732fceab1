"""Functions with gradients of the user's own, functions of the host, variables."""

import gc
import weakref

import numpy as np
import pytest
from tinygrad_mlir import Context, Error, Tensor, TinyJit, Variable, dtypes, mlops
from tinygrad_mlir.function import call_custom
from tinygrad_mlir.lazy import create_lazybuffer
from tinygrad_mlir.ops import BinaryOps, LazyOp, LoadOps
from tinygrad_mlir.shape.shapetracker import ShapeTracker
from tinygrad_mlir.tensor import Function


class Scale(Function):
    """x * factor, with the gradient of 2 * x * factor."""

    def forward(self, x, factor=1.0):
        self.factor = x.const(factor)
        return x.e(BinaryOps.MUL, self.factor)

    def backward(self, grad):
        return grad.e(BinaryOps.MUL, self.factor.e(BinaryOps.ADD, self.factor))


class Pick(Function):
    def forward(self, x, y):
        return x.e(BinaryOps.ADD, y)

    def backward(self, grad):
        assert self.needs_input_grad == [True, False]
        return grad, None


def test_functions_have_gradients_of_their_own():
    x = Tensor([1.0, 2.0], requires_grad=True)
    result = Scale.apply(x, factor=3.0)
    np.testing.assert_array_equal(result.numpy(), [3, 6])
    (result * 10).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [60, 60])
    y = Tensor([5.0, 5.0], requires_grad=False)
    x.grad = None
    Pick.apply(x, y).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [1, 1])
    assert y.grad is None


def test_functions_without_backward():
    class Plain(Function):
        def forward(self, x):
            return x

    x = Tensor([1.0], requires_grad=True)
    result = Plain.apply(x)
    with pytest.raises(RuntimeError, match="backward not implemented"):
        result.sum().backward()
    with pytest.raises(NotImplementedError):
        Function.apply(x)


class Hypot(Function):
    def forward(self, a, b):
        op = LazyOp(LoadOps.CUSTOM, (a.contiguous(), b.contiguous()), hypot)
        st = ShapeTracker.from_shape(a.shape)
        return create_lazybuffer(a.device, st, LoadOps, op, a.dtype)


num_calls = 0


def hypot(result, a, b):
    global num_calls
    num_calls += 1
    result.copyin(np.hypot(a._buf, b._buf).data)


def test_functions_of_the_host_run_when_they_are_realized():
    a, b = Tensor([[3.0, 5.0]]), Tensor([[4.0], [12.0]]).transpose()
    before = num_calls
    result = Hypot.apply(a, b) + 1
    assert num_calls == before
    np.testing.assert_array_equal(result.numpy(), [[6, 14]])
    assert num_calls == before + 1


def test_functions_of_the_host_in_captured_steps():
    step = TinyJit(lambda a, b: Hypot.apply(a + 1, b).realize())
    for i in range(4):
        result = step(Tensor([float(i)]), Tensor([2.0])).numpy()
        np.testing.assert_allclose(result, [np.hypot(i + 1, 2)], rtol=1e-6)


def test_what_functions_of_the_host_raise_is_the_text_of_the_error():
    def fail(result):
        raise ValueError("no more paper")

    tensor = call_custom(fail, [], (2,), Tensor.default_type)
    with pytest.raises(Error, match="no more paper"):
        tensor.realize()


def test_functions_of_the_host_are_kept_while_they_are_needed():
    made = []

    def make(factor):
        def scale(result, x):
            result._buf[:] = x._buf * factor

        made.append(weakref.ref(scale))
        return scale

    def call(factor, x):
        return call_custom(make(factor), [x], x.shape, x.dtype)

    def count():
        gc.collect()
        return sum(function() is not None for function in made)

    x = Tensor([1.0, 2.0])
    waiting = call(2, x)
    statistics = Context.get_default().get_statistics
    before = statistics().misses
    for i in range(50):
        np.testing.assert_array_equal(call(i, x).numpy(), [i, 2 * i])
    assert count() == 1
    # Nor is a graph compiled for each of them.
    assert statistics().misses == before + 1
    np.testing.assert_array_equal(waiting.numpy(), [2, 4])
    assert count() == 0
    step = TinyJit(lambda x: (call(len(made), x) + 1).realize())
    first = len(made)
    for _ in range(4):
        result = step(Tensor([1.0])).item()
    assert (count(), result) == (1, first + 2)
    step.reset()
    assert count() == 0


def test_variables_are_extents():
    for n in (2, 5):
        i = Variable("i", 1, 10).bind(n)
        x = Tensor(np.arange(3 * n, dtype=np.float32).reshape(3, n))
        symbolic = x.reshape(3, i)
        assert symbolic.shape == (3, i)
        assert symbolic.shape[1].val == n
        total = symbolic.sum(axis=1)
        assert total.shape == (3,)
        np.testing.assert_array_equal(total.numpy(), x.numpy().sum(1))
        joined = symbolic.cat(symbolic, dim=1)
        np.testing.assert_array_equal(
            joined.reshape(3, 2 * n).numpy(), np.concatenate([x.numpy()] * 2, 1)
        )
        mean = symbolic.mean(axis=1).numpy()
        np.testing.assert_allclose(mean, x.numpy().mean(1), rtol=1e-6)
        # Beyond the end for some values of i, though not for this one.
        part = Tensor.arange(11).shrink(((i, i + 2),))
        np.testing.assert_array_equal(part.numpy(), [n, n + 1])


def test_values_that_others_refer_to_are_computed_once():
    from tinygrad_mlir import GlobalCounters

    x = Tensor(np.eye(8, dtype=np.float32)).realize()
    for _ in range(3):
        x = x @ x + 1
        (x.sum() + 1).realize()
    y = x
    GlobalCounters.reset()
    (y.max() * 2).realize()
    assert GlobalCounters.kernel_count <= 2


@pytest.mark.parametrize(
    ("name", "values", "keywords"),
    [
        ("Relu", ([-1.0, 2.0],), {}),
        ("Log", ([1.0, 2.0],), {}),
        ("Mul", ([1.0, 2.0], [3.0, 4.0]), {}),
        ("Sum", ([[1.0, 2.0], [3.0, 4.0]],), {"new_shape": (2, 1)}),
        ("Max", ([[1.0, 2.0], [3.0, 4.0]],), {"new_shape": (1, 1)}),
        ("Sum", ([[1.0, 2.0]],), {"new_shape": (1, 2)}),
        ("Pad", ([[1.0, 2.0]],), {"arg": ((0, 1), (1, 0))}),
        ("Cast", ([1.5, 2.0],), {"dtype": dtypes.float16}),
    ],
)
def test_the_functions_of_tinygrad_have_gradients(name, values, keywords):
    function = getattr(mlops, name)
    tensors = [Tensor(value, requires_grad=True) for value in values]
    result = function.apply(*tensors, **keywords)
    result.float().sum().backward()
    assert all(x.grad is not None and x.grad.shape == x.shape for x in tensors)
    # As a part of a function of the user's own.
    buffers = [x.lazydata for x in tensors]
    own = function("CPU", *tensors).forward(*buffers, **keywords)
    assert Tensor(own).tolist() == result.tolist()


def test_mlops_names_what_it_has():
    for name in mlops.__all__:
        assert issubclass(getattr(mlops, name), Function)
    where = mlops.Where.apply(Tensor([True, False]), Tensor([1.0]), Tensor([2.0]))
    assert where.tolist() == [1, 2]
