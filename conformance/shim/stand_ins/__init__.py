"""Modules of the reference that its tests import and that we do not have: they
belong to its code generator and to its tools for looking at graphs."""
