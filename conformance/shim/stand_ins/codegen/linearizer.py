"""Tests of schedules lower each kernel, to see that it can be lowered."""


class Linearizer:
    """Takes a kernel and does nothing to it."""

    def __init__(self, ast, opts=None):
        self.ast, self.opts, self.name, self.uops = ast, opts, "", []

    def required_optimizations(self, *_args, **_kwargs):
        """Would split axes of images."""

    def hand_coded_optimizations(self, *_args, **_kwargs):
        """Would choose how axes are unrolled and upcast."""

    def linearize(self, *_args, **_kwargs):
        """Would emit its steps."""
        return self
