"""Conditions in CEL over the numbers of a kernel, with three outcomes.

All names are declared as DOUBLE or STRING once, so an unknown name or a wrong type is
an error when a rule is loaded. A name without a value makes the outcome undecided,
unless the other side of `&&` or `||` decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from cel_expr_python import cel

from ncu_triage.errors import RuleError
from ncu_triage.signals import held

_STRING = re.compile(r'"[^"]*"|\'[^\']*\'')
_NAME = re.compile(r"\b[a-z][a-z0-9_]*\b(?!\s*\()")
_WORDS = {"true", "false", "in"}
_BARE_INTEGER = re.compile(r"(?<![\w.])(\d+)(?![\w.])")


class Conditions:
    """The language of the rules: its names, and expressions compiled against them."""

    def __init__(self, numbers: Iterable[str], texts: Iterable[str]) -> None:
        self.texts = frozenset(texts)
        self.names = set(numbers) | self.texts
        types = {name: cel.Type.DOUBLE for name in numbers}
        types |= {name: cel.Type.STRING for name in self.texts}
        with held():
            self._env = cel.NewEnv(variables=types)

    def condition(self, expression: str, constants: Mapping[str, float]) -> cel.Expression:
        """Compile an expression that is true or false; constants stand in it by name.

        Raises RuleError that says what is wrong in the expression.
        """
        return self._compile(expression, constants, cel.Type.BOOL)

    def number(self, expression: str, constants: Mapping[str, float]) -> cel.Expression:
        """Compile an expression that gives a number; as `condition` otherwise."""
        return self._compile(expression, constants, cel.Type.DOUBLE)

    def _compile(
        self, expression: str, constants: Mapping[str, float], wanted: cel.Type
    ) -> cel.Expression:
        try:
            compiled = self._env.compile(_with_constants(expression, constants))
        except RuntimeError as error:
            raise RuleError(_explain(expression, error)) from error
        if compiled.return_type() != wanted:
            kind = "true or false" if wanted == cel.Type.BOOL else "a number such as 0.5"
            raise RuleError(f"{expression!r} must give {kind}")
        return compiled

    def compiled(self, data: bytes) -> cel.Expression:
        """Take back an expression that was compiled and serialized before.

        Raises RuntimeError for what the compiler does not know as its own.
        """
        return self._env.deserialize(data)

    def values(self, data: Mapping[str, float | str]) -> cel.Activation:
        """Bind the values that a kernel has; made once a kernel, used by every rule."""
        known = {name: value for name, value in data.items() if name in self.names}
        return self._env.Activation(known)


def names_in(expression: str) -> set[str]:
    """Return the names that an expression uses, constants included."""
    return set(_NAME.findall(_STRING.sub('""', expression))) - _WORDS


def decide(expression: cel.Expression, values: cel.Activation) -> bool | None:
    """Evaluate a condition: True, False, or None where a missing value leaves it open.

    Raises RuleError for any other failure, such as an expression that is no condition.
    """
    result = expression.eval(values)
    if result.type() == cel.Type.BOOL:
        return bool(result.plain_value())
    _raise_unless_missing(result)
    return None


def measure(expression: cel.Expression, values: cel.Activation) -> float | None:
    """Evaluate a number; None where a value is missing or it is not finite."""
    result = expression.eval(values)
    if result.type() != cel.Type.DOUBLE:
        _raise_unless_missing(result)
        return None
    value = float(result.plain_value())
    return value if abs(value) < float("inf") else None


def _raise_unless_missing(result: cel.Value) -> None:
    # A value that cannot be decided is of type ERROR or UNKNOWN, and its plain form is
    # a message: testing its truth would take every failure for a yes.
    message = str(result.plain_value())
    if result.type() == cel.Type.UNKNOWN or "No value with name" in message:
        return
    raise RuleError(" ".join(message.split()) or "the condition gives no truth value")


def _with_constants(expression: str, constants: Mapping[str, float]) -> str:
    """Write the constants' values in place of their names, outside of strings."""

    def replace(match: re.Match[str]) -> str:
        name = match.group()
        return repr(float(constants[name])) if name in constants else name

    pieces = re.split(r'("[^"]*"|\'[^\']*\')', expression)
    return "".join(p if i % 2 else _NAME.sub(replace, p) for i, p in enumerate(pieces))


def _explain(expression: str, error: RuntimeError) -> str:
    """Turn the compiler's message into one line, with the usual slip named."""
    lines = str(error).removeprefix("INVALID_ARGUMENT: ").splitlines()
    message = lines[0].partition(": ")[2].partition(": ")[2] or lines[0]
    integer = _BARE_INTEGER.search(_STRING.sub('""', expression))
    hint = f"; write {integer[1]}.0 for {integer[1]}" if integer and "overload" in message else ""
    return f"{expression!r}: {message}{hint}"
