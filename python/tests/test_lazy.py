"""Schedules of tensors, what stands behind them, and kernels at OPT=0..4."""

import os
import subprocess
import sys

import numpy as np
import pytest
from tinygrad_mlir import Device, GlobalCounters, Tensor
from tinygrad_mlir.device import Buffer, CacheCollector, Compiled
from tinygrad_mlir.graph import print_tree
from tinygrad_mlir.helpers import dtypes
from tinygrad_mlir.lazy import LazyBuffer, create_schedule
from tinygrad_mlir.ops import (
    BinaryOps,
    BufferOps,
    LazyOp,
    LoadOps,
    MemBuffer,
    MovementOps,
    ReduceOps,
    UnaryOps,
    get_lazyop_info,
)
from tinygrad_mlir.realize import run_schedule
from tinygrad_mlir.shape.shapetracker import ShapeTracker, View  # noqa: F401


def run(program, **env):
    """Runs a program in a process of its own and returns what it prints."""
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_schedule_has_the_kernels():
    a = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    (item,) = (a.T * 2).sum(1).lazydata.schedule()
    assert item.ast.op is BufferOps.STORE
    assert item.inputs == (a.lazydata,)
    assert item.name in item.code
    ops = [op.op for op in item.ast.get_lazyops()]
    assert ops.count(ReduceOps.SUM) == 1 and ops.count(BinaryOps.MUL) == 1
    # Its sum keeps the axis, which a view takes away.
    assert item.out.shape == (3, 1)


def test_schedule_computes_nothing():
    GlobalCounters.reset()
    x = Tensor([1.0, 2.0]) + 1
    x.lazydata.schedule()
    assert GlobalCounters.kernel_count == 0 and x.lazydata.realized is None


def test_seen_counts_as_computed():
    a = Tensor([1.0, 2.0, 3.0])
    total = a.sum()
    out = total.exp2() * 2
    seen = set()
    create_schedule([total.lazydata], seen)
    assert total.lazydata in seen
    (item,) = out.lazydata.schedule(seen)
    assert item.inputs == (total.lazydata,)
    assert out.lazydata.schedule(seen) == []


def test_empty_is_an_item():
    a = Tensor.empty(3, 3)
    items = (a * 2).lazydata.schedule()
    assert [x.ast.op for x in items] == [LoadOps.EMPTY, BufferOps.STORE]


def test_a_kernel_reads_what_its_text_says():
    t = Tensor.rand(10) + Tensor.rand(10)
    ast = t.lazydata.schedule()[-1].ast
    assert eval(str(ast)) == ast  # noqa: S307


def test_run_schedule_computes():
    x = Tensor([1.0, 2.0]) + 1
    items = x.lazydata.schedule()
    run_schedule(items)
    assert items == [] and x.lazydata.realized is not None
    assert x.tolist() == [2, 3]


def test_print_tree(capsys):
    print_tree((Tensor([1.0]) + 1).lazydata.schedule()[0].ast)
    text = capsys.readouterr().out
    assert "STORE" in text and "ADD" in text


def test_lazydata_shows_the_view():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    view = x.permute(1, 0).lazydata
    assert view.st.real_strides() == (1, 3) and view.shape == (3, 2)
    assert view.base == x.lazydata and view.realized == x.lazydata.realized
    assert view.op.op is MovementOps.PERMUTE and view.op.arg == (1, 0)
    assert view.op.src == (x.lazydata,)
    assert x.lazydata.op.op is BufferOps.LOAD


def test_constants_are_not_realized():
    assert Tensor.ones(3).lazydata.is_unrealized_const()
    assert not Tensor.ones(3).lazydata.is_unrealized_contiguous_const()
    assert Tensor(2.0).lazydata.is_unrealized_contiguous_const()
    assert not Tensor([1.0]).lazydata.is_unrealized_const()
    assert Tensor.ones(3).lazydata.schedule() == []


def test_operations_on_lazy_buffers():
    x = LazyBuffer.fromCPU(np.arange(6, dtype=np.float32).reshape(2, 3))
    y = x.e(BinaryOps.ADD, x.const(1)).e(UnaryOps.SQRT).permute((1, 0))
    y = y.r(ReduceOps.SUM, (3, 1)).reshape((3,)).pad(((1, 0),)).shrink(((0, 3),))
    expected = np.sqrt(np.arange(6).reshape(2, 3) + 1).T.sum(1)
    np.testing.assert_allclose(Tensor(y).numpy(), [0, *expected[:2]], rtol=1e-6)
    assert Tensor(x.cast(dtypes.int32)).dtype == dtypes.int32
    with pytest.raises(RuntimeError):
        x.e(BinaryOps.ADD, x.permute((1, 0)))


def test_buffers():
    data = np.arange(4, dtype=np.int32)
    buffer = Buffer.fromCPU("CPU", data)
    assert buffer.toCPU().tolist() == [0, 1, 2, 3]
    buffer.copyin((data * 2).data)
    assert buffer.toCPU().tolist() == [0, 2, 4, 6]
    assert buffer == buffer and len({buffer, buffer}) == 1
    with pytest.raises(AssertionError):
        buffer.copyin(data[:2].data)


def test_devices():
    assert Device.canonicalize(None) == Device.DEFAULT == "CPU"
    assert Device.canonicalize("clang") == Device.canonicalize("CLANG:1") == "CPU"
    assert Tensor([1.0], device="CPU:1").to("clang:2").device == "CPU"
    with pytest.raises(RuntimeError):
        Tensor([1.0]).to("CPU:one")
    assert Device.canonicalize("disk:/tmp/x") == "DISK:/tmp/x"
    assert isinstance(Device[Device.DEFAULT], Compiled)
    with pytest.raises(RuntimeError):
        Device["NOSUCH"]


def test_counters_and_collector():
    a = Tensor(np.arange(8, dtype=np.float32)).realize()
    GlobalCounters.reset()
    CacheCollector.start()
    (a + 1).realize()
    (kernel,) = CacheCollector.finish()
    assert kernel.prg.name == "e_8"
    assert GlobalCounters.kernel_count == 1
    assert GlobalCounters.global_ops == 8 and GlobalCounters.global_mem == 64
    assert GlobalCounters.time_sum_s > 0 and GlobalCounters.mem_used >= 64
    assert CacheCollector.finish() == []


def test_flops_of_a_tree():
    load = LazyOp(
        BufferOps.LOAD, (), MemBuffer(1, dtypes.float32, ShapeTracker.from_shape((4,)))
    )
    double = LazyOp(BinaryOps.ADD, (load, load))
    info = get_lazyop_info(LazyOp(ReduceOps.SUM, (double,), (1,)))
    assert (info.flops, info.shape, info.mem) == (8, (1,), {1: 16})


HELD = """
from tinygrad_mlir import GlobalCounters, Tensor
import numpy as np
a, b = (Tensor(np.ones((16, 16), dtype=np.float32)) for _ in range(2))
total = (a * b).sum()
{extra}
GlobalCounters.reset()
(total + 1).realize()
print(GlobalCounters.kernel_count)
"""


# As tinygrad: a sum that something else uses is a kernel of its own; with OPT=0
# each operation is one, and with OPT=1 no reduce goes into what uses it.
@pytest.mark.parametrize(
    "level, alone, used", [("0", 3, 3), ("1", 2, 2), ("2", 1, 2), ("4", 1, 2)]
)
def test_kernels_as_tinygrad_has_them(level, alone, used):
    assert int(run(HELD.format(extra=""), OPT=level)) == alone
    assert int(run(HELD.format(extra="e = total + 2"), OPT=level)) == used


def test_what_is_written_twice_is_one_at_a_level():
    program = """
from tinygrad_mlir import GlobalCounters, Tensor
a, b = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
c, d = a * b, (a * b).reshape(2, 1)
GlobalCounters.reset()
c.realize(), d.realize()
print(GlobalCounters.kernel_count, d.tolist())
"""
    assert run(program, OPT="2") == "1 [[3.0], [8.0]]\n"


def test_memory_that_is_looked_at_is_written_again():
    x = Tensor([1.0, 2.0]).realize()
    memory = x.lazydata.realized
    x += 1
    x.realize()
    assert x.lazydata.realized == memory
    assert memory.toCPU().tolist() == [2, 3]
    # Its elements are there when nobody else has them, until it is gone.
    del x
    assert memory.toCPU().tolist() == [2, 3]
    other = Tensor([5.0]).realize()
    assert other.lazydata.realized != memory
    # A tensor has its value, whoever looks at the memory.
    y, memory = other + 0, other.lazydata.realized
    other += 1
    assert (other.realize().tolist(), y.tolist()) == ([6], [5])


def test_a_captured_step_has_the_kernels_of_a_level():
    program = """
from tinygrad_mlir import GlobalCounters, Tensor, TinyJit, nn
layer = nn.Embedding(10, 4)
layer.weight.assign(Tensor.arange(40).reshape(10, 4)).realize()
weight = Tensor.eye(4).contiguous().realize()
def step(x):
    h = layer(x)
    for _ in range(3):
        h = h @ weight
        (h + 1).realize()
    return h.realize()
jit = TinyJit(step)
for function in (step, jit, jit, jit):
    x = Tensor([[2.0, 1.0]]).realize()
    GlobalCounters.reset()
    total = function(x).sum()
    print(GlobalCounters.kernel_count, total.item())
"""
    # The rows, then a product and what is realized of it, three times.
    assert run(program, OPT="2") == "7 60.0\n" * 4


@pytest.mark.parametrize(
    ("level", "sentence"),
    [
        ("7", "OPT in the environment is to be from 0 to 4, got 7"),
        ("-1", "OPT in the environment is to be from 0 to 4, got -1"),
        ("x", "OPT in the environment is to be int, got 'x'"),
    ],
)
def test_a_level_must_be_one(level, sentence):
    with pytest.raises(AssertionError, match=f"ValueError: {sentence}"):
        run("import tinygrad_mlir", OPT=level)
