"""Letters' weight and colour in a terminal."""

from __future__ import annotations

from typing import NamedTuple


class Ink(NamedTuple):
    """How to set letters off; plain where the output is no terminal."""

    on: bool

    def bold(self, text: str) -> str:
        """Set a text in bold."""
        return self._in("1", text)

    def dim(self, text: str) -> str:
        """Set a text back."""
        return self._in("2", text)

    def care(self, text: str) -> str:
        """Set a text in the colour of a warning."""
        return self._in("33", text)

    def _in(self, codes: str, text: str) -> str:
        return f"\x1b[{codes}m{text}\x1b[0m" if self.on and text else text
