"""TinyJit: what is an input, what is captured, and what is an error."""

import inspect
import warnings
from typing import NamedTuple

import numpy as np
import pytest
from tinygrad_mlir import Tensor, TinyJit, Variable, nn
from tinygrad_mlir.jit import JitError
from tinygrad_mlir.nn.optim import SGD


def test_inputs_are_tensors_by_position_name_and_in_lists():
    calls = []

    @TinyJit
    def f(a, parts, *, scale, table):
        calls.append(None)
        return (a + parts[0] * parts[1] + scale + table["x"]).realize()

    for i in range(5):
        a, b, c, d, e = (Tensor([float(i + k)]) for k in range(5))
        result = f(a, [b, c], table={"x": e}, scale=d)
        assert result.numpy() == [i + (i + 1) * (i + 2) + i + 3 + i + 4]
    assert len(calls) == 2
    assert len(f.jit_cache) == 1
    assert repr(f).startswith("<TinyJit of <function ")
    assert repr(f).endswith(", captured>")
    assert f.cnt == 5
    f.reset()
    assert f.jit_cache == []
    f(*[Tensor([1.0]), [Tensor([2.0]), Tensor([3.0])]], scale=a, table={"x": b})
    assert len(calls) == 3


def test_results_keep_their_form_and_are_the_same_tensors_each_time():
    class Pair(NamedTuple):
        twice: Tensor
        note: str

    @TinyJit
    def f(x):
        return {"pair": Pair((x * 2).realize(), "text"), "list": [x + 1, None]}

    results = [f(Tensor([float(i)])) for i in range(4)]
    assert results[3] is results[1]
    assert results[3]["pair"].note == "text"
    assert results[1]["pair"].twice.numpy() == [6]
    assert results[3]["list"][0].numpy() == [4]
    assert results[3]["list"][1] is None
    # What was computed of an older value keeps it.
    sum_ = results[3]["pair"].twice + 1
    f(Tensor([10.0]))
    assert sum_.numpy() == [7]
    assert results[3]["pair"].twice.numpy() == [20]


def test_tools_of_python_see_the_function():
    @TinyJit
    def scaled(x, factor=2):
        return (x * factor).realize()

    assert scaled.__name__ == "scaled"
    assert str(inspect.signature(scaled)) == "(x, factor=2)"


def test_methods_share_what_they_assign():
    class Counter:
        def __init__(self):
            self.total = Tensor([0.0])

        @TinyJit
        def add(self, x):
            self.total.assign(self.total + x).realize()
            return self.total

    counter = Counter()
    for i in range(5):
        total = counter.add(Tensor([float(i)]))
        assert total.numpy() == counter.total.numpy() == [i * (i + 1) / 2]
    # It is not the counter's own tensor.
    assert total is not counter.total
    assert Counter.add.cnt == 5


def test_a_captured_method_is_of_one_object():
    class Scale:
        def __init__(self, factor):
            self.factor = Tensor([factor])

        @TinyJit
        def __call__(self, x):
            return (x * self.factor).realize()

    twice, thrice = Scale(2.0), Scale(3.0)
    for i in range(4):
        assert twice(Tensor([float(i)])).tolist() == [2 * i]
    with pytest.raises(JitError, match="object of the second call"):
        thrice(Tensor([1.0]))
    assert twice(Tensor([5.0])).tolist() == [10]
    # One for each object.
    jits = [TinyJit(Scale.__call__.fxn.__get__(scale)) for scale in (twice, thrice)]
    for i in range(4):
        assert [f(Tensor([float(i)])).tolist() for f in jits] == [[2 * i], [3 * i]]


def test_steps_of_training():
    Tensor.manual_seed(0)
    layer = nn.Linear(3, 1)
    optimizer = nn.optim.Adam([layer.weight, layer.bias], lr=0.1)

    @TinyJit
    def step(x, y):
        optimizer.zero_grad()
        loss = (layer(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        return loss.realize()

    random = np.random.default_rng(0)
    losses = []
    for _ in range(60):
        x = random.standard_normal((16, 3)).astype(np.float32)
        y = x @ np.array([[1.0], [-2.0], [0.5]], np.float32) + 3
        losses.append(step(Tensor(x), Tensor(y)).item())
    assert losses[-1] < losses[0] / 100
    assert optimizer.t.numpy() == [60]


def test_variables_are_inputs():
    x = Tensor(np.arange(12, dtype=np.float32)).realize()

    @TinyJit
    def head(x, n, scale=None):
        return (x.shrink(((0, n),)).sum() * scale).realize()

    for n in range(1, 6):
        bound = Variable("n", 1, 12).bind(n)
        scale = Tensor([float(n)])
        assert head(x, bound, scale=scale).numpy() == [n * n * (n - 1) / 2]
    assert head.cnt == 5


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((Tensor([1.0, 2.0]), Tensor([1.0])), "expects input 0 to be float32"),
        ((Tensor([1.0]), Tensor([1])), "expects input 1 to be"),
        ((Tensor([1.0]), [Tensor([1.0])]), "expects the inputs"),
        ((Tensor([1.0]), 1.0), "expects the inputs"),
    ],
)
def test_other_inputs_are_refused(arguments, text):
    f = TinyJit(lambda a, b: (a + b).realize())
    for _ in range(3):
        f(Tensor([1.0]), Tensor([2.0]))
    if text == "expects input 1 to be":
        arguments = (arguments[0], Tensor(np.array([1], np.int64)))
    with pytest.raises(JitError, match=text):
        f(*arguments)
    assert f(Tensor([2.0]), Tensor([3.0])).numpy() == [5]


def test_errors():
    x = Tensor([1.0])
    with pytest.raises(AssertionError, match="a tensor of its own"):
        TinyJit(lambda a, b: (a + b).realize())(x, x)
    lazy = TinyJit(lambda a: a + 1)
    lazy(x)
    with pytest.raises(JitError, match="realizes tensors"):
        lazy(x)

    @TinyJit
    def fails(a):
        x.assign(a).realize()
        raise KeyError("the user's own")

    for _ in range(3):
        with pytest.raises(KeyError, match="the user's own"):
            fails(Tensor([2.0]))


def test_what_the_function_brings_may_be_read_and_tensors_printed():
    texts = []

    @TinyJit
    def f(x):
        texts.append(repr(x + 1))
        rows = x[[2, 0]] + Tensor([1.0, 2.0]).numpy()
        return (rows + x[[True, False, True]]).realize()

    for i in range(4):
        result = f(Tensor([float(i), 5.0, 7.0]))
        assert result.tolist() == [7 + 1 + i, i + 2 + 7]
    assert len(texts) == 2
    assert texts[0].startswith("Tensor([1., 6., 8.], ")
    assert texts[1] == "Tensor(..., shape=(3,), dtype=float32, device=CPU)"


def test_positions_out_of_range_are_refused_while_capturing():
    f = TinyJit(lambda x, places: x[places.copy()].realize())
    places = [0, 1]
    f(Tensor([1.0, 2.0]), places)
    places[1] = 2
    with pytest.raises(IndexError, match="out of bounds"):
        f(Tensor([1.0, 2.0]), places)


@pytest.mark.parametrize(
    "read",
    [
        lambda x, weight: x.tolist(),
        lambda x, weight: (x * 2).realize().tolist(),
        lambda x, weight: weight.tolist(),
        lambda x, weight: Tensor.rand(1).realize().tolist(),
        lambda x, weight: x.detach().item(),
    ],
)
def test_what_reads_values_runs_at_each_call(read):
    weight = Tensor([1.0]).realize()
    seen = []

    def step(x):
        seen.append(read(x, weight))
        weight.assign(weight + x)
        return Tensor(x.numpy() * 2).realize(), (weight * 1).realize()

    f = TinyJit(step)
    for i in range(4):
        if i == 1:
            with pytest.warns(RuntimeWarning, match="`step` reads values"):
                results = f(Tensor([float(i)]))
        else:
            results = f(Tensor([float(i)]))
        # 1 + 0 + 1 + .. + i.
        assert results[0].tolist() == [2 * i] and weight.tolist() == [
            1 + i * (i + 1) / 2
        ]
        assert results[1].tolist() == weight.tolist()
    assert len(seen) == f.cnt == 4 and f.jit_cache == []
    assert "not captured" in repr(f)


def test_a_training_step_that_reads_values_learns():
    weight = Tensor([0.0], requires_grad=True)
    optimizer = SGD([weight], lr=0.1)

    def step(x, y):
        optimizer.zero_grad()
        # A part of the graph that only this call has.
        loss = (Tensor(x.numpy()) * weight - y).square().sum().backward()
        optimizer.step()
        return loss.realize()

    jitted = TinyJit(step)
    with Tensor.train(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(60):
            x = Tensor([float(i % 3)])
            jitted(x, x * 3)
    assert abs(weight.item() - 3) < 1e-3


def test_errors_show_the_line_of_the_function():
    def shares(x):
        return Tensor(memoryview(x)).realize()

    f = TinyJit(shares)
    f(Tensor([1.0]))
    with pytest.raises((JitError, BufferError)) as caught:
        f(Tensor([1.0]))
    assert "shares" in [entry.name for entry in caught.traceback]
