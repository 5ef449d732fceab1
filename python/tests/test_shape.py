"""Variables, nodes, views and trackers."""

import pickle
import random

import numpy as np
import pytest
from tinygrad_mlir.shape.shapetracker import (
    ShapeTracker,
    View,
    get_contraction,
    merge_views,
)
from tinygrad_mlir.shape.symbolic import (
    AndNode,
    LtNode,
    MulNode,
    Node,
    NumNode,
    SumNode,
    Variable,
    sym_infer,
)

OPERATIONS = [
    lambda x, y: x + y,
    lambda x, y: x - y * 3,
    lambda x, y: x * 7,
    lambda x, y: x // 3,
    lambda x, y: x % 5,
    lambda x, y: -x,
]


def test_expressions_have_python_values():
    rng = random.Random(0)
    for _ in range(300):
        a, b = Variable("a", 0, 9), Variable("b", 2, 7)
        values = [(i, j) for i in range(10) for j in range(2, 8)]
        exprs, numbers = [a, b], [[i for i, _ in values], [j for _, j in values]]
        for _ in range(5):
            x, y = rng.randrange(len(exprs)), rng.randrange(len(exprs))
            apply = rng.choice(OPERATIONS)
            exprs.append(apply(exprs[x], exprs[y]))
            numbers.append([apply(p, q) for p, q in zip(numbers[x], numbers[y])])
        last, expected = exprs[-1], numbers[-1]
        found = [sym_infer(last, {a: i, b: j}) for i, j in values]
        assert found == expected
        assert last.min <= min(expected) and last.max >= max(expected)
        bound = rng.choice(expected)
        holds = [sym_infer(last < bound, {a: i, b: j}) for i, j in values]
        assert holds == [int(x < bound) for x in expected]
        env = {"a": values[7][0], "b": values[7][1]}
        assert eval(last.render(), env) == expected[7]  # noqa: S307


def test_classes_and_parts():
    a, b = Variable("a", 0, 8), Variable("b", 1, 4)
    assert isinstance(Variable("c", 2, 2), NumNode)
    assert isinstance(a * 3, MulNode) and (a * 3).a == a and (a * 3).b == 3
    assert isinstance(a + b, SumNode) and set((a + b).nodes) == {a, b}
    assert a + b == b + a and a * b == b * a and a != b
    assert (a * 2 + a * 3).render() == "(a*5)"
    assert isinstance(a < 4, LtNode) and (a < 9) == 1 and not a < 0
    assert isinstance(Node.ands([a < 4, b < 3]), AndNode)
    assert Node.sum([]) == 0 and Node.ands([]) == 1
    assert NumNode(6) == 6 and 12 // NumNode(4) == 3
    with pytest.raises(AssertionError):
        Variable("d", 3, 1)
    with pytest.raises(ZeroDivisionError):
        a // 0
    with pytest.raises(RuntimeError):
        b // a


def test_binding():
    v = Variable("v", 1, 10).bind(3)
    assert v.val == 3 and v.unbind() == (Variable("v", 1, 10), 3)
    assert repr(v) == "Variable('v', 1, 10).bind(3)"
    assert sym_infer(v * 2 + 1, {}) == 7
    assert (v + 1).unbind()[0] == Variable("v", 1, 10) + 1
    with pytest.raises(AssertionError):
        v.bind(4)
    with pytest.raises(AssertionError):
        Variable("v", 1, 10).bind(11)
    with pytest.raises(AssertionError):
        Variable("v", 1, 10).val  # noqa: B018
    with pytest.raises(AssertionError):
        sym_infer(Variable("v", 1, 10), {})


@pytest.mark.parametrize(
    "make",
    [
        lambda a, b: a,
        lambda a, b: b.bind(2),
        lambda a, b: a * 2 + b,
        lambda a, b: (a // 3) % 2,
        lambda a, b: Node.ands([a < 3, b < 2]),
        lambda a, b: View.create((a + 1, 4), mask=((0, a), (0, 4))),
        lambda a, b: ShapeTracker.from_shape((a + 1, 4)).permute((1, 0)),
    ],
)
def test_pickles(make):
    x = make(Variable("a", 0, 8), Variable("b", 1, 4))
    assert pickle.loads(pickle.dumps(x)) == x
    assert eval(repr(x)) == x or isinstance(x, (LtNode, AndNode))  # noqa: S307


def read(st, data):
    """What a tracker shows of `data`, position by position."""
    idx, valid = st.expr_node("idx")
    size = int(np.prod(st.shape))
    result = []
    for position in range(size):
        env = {"idx": position}
        is_read = eval(valid.render(), env)  # noqa: S307
        result.append(data[eval(idx.render(), env)] if is_read else -1)  # noqa: S307
    return np.array(result).reshape(st.shape)


def move(rng, st, x):
    """Applies one movement at random to a tracker and to an array."""
    kind = rng.choice(["reshape", "permute", "pad", "shrink", "stride", "expand"])
    rank = x.ndim
    if kind == "reshape":
        factors = [n for n in x.shape if n > 1] or [1]
        rng.shuffle(factors)
        shape = (x.size,) if rng.random() < 0.5 else tuple(sorted(x.shape))
        return st.reshape(shape), x.reshape(shape)
    if kind == "permute":
        order = tuple(rng.sample(range(rank), rank))
        return st.permute(order), x.transpose(order)
    if kind == "pad":
        pads = tuple((rng.randrange(2), rng.randrange(2)) for _ in range(rank))
        return st.pad(pads), np.pad(x, pads, constant_values=-1)
    if kind == "shrink":
        ranges = tuple((rng.randrange(2) if n > 2 else 0, n) for n in x.shape)
        return st.shrink(ranges), x[tuple(slice(*r) for r in ranges)]
    if kind == "stride":
        steps = tuple(rng.choice([1, -1, 2]) for _ in range(rank))
        return st.stride(steps), x[tuple(slice(None, None, s) for s in steps)]
    shape = tuple(2 if n == 1 else n for n in x.shape)
    return st.expand(shape), np.broadcast_to(x, shape)


def test_trackers_show_what_numpy_does():
    rng = random.Random(1)
    for _ in range(120):
        data = np.arange(24)
        st, x = ShapeTracker.from_shape((2, 3, 4)), data.reshape(2, 3, 4)
        for _ in range(6):
            st, x = move(rng, st, x)
            if x.size > 400:
                break
        assert st.shape == x.shape
        np.testing.assert_array_equal(read(st, data), x)
        simple = st.simplify()
        assert len(simple.views) <= len(st.views)
        np.testing.assert_array_equal(read(simple, data), x)
        assert x.max() < st.size() <= 24 or x.max() == -1


def test_movement_ops_make_what_is_read():
    rng = random.Random(2)
    for _ in range(60):
        data = np.arange(24)
        st, x = ShapeTracker.from_shape((2, 3, 4)), data.reshape(2, 3, 4)
        for _ in range(4):
            st, x = move(rng, st, x)
        y = data.astype(np.int64) + 1
        for op, arg in st.to_movement_ops():
            if op.name == "AS_STRIDED":
                shape, strides, offset = arg
                bytes_ = [s * y.itemsize for s in strides]
                flat = np.ascontiguousarray(y).reshape(-1)
                base = flat[offset:] if np.prod(shape) else flat
                y = np.lib.stride_tricks.as_strided(base, shape, bytes_)
            elif op.name == "EXPAND":
                y = np.broadcast_to(y, arg)
            else:
                y = np.pad(y, arg)
        np.testing.assert_array_equal(y - 1, x)


def test_views():
    view = View.create((3, 4))
    assert view.strides == (4, 1) and view.contiguous and view.mask is None
    assert View((3, 4), (4, 1), 0, None, True) == view
    assert view.reshape((12,)) == View.create((12,))
    assert view.permute((1, 0)).reshape((12,)) is None
    assert merge_views(View.create((12,)), view) == view
    with pytest.raises(AssertionError):
        view.expand((5, 4))
    with pytest.raises(ValueError):
        view.reshape((5,))
    with pytest.raises(TypeError):
        View.create(("a",))


def test_symbolic_trackers():
    x = Variable("x", 1, 100).bind(3)
    st = ShapeTracker.from_shape((x, 4))
    assert st.shape == (x, 4) and st.real_strides() == (4, 1)
    assert st.var_vals == {Variable("x", 1, 100): 3} and st.size() == 400
    assert st.unbind() == ShapeTracker.from_shape((Variable("x", 1, 100), 4))
    moved = ShapeTracker.from_shape((4, 3)).shrink(((x, x + 1), (0, 3)))
    assert moved.views[-1].offset == x * 3
    assert ShapeTracker.from_shape((3, 4)).reshape((x, 4)).shape == (x, 4)
    with pytest.raises(AssertionError):
        ShapeTracker.from_shape((2, 3)).shrink(((x, x + 1), (0, 3)))


def test_axes_of_trackers():
    st = ShapeTracker.from_shape((4, 3)).permute((1, 0)).pad(((0, 0), (1, 0)))
    assert st.unit_stride_axes() == [0] and st.real_strides() == (1, None)
    assert st.real_strides(ignore_valid=True) == (1, 3)
    assert st.axis_is_masked(1) and not st.axis_is_masked(0)


def test_contraction():
    assert get_contraction((1, 2, 3), (2, 3)) == [[0, 1], [2]]
    assert get_contraction((2, 3, 4), (6, 4)) == [[0, 1], [2]]
    assert get_contraction((2, 3), (3, 2)) is None
