"""What every reader gives: an opened profile whose launches are read one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ncu_triage.model import Launch, Settings, Source


class Report(Protocol):
    """An opened profile.

    `launches` decodes lazily, so a large file never lies in memory as a whole;
    `source` and `settings` are complete only after the last launch was taken.
    """

    def launches(self) -> Iterator[Launch]:
        """Yield the launches in file order; stop early where the file is cut."""

    def source(self) -> Source:
        """Describe the file and how much of it could be read."""

    def settings(self) -> Settings:
        """Say how the profile was taken, as far as the file tells."""
