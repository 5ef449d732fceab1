"""The GoogleTest programs of unittests/, each test case a test of lit."""

import os

import lit.formats

config.name = "tinygrad-unit"
config.suffixes = []
config.test_source_root = os.path.join(config.tinygrad_binary_dir, "unittests")
config.test_exec_root = config.test_source_root
# A build without such programs is a suite without tests, which lit reports.
os.makedirs(config.test_source_root, exist_ok=True)

config.test_format = lit.formats.GoogleTest(".", "")
# The programs have no common suffix, so that each is one by its whole name.
config.test_format.test_suffixes = set(config.tinygrad_unittests)
# Their folder holds the files of the build beside them.
config.excludes = sorted(
    entry.name for entry in os.scandir(config.test_source_root) if entry.is_dir()
)

config.environment["TINYGRAD_CACHE"] = "0"
if "address" in config.tinygrad_sanitizers:
    # LLVM's allocators poison memory that its own build does not unpoison.
    config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0"
