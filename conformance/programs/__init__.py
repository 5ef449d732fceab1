"""Random programs in tinygrad's API, for differential.py.

A program is a list of statements, whose variables are v0, v1, ... Our package runs
them meanwhile, without computing anything, to know shapes and types.
"""

from __future__ import annotations

from .networks import contraction, layer, loss
from .program import Program
from .shaped import elementwise, indexing, movement, reduction
from .statements import capture, change, gradient, state, training

EXPRESSIONS = {
    "elementwise": elementwise,
    "movement": movement,
    "reduction": reduction,
    "indexing": indexing,
    "contraction": contraction,
    "loss": loss,
    "creation": Program.creation,
}
STATEMENTS = {
    "change": change,
    "gradient": gradient,
    "layer": layer,
    "training": training,
    "capture": capture,
    "state": state,
}
KINDS = [*EXPRESSIONS, *STATEMENTS, "mixed"]


def make(seed: int, kind: str | None = None) -> list[str]:
    """Returns the program of a seed."""
    p = Program(seed)
    kind = kind or p.rng.choice(KINDS)
    for _ in range(p.rng.randint(1, 3)):
        p.add(p.tensor())
    for _ in range(p.rng.randint(2, 7) if kind != "gradient" else 1):
        chosen = p.rng.choice(KINDS[:-1]) if kind == "mixed" else kind
        if chosen in EXPRESSIONS:
            p.add(EXPRESSIONS[chosen](p))
        else:
            STATEMENTS[chosen](p)
    return p.lines
