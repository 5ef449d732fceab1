"""Mistakes are exceptions, with what is wrong and where, and change nothing."""

import importlib
import pickle

import pytest
from tinygrad_mlir import Error, Tensor, Variable, compiler, dtypes
from tinygrad_mlir.function import call_custom


def test_error_has_its_parts():
    with pytest.raises(Error, match="same number of elements") as caught:
        Tensor([1.0, 2.0]).reshape(3, 3)
    assert caught.value.op == "reshape"
    assert caught.value.shapes == [(2,)]
    assert caught.value.compiler_text == ""
    assert isinstance(caught.value, RuntimeError)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: compiler.parse("wrong"), r"parse: cannot .*: m.mlir:1:1: error: "),
        (lambda: compiler.parse("module {").run("a"), "parse: cannot"),
        (lambda: compiler.parse("module {}").run("a"), r"run: cannot .*:1:1: error"),
        (lambda: Tensor([1.0]).to("HERE"), "to: cannot .*: expects a device"),
        (lambda: Tensor.zeros(1 << 50).contiguous().realize(), "realize: .*allocate"),
        (lambda: call_custom(fail, [], (1,), dtypes.int8).realize(), r"two lines \("),
    ],
)
def test_text_is_one_line(call, text):
    with pytest.raises(Error, match=text.replace("m.mlir", "module.mlir")) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    # What else there is to say is printed below.
    for note in getattr(caught.value, "__notes__", []):
        assert caught.value.compiler_text.endswith(note)
    assert caught.value.compiler_text.split("\n")[0] in message


def test_another_process_can_be_told():
    with pytest.raises(Error) as caught:
        compiler.parse("\nwrong", "file.mlir")
    told = pickle.loads(pickle.dumps(caught.value))
    assert (str(told), told.op) == (str(caught.value), "parse")
    assert repr(told.diagnostics) == repr(caught.value.diagnostics)
    assert (told.diagnostics[0].file, told.diagnostics[0].line) == ("file.mlir", 2)


def fail(*_):
    raise ValueError("two\nlines")


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


@pytest.mark.parametrize("data", ["text", object(), (x for x in [1.0])])
def test_data_that_is_none_is_named(data):
    with pytest.raises(TypeError, match=f"got `{type(data).__name__}`"):
        Tensor(data)


def test_dtypes_are_no_text():
    with pytest.raises(TypeError, match=r"such as dtypes\.int32, got 'float32'"):
        Tensor([1.0], dtype="float32")


def test_variables_without_a_value_are_refused():
    rows = Tensor.ones(10, 4).shrink(((0, Variable("n", 1, 10)), (0, 4)))
    for read in (Tensor.realize, lambda x: x.sum().item(), lambda x: (x + 1).data()):
        with pytest.raises(Error, match=r"`n`|shape of numbers"):
            read(rows)
    assert repr(rows) == "Tensor(..., shape=(n, 4), dtype=float32, device=CPU)"
    # Which are there, but no array has such a shape.
    rows = Tensor.ones(10, 4).shrink(((0, Variable("n", 1, 10).bind(3)), (0, 4)))
    with pytest.raises(AssertionError, match="a shape of numbers, got") as caught:
        rows.numpy()
    assert (caught.value.op, caught.value.shapes) == ("", [])
    assert rows.reshape(3, 4).numpy().shape == (3, 4)


@pytest.mark.parametrize("name", ["codegen.linearizer", "renderer", "runtime.ops_gpu"])
def test_parts_of_tinygrad_that_are_not_here_say_so(name):
    with pytest.raises(ImportError, match="compiler"):
        importlib.import_module(f"tinygrad_mlir.{name}")
    with pytest.raises(ModuleNotFoundError, match="has no `features`"):
        importlib.import_module("tinygrad_mlir.features.search")
