"""`import tinygrad.x` gives the module `tinygrad_mlir.x`, the very same object.

What the package does not have is looked for in `stand_ins`.
"""

import importlib
import importlib.abc
import importlib.machinery
import sys

PACKAGE = "tinygrad_mlir"


def find(package, name):
    """Returns the module of `package` that answers to tinygrad's `name`, or None."""
    real = package + name.removeprefix("tinygrad")
    try:
        return importlib.import_module(real)
    except ModuleNotFoundError as error:
        # That a module inside of it is missing is an error of the package.
        if error.name and (real == error.name or real.startswith(error.name + ".")):
            return None
        raise


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if not name.startswith("tinygrad."):
            return None
        module = find(PACKAGE, name) or find("stand_ins", name)
        if module is None:
            return None
        spec = importlib.machinery.ModuleSpec(
            name, self, is_package=hasattr(module, "__path__")
        )
        spec.loader_state = (module, module.__spec__)
        return spec

    def create_module(self, spec):
        return spec.loader_state[0]

    def exec_module(self, module):
        # The import has put the spec of the alias into the module.
        module.__spec__ = module.__spec__.loader_state[1]


sys.meta_path.insert(0, _Finder())
sys.modules["tinygrad"] = importlib.import_module(PACKAGE)
