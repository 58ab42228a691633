"""Numbers as locales write them: read back exactly, or said to be ambiguous."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncu_triage.errors import InputError
from ncu_triage.readers.csv.evidence import Evidence
from ncu_triage.readers.csv.numbers import Convention, point_of
from ncu_triage.readers.csv.table import Sample

# Decimal point and separator of thousands.
LOCALES = {
    "C": (".", ""),
    "en_US": (".", ","),
    "de_DE": (",", "."),
    "fr_FR": (",", " "),
    "windows": (",", "\u00a0"),
    "narrow": (",", "\u202f"),
    "de_CH": (".", "'"),
}
quick = settings(max_examples=60, deadline=None, derandomize=True)
values = st.floats(min_value=0, max_value=1e15, allow_nan=False).map(lambda v: round(v, 2))


def written(value: float, locale: str, decimals: int = 2) -> str:
    point, group = LOCALES[locale]
    whole, _, rest = f"{value:,.{decimals}f}".partition(".")
    return whole.replace(",", group) + (point + rest if rest else "")


def look(*cells: str, metric: str = "m", unit: str = "") -> Convention:
    evidence = Evidence()
    for cell in cells:
        evidence.look(Sample(metric, unit, cell))
    return evidence.decide()


@pytest.mark.parametrize("locale", LOCALES)
@quick
@given(numbers=st.lists(values, min_size=1, max_size=8))
def test_what_a_locale_writes_is_read_back(locale: str, numbers: list[float]) -> None:
    cells = [written(value, locale) for value in numbers]

    convention = look(*cells)
    parse = convention.parser()

    assert convention.point == LOCALES[locale][0]
    assert [parse(cell) for cell in cells] == numbers


@quick
@given(value=st.integers(min_value=0, max_value=10**15), locale=st.sampled_from(list(LOCALES)))
def test_a_whole_number_is_read_in_its_own_locale(value: int, locale: str) -> None:
    parse = Convention(LOCALES[locale][0]).parser()

    assert parse(written(value, locale, decimals=0)) == value


@quick
@given(text=st.text(alphabet="0123456789.,' -+eE", max_size=12))
def test_no_cell_raises_and_none_reads_differently_by_chance(text: str) -> None:
    point = point_of(text)

    for mark in ".,":
        value = Convention(mark).parser()(text)
        assert value is None or isinstance(value, float)
    if point is not None:
        assert Convention(point).parser()(text) is not None


@pytest.mark.parametrize(
    ("cell", "value"),
    [("10,48,576.5", 1048576.5), ("1'048'576", 1048576.0), ("-1,234.50", -1234.5), ("1e3", 1000.0)],
)
def test_other_ways_with_a_point(cell: str, value: float) -> None:
    assert Convention(".").parser()(cell) == value


@pytest.mark.parametrize("cell", ["1,23", "1,2345", "12,34,5", "1.234.567", "1_000", "", "x", "-"])
def test_what_is_no_number_with_a_point(cell: str) -> None:
    assert Convention(".").parser()(cell) is None


def test_numbers_with_six_decimals_are_english_in_every_locale() -> None:
    """On the raw page, values with a unit are; those without one follow the locale."""
    convention = look("650136.232143", "7.250000", "12,19")

    assert convention.point == ","
    assert convention.parser()("650136.232143") == 650136.232143


@pytest.mark.parametrize(
    ("cells", "unit", "point"),
    [
        (["659.062"], "cycle", ","),
        (["659,062"], "inst", "."),
        (["65.770"], "%", "."),
        (["0.770"], "", "."),
        (["1234.567"], "", "."),
    ],
)
def test_a_lone_separator_is_decided_by_what_it_counts(
    cells: list[str], unit: str, point: str
) -> None:
    assert look(*cells, metric="smsp__inst_executed.sum", unit=unit).point == point


def test_the_cycles_of_a_launch_decide_where_no_cell_does() -> None:
    evidence = Evidence()
    evidence.look(Sample("gpc__cycles_elapsed.max", "cycle", "123211"))
    evidence.look(Sample("gpc__cycles_elapsed.avg.per_second", "Ghz", "1.050"))
    evidence.look(Sample("gpu__time_duration.sum", "us", "117.344"))

    assert evidence.decide().point == "."


def test_what_nothing_decides_stays_ambiguous() -> None:
    convention = look("117.344", "24", metric="gpu__time_duration.sum", unit="ns")

    assert convention.point is None
    assert convention.parser()("117.344") is None
    assert convention.parser()("24") == 24


def test_plain_whole_numbers_need_no_decision() -> None:
    assert look("24", "1048576") == Convention(".")


def test_two_ways_in_one_file_are_refused() -> None:
    with pytest.raises(InputError, match="written in two ways"):
        look("1.25", "1,25")
