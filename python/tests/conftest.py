"""Settings of all tests: they must not see what earlier runs left in a cache."""

import os
import sys
import threading

import pytest

os.environ["TINYGRAD_CACHE"] = "0"

NAMES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64"


@pytest.fixture(params=NAMES.split())
def type_name(request):
    """The name of each type that numpy has, too."""
    return request.param


@pytest.fixture
def count_steps_beside():
    """A function that counts what this thread does while another one works."""

    def count(work):
        steps, done = 0, threading.Event()

        def work_and_say_so():
            work()
            done.set()

        # Without a switch by force, another thread runs only where the GIL is
        # released.
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)
        thread = threading.Thread(target=work_and_say_so)
        try:
            thread.start()
            while not done.wait(0.001):
                steps += 1
        finally:
            sys.setswitchinterval(interval)
        thread.join()
        return steps

    return count
