"""The compiler: modules of MLIR, pipelines of passes, functions that are compiled.

    module = compiler.parse(text)
    print(module.run("tinygrad-schedule"))
    y = compiler.compile(module)(x, w)

    @compiler.jit
    def f(x, w):
        return (x @ w).relu()

    print(f.ir("tinygrad-to-loops", x, w))
    compiler.schedule(f(x, w))  # in a notebook: a table of its kernels

Mistakes are `Error`s, whose `diagnostics` say what is wrong, in which file and line.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

from . import _tinygrad
from ._tinygrad import Diagnostic, Module
from .interchange import read_array
from .schedule_html import render
from .tensor import Tensor

__all__ = [
    "Diagnostic",
    "Function",
    "Kernel",
    "Module",
    "Schedule",
    "compile",
    "jit",
    "parse",
    "parse_file",
    "schedule",
    "trace",
]

# Short names of stages, and the pipelines that lead there from a graph.
STAGES = {
    "graph": "",
    "schedule": "tinygrad-schedule",
    "loops": "tinygrad-to-loops",
    "llvm": "tinygrad-to-loops,tinygrad-to-llvm",
}


def parse(text: str, file_name: str = "module.mlir") -> Module:
    """Parses and verifies a module; diagnostics name it `file_name`.

    Errors: Error, with the place in the text.
    """
    return Module.parse(text, file_name)


def parse_file(path: str | os.PathLike[str]) -> Module:
    """Parses and verifies a file. Errors: as `parse`, and OSError."""
    with open(path, encoding="utf-8") as file:
        return Module.parse(file.read(), os.fspath(path))


# --- Functions ------------------------------------------------------------------------


class Function:
    """A compiled function of a module; it may be called from several threads.

    `inputs` and `results` are their shapes, types and devices, `variables` the names of
    integers that it wants, `kernels` what runs, in order.
    """

    def __init__(self, handle: _tinygrad.CompiledFunction) -> None:
        self._handle = handle

    @property
    def inputs(self) -> list[_tinygrad.Value]:
        return self._handle.inputs

    @property
    def results(self) -> list[_tinygrad.Value]:
        return self._handle.results

    @property
    def variables(self) -> list[str]:
        return self._handle.variables

    @property
    def kernels(self) -> list[_tinygrad.Context.KernelSummary]:
        return self._handle.kernels

    def __call__(self, *inputs: Any, **variables: int) -> Tensor | tuple[Tensor, ...]:
        """Runs the function on tensors or arrays, and returns its result or results.

        Arrays are read where they are, if their elements lie side by side. No input is
        written: one that the function assigns to is copied first. Errors: Error unless
        the inputs have the shapes and types of `inputs`.
        """
        results = self._handle.call([_read_input(x) for x in inputs], variables)
        return results[0] if len(results) == 1 else tuple(results)

    def __repr__(self) -> str:
        return (
            f"<Function {_print_values(self.inputs)} -> {_print_values(self.results)}>"
        )


def _print_values(values: list[_tinygrad.Value]) -> str:
    return "(" + ", ".join(f"{x.dtype.name} {list(x.shape)}" for x in values) + ")"


def _read_input(x: Any) -> _tinygrad.Tensor:
    if isinstance(x, _tinygrad.Tensor):
        return x
    contiguous = getattr(getattr(x, "flags", None), "c_contiguous", False)
    return read_array(x, share=True) if contiguous else Tensor(x)


def compile(module: Module | str, name: str = "main") -> Function:
    """Compiles a function of lazy operations; a text is parsed first.

    Errors: Error if there is no such function, or it cannot be compiled.
    """
    if isinstance(module, str):
        module = parse(module)
    return Function(module.compile_function(name))


def trace(results: Tensor | Sequence[Tensor], inputs: Sequence[Tensor] = ()) -> Module:
    """Makes the module that computes tensors which are not computed yet.

    Its function `main` takes `inputs`, which are computed, and behind them what else
    the results are computed from. Nothing runs. Errors: Error if an input is not
    computed, or given twice.
    """
    if isinstance(results, _tinygrad.Tensor):
        results = [results]
    return Module.trace(list(results), list(inputs))


# --- Functions of Python --------------------------------------------------------------


def _map(kind: type, function: Callable[[Any], Any], tree: Any) -> Any:
    """Applies a function to what is of a kind in nested tuples, lists and dicts."""
    if isinstance(tree, kind):
        return function(tree)
    if isinstance(tree, (tuple, list)):
        items = [_map(kind, function, item) for item in tree]
        # A named tuple takes its fields one by one.
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    if isinstance(tree, dict):
        return {key: _map(kind, function, item) for key, item in tree.items()}
    return tree


def _list_tensors(tree: Any) -> list[Tensor]:
    found: list[Tensor] = []
    _map(_tinygrad.Tensor, found.append, tree)
    return found


class _Placeholder:
    """What stands for a tensor of arguments: its shape and type."""

    def __init__(self, tensor: Tensor) -> None:
        self.shape, self.dtype = tensor.shape, tensor.dtype
        self.requires_grad = tensor.requires_grad

    def make(self) -> Tensor:
        tensor = Tensor.empty(*self.shape, dtype=self.dtype)
        tensor.requires_grad = self.requires_grad
        return tensor


def _make_placeholders(args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    return _map(_tinygrad.Tensor, _Placeholder, (args, kwargs))


class jit:
    """A function of tensors whose results are computed in one compiled graph.

    It runs at each call, and graphs that were seen before are not compiled again.
    `ir` shows what becomes of it. For steps that are captured and run without Python
    there is `TinyJit`.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        # The arguments of the last call, which methods of all instances share.
        self._last: list[tuple[tuple, dict]] = []

    def __get__(self, instance: Any, owner: type | None = None) -> jit:
        if instance is None:
            return self
        bound = jit(self.function.__get__(instance))
        bound._last = self._last
        return bound

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self.function(*args, **kwargs)
        Tensor.corealize(_list_tensors(result))
        # Shapes and types of the tensors, not their values.
        self._last[:] = [_make_placeholders(args, kwargs)]
        return result

    def trace(self, *args: Any, **kwargs: Any) -> Module:
        """Makes the module of a call with such arguments, or those of the last call.

        The tensors of the arguments are the inputs of its function `main`, and behind
        them come others that the function refers to. Nothing is computed. Errors:
        Error if the function reads the values of its inputs: they have none.
        """
        if args or kwargs:
            call = _make_placeholders(args, kwargs)
        elif self._last:
            (call,) = self._last
        else:
            raise TypeError("expects the arguments of a call: there was none yet")
        inputs: list[Tensor] = []

        def make(placeholder: _Placeholder) -> Tensor:
            inputs.append(placeholder.make())
            return inputs[-1]

        args, kwargs = _map(_Placeholder, make, call)
        return trace(_list_tensors(self.function(*args, **kwargs)), inputs)

    def ir(self, stage: str = "graph", *args: Any, **kwargs: Any) -> str:
        """Returns the text of the function at a stage, called with such arguments.

        A stage is a pipeline of passes, such as "tinygrad-schedule" or
        "lazy-schedule,cse", one of the names "graph", "schedule", "loops" and "llvm",
        or "llvm-ir" for LLVM IR. Errors: as `trace`, and Error for other stages.
        """
        module = self.trace(*args, **kwargs)
        if stage == "llvm-ir":
            return module.run(STAGES["llvm"]).llvm_ir()
        return str(module.run(STAGES.get(stage, stage)))


# --- Schedules ------------------------------------------------------------------------


class Kernel:
    """A kernel of a schedule: its name, what it costs, and its code."""

    def __init__(self, schedule: Schedule, function: _tinygrad.ModuleFunction) -> None:
        self._schedule = schedule
        self.name = function.name
        self.flops, self.bytes = function.flops, function.bytes
        self.code = function.text

    @property
    def loops(self) -> str:
        """The code as loops and vectors."""
        return self._schedule._loops[self.name]

    def __repr__(self) -> str:
        return f"<Kernel {self.name}: {self.flops} flops, {self.bytes} bytes>"


class Schedule(Sequence):
    """The kernels that compute tensors, in the order in which they run.

    A sequence of Kernel; `module` is the module that they are functions of. In a
    notebook it shows itself as a table, whose rows unfold to the code.
    """

    def __init__(self, module: Module) -> None:
        self.module = module
        functions = {function.name: function for function in module.functions}
        self._kernels = [
            Kernel(self, functions[name]) for name in functions["main"].callees
        ]

    @functools.cached_property
    def _loops(self) -> dict[str, str]:
        lowered = self.module.run(STAGES["loops"])
        return {function.name: function.text for function in lowered.functions}

    def __len__(self) -> int:
        return len(self._kernels)

    @overload
    def __getitem__(self, index: int) -> Kernel: ...

    @overload
    def __getitem__(self, index: slice) -> list[Kernel]: ...

    def __getitem__(self, index: int | slice) -> Kernel | list[Kernel]:
        return self._kernels[index]

    def __iter__(self) -> Iterator[Kernel]:
        return iter(self._kernels)

    def __repr__(self) -> str:
        lines = [f"Schedule of {len(self)} kernel{'' if len(self) == 1 else 's'}"]
        width = max((len(kernel.name) for kernel in self), default=0)
        lines += [
            f"{number:4}  {kernel.name:<{width}}  {kernel.flops:>12,} flops"
            f"  {kernel.bytes:>12,} bytes"
            for number, kernel in enumerate(self)
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return render(self)


def schedule(*tensors: Tensor) -> Schedule:
    """Returns the kernels that computing tensors takes; nothing runs.

    Tensors that are computed take none. Errors: Error if one cannot be scheduled.
    """
    waiting = [tensor for tensor in tensors if not tensor.is_realized()]
    return Schedule(trace(waiting).run(STAGES["schedule"]))
