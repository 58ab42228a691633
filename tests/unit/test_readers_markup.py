"""NVIDIA's link markup, reduced to what a person reads."""

from __future__ import annotations

import pytest

from ncu_triage.readers.ncu_rep.rules import plain_text


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("see @section:SpeedOfLight:GPU Speed Of Light@ first", "see GPU Speed Of Light first"),
        ("the @url:Guide:https://docs.example/x.html#y@.", "the Guide."),
        ("at PC @source:kernel:0x1483b1454ae0@", "at PC 0x1483b1454ae0"),
        ("@sass:kernel:0x10@ and @source:dir/a.cu:7@", "0x10 and 7"),
        ("mail me@example.com @ 8 pm", "mail me@example.com @ 8 pm"),
        ("a lone @section:X", "a lone @section:X"),
        ("", ""),
    ],
)
def test_a_link_leaves_its_label(marked: str, plain: str) -> None:
    assert plain_text(marked) == plain
