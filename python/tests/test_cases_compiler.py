"""What broke for users of compilers: index algebra, modules, types of targets."""

import functools
import math
import operator

import numpy as np
import pytest
from tinygrad_mlir import Error, Tensor, Variable, compiler, dtypes
from tinygrad_mlir.shape.symbolic import sym_infer


def same(ours, expected):
    np.testing.assert_array_equal(ours.numpy(), expected)


# R015, R018, R020, R120: division and remainder round as Python's, in expressions of
# variables and between elements, whatever the signs and the widths are.
def test_division_of_variables():
    i = Variable("i", 1, 9)
    assert sym_infer((i - (i + 2)) // 8 % 8, {i: 1}) == (1 - 3) // 8 % 8 == 7
    for function in (
        lambda x: (x * 10 + 5) // 10,
        lambda x: (x * 48 + 240) // 16,
        lambda x: (x * 10 + 5) % 10,
        lambda x: (x * 6 + 4) // 4 % 3,
        lambda x: x // 4 // 3,
        lambda x: x // 2**33,
        lambda x: (x * 3 + 1) % 2**33,
    ):
        for shift, most in ((10, 20), (2**40, 2**41)):
            x = Variable("x", 0, most)
            expression = function(x - shift)
            for value in (*range(21), 2**33, 2**40, 2**41):
                if value <= most:
                    expected = function(value - shift)
                    assert sym_infer(expression, {x: value}) == expected
    for by in (0, Variable("z", 0, 3)):
        for divide in (operator.floordiv, operator.mod):
            with pytest.raises((ZeroDivisionError, RuntimeError), match="divi"):
                divide(x, by)


def test_remainders_of_elements():
    for kind in (np.int8, np.int32, np.int64, np.float32):
        x = np.array([-9, -8, -1, 0, 1, 7, 8, 9], kind)
        for by in (-8, -3, 3, 8):
            same(Tensor(x) % by, x % kind(by))
        # Of nothing: no trap.
        assert (Tensor(x) % Tensor(x * 0)).numpy().shape == (8,)
    big = np.array([2**40 + 5, -(2**40) - 5, 2**62], np.int64)
    same(Tensor(big) % 2**33, big % 2**33)
    same(Tensor(big) * 2, big * 2)


ADD = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %y = lazy.add %x, %x : tensor<2x3xf32>
  %z = lazy.reshape %y : tensor<2x3xf32> -> tensor<6xf32>
  return %z : tensor<6xf32>
}
"""


# R100, R102: types without a rank or with extents that are not known.
@pytest.mark.parametrize(
    "kind", ["tensor<*xf32>", "tensor<?x3xf32>", "tensor<2x3x!none>", "memref<2x3xf32>"]
)
def test_other_types_are_refused_in_their_place(kind):
    text = ADD.replace("tensor<2x3xf32>", kind)
    with pytest.raises(Error) as caught:
        compiler.compile(text)
    (found, *_) = caught.value.diagnostics
    assert found.severity == "error" and found.line in (2, 3, 4)


# R102: x / x is not always 1, and its size may not be known.
def test_division_by_itself():
    x = Tensor([0.0, 2.0, math.inf])
    same(x / x, [np.nan, 1, np.nan])
    i = Tensor([0, 3], dtype=dtypes.int32)
    same(i / i, [np.nan, 1])
    text = ADD.replace("lazy.add", "lazy.div")
    function = compiler.compile(compiler.parse(text).run("canonicalize"))
    same(function(np.zeros((2, 3), np.float32)), [np.nan] * 6)


# R104: text that ends early, or that has another character somewhere.
def test_texts_that_are_cut():
    whole = ADD.strip()
    for end in range(len(whole)):
        if whole[:end].strip():
            with pytest.raises(Error) as caught:
                compiler.parse(whole[:end])
            assert caught.value.diagnostics[0].line
    for place in range(len(whole)):
        for other in ")}<x%\0é":
            try:
                module = compiler.parse(whole[:place] + other + whole[place + 1 :])
            except Error as error:
                assert error.diagnostics
            else:
                assert str(module)


# R106: a value that is its own operand where nobody comes to.
def test_rewriting_ends():
    text = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
^dead:
  %y = lazy.add %z, %x : tensor<4xf32>
  %z = lazy.neg %z : tensor<4xf32>
  cf.br ^dead
}
"""
    module = compiler.parse(text)
    for pipeline in ("canonicalize", "canonicalize,cse", "cse,canonicalize"):
        assert "lazy.neg" not in str(module.run(pipeline))


# R110: bfloat16 in loads, conversions, comparisons and choices.
def test_bfloat16():
    x = Tensor([1.0, -2.5, 0.0, math.nan]).cast(dtypes.bfloat16)
    i = Tensor([257, -3, 0, 2**20 + 1], dtype=dtypes.int32).cast(dtypes.bfloat16)
    same(i.float(), [256, -3, 0, 2**20])
    same(x < 0.5, [False, True, True, False])
    same(x == x, [True, True, True, False])
    same((x > i).where(x, i).float(), [256, -2.5, 0, 2**20])
    same((x + i)[:3].float(), [256, -5.5, 0])
    same(x.maximum(0)[:3].float(), [1, 0, 0])


# R110, R112: types that a target has not, or has as an option.
@pytest.mark.parametrize("kind", ["bf16", "f16", "f64"])
def test_types_of_targets(kind):
    text = """
func.func @main(%x: tensor<64xT>, %i: tensor<64xi32>) -> tensor<64xT> {
  %y = lazy.cast %i : tensor<64xi32> -> tensor<64xT>
  %c = lazy.cmplt %x, %y : tensor<64xT> -> tensor<64xi1>
  %w = lazy.where %c, %x, %y : tensor<64xi1>, tensor<64xT>
  return %w : tensor<64xT>
}
"""
    module = compiler.parse(text.replace("T>", kind + ">")).run("tinygrad-to-gpu")
    assert "llvm.func" in str(module.run("tinygrad-to-cuda"))
    for options in ("", "f16=true f64=true", "f16=false f64=false"):
        lower = functools.partial(module.run, f"tinygrad-to-spirv{{{options}}}")
        if kind == "bf16" or "false" not in options:
            assert "llvm.func" in str(lower())
            continue
        with pytest.raises(Error) as caught:
            lower()
        (found,) = caught.value.diagnostics
        assert f"on {kind} is not supported by the target `opencl`" in found.message
        assert found.line
