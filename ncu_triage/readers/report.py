"""What every reader gives: an opened profile whose launches are read one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

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


@runtime_checkable
class Striped(Report, Protocol):
    """A profile whose launches several processes can read, each some of them."""

    @property
    def expected(self) -> int:
        """How many launches there should be."""

    def stripe(self, part: int, count: int) -> Iterator[Launch]:
        """Yield every `count`-th launch from the `part`-th on, and pass over the others."""

    def tally(self) -> bytes:
        """Return what the launches taken so far add up to, for `gather`."""

    def gather(self, tallies: Sequence[bytes]) -> None:
        """Take what all stripes add up to; refuse a report of which none can be read."""
