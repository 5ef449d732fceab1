"""Placeholder; see the package's real devices."""


class Device:
    DEFAULT = "CPU"


class JITRunner:
    op_estimate = mem_estimate = 0


class CompiledASTRunner(JITRunner):
    def __init__(self, ast, name, prg=""):
        self.ast, self.name, self.display_name, self.prg = ast, name, name, prg


class CacheCollector:
    pass


class JitItem:
    def __init__(self, prg, rawbufs=None):
        self.prg, self.rawbufs = prg, rawbufs or []
