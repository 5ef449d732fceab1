"""The compiler from Python: modules, pipelines, compiled functions, diagnostics."""

import threading

import numpy as np
import pytest
from tinygrad_mlir import Error, Tensor, compiler

SUMS = """
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %s = lazy.add %x, %y : tensor<2x3xf32>
  %r = lazy.reduce_sum %s : tensor<2x3xf32> -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}
"""


def diagnose(function):
    with pytest.raises(Error) as caught:
        function()
    return caught.value.diagnostics


def test_a_module_that_is_not_lowered_has_no_llvm_ir():
    with pytest.raises(Error, match="expects a module of the llvm dialect.*got `"):
        compiler.parse(SUMS).llvm_ir()


def test_modules_are_parsed_printed_and_lowered(tmp_path):
    module = compiler.parse(SUMS)
    assert "lazy.reduce_sum" in str(module)
    assert str(compiler.parse(str(module))) == str(module)
    assert repr(module) == "<Module with functions main>"
    assert 'loc("module.mlir"' in module.print(locations=True)
    scheduled = module.run("tinygrad-schedule")
    main, kernel = scheduled.functions
    assert main.callees == [kernel.name]
    assert kernel.is_kernel and kernel.flops == 12
    assert "scf.for" in str(scheduled.run("tinygrad-to-loops"))
    lowered = module.run("builtin.module(tinygrad-to-loops,tinygrad-to-llvm)")
    assert "define void @main" in lowered.llvm_ir()
    path = tmp_path / "sums.mlir"
    path.write_text(SUMS)
    assert str(compiler.parse_file(path)) == str(module)


def test_mistakes_have_places(tmp_path):
    path = tmp_path / "wrong.mlir"
    path.write_text(SUMS.replace("lazy.add %x, %y", "lazy.add %x, %z"))
    (found,) = diagnose(lambda: compiler.parse_file(path))
    assert (found.severity, found.file) == ("error", str(path))
    assert (found.line, found.column) == (3, 21)
    assert "undeclared SSA value" in found.message
    assert repr(found).startswith(f"{path}:3:21: error: ")
    # The place outlives passes and compilation.
    text = "func.func @f(%x: tensor<i4>) -> tensor<i4> {\n  return %x : tensor<i4>\n}"
    (found,) = diagnose(lambda: compiler.compile(text, "f"))
    assert (found.file, found.line) == ("module.mlir", 1)


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("no-such-pass", "does not refer to a registered pass"),
        ("lazy-schedule{nothing=1}", "no such option"),
        ("func.func(", "unbalanced parentheses"),
        ("tinygrad-schedule{opt-level=7}", "from 0 to 4"),
    ],
)
def test_pipelines_that_are_wrong(pipeline, message):
    found = diagnose(lambda: compiler.parse(SUMS).run(pipeline))
    assert found[0].severity == "error"
    assert message in found[0].message


def test_compiled_functions_take_arrays_and_tensors():
    function = compiler.compile(SUMS)
    assert [value.shape for value in function.inputs] == [(2, 3), (2, 3)]
    assert [value.shape for value in function.results] == [(2, 1)]
    assert [value.dtype.np for value in function.inputs] == [np.float32] * 2
    assert len(function.kernels) == 1
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = np.ones((3, 2), np.float32)
    for arguments in ((x, y.T), (Tensor(x), y.T), (x.tolist(), Tensor(y).T)):
        assert function(*arguments).tolist() == [[6], [15]]
    with pytest.raises(Error, match=r"expects input 1 to be float32 \[2, 3\]"):
        function(x, y)
    with pytest.raises(Error, match="expects 2 inputs, got 1"):
        function(x)
    with pytest.raises(Error, match="expects a function `other`"):
        compiler.compile(SUMS, "other")


def test_arrays_that_a_function_assigns_to_are_not_written():
    function = compiler.compile(
        "func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {\n"
        "  %n = lazy.neg %x : tensor<2xf32>\n"
        "  %a = lazy.assign %x, %n : tensor<2xf32>\n"
        "  return %a, %n : tensor<2xf32>, tensor<2xf32>\n}"
    )
    x = np.array([1, 2], np.float32)
    x.flags.writeable = False
    first, second = function(x)
    assert (first.tolist(), second.tolist()) == ([-1, -2], [-1, -2])
    assert x.tolist() == [1, 2]


def test_variables_are_keywords():
    function = compiler.compile(
        "#i = #lazy.variable<i, 1, 8>\n"
        "#t = #lazy.type<dims = [#i]>\n"
        "func.func @main(%i: index {lazy.variable = #i}, %x: tensor<?xf32, #t>)"
        " -> tensor<?xf32, #t> {\n"
        "  %n = lazy.neg %x : tensor<?xf32, #t>\n"
        "  return %n : tensor<?xf32, #t>\n}"
    )
    assert function.variables == ["i"]
    assert function(np.arange(3, dtype=np.float32), i=3).tolist() == [0, -1, -2]
    with pytest.raises(Error, match=r"variable 'i' in \[1, 8\], got 9"):
        function(np.arange(9, dtype=np.float32), i=9)
    with pytest.raises(Error, match="expects a value for variable 'i'"):
        function(np.arange(3, dtype=np.float32))


def test_jit_shows_every_stage():
    weight = Tensor([[1.0, 2.0], [3.0, 4.0]])

    @compiler.jit
    def layer(x, *, scale):
        """Computes a layer."""
        return (x @ weight).relu() * scale

    assert layer.__doc__ == "Computes a layer."
    with pytest.raises(TypeError, match="there was none yet"):
        layer.ir()
    x = Tensor([[1.0, -1.0]])
    assert "lazy.reduce_sum" in layer.ir("graph", x, scale=2)
    assert layer(x, scale=2).tolist() == [[0, 0]]
    assert layer(-x, scale=2).tolist() == [[4, 4]]
    assert "lazy.kernel @r_" in layer.ir("tinygrad-schedule")
    assert layer.ir("schedule") == layer.ir("tinygrad-schedule")
    assert "lazy.kernel" in layer.ir("lazy-schedule,cse")
    assert "memref.store" in layer.ir("loops") or "vector.store" in layer.ir("loops")
    assert "llvm.func" in layer.ir("llvm")
    assert "define void" in layer.ir("llvm-ir")
    # The arguments come first, then what the function refers to.
    module = layer.trace(x, scale=2)
    assert "tensor<1x2xf32>, %arg1: tensor<2x2xf32>" in str(module)
    result = compiler.compile(module)(np.array([[-1, 1]], np.float32), weight)
    assert result.tolist() == [[4, 4]]


def test_jit_takes_nested_arguments_and_methods():
    class Model:
        def __init__(self):
            self.weight = Tensor([2.0, 3.0])

        @compiler.jit
        def step(self, batch):
            return {
                "loss": (batch["x"] * self.weight).sum(),
                "all": [batch["y"][0] + 1],
            }

    model = Model()
    batch = {"x": Tensor([1.0, 1.0]), "y": (Tensor([4.0]),)}
    result = model.step(batch)
    assert (result["loss"].item(), result["all"][0].item()) == (5, 5)
    assert result["loss"].is_realized() and result["all"][0].is_realized()
    assert "lazy.reduce_sum" in model.step.ir("graph", batch)


def test_a_function_that_reads_values_cannot_be_traced():
    @compiler.jit
    def wrong(x):
        return x + 1 if x.sum().item() > 0 else x

    x = Tensor([1.0])
    assert wrong(x).tolist() == [2]


def test_other_threads_go_on_while_one_compiles(count_steps_beside):
    lines = "".join(
        f"  %{i + 1} = lazy.sin %{i} : tensor<64x64xf32>\n" for i in range(200)
    )
    text = (
        "func.func @main(%0: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
        f"{lines}  return %200 : tensor<64x64xf32>\n}}"
    )

    def work():
        compiler.parse(text).run("tinygrad-to-loops,tinygrad-to-llvm").llvm_ir()
        compiler.compile(text)

    assert count_steps_beside(work) > 1


def test_modules_serve_several_threads():
    module, failures = compiler.parse(SUMS), []
    expected = str(module.run("tinygrad-to-loops"))
    function = compiler.compile(module)
    x = np.ones((2, 3), np.float32)

    def work():
        for _ in range(5):
            if str(module.run("tinygrad-to-loops")) != expected:
                failures.append("text")
            if function(x, x).tolist() != [[6], [6]]:
                failures.append("values")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_compiled_function_prints_what_it_takes():
    module = compiler.trace(Tensor.ones(2, 3).contiguous().sum(1))
    assert repr(compiler.compile(module)) == "<Function () -> (float [2])>"
