"""Runs a kernel on an OpenCL device that takes SPIR-V, through ctypes.

    run_kernel.py MODULE.spv NAME --input x.npy ... --output y.npy=300xfloat32 ...
    run_kernel.py --probe

The kernel's arguments are the inputs, then the outputs. There is one work item
per element of the first output, in work groups of the size that the kernel asks
for. Each byte of an output is 1 before, so that what is not written shows. The
probe prints the device's name; it fails where there is no device.
"""

import argparse
import ctypes
import math
import sys

import numpy as np

PLATFORM_TYPES_ALL = 0xFFFFFFFF
DEVICE_NAME = 0x102B
DEVICE_IL_VERSION = 0x105B
PROGRAM_BUILD_LOG = 0x1183
KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11B3
MEM_READ_WRITE_COPY_HOST = 1 | 32


class OpenCL:
    """The functions of the library, with a device, a context and a queue."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libOpenCL.so.1")
        except OSError:
            sys.exit("error: there is no libOpenCL.so.1")
        self.device = self.find_device()
        device = ctypes.c_void_p(self.device)
        self.context = self.create("clCreateContext", None, 1, ctypes.byref(device))
        self.queue = self.create(
            "clCreateCommandQueueWithProperties",
            self.context,
            ctypes.c_void_p(self.device),
            None,
        )

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            sys.exit(f"error: {name} gives {code}")

    def create(self, name, *arguments):
        """Calls a function that gives an object; some have a callback and data."""
        function = getattr(self.library, name)
        function.restype = ctypes.c_void_p
        code = ctypes.c_int()
        if name == "clCreateContext":
            arguments += (None, None)
        result = function(*arguments, ctypes.byref(code))
        if code.value != 0:
            sys.exit(f"error: {name} gives {code.value}")
        return ctypes.c_void_p(result)

    def objects(self, name, *arguments):
        """Calls a function that lists objects: first for their number."""
        function = getattr(self.library, name)
        count = ctypes.c_uint()
        if function(*arguments, 0, None, ctypes.byref(count)) != 0:
            return []
        found = (ctypes.c_void_p * count.value)()
        self.call(name, *arguments, count, found, None)
        return list(found)

    def text(self, name, *arguments):
        """Calls a function that gives a text; empty where there is none."""
        buffer = ctypes.create_string_buffer(1 << 16)
        function = getattr(self.library, name)
        if function(*arguments, ctypes.sizeof(buffer), buffer, None) != 0:
            return ""
        return buffer.value.decode(errors="replace")

    def find_device(self):
        for platform in self.objects("clGetPlatformIDs"):
            every = ctypes.c_ulong(PLATFORM_TYPES_ALL)
            found = self.objects("clGetDeviceIDs", ctypes.c_void_p(platform), every)
            for device in found:
                if "SPIR-V_1.2" in self.info(device, DEVICE_IL_VERSION):
                    return device
        sys.exit("error: there is no OpenCL device that takes SPIR-V 1.2")

    def info(self, device, what):
        return self.text("clGetDeviceInfo", ctypes.c_void_p(device), what)

    def build(self, binary, name):
        length = ctypes.c_size_t(len(binary))
        program = self.create("clCreateProgramWithIL", self.context, binary, length)
        exact = b"-cl-fp32-correctly-rounded-divide-sqrt"
        if self.library.clBuildProgram(program, 0, None, exact, None, None) != 0:
            device = ctypes.c_void_p(self.device)
            what = PROGRAM_BUILD_LOG
            log = self.text("clGetProgramBuildInfo", program, device, what)
            sys.exit(f"error: the program is not built: {log.strip()}")
        return self.create("clCreateKernel", program, name.encode())

    def run(self, kernel, arrays, count):
        """Runs `kernel` on `arrays` and brings back what is in them then."""
        buffers = []
        for number, array in enumerate(arrays):
            size = ctypes.c_size_t(max(array.nbytes, 1))
            data = array.ctypes.data_as(ctypes.c_void_p)
            flags = ctypes.c_ulong(MEM_READ_WRITE_COPY_HOST)
            buffer = self.create("clCreateBuffer", self.context, flags, size, data)
            buffers.append(buffer)
            size = ctypes.c_size_t(ctypes.sizeof(ctypes.c_void_p))
            pointer = ctypes.byref(buffer)
            self.call("clSetKernelArg", kernel, number, size, pointer)
        local = (ctypes.c_size_t * 3)()
        device = ctypes.c_void_p(self.device)
        size = ctypes.c_size_t(ctypes.sizeof(local))
        what = KERNEL_COMPILE_WORK_GROUP_SIZE
        self.call("clGetKernelWorkGroupInfo", kernel, device, what, size, local, None)
        groups = math.ceil(count / local[0])
        size = (ctypes.c_size_t * 1)(groups * local[0])
        self.call(
            "clEnqueueNDRangeKernel",
            *(self.queue, kernel, 1, None, size, local, 0, None, None),
        )
        for buffer, array in zip(buffers, arrays):
            size = ctypes.c_size_t(array.nbytes)
            data = array.ctypes.data_as(ctypes.c_void_p)
            self.call(
                "clEnqueueReadBuffer",
                *(self.queue, buffer, 1, ctypes.c_size_t(0), size, data),
                *(0, None, None),
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module", nargs="?")
    parser.add_argument("name", nargs="?")
    parser.add_argument("--probe", action="store_true")
    parser.add_argument("--input", action="append", default=[], metavar="FILE")
    parser.add_argument("--output", action="append", default=[], metavar="FILE=TYPE")
    options = parser.parse_args()
    opencl = OpenCL()
    if options.probe:
        print(opencl.info(opencl.device, DEVICE_NAME))
        return
    with open(options.module, "rb") as file:
        kernel = opencl.build(file.read(), options.name)
    inputs = [np.ascontiguousarray(np.load(path)) for path in options.input]
    outputs = []
    for output in options.output:
        *shape, dtype = output.split("=")[1].split("x")
        array = np.empty([int(extent) for extent in shape], dtype)
        array.reshape(-1).view(np.uint8)[:] = 1
        outputs.append(array)
    opencl.run(kernel, inputs + outputs, outputs[0].size)
    for output, array in zip(options.output, outputs):
        np.save(output.split("=")[0], array)


if __name__ == "__main__":
    main()
