"""Runs PyTorch and a library of ours in one process.

usage: one_process.py MODULE FIRST [LIBLLVM]

FIRST says which is loaded first, `torch` or `tinygrad`. With LIBLLVM a shared
LLVM is loaded before both, for all to see.
"""

import ctypes
import struct
import sys
import threading
import time

SIZES = [3, 64, 200]
ROUNDS = 12
THREADS = 4


def read_signals():
    with open("/proc/self/status") as status:
        return [line for line in status if line.startswith(("SigCgt", "SigBlk"))]


def load(path):
    signals = read_signals()
    module = ctypes.CDLL(path)
    # A library catches no signals: they are the process's.
    assert read_signals() == signals, "the library changes signal handlers"
    return module


def matmul(module, x, y):
    import torch

    result = torch.empty_like(x)
    failed = module.tinygrad_test_matmul(
        ctypes.c_void_p(x.data_ptr()),
        ctypes.c_void_p(y.data_ptr()),
        ctypes.c_void_p(result.data_ptr()),
        x.shape[0],
    )
    assert not failed
    return result


def work(module, seed, errors):
    import torch

    try:
        generator = torch.Generator().manual_seed(seed)
        for turn in range(ROUNDS):
            n = SIZES[turn % len(SIZES)]
            x = torch.randn(n, n, generator=generator)
            y = torch.randn(n, n, generator=generator)
            expected = torch.relu(x @ y)
            result = matmul(module, x, y)
            assert torch.allclose(result, expected, atol=1e-4), (seed, turn)
            # PyTorch computes as before, and what it gave stays.
            assert torch.equal(torch.relu(x @ y), expected), (seed, turn)
    except BaseException as error:
        errors.append(error)


def measure(function):
    best = float("inf")
    for _ in range(7):
        begin = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - begin)
    return best


def main():
    path, first = sys.argv[1:3]
    if len(sys.argv) > 3:
        llvm = ctypes.CDLL(sys.argv[3], ctypes.RTLD_GLOBAL)
        llvm.LLVMContextCreate.restype = ctypes.c_void_p
        assert llvm.LLVMContextCreate()
    module = load(path) if first == "tinygrad" else None
    import torch

    module = module or load(path)
    torch.set_num_threads(2)
    x = torch.randn(400, 400)
    before = measure(lambda: x @ x)
    errors = []
    threads = [
        threading.Thread(target=work, args=(module, seed, errors))
        for seed in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors
    # Exceptions find their handlers, on both sides.
    assert module.tinygrad_test_throw() == 1
    try:
        torch.zeros(2, 3) @ torch.zeros(2, 3)
        raise AssertionError("no error")
    except RuntimeError:
        pass
    # Nobody has touched the threads or the arithmetic of the other.
    assert torch.get_num_threads() == 2
    denormal = struct.unpack("<d", b"\x01" + b"\x00" * 7)[0]
    assert denormal > 0 and denormal / 2 == 0 and denormal * 2 > denormal
    assert float(torch.tensor([1e-40]) * 1) > 0
    # Idle threads of ours take no time from PyTorch's: a wide margin, since
    # other processes do.
    time.sleep(0.1)
    assert measure(lambda: x @ x) < 5 * before + 0.01
    print("ok")


main()
