"""Arithmetic over named numbers: the language of every operator's formulas.

Numbers, names, `+ - * / // %`, comparisons, `a if condition else b`, and six functions: a
formula reaches nothing else, no attribute, no file and no code, so a user's own is as safe
as the project's. Everything is computed in doubles, exact up to 2^53.
"""

from __future__ import annotations

import ast
import difflib
import math
import operator
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ncu_triage.errors import UsageError

LONGEST = 500  # characters; also keeps the nesting within what Python parses
_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARED: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
FUNCTIONS: dict[str, Callable[..., float]] = {
    "min": min,
    "max": max,
    "ceil": math.ceil,
    "floor": math.floor,
    "sqrt": math.sqrt,
    "log2": math.log2,
}
_SEVERAL = ("min", "max")
_SIGNS = "+ - * / // %"


class Formula(NamedTuple):
    """A formula as it is written, the names in it, and its parsed form."""

    text: str
    names: frozenset[str]
    tree: ast.expr


def formula(text: str, known: Iterable[str]) -> Formula:
    """Parse a formula over known names. Raises UsageError that says what is wrong in it."""
    if len(text) > LONGEST:
        raise UsageError(f"the formula is longer than {LONGEST} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd spellings that Python still takes
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise UsageError(f"{text!r} is no formula: write arithmetic such as 2 * m * n") from None
    try:
        names = frozenset(_checked(tree, text))
    except RecursionError:
        raise UsageError(f"{text!r} is nested too deeply") from None
    known = list(known)
    for name in sorted(names - set(known)):
        raise UsageError(f"{text!r} names {name!r}, which is no dimension{near(name, known)}")
    return Formula(text.strip(), names, tree)


def evaluate(one: Formula, values: Mapping[str, float]) -> float:
    """Compute a formula. Raises UsageError where it has no finite value."""
    try:
        value = float(_value(one.tree, values))
    except (ZeroDivisionError, OverflowError, ValueError, RecursionError):
        value = math.nan
    if not math.isfinite(value):
        given = ", ".join(f"{name} = {values[name]:g}" for name in sorted(one.names))
        raise UsageError(f"{one.text!r} has no finite value for {given or 'any shape'}")
    return value


def near(word: str, known: Iterable[str]) -> str:
    """Return a hint at the nearest known word, or nothing."""
    found = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {found[0]!r}?" if found else ""


def _checked(node: ast.AST, text: str) -> Iterable[str]:
    """Yield the names of a formula; refuse everything that is not arithmetic."""
    if isinstance(node, ast.Name):
        yield node.id
        return
    if not _is_arithmetic(node):
        raise UsageError(
            f"{text!r} holds more than arithmetic: numbers, dimensions, {_SIGNS}, comparisons, "
            f"a if condition else b, and {', '.join(FUNCTIONS)}, each with its numbers"
        )
    inner = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    for child in inner:
        if isinstance(child, ast.expr):
            yield from _checked(child, text)


def _is_arithmetic(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=value):
            return type(value) in (int, float)
        case ast.BinOp(op=op):
            return type(op) in _BINARY
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()) | ast.IfExp():
            return True
        case ast.Compare(ops=ops):
            return all(type(op) in _COMPARED for op in ops)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return name in FUNCTIONS and len(args) >= 1 and (name in _SEVERAL or len(args) == 1)
    return False


def _value(node: ast.expr, values: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(op=op, operand=inner):
            value = _value(inner, values)
            return -value if isinstance(op, ast.USub) else value
        case ast.BinOp(op=op, left=left, right=right):
            return _BINARY[type(op)](_value(left, values), _value(right, values))
        case ast.IfExp(test=test, body=body, orelse=other):
            return _value(body if _value(test, values) else other, values)
        case ast.Call(func=ast.Name(id=name), args=args):
            return FUNCTIONS[name](*(_value(inner, values) for inner in args))
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [_value(inner, values) for inner in (left, *others)]
            pairs = zip(sides, ops, sides[1:], strict=False)
            return float(all(_COMPARED[type(op)](a, b) for a, op, b in pairs))
    raise AssertionError(f"{type(node).__name__} was checked before")
