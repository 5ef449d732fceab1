"""Every public name says what it takes, and wrong arguments get one sentence."""

import importlib
import inspect
import pickle
import pkgutil
import pydoc
import re
import types

import pytest
import tinygrad_mlir
from tinygrad_mlir import Tensor, TinyJit, Variable, dtypes
from tinygrad_mlir.shape.shapetracker import ShapeTracker
from tinygrad_mlir.shape.view import View

# Modules whose names have docstrings, too; those of others have tinygrad's names.
DOCUMENTED = (".compiler", ".dtype", ".interchange", ".jit", ".nn", ".optim", ".state")
DOCUMENTED += (".tensor",)

# Modules of tinygrad that say what stands in their place (test_errors.py).
ABSENT = (".codegen", ".features", ".renderer", ".runtime")

MODULES = ["tinygrad_mlir"] + [
    module.name
    for module in pkgutil.walk_packages(tinygrad_mlir.__path__, "tinygrad_mlir.")
    if not module.name.endswith(("__main__", "_tinygrad", *ABSENT))
]


def list_callables(owner, path, seen):
    """Yields functions and classes of the package with their paths."""
    for name in (name for name in dir(owner) if not name.startswith("_")):
        member = getattr(owner, name)
        is_own = str(getattr(member, "__module__", "")).startswith("tinygrad_mlir")
        if not callable(member) or not is_own:
            continue
        if not inspect.isclass(member):
            yield f"{path}.{name}", member
        elif member not in seen:
            seen.add(member)
            yield f"{path}.{name}", member
            yield from list_callables(member, f"{path}.{name}", seen)


@pytest.mark.parametrize("name", MODULES)
def test_public_names_have_signatures(name):
    module = importlib.import_module(name)
    undocumented = []
    for path, member in list_callables(module, name, set()):
        if not member.__doc__ and member.__module__.endswith(DOCUMENTED):
            undocumented.append(path)
        # Nothing makes exceptions but a raise, and nobody objects of some classes.
        is_class = inspect.isclass(member)
        if is_class and issubclass(member, Exception):
            continue
        if is_class and isinstance(member.__init__, types.WrapperDescriptorType):
            continue
        assert isinstance(inspect.signature(member), inspect.Signature), path
        shown = pydoc.plain(pydoc.render_doc(member)).split("\n", 1)[1]
        assert not re.search("nb_(func|method)|Overloaded", shown)
    assert undocumented == []


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (
            Tensor.sum,
            "(self, axis: int | Sequence[int] | None = None, keepdim: bool = False)"
            " -> Tensor",
        ),
        (Tensor([1.0]).split, "(sizes: int, dim: int = 0) -> list[Tensor]"),
        (Tensor.reshape, "(self, shape, *args) -> Tensor"),
        (Tensor.max_pool2d, None),
        (View.create, "(shape, strides=None, offset=0, mask=None) -> View"),
        (ShapeTracker, "(views: tuple) -> None"),
    ],
)
def test_signatures_have_names_types_and_defaults(function, text):
    signature = inspect.signature(function)
    if text is None:
        text = str(signature)
        assert signature.parameters["kernel_size"].default == (2, 2)
    assert str(signature) == text
    shown = pydoc.plain(pydoc.render_doc(function))
    assert function.__name__ + (text if inspect.isroutine(function) else "") in shown


def test_functions_are_shown_and_pickled_by_name():
    x = Tensor([1.0, 2.0])
    assert repr(Tensor.sum) == "<function Tensor.sum>"
    assert pickle.loads(pickle.dumps(Tensor.sum)) is Tensor.sum
    assert pickle.loads(pickle.dumps(x.sum))().item() == 3
    assert inspect.signature(TinyJit(lambda x, y: x)).parameters.keys() == {"x", "y"}
    assert inspect.signature(Tensor.cpu).parameters.keys() == {"self"}


NUMBERS = Tensor([1.0, 2.0])
OPERAND = "Tensor | bool | int | float"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda x: x.sum("a"),
            "sum() expects axis to be int | Sequence[int] | None, got 'a'",
        ),
        (
            lambda x: x.sum((0, 1.5)),
            "sum() expects axis to be int | Sequence[int] | None, got one with 1.5",
        ),
        (
            lambda x: x.sum(axes=1),
            "sum() got an unexpected keyword argument 'axes'; it takes axis, keepdim",
        ),
        (
            lambda x: x.sum(0, True, 3),
            "sum() got too many positional arguments; it takes axis, keepdim",
        ),
        (
            lambda x: x.sum(0, axis=1),
            "sum() got multiple values for argument 'axis'; it takes axis, keepdim",
        ),
        (
            lambda x: x.clip(1),
            "clip() is missing a required argument: 'max_'; it takes min_, max_",
        ),
        (
            lambda x: x.neg(1),
            "neg() got too many positional arguments; it takes none",
        ),
        (lambda x: x.cast("int"), "cast() expects dtype to be DType, got 'int'"),
        (lambda x: x.dot([1.0]), "dot() expects w to be Tensor, got a list"),
        (lambda x: x.add(None), f"add() expects x to be {OPERAND}, got None"),
        (lambda x: x.add(["a"]), f"add() expects x to be {OPERAND}, got a list"),
        (lambda x: x.sum(0, "yes"), "sum() expects keepdim to be bool, got 'yes'"),
        (lambda x: x.add(2**70), f"add() does not take x={2**70}"),
        (
            lambda x: x.where([1.0, 2.0], "a"),
            f"where() expects other to be {OPERAND}, got 'a'",
        ),
        (
            lambda x: x.shrink(((0, "a"),)),
            "shrink() expects arg to be Sequence[tuple[int | Node, int | Node] | None]"
            ", got one with 'a'",
        ),
        (
            lambda x: Tensor.cat(x, 5),
            "cat() expects tensors to be Sequence[Tensor], got one with 5",
        ),
        (lambda x: Tensor.sum(3), "sum() expects self to be Tensor, got 3"),
        (
            lambda x: x.reshape(x),
            "reshape() expects integers, or one tuple or list of them, got a Tensor "
            "of shape (2,)",
        ),
        (
            lambda x: setattr(x, "requires_grad", "yes"),
            "expects bool | None, got 'yes'",
        ),
        (
            lambda x: Tensor.manual_seed(-1),
            "manual_seed() expects an integer in [0, 2^64), got -1",
        ),
        (
            lambda x: Tensor.rand(2, type=dtypes.int32),
            "rand() got an unexpected keyword argument 'type'; it takes dtype, device "
            "and requires_grad",
        ),
        (
            lambda x: ShapeTracker(3),
            "ShapeTracker() expects views to be tuple, got 3",
        ),
        (
            lambda x: View.create(size=3),
            "create() got an unexpected keyword argument 'size'; it takes shape, "
            "strides, offset, mask",
        ),
        (
            lambda x: tinygrad_mlir.Context.get_default().trim("all"),
            "trim() expects max_idle_bytes to be int, got 'all'",
        ),
        (
            lambda x: tinygrad_mlir.compiler.Module.parse(b"module"),
            "parse() expects text to be str, got b'module'",
        ),
    ],
)
def test_wrong_arguments(call, sentence):
    with pytest.raises(TypeError) as caught:
        call(NUMBERS)
    assert str(caught.value) == sentence
    assert NUMBERS.tolist() == [1, 2]


def test_errors_of_callbacks_stay():
    def fail(*_):
        return NUMBERS.sum(axes=1)

    with pytest.raises(TypeError, match="sum.. got an unexpected keyword"):
        tinygrad_mlir._tinygrad.apply_function([NUMBERS], fail, fail)
    with pytest.raises(TypeError, match="my own"):
        NUMBERS[Awkward()]
    assert Variable("n", 1, 3).bind(2).val == 2


class Awkward:
    def __index__(self):
        raise TypeError("my own")
