"""Integer expressions of variables: tinygrad's nodes over the C++ algebra.

A node holds an `IndexExpr`, which simplifies itself by the bounds of its variables
and has one form for all equal polynomials. Division and remainder are Python's.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable, Iterator
from typing import Any, Callable, Union

from .._tinygrad import IndexExpr, set_node_factory


def is_sym_int(x: Any) -> bool:
    return isinstance(x, (int, Node))


def _to_expr(x: Node | int) -> IndexExpr:
    if isinstance(x, Node):
        return x._expr
    if isinstance(x, int):
        return IndexExpr(int(x))
    raise TypeError(f"expects a number or a node, got {type(x).__name__}")


class Node:
    """An integer in [min, max]; `vars()` are the variables in it.

    Sums, products and comparisons of nodes and numbers are nodes, those that can
    have one value only a NumNode. Conditions are 0 or 1.
    """

    __slots__ = ("_expr",)
    _expr: IndexExpr

    @property
    def min(self) -> int:
        return self._expr.min

    @property
    def max(self) -> int:
        return self._expr.max

    def render(self, ops: dict | None = None, ctx: Any = None) -> Any:
        """Returns the text, by default Python's; `ops` has a function per class."""
        table = render_python if ops is None else ops
        return table[type(self)](self, table, ctx)

    def vars(self) -> set[Variable]:
        return {_wrap(variable) for variable in self._expr.variables()}

    @property
    def key(self) -> str:
        return self.render(ctx="DEBUG")

    def expand_idx(self) -> VariableOrNum:
        return next((v for v in self.vars() if v.expr is None), NumNode(0))

    def expand(self, idxs: tuple[VariableOrNum, ...] | None = None) -> list[Node]:
        """Returns the node at each value of `idxs`, the first one fastest."""
        idxs = (self.expand_idx(),) if idxs is None else idxs
        return [
            self.substitute(dict(zip(idxs, map(NumNode, values))))
            for values in Node.iter_idxs(idxs)
        ]

    @staticmethod
    def iter_idxs(idxs: tuple[VariableOrNum, ...]) -> Iterator[tuple[int, ...]]:
        ranges = [range(v.min, v.max + 1) for v in reversed(idxs)]
        for values in itertools.product(*ranges):
            yield values[::-1]

    def substitute(self, var_vals: dict) -> Node:
        """Returns the node with what `var_vals` has for its variables."""
        values = {k: v for k, v in var_vals.items() if isinstance(k, Variable)}

        def replace(variable: IndexExpr) -> IndexExpr:
            return _to_expr(values.get(_wrap(variable), _wrap(variable)))

        return _wrap(self._expr.substitute(replace))

    def unbind(self) -> tuple[Node, int | None]:
        """Returns the node with its bound variables free, and None."""
        return _wrap(self._expr.unbind()[0]), None

    def __repr__(self) -> str:
        return self.render(ctx="REPR")

    def __str__(self) -> str:
        return f"<{self.key}>"

    def __hash__(self) -> int:
        return hash(self._expr)

    def __bool__(self) -> bool:
        return not self.max == self.min == 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, Node)) and not isinstance(other, _Condition):
            return self._expr == _to_expr(other)
        return NotImplemented

    def __neg__(self) -> Node:
        return _wrap(-self._expr)

    def __add__(self, b: Node | int) -> Node:
        return _wrap(self._expr + _to_expr(b))

    __radd__ = __add__

    def __sub__(self, b: Node | int) -> Node:
        return _wrap(self._expr - _to_expr(b))

    def __rsub__(self, b: int) -> Node:
        return _wrap(_to_expr(b) - self._expr)

    def __mul__(self, b: Node | int) -> Node:
        return _wrap(self._expr * _to_expr(b))

    __rmul__ = __mul__

    def __floordiv__(self, b: Node | int, factoring_allowed: bool = True) -> Node:
        """Errors: ZeroDivisionError; RuntimeError for divisors that may be < 1."""
        divisor = _to_expr(b)
        if divisor.is_constant() and divisor.min < 0:
            return _wrap((-self._expr) // -divisor)
        return _wrap(self._expr // _check_divisor(self, divisor))

    def __rfloordiv__(self, b: int) -> Node:
        return NumNode(b) // self

    def __mod__(self, b: Node | int) -> Node:
        """Errors: as of division; AssertionError for negative numbers."""
        divisor = _to_expr(b)
        if divisor.is_constant() and divisor.min < 0:
            raise AssertionError(f"expects a positive divisor, got {b}")
        return _wrap(self._expr % _check_divisor(self, divisor))

    def __rmod__(self, b: int) -> Node:
        return NumNode(b) % self

    def __lt__(self, b: Node | int) -> Node:
        return _compare(self, b)

    def __le__(self, b: Node | int) -> Node:
        return self < b + 1

    def __gt__(self, b: Node | int) -> Node:
        return -self < -b

    def __ge__(self, b: Node | int) -> Node:
        return -self < -b + 1

    # Sizes, as numbers do where a buffer is allocated for any value.
    @staticmethod
    def sum(nodes: Iterable[Node | int]) -> Node:
        total = IndexExpr(0)
        for node in nodes:
            total = total + _to_expr(node)
        return _wrap(total)

    @staticmethod
    def ands(nodes: Iterable[Node]) -> Node:
        """Returns the condition that all `nodes` hold."""
        nodes = list(nodes)
        if not all(nodes):
            return NumNode(0)
        open_ = [node for node in nodes if node.min != node.max]
        if len(open_) > 1:
            return AndNode(open_)
        return open_[0] if open_ else NumNode(1)


def _check_divisor(dividend: Node, divisor: IndexExpr) -> IndexExpr:
    if divisor.is_constant() and divisor.min == 0:
        raise ZeroDivisionError(f"division of {dividend} by zero")
    if divisor.min < 1:
        raise RuntimeError(f"cannot divide {dividend} by {_wrap(divisor)}")
    return divisor


class Variable(Node):
    """The variable `expr`, an integer in [nmin, nmax]; NumNode where they are one.

    Errors: AssertionError unless 0 <= nmin <= nmax.
    """

    __slots__ = ()

    def __new__(cls, expr: str | None, nmin: int, nmax: Node | int) -> Any:
        last = nmax.max if isinstance(nmax, Node) else nmax
        if not 0 <= nmin <= last:
            raise AssertionError(f"expects 0 <= min <= max, got {nmin} and {nmax}")
        return _wrap(IndexExpr.variable("" if expr is None else expr, nmin, last))

    @property
    def expr(self) -> str | None:
        return self._expr.name or None

    @property
    def _val(self) -> int | None:
        return self._expr.binding

    @property
    def val(self) -> int:
        """What it is bound to. Errors: AssertionError if it is not bound."""
        if self._val is None:
            raise AssertionError(f"expects a bound variable, got {self}")
        return self._val

    def bind(self, val: int) -> Variable:
        """Gives this variable its value, once, and returns it.

        Errors: AssertionError out of bounds, and if it is bound.
        """
        if self._val is not None or not self.min <= val <= self.max:
            raise AssertionError(f"cannot bind {self} to {val}")
        self._expr = self._expr.bind(val)
        return self

    def unbind(self) -> tuple[Variable, int]:
        """Returns the variable without its value, and that value."""
        return _wrap(self._expr.unbind()[0]), self.val

    def __reduce__(self) -> tuple:
        return _make_variable, (self.expr, self.min, self.max, self._val)


def _make_variable(expr: str | None, nmin: int, nmax: int, val: int | None) -> Variable:
    variable = Variable(expr, nmin, nmax)
    return variable if val is None else variable.bind(val)


class NumNode(Node):
    """A number. Errors: AssertionError for anything else."""

    __slots__ = ()

    def __init__(self, num: int) -> None:
        if not isinstance(num, int):
            raise AssertionError(f"expects an int, got {num!r}")
        self._expr = IndexExpr(int(num))

    @property
    def b(self) -> int:
        return self._expr.value

    def bind(self, val: int) -> NumNode:
        if self.b != val:
            raise AssertionError(f"cannot bind {self.b} to {val}")
        return self

    def __eq__(self, other: object) -> bool:
        return self.b == (other.b if isinstance(other, NumNode) else other)

    def __hash__(self) -> int:
        return hash(self.b)

    def __int__(self) -> int:
        return self.b

    __index__ = __int__

    def __reduce__(self) -> tuple:
        return NumNode, (self.b,)


class OpNode(Node):
    """An operation of `a` and `b`, a node or a number."""

    __slots__ = ()
    _operator: Callable

    @property
    def a(self) -> Node:
        operands = self._expr.operands
        if len(operands) < 3:
            return _wrap(operands[0])
        # A product of several variables.
        return _wrap(math.prod(operands[1:-1], start=operands[0]))

    @property
    def b(self) -> Node | int:
        operands = self._expr.operands
        return _wrap(operands[-1]) if len(operands) > 1 else self._expr.value

    def __reduce__(self) -> tuple:
        return type(self)._operator, (self.a, self.b)


class MulNode(OpNode):
    __slots__ = ()
    _operator = operator.mul

    def __new__(cls, a: Node, b: Node | int) -> Any:
        return a * b


class DivNode(OpNode):
    __slots__ = ()
    _operator = operator.floordiv

    def __new__(cls, a: Node, b: Node | int) -> Any:
        return a // b


class ModNode(OpNode):
    __slots__ = ()
    _operator = operator.mod

    def __new__(cls, a: Node, b: Node | int) -> Any:
        return a % b


class RedNode(Node):
    __slots__ = ()


class SumNode(RedNode):
    """A sum of `nodes`."""

    __slots__ = ()

    def __new__(cls, nodes: list[Node]) -> Any:
        return Node.sum(nodes)

    @property
    def nodes(self) -> list[Node]:
        return [_wrap(operand) for operand in self._expr.operands]

    @property
    def flat_components(self) -> list[Node]:
        return self.nodes

    def __reduce__(self) -> tuple:
        return Node.sum, (self.nodes,)


# --- Conditions ----------------------------------------------------------------


class _Condition(Node):
    """What is 0 or 1, and no polynomial."""

    __slots__ = ()

    @property
    def min(self) -> int:
        return 0

    @property
    def max(self) -> int:
        return 1

    def _parts(self) -> tuple:
        raise NotImplementedError

    def vars(self) -> set[Variable]:
        found = (p.vars() for p in self._parts() if isinstance(p, Node))
        return set().union(*found)

    def unbind(self) -> tuple[Node, int | None]:
        bound = {v: v.unbind()[0] for v in self.vars() if v._val is not None}
        return self.substitute(bound), None

    def __hash__(self) -> int:
        return hash(self._parts())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return type(self) is type(other) and self._parts() == other._parts()

    def _fail(self, *_: Any) -> Any:
        raise TypeError("expects numbers to compute with, got a condition")

    __neg__ = __add__ = __radd__ = __sub__ = __rsub__ = _fail
    __mod__ = __rmod__ = __rfloordiv__ = _fail

    def __mul__(self, b: Node | int) -> Node:
        if b == 0 or b == 1:
            return self if b == 1 else NumNode(0)
        return self._fail()

    __rmul__ = __mul__


class LtNode(_Condition):
    """The condition `a < b`. NumNode where it always or never holds."""

    __slots__ = ("a", "b")

    def __new__(cls, a: Node, b: Node | int) -> Any:
        difference = a - b
        if difference.max < 0 or difference.min >= 0:
            return NumNode(int(difference.max < 0))
        return super().__new__(cls)

    def __init__(self, a: Node, b: Node | int) -> None:
        self.a, self.b = a, b

    def _parts(self) -> tuple:
        return self.a, self.b

    def substitute(self, var_vals: dict) -> Node:
        b = self.b.substitute(var_vals) if isinstance(self.b, Node) else self.b
        return self.a.substitute(var_vals) < b

    def __floordiv__(self, b: Node | int, factoring_allowed: bool = True) -> Node:
        return self.a // b < self.b // b

    def __reduce__(self) -> tuple:
        return LtNode, (self.a, self.b)


class AndNode(_Condition, RedNode):
    """The condition that all of `nodes` hold."""

    __slots__ = ("nodes",)

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes

    def _parts(self) -> tuple:
        return tuple(self.nodes)

    def substitute(self, var_vals: dict) -> Node:
        return Node.ands([node.substitute(var_vals) for node in self.nodes])

    def __floordiv__(self, b: Node | int, factoring_allowed: bool = True) -> Node:
        return Node.ands([node // b for node in self.nodes])

    def __reduce__(self) -> tuple:
        return Node.ands, (self.nodes,)


def _compare(a: Node, b: Node | int) -> Node:
    """Returns `a < b`, in smaller numbers where the terms of `a` allow it."""
    if isinstance(b, NumNode):
        b = b.b
    if not isinstance(b, int):
        return LtNode(a, b)
    terms = a.nodes if isinstance(a, SumNode) else [a]
    b -= sum(term.b for term in terms if isinstance(term, NumNode))
    terms = [term for term in terms if not isinstance(term, NumNode)]
    if not terms:
        return NumNode(int(b > 0))

    def factor(term: Node) -> int:
        is_scaled = isinstance(term, MulNode) and isinstance(term.b, int)
        return term.b if is_scaled else 1

    large = [term for term in terms if factor(term) > 1 and term.max >= b]
    rest = Node.sum(term for term in terms if not any(term is x for x in large))
    divisor = math.gcd(b, *map(factor, large))
    # Less than one step of the large terms does not decide.
    if divisor > 1 and large and rest.min >= 0 and rest.max < divisor:
        return LtNode(Node.sum(term // divisor for term in large), b // divisor)
    if len(terms) == 1 and abs(factor(terms[0])) > 1:
        step = abs(factor(terms[0]))
        sign = 1 if factor(terms[0]) > 0 else -1
        return LtNode(terms[0].a * sign, -(-b // step))
    return LtNode(Node.sum(terms), b)


def create_node(ret: Node) -> Node:
    """Returns the node, or a NumNode where it can have one value only."""
    return NumNode(ret.min) if ret.min == ret.max else ret


def create_rednode(typ: type, nodes: list[Node]) -> Node:
    return Node.ands(nodes) if typ is AndNode else Node.sum(nodes)


# --- From and to expressions ----------------------------------------------------

_CLASSES = {
    "constant": NumNode,
    "variable": Variable,
    "add": SumNode,
    "mul": MulNode,
    "floordiv": DivNode,
    "mod": ModNode,
}


def _wrap(expr: IndexExpr) -> Any:
    node = object.__new__(_CLASSES[expr.kind])
    node._expr = expr
    return node


set_node_factory(_wrap)

sint = Union[Node, int]
VariableOrNum = Union[Variable, NumNode]


def sym_render(a: Node | int, ops: dict | None = None, ctx: Any = None) -> str:
    return a.render(ops, ctx) if isinstance(a, Node) else str(a)


def sym_infer(a: Node | int, var_vals: dict[Variable, int]) -> int:
    """Returns the value with these of the variables.

    Bound variables have their own value where `var_vals` has none.
    Errors: AssertionError where a variable has no value.
    """
    if not isinstance(a, Node):
        return a
    by_name = {k.expr: v for k, v in var_vals.items() if isinstance(k, Variable)}
    values = {}
    for variable in a.vars():
        value = by_name.get(variable.expr, variable._val)
        if value is None:
            raise AssertionError(f"expects a value of {variable} for {a}")
        values[variable] = NumNode(value)
    result = a.substitute(values)
    if not isinstance(result, NumNode):
        raise AssertionError(f"expects a number for {a}, got {result}")
    return result.b


def _render_variable(node: Variable, ops: dict, ctx: Any) -> str:
    name, value = node.expr, node._val
    if ctx == "DEBUG":
        binding = "" if value is None else f"={value}"
        return f"{name}[{node.min}-{node.max}{binding}]"
    if ctx == "REPR":
        binding = "" if value is None else f".bind({value})"
        return f"Variable({name!r}, {node.min}, {node.max}){binding}"
    return str(name)


def _render_number(node: NumNode, ops: dict, ctx: Any) -> str:
    return f"NumNode({node.b})" if ctx == "REPR" else str(node.b)


def _render_pair(symbol: str) -> Callable[[Any, dict, Any], str]:
    def render(node: Any, ops: dict, ctx: Any) -> str:
        a, b = node.a.render(ops, ctx), sym_render(node.b, ops, ctx)
        return f"({a}{symbol}{b})"

    return render


def _render_list(symbol: str) -> Callable[[Any, dict, Any], str]:
    def render(node: Any, ops: dict, ctx: Any) -> str:
        return f"({symbol.join(sorted(x.render(ops, ctx) for x in node.nodes))})"

    return render


render_python: dict[type, Callable] = {
    Variable: _render_variable,
    NumNode: _render_number,
    MulNode: _render_pair("*"),
    DivNode: _render_pair("//"),
    ModNode: _render_pair("%"),
    LtNode: _render_pair("<"),
    SumNode: _render_list("+"),
    AndNode: _render_list(" and "),
}
