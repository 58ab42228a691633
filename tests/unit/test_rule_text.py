"""How a rule's text is filled."""

from __future__ import annotations

import pytest

from ncu_triage.engine.text import fill, places

UNITS = {"share": "%", "speed": "byte/s", "ways": ""}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DRAM at {share}", "DRAM at 88.7 %"),
        ("{ways:.0f}-way", "32-way"),
        ("by {what}", "by registers"),
        ("a {gone} b", "a unknown b"),
        ("DRAM[, {gone} more][, {share}]", "DRAM, 88.7 %"),
        ("tile[32][33]", "tile[32][33]"),
    ],
)
def test_values_take_their_places(text: str, expected: str) -> None:
    values: dict[str, float | str] = {"share": 88.7, "ways": 32.16, "what": "registers"}
    assert fill(text, values, lambda name: UNITS.get(name, "")) == expected


def test_places_are_all_names_shown() -> None:
    assert places("{a} and [{b:.1f}]") == {"a", "b"}
