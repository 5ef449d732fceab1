"""The helpers that programs of tinygrad import."""

import numpy as np
import pytest
from tinygrad_mlir import helpers
from tinygrad_mlir.helpers import Context, ContextVar
from tinygrad_mlir.shape.symbolic import Variable


@pytest.mark.parametrize(
    "value, expected",
    [
        (helpers.prod((2, 3, 4)), 24),
        (helpers.prod(()), 1),
        (helpers.prod((Variable("a", 1, 5), 3)).render(), "(a*3)"),
        (helpers.dedup([3, 1, 3, 2, 1]), [3, 1, 2]),
        (helpers.argfix(1, 2), (1, 2)),
        (helpers.argfix([1, 2]), (1, 2)),
        (helpers.argfix(), ()),
        (helpers.argsort((3, 1, 2)), (1, 2, 0)),
        (helpers.all_same([2, 2]), True),
        (helpers.all_int((1, Variable("a", 1, 5))), False),
        (helpers.make_pair(3), (3, 3)),
        (helpers.make_pair((1, 2)), (1, 2)),
        (helpers.flatten([[1], [2, 3]]), [1, 2, 3]),
        (helpers.partition([1, 2, 3], lambda x: x > 1), ([2, 3], [1])),
        (helpers.round_up(6, 4), 8),
        (helpers.round_up(-3, 4), 0),
        (helpers.get_child({"a": [1, {"b": 5}]}, "a.1.b"), 5),
        (helpers.strip_parens("(1+(2))"), "1+(2)"),
        (helpers.strip_parens("(1)+(2)"), "(1)+(2)"),
        (helpers.strip_parens(""), ""),
        (helpers.ansistrip(helpers.colored("x", "RED")), "x"),
        (helpers.ansilen(helpers.colored("xy", "green", background=True)), 2),
        (helpers.colored("x", None), "x"),
        (helpers.to_function_name("r_4 2"), "r_4202"),
        (helpers.merge_dicts([{"a": 1}, {"a": 1, "b": 2}]), {"a": 1, "b": 2}),
        (helpers.fetch("/tmp/x").as_posix(), "/tmp/x"),
    ],
)
def test_value(value, expected):
    assert value == expected


def test_errors():
    with pytest.raises(AssertionError):
        helpers.merge_dicts([{"a": 1}, {"a": 2}])
    with pytest.raises(AssertionError):
        helpers.unwrap(None)
    with pytest.raises(AssertionError):
        helpers.unwrap2((1, "failed"))
    assert helpers.unwrap2((1, None)) == 1


def test_context_gives_values_back():
    x, y = ContextVar("TEST_X", 1), ContextVar("TEST_Y", 2)
    assert ContextVar("TEST_X", 9) is x
    with Context(TEST_X=5):
        assert x.value == 5 and x > 4 and x >= 5 and not x < 5
        with Context(TEST_Y=0):
            assert not y
            x.value = 7
        assert (x.value, y.value) == (5, 2)
    assert (x.value, y.value) == (1, 2)
    with pytest.raises(KeyError), Context(TEST_X=3, NO_SUCH_VARIABLE=1):
        pass
    assert x.value == 1


def test_context_as_decorator():
    x = ContextVar("TEST_Z", 1)

    @Context(TEST_Z=2)
    def double(depth):
        return x.value + (double(depth - 1) if depth else 0)

    assert double(2) == 6 and x.value == 1


def test_getenv(monkeypatch):
    monkeypatch.setenv("TEST_GETENV", "12")
    assert helpers.getenv("TEST_GETENV", 0) == 12
    assert helpers.getenv("TEST_GETENV", "") == "12"
    assert helpers.getenv("TEST_GETENV_MISSING", 3) == 3


def test_timing_and_profiling(capsys):
    with helpers.Timing("took ", on_exit=lambda ns: " end"):
        pass
    with helpers.Timing("never ", enabled=False) as timing:
        pass
    assert timing.et >= 0
    with helpers.Profiling(frac=0.5):
        sum(range(10))
    text = capsys.readouterr().out
    assert text.startswith("took ") and " ms end" in text and "never" not in text
    assert "function calls" in text


def test_cache_on_disk(monkeypatch, tmp_path):
    from tinygrad_mlir import diskcache

    monkeypatch.setattr(diskcache, "CACHEDB", str(tmp_path / "a" / "cache.db"))
    monkeypatch.setattr(diskcache, "_connections", {})
    assert diskcache.diskcache_get("t", "k") is None
    assert diskcache.diskcache_put("t", "k", (1, "x")) == (1, "x")
    assert diskcache.diskcache_get("t", "k") == (1, "x")
    diskcache.diskcache_put("t", {"a": 4, "b": b"z"}, 7)
    assert diskcache.diskcache_get("t", {"b": b"z", "a": "4"}) == 7
    assert diskcache.diskcache_get("t", {"b": b"z", "a": 5}) is None
    assert diskcache.diskcache_get("u'; DROP TABLE entries; --", "k") is None
    calls = []

    @diskcache.diskcache
    def double(x):
        calls.append(x)
        return 2 * x

    assert [double(3), double(3), double(4)] == [6, 6, 8] and calls == [3, 4]


def test_memory_helpers():
    data = np.arange(4, dtype=np.int32)
    assert helpers.flat_mv(data.data).tolist()[:5] == [0, 0, 0, 0, 1]
    pointer = helpers.from_mv(data.data)
    assert pointer[4] == b"\x01"
    assert helpers.init_c_var([], lambda x: x.append(1)) == [1]
