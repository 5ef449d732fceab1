"""Placeholder; see the package's real lazy buffers."""


class LazyBuffer:
    pass
