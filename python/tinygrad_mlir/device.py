"""Placeholder; see the package's real devices."""


class Device:
    DEFAULT = "CPU"


class JITRunner:
    pass


class Buffer:
    pass
