"""Placeholder; see the package's real ops."""

from types import SimpleNamespace

LoadOps = SimpleNamespace(EMPTY=1, CUSTOM=2)
