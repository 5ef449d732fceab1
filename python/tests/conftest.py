"""Settings of all tests: they must not see what earlier runs left in a cache."""

import os

os.environ["TINYGRAD_CACHE"] = "0"
