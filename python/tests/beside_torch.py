"""Computes in PyTorch and in the package in turn, and shares memory between them.

usage: beside_torch.py FIRST, where FIRST, torch or tinygrad_mlir, is loaded first.
"""

import importlib
import sys
import threading

for name in (sys.argv[1], "torch", "tinygrad_mlir"):
    importlib.import_module(name)

import torch  # noqa: E402
from tinygrad_mlir import Error, Tensor, dtypes  # noqa: E402

TYPES = "bool int8 uint8 int16 int32 int64 float16 bfloat16 float32 float64"


def expect(error, function, text):
    try:
        function()
    except error as found:
        assert text in str(found), found
    else:
        raise AssertionError(f"expected {error}: {text}")


def check_sharing():
    for name in TYPES.split():
        x = torch.tensor([[1, 0, 1], [0, 1, 1]]).to(getattr(torch, name))
        try:
            x.__dlpack__()
        except RuntimeError:
            # Older ones hand over no bools.
            assert name == "bool"
            continue
        ours = Tensor.from_dlpack(x)
        assert ours.dtype == getattr(dtypes, name), name
        back = torch.from_dlpack(ours)
        assert back.data_ptr() == x.data_ptr(), name
        assert back.dtype == x.dtype and back.shape == x.shape, name
        assert torch.equal(torch.from_dlpack(ours.contiguous()), x), name
        x[0, 1] = 1
        assert ours.cast(dtypes.float32).tolist() == [[1, 1, 1], [0, 1, 1]], name
        assert torch.from_dlpack(Tensor(x)).data_ptr() != x.data_ptr(), name
        assert Tensor(x).tolist() == ours.tolist(), name

    # Each side keeps the memory of the other.
    x = torch.arange(1000.0)
    ours = Tensor.from_dlpack(x) + 0
    del x
    theirs = torch.from_dlpack(Tensor(list(range(1000))) * 2)
    junk = [torch.zeros(1000) for _ in range(9)] + [Tensor.zeros(1000).realize()]
    assert ours.sum().item() == 499500 and theirs.sum().item() == 999000 and junk

    # A step of PyTorch in place is seen, one of ours writes other memory.
    weight = torch.ones(3)
    ours = Tensor.from_dlpack(weight)
    weight.mul_(3)
    assert ours.tolist() == [3, 3, 3]
    ours.assign(ours + 1).realize()
    assert weight.tolist() == [3, 3, 3] and ours.tolist() == [4, 4, 4]

    square = torch.ones(2, 3).t()
    expect(Error, lambda: Tensor.from_dlpack(square), "side by side")
    assert Tensor(square).shape == (3, 2)
    wanted = torch.ones(2, requires_grad=True)
    expect((BufferError, RuntimeError), lambda: Tensor.from_dlpack(wanted), "grad")
    expect(
        TypeError, lambda: Tensor.from_dlpack(torch.ones(2).to(torch.cfloat)), "kind 5"
    )


def check_operands():
    # Operators between the two give tensors of ours, whichever is on the left.
    x, y = Tensor([[1.0, 2.0], [3.0, 4.0]]), torch.ones(2, 2)
    for result in (x + y, y + x, y @ x, y - x.sum(), y == x):
        assert type(result) is Tensor, result
    assert (y - x).tolist() == [[0, -1], [-2, -3]]
    y += x
    assert type(y) is Tensor and y.tolist() == [[2, 3], [4, 5]]
    # Its constructor reads sequences, and cannot tell a scalar of ours from one. Some
    # versions know DLPack.
    for source in (x, x.sum(), [x, x]):
        try:
            assert torch.equal(torch.tensor(source), torch.tensor(x.numpy()))
        except TypeError as error:
            assert "torch.from_dlpack(x)" in str(error), error
    assert torch.tensor(x.numpy()).shape == (2, 2)


def compute(seed, failures):
    generator = torch.Generator().manual_seed(seed)
    for size in (3, 64, 130, 65, 3):
        x, y = (torch.randn(size, size, generator=generator) for _ in range(2))
        expected = torch.relu(x @ y).sum(1)
        ours = (Tensor.from_dlpack(x) @ Tensor.from_dlpack(y)).relu().sum(1)
        if not torch.allclose(torch.from_dlpack(ours), expected, atol=1e-3):
            failures.append((seed, size))
        if not torch.equal(torch.relu(x @ y).sum(1), expected):
            failures.append((seed, size, "torch"))


def check_threads():
    failures = []
    threads = [threading.Thread(target=compute, args=(i, failures)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


check_sharing()
check_operands()
check_threads()
print("ok")
