"""The language of the formulas: arithmetic, and nothing that reaches further."""

from __future__ import annotations

import pytest

from ncu_triage.errors import UsageError
from ncu_triage.operators.arithmetic import LONGEST, evaluate, formula

SHAPE = {"m": 3.0, "n": 5.0, "flag": 1.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 * m * n", 30),
        ("m - n / 2", 0.5),
        ("-m + +n", 2),
        ("7 // 2 + 7 % 4", 6),
        ("ceil(n / m) * floor(n / m)", 2),
        ("max(m, n) - min(m, n, 1)", 4),
        ("sqrt(16) + log2(8)", 7),
        ("m if n > 4 else n", 3),
        ("n if 1 < m <= 2 else 0", 0),
        ("m * n * flag", 15),
        (" 4096 * 4096 * 4096 ", 68_719_476_736),
        ("1.5e3", 1500),
    ],
)
def test_it_computes(text: str, value: float) -> None:
    assert evaluate(formula(text, SHAPE), SHAPE) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "open('/etc/passwd')",
        "().__class__.__bases__",
        "m.real",
        "[m for m in (1, 2)]",
        "(lambda: 1)()",
        "{m}",
        "m[0]",
        "'a' * 1000000000",
        "m ** n",
        "m << n",
        "m and n",
        "not m",
        "~m",
        "1j",
        "True",
        "None",
        "...",
        "min(*m)",
        "min()",
        "sqrt(m, n)",
        "ceil(m=1)",
        "f'{m}'",
        "(m := 2)",
        "m in n",
        "eval(m)",
    ],
)
def test_it_reaches_nothing_else(text: str) -> None:
    with pytest.raises(UsageError, match=r"more than arithmetic|no formula|which is no dimension"):
        formula(text, SHAPE)


@pytest.mark.parametrize(
    "text", ["", "2 *", "m n", "m = 2", "import os", "m\n;n", "m\0", "(" * 400, "-" * 490 + "m"]
)
def test_what_is_no_formula_is_refused_in_one_line(text: str) -> None:
    try:
        evaluate(formula(text, SHAPE), SHAPE)
    except UsageError as error:
        assert "\n" not in str(error)
    else:
        assert text.strip("-") == "m"  # nested deeply, and still arithmetic


def test_a_long_formula_is_refused() -> None:
    with pytest.raises(UsageError, match="longer than 500 characters"):
        formula("m + " * LONGEST + "m", SHAPE)


def test_a_misspelt_dimension_is_named_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'widht', which is no dimension; did you mean 'width'"):
        formula("2 * widht", ["width", "rows"])


@pytest.mark.parametrize("text", ["m / 0", "sqrt(-1)", "log2(0)", "1e308 * 10", "m % 0", "9" * 400])
def test_what_has_no_finite_value_is_said(text: str) -> None:
    with pytest.raises(UsageError, match="no finite value"):
        evaluate(formula(text, SHAPE), SHAPE)
