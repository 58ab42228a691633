"""The language of conditions, and what is acknowledged."""

from __future__ import annotations

import datetime

import pytest

from ncu_triage.errors import UsageError
from ncu_triage.gate.acknowledged import in_force, read_acknowledged
from ncu_triage.gate.conditions import NAMES, condition, conditions


def test_a_slowdown_has_a_percentage_and_sigmas() -> None:
    plain = condition("regression")
    assert (plain.level, plain.percent, plain.sigmas) == ("error", 5.0, 3.0)
    full = condition("warn:regression=2.5%,4sigma")
    assert (full.level, full.percent, full.sigmas) == ("warn", 2.5, 4.0)
    assert condition("total-regression=3sigmas").percent == 5.0
    assert condition("regression=1%").sigmas == 3.0


def test_severities_and_rules() -> None:
    assert condition("severity=low").severity == "low"
    assert condition("new-finding=medium").severity == "medium"
    fired = condition("rule=bank-conflicts")
    assert (fired.rule, fired.severity) == ("bank-conflicts", "low")
    assert condition("rule=launch-overhead,info").severity == "info"
    assert condition(" off:bottleneck-change ").level == "off"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "there is no condition"),
        ("regresion", "did you mean regression"),
        ("speed", "choose from regression"),
        ("regression>5%", "write = for it"),
        ("regression=5", "no limit; write 5%"),
        ("regression=5%,5%", "no limit"),
        ("regression=-5%", "no limit"),
        ("fatal:regression", "its level is 'fatal'"),
        ("severity", "choose a severity"),
        ("severity=grave", "choose a severity"),
        ("rule", "name a rule"),
        ("rule=Bank Conflicts", "name a rule"),
        ("bottleneck-change=latency", "takes no value"),
    ],
)
def test_what_is_wrong_says_what_would_be_right(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=r"^--fail-on") as error:
        condition(text)
    assert says in str(error.value)
    assert error.value.exit_code == 2


def test_a_rule_that_is_left_out_is_there_and_disabled() -> None:
    with pytest.raises(UsageError, match="this rule is disabled in the configuration"):
        conditions(["rule=x"], two=False, rules=lambda: ["y"], left_out=lambda: ["x"])


def test_a_misspelt_rule_cannot_pass_for_ever() -> None:
    with pytest.raises(UsageError, match="did you mean bank-conflicts"):
        conditions(["rule=bank-conflict"], two=False, rules=lambda: ["bank-conflicts"])


@pytest.mark.parametrize("name", ["regression", "total-regression", "bottleneck-change"])
def test_one_result_cannot_have_changed(name: str) -> None:
    with pytest.raises(UsageError, match="compare BEFORE AFTER"):
        conditions([name], two=False)
    assert conditions([name], two=True)


def test_what_is_off_is_left_out_but_must_be_right() -> None:
    assert conditions(["off:regression=5%"], two=True) == []
    with pytest.raises(UsageError):
        conditions(["off:nonsense"], two=True)


def test_every_name_is_read() -> None:
    values = {"severity": "=high", "new-finding": "=high", "rule": "=x"}
    assert {condition(f"{name}{values.get(name, '')}").name for name in NAMES} == set(NAMES)


def _file(**fields: str) -> str:
    told = {"rule": '"bank-conflicts"', "reason": '"PERF-1"', "expires": "2027-01-31"} | fields
    return "[[acknowledged]]\n" + "\n".join(f"{k} = {v}" for k, v in told.items() if v)


def test_an_entry_covers_its_rule_on_the_kernels_it_names() -> None:
    (entry,) = read_acknowledged(_file(kernel='"transpose*"'))
    told = {"condition": "severity", "rule": "bank-conflicts"}
    assert entry.covers(**told, kernel="transposeCoalesced(float *)")
    assert not entry.covers(**told, kernel="copy(float *)")
    assert not entry.covers(condition="severity", rule="tail-effect", kernel="transpose(int)")


def test_an_entry_holds_until_its_day_is_over() -> None:
    entries = read_acknowledged(_file())
    day = datetime.date(2027, 1, 31)
    assert in_force(entries, day) == (entries, [])
    assert in_force(entries, day + datetime.timedelta(days=1)) == ([], entries)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("]", "Invalid"),
        ("x = 1", "unknown field"),
        (_file(reason=""), "reason"),
        (_file(expires=""), "expires"),
        (_file(expires='"some day"'), "date"),
        (_file(reason='"  "'), "give a reason"),
        (_file(rule=""), "either a rule or a condition"),
        (_file(condition='"regression"'), "either a rule or a condition"),
        (_file(rule="", condition='"speed"'), "no condition 'speed'"),
        (_file(owner='"me"'), "owner"),
    ],
)
def test_a_wrong_file_is_refused_with_its_fault(text: str, says: str) -> None:
    with pytest.raises(UsageError) as error:
        read_acknowledged(text)
    assert says in str(error.value)


TEMPLATE = "void ns::Sobel<double, (int)32>(const double *, double *)"


@pytest.mark.parametrize(
    ("pattern", "covers"),
    [
        ("Sobel<double, 32>", True),
        ("Sobel<double*", True),
        ("Sobel<double, …>", True),
        ("Sobel", True),
        ("Sobel*", True),
        ("ns::Sobel*", True),
        (TEMPLATE, True),
        ("void ns::Sobel*", True),
        ("other::Sobel*", False),
        ("Sobel<float*", False),
        ("obel*", False),
    ],
)
def test_a_pattern_may_be_the_printed_the_plain_or_the_full_name(
    pattern: str, covers: bool
) -> None:
    (entry,) = read_acknowledged(_file(kernel=f'"{pattern}"'))
    told = {"condition": "severity", "rule": "bank-conflicts"}
    assert entry.covers(**told, kernel=TEMPLATE) is covers


def test_an_overload_is_told_from_another() -> None:
    (entry,) = read_acknowledged(_file(kernel='"scale(float *)"'))
    told = {"condition": "severity", "rule": "bank-conflicts"}
    assert entry.covers(**told, kernel="scale(float*)")
    assert not entry.covers(**told, kernel="scale(double *)")
    assert not entry.covers(**told, kernel="whole report")


def test_an_entry_for_a_rule_that_is_not_there_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"entry 1.*did you mean bank-conflicts") as error:
        read_acknowledged(_file(rule='"bank-conflict"'), lambda: ["bank-conflicts"])
    assert error.value.exit_code == 2
    assert read_acknowledged(_file(), lambda: ["bank-conflicts"])
