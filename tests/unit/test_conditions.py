"""The condition language: three outcomes, and errors where they are made."""

from __future__ import annotations

import pytest

from ncu_triage.engine.conditions import Conditions, decide, measure, names_in
from ncu_triage.errors import RuleError

LANGUAGE = Conditions(["a", "b"], ["kind"])


@pytest.mark.parametrize(
    ("expression", "values", "outcome"),
    [
        ("a >= limit", {"a": 2.0}, True),
        ("a >= limit", {"a": 1.0}, False),
        ("a >= limit", {}, None),
        ("a > 1.0 && b > 1.0", {"a": 0.0}, False),
        ("a > 1.0 && b > 1.0", {"a": 5.0}, None),
        ("a > 1.0 || b > 1.0", {"a": 5.0}, True),
        ("a > 1.0 || b > 1.0", {"a": 0.0}, None),
        ('kind == "limit" && a > 1.0', {"kind": "limit", "a": 2.0}, True),
        ("!(a > 1.0)", {}, None),
    ],
)
def test_a_missing_value_leaves_open_what_the_other_side_does_not_decide(
    expression: str, values: dict[str, float | str], outcome: bool | None
) -> None:
    compiled = LANGUAGE.condition(expression, {"limit": 2.0})
    assert decide(compiled, LANGUAGE.values(values)) is outcome


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("c > 1.0", "undeclared reference to 'c'"),
        ("a >= 80", "write 80.0 for 80"),
        ("kind > 1.0", "no matching overload"),
        ("a >", "Syntax error"),
        ("a + 1.0", "must give true or false"),
    ],
)
def test_a_faulty_condition_is_refused_in_one_line(expression: str, words: str) -> None:
    with pytest.raises(RuleError) as caught:
        LANGUAGE.condition(expression, {})
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "values", "expected"),
    [
        ("1.0 - a / 100.0", {"a": 25.0}, 0.75),
        ("a / b", {"a": 1.0, "b": 0.0}, None),
        ("a / b", {"a": 1.0}, None),
        ("a < b ? a : b", {"a": 3.0, "b": 2.0}, 2.0),
    ],
)
def test_a_number_is_finite_or_none(
    expression: str, values: dict[str, float | str], expected: float | None
) -> None:
    compiled = LANGUAGE.number(expression, {})
    assert measure(compiled, LANGUAGE.values(values)) == expected


def test_a_number_where_a_condition_stands_is_refused() -> None:
    with pytest.raises(RuleError, match="must give a number"):
        LANGUAGE.number("a > 1.0", {})


def test_names_are_found_outside_of_texts_and_functions() -> None:
    assert names_in('a > lim && kind == "b" || size(kind) > 1.0') == {"a", "lim", "kind"}
