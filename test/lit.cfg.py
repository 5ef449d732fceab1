"""The lit suite of the compiler: .mlir, .ll and .test files below this folder."""

import os
import subprocess
import sys

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

# Where test/Integration finds its test format.
sys.path.insert(0, os.path.join(config.tinygrad_source_dir, "utils"))

config.name = "tinygrad"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ll", ".test"]
# Inputs/ holds files that tests read; Unit/ is the suite of the GoogleTest
# programs.
config.excludes = ["Inputs", "Unit"]
config.test_source_root = os.path.join(config.tinygrad_source_dir, "test")
config.test_exec_root = os.path.join(config.tinygrad_binary_dir, "test")

llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)

# TINYGRAD_ROUNDTRIP=1 prints and parses the IR of every test once more.
roundtrip = os.environ.get("TINYGRAD_ROUNDTRIP", "0") not in ("", "0")
tools = [
    ToolSubst("tinygrad-opt", extra_args=["--verify-roundtrip"] if roundtrip else []),
    "tinygrad-run",
    "tinygrad-translate",
    "tinygrad-golden-check",
]
llvm_config.add_tool_substitutions(tools, [config.tinygrad_tools_dir])

# Before the one of lit, which is the Python that runs lit.
config.substitutions.insert(0, ("%python", f'"{config.python_executable}"'))
config.substitutions.append(("%cmake", f'"{config.cmake_command}"'))
config.substitutions.append(("%mlir_cmake_dir", f'"{config.mlir_cmake_dir}"'))
config.substitutions.append(("%cxx", f'"{config.cxx_compiler}"'))
config.substitutions.append(("%tinygrad_src_root", config.tinygrad_source_dir))
config.substitutions.append(("%tinygrad_obj_root", config.tinygrad_binary_dir))
for module in ("numpy", "safetensors"):
    command = [config.python_executable, "-c", f"import {module}"]
    if subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0:
        config.available_features.add(module)

# Programs of somebody else have no runtime of sanitizers.
if config.tinygrad_sanitizers:
    config.available_features.add("sanitizers")

# PyTorch may be in another Python than the one of the build.
for python in (config.python_executable, "/usr/bin/python3"):
    find = "import importlib.util as u; exit(u.find_spec('torch') is None)"
    if os.path.exists(python) and subprocess.run([python, "-c", find]).returncode == 0:
        config.available_features.add("pytorch")
        config.substitutions.append(("%pytorch", f'"{python}"'))
        break
llvm_shared = os.path.join(config.llvm_shared_dir, "libLLVM.so")
config.substitutions.append(("%llvm_shared", f'"{llvm_shared}"'))

# A test must not see what an earlier run left in the user's cache.
config.environment["TINYGRAD_CACHE"] = "0"
if "address" in config.tinygrad_sanitizers:
    # LLVM's allocators poison memory that its own build does not unpoison. A
    # report must not pass for the exit code 1 that a test may expect.
    config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0:abort_on_error=1"
    config.environment["UBSAN_OPTIONS"] = "abort_on_error=1:print_stacktrace=1"
