"""The launches whose rows may still come: the profiler writes them one after the other,
re-sorted copies have their rows apart."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeAlias

from ncu_triage.readers.csv.draft import Draft

Key: TypeAlias = tuple[str, ...]

# A launch stays open while so many others begin.
_MOST_OPEN = 256
_MOST_HELD = 1 << 26
_MOST_CLOSED = 1_000_000


class Window:
    """The open launches by key, oldest first, and a memory of the closed ones.

    `hold` counts the characters of texts that are kept; `full` tells that they are too
    many.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[Key, Draft] = OrderedDict()
        self._closed: set[int] = set()
        self._held = 0

    def get(self, key: Key) -> Draft | None:
        """Return the open launch of this key."""
        return self._open.get(key)

    def is_closed(self, key: Key) -> bool:
        """Tell whether the launch of this key was already given away."""
        return hash(key) in self._closed

    def add(self, key: Key, draft: Draft) -> None:
        """Open a launch."""
        self._open[key] = draft
        self._held += sum(map(len, key))

    def hold(self, characters: int) -> bool:
        """Count texts that are to be kept; False where they are too many."""
        if self._held + characters > _MOST_HELD:
            return False
        self._held += characters
        return True

    @property
    def crowded(self) -> bool:
        """Tell whether the oldest launch must go."""
        return len(self._open) > _MOST_OPEN or (
            self._held > _MOST_HELD // 2 and len(self._open) > 1
        )

    def pop(self) -> Draft | None:
        """Close the oldest launch; None where none is open."""
        if not self._open:
            return None
        key, draft = self._open.popitem(last=False)
        if len(self._closed) < _MOST_CLOSED:
            self._closed.add(hash(key))
        # What one launch held is not counted apart; all of it goes with the last.
        self._held = self._held * len(self._open) // (len(self._open) + 1)
        return draft
