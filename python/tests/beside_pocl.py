"""Computes in PoCL, which has an LLVM of its own, and in the package in turn.

usage: beside_pocl.py FIRST, where FIRST, pyopencl or tinygrad_mlir, is loaded first.
"""

import importlib
import sys

import numpy

for name in (sys.argv[1], "pyopencl", "tinygrad_mlir"):
    importlib.import_module(name)

import pyopencl  # noqa: E402
from tinygrad_mlir import Tensor  # noqa: E402

KERNEL = """
__kernel void f(__global const float *x, __global float *y, float factor) {
  size_t i = get_global_id(0);
  y[i] = exp(x[i]) * factor + SHIFT;
}
"""


def find_device():
    for platform in pyopencl.get_platforms():
        if platform.name == "Portable Computing Language":
            return platform.get_devices()[0]
    raise SystemExit("skipped: PoCL is not installed")


context = pyopencl.Context([find_device()])
queue = pyopencl.CommandQueue(context)
for turn in range(3):
    # A new program each time, so that both compile in turn.
    x = numpy.linspace(-1, 1, 100 + turn, dtype=numpy.float32)
    if turn or sys.argv[1] == "tinygrad_mlir":
        ours = (Tensor.from_buffer(x).exp() * 2 + turn).numpy()
    program = pyopencl.Program(context, KERNEL).build([f"-DSHIFT={turn}"])
    y = numpy.empty_like(x)
    flags = pyopencl.mem_flags.READ_ONLY | pyopencl.mem_flags.COPY_HOST_PTR
    source = pyopencl.Buffer(context, flags, hostbuf=x)
    target = pyopencl.Buffer(context, pyopencl.mem_flags.WRITE_ONLY, y.nbytes)
    program.f(queue, x.shape, None, source, target, numpy.float32(2))
    pyopencl.enqueue_copy(queue, y, target)
    ours = (Tensor.from_buffer(x).exp() * 2 + turn).numpy()
    numpy.testing.assert_allclose(ours, y, rtol=1e-5)

with open("/proc/self/maps") as file:
    maps = file.read()
assert "libtinygrad" in maps and "libLLVM" in maps, "not beside another LLVM"
print("ok")
