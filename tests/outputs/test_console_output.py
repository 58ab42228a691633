"""The terminal: one screen, no colour unless asked for, no control characters."""

from __future__ import annotations

import re

import pytest
from fixtures.diagnosis_builder import diagnosis
from fixtures.diagnosis_cases import basic, hostile, realistic, transpose
from fixtures.diagnosis_large import different

from ncu_triage.errors import InputError
from ncu_triage.render.choice import Choice, Sort
from ncu_triage.render.console import render
from ncu_triage.render.letters import columns_of

ESCAPE = re.compile(r"\x1b\[\d+m")


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_lines_fit_the_terminal(width: int) -> None:
    shown = render(realistic(), width=width)
    commands = [line for line in shown.splitlines() if line.startswith("  ncu ")]
    assert all(columns_of(x) <= width for x in shown.splitlines() if x not in commands)


def test_a_few_kernels_fit_one_screen() -> None:
    assert len(render(diagnosis([transpose(), basic()])).splitlines()) < 24


def test_it_says_the_verdict_then_what_to_fix_then_the_kernels() -> None:
    shown = render(realistic())
    order = ["51.2 % of the GPU time", "Fix first", "transposeCoalesced  ", "Collect next"]
    places = [shown.index(text) for text in order]
    assert places == sorted(places)


def test_colour_only_where_asked() -> None:
    plain, coloured = render(realistic()), render(realistic(), colour=True)
    assert "\x1b" not in plain
    assert ESCAPE.sub("", coloured) == plain


def test_names_cannot_steer_the_terminal() -> None:
    name = "evil\x1b]0;title\x07\x9b31m\u202ekernel\r\n"
    shown = render(diagnosis([transpose(name=name, demangled=name), hostile()]))
    assert not set("\x1b\x07\x9b\u202e\r") & set(shown)


def test_a_missing_number_is_a_dash_with_its_meaning() -> None:
    shown = render(diagnosis([basic(), transpose(), transpose(grid=(1, 1, 1))]))
    shown = " ".join(shown.split())
    assert "- not collected" in shown
    assert "* of elapsed cycles" in shown


def test_wide_letters_count_twice() -> None:
    name = "カーネル" * 20
    shown = render(diagnosis([transpose(name=name, demangled=name)]), width=80)
    assert all(columns_of(line) <= 80 for line in shown.splitlines())


def names(shown: str) -> list[str]:
    """Return the first words of the table's rows."""
    lines = shown.split("kernel ", 1)[1].splitlines()[1:]
    return [line.split()[0] for line in lines if re.search(r"\d (ms|µs|ns|s) ", line)]


@pytest.mark.parametrize("top", [1, 10, 60])
def test_as_many_kernels_as_asked_for(top: int) -> None:
    shown = render(different(60), choice=Choice(top=top))
    assert len(names(shown)) == top
    assert ("--top 60 lists all" in shown) is (top < 60)


@pytest.mark.parametrize(
    ("sort", "first"),
    [
        (Sort.TIME, "transposeCoalesced"),
        (Sort.NAME, "DeviceScanInitKernel"),
        (Sort.LAUNCHES, "vectorized_elementwise"),
        (Sort.MEDIAN, "transposeCoalesced"),
        (Sort.P99, "vectorized_elementwise"),
        (Sort.DRAM, "vectorized_elementwise"),
        (Sort.L1, "transposeCoalesced"),
        (Sort.OCCUPANCY, "transposeCoalesced"),
    ],
)
@pytest.mark.parametrize("width", [80, 160])
def test_the_table_is_sorted_by_a_column_that_it_shows(sort: Sort, first: str, width: int) -> None:
    shown = render(realistic(), width=width, choice=Choice(sort=sort))
    assert names(shown)[0].startswith(first[:11])
    heads = {Sort.TIME: "share", Sort.NAME: "kernel", Sort.LAUNCHES: " n "}
    word = heads.get(sort) or ("Occup" if sort is Sort.OCCUPANCY else sort.value)
    head = next(line for line in shown.splitlines() if line.startswith("kernel "))
    assert word.lower() in head.lower()


def test_what_is_unknown_is_sorted_last() -> None:
    shown = render(diagnosis([basic(), transpose()]), width=100, choice=Choice(sort=Sort.L2))
    assert names(shown) == ["transposeCoalesced", "reduce<512u>"]


def test_a_kernel_that_is_asked_for_is_told_in_full() -> None:
    shown = " ".join(render(realistic(), choice=Choice(kernel=re.compile("transp"))).split())
    assert "Fix first" not in shown
    assert names(render(realistic(), choice=Choice(kernel=re.compile("transp")))) == [
        "transposeCoalesced"
    ]
    for part in (
        "transposeCoalesced(float *, const float *, int, int)",
        "L1/TEX is 91.3 % busy (active)",
        "29.8 % expected, at most 33.1 % of the kernel's time",
        "Bank conflicts, loads 96.9 % (≥ 10.0 %, of wavefronts)",
        "1. Pad the tile by one column: tile[32][33].",
        "* Warps wait for the MIO queue (low severity, stall-mio-throttle)",
    ):
        assert part in shown


def test_a_kernel_is_found_by_its_full_name_too() -> None:
    shown = render(realistic(), choice=Choice(kernel=re.compile(r"at::native::.*AddFunctor")))
    assert "vectorized_elementwise_kernel" in shown
    assert "transpose" not in shown


def test_no_kernel_of_such_a_name_is_said() -> None:
    with pytest.raises(InputError, match="none of 6 kernels has such a name"):
        render(realistic(), choice=Choice(kernel=re.compile("nothing")))


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_told_kernel_fits_the_terminal(width: int) -> None:
    shown = render(realistic(), width=width, choice=Choice(kernel=re.compile(".")))
    assert all(columns_of(line) <= width for line in shown.splitlines())


def test_names_on_a_narrow_terminal_lose_their_end_first() -> None:
    name = "void at::distribution_elementwise_grid_stride_kernel<float, 4, A, B>(int)"
    shown = render(diagnosis([transpose(demangled=name)]), width=80)
    assert re.search(r"^distribution_elem\w*…", shown, re.MULTILINE)


def test_kernels_that_differ_in_their_shape_say_how() -> None:
    shown = render(diagnosis([transpose(grid=(n, 1, 1)) for n in (11, 12)]), width=80)
    assert re.search(r"^transpose\w*…?.*11 ", shown, re.MULTILINE)
    assert re.search(r"^transpose\w*…?.*12 ", shown, re.MULTILINE)
