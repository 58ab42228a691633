"""Texts from other people's files: made safe to print, and made comparable."""

from __future__ import annotations

import re

_LONGEST = 8000  # letters of a name; what lies beyond tells nothing apart
_LONGEST_RANGE = 200
# Control characters, line ends, what turns the reading direction, and halves of letters.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")
_NUMBER = re.compile(r"\d+")


def clean(text: str) -> str:
    """Return one line of text that every output can encode."""
    return _CONTROL.sub("\ufffd", text[:_LONGEST]).strip()


def repeated(name: str) -> str:
    """Return a range's name without its numbers: `step 3` and `step 4` are one thing."""
    return _NUMBER.sub("#", clean(name[:_LONGEST_RANGE]))
