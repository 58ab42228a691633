"""The events of a trace, one at a time, also of one that is broken JSON.

The text is cut where events begin, and each is decoded on its own: the memory stays small,
numbers stay decimal, and what one event has wrong costs no other. Writers that are killed
leave a cut list; old ones wrote unescaped backslashes, line ends inside of texts, and
numbers such as `inf`.

(Of the streaming parsers, ijson is little faster, stops at the first fault, and ends the
whole process at an integer of 4,301 digits.)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Set
from decimal import Decimal
from itertools import pairwise
from typing import Any, TypeAlias

from ncu_triage.timeline.trace.stream import Stream

Event: TypeAlias = dict[str, Any]

# The beginning of an event or of a GPU; where it is an element of a list, not a value.
_BEGIN = re.compile(rb'\{\s*"(?:ph|name|cat|pid|tid|ts|dur|args|id|bp|s|computeMajor)"\s*:')
_CATEGORY = re.compile(rb'"cat"\s*:\s*"(\w*)"')
_NEXT, _CLOSED = re.compile(r"\s*,\s*(?=\{)"), re.compile(r"\s*\]")
_CHUNK, _LONGEST = 1 << 20, 8 << 20
_OVERLAP = 256  # bytes that the beginning of an event may span
_MOST_PARTS = 64  # pieces of one event, cut where lists inside of it have objects
_LONE_BACKSLASH = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
_NO_NUMBER = re.compile(r"(?<=[:,\[\s])-?(?:inf|nan)(?:inity)?(?=\s*[,}\]])", re.IGNORECASE)


class Unfinished(Exception):
    """The text of an event ends before the event does."""


class EventReader:
    """Reads what can be read; counts what was mended and lost, and sees whether it ends.

    Events of the categories to be passed over are only counted.
    """

    def __init__(self, passed_over: Set[str] = frozenset()) -> None:
        self.passed = 0
        self.mended = 0
        self.lost = 0
        self.closed = False
        self._passed_over = {kind.encode() for kind in passed_over}
        self._decoder = json.JSONDecoder(strict=False, parse_float=Decimal)

    def events(self, stream: Stream) -> Iterator[Event]:
        """Yield the objects that stand in lists, events and descriptions of GPUs."""
        begun, parts = "", 0
        for piece in _pieces(stream):
            if not begun and self._passes(piece):
                continue
            text = piece.decode("utf-8", "replace")
            if begun:
                try:
                    yield from self._decoded(begun + text)
                    begun = ""
                    continue
                except Unfinished:
                    begun, parts = begun + text, parts + 1
                    if parts < _MOST_PARTS and len(begun) < _LONGEST:
                        continue
                except ValueError:
                    pass
                # It was no list inside of an event that cut this one: it was broken.
                self._lose(begun)
                begun = ""
            try:
                yield from self._decoded(text)
            except Unfinished:
                begun, parts = text, 1
            except ValueError:
                yield from self._mend(text)
        self._lose(begun)

    def _passes(self, piece: bytes) -> bool:
        """Pass over a piece that is one event of a kind that nobody asks for.

        Most events of a trace are of the host: decoding them takes most of the time.
        """
        kind = _CATEGORY.search(piece)
        if kind is None or kind[1].lower() not in self._passed_over:
            return False
        if piece.count(b'"cat"') > 1 or not piece.rstrip().endswith(b","):
            return False
        self.passed, self.closed = self.passed + 1, False
        return True

    def _decoded(self, text: str) -> list[Event]:
        """Decode the objects that a piece begins with, and look at what stands behind them.

        Raises Unfinished or ValueError where the first is not whole.
        """
        found: list[Event] = []
        self.closed = False
        at: int | None = 0
        while at is not None:
            try:
                one, end = self._decoder.raw_decode(text, at)
            except (ValueError, ArithmeticError, RecursionError) as error:
                if not found:
                    raise _fault(error, text) from error
                self._lose(text[at:])
                return found
            found += [one] if isinstance(one, dict) else []
            following = _NEXT.match(text, end)
            at = following.end() if following else None
        self.closed = _CLOSED.match(text, end) is not None
        return found

    def _mend(self, text: str) -> list[Event]:
        """Decode a piece with the usual faults taken out."""
        try:
            found = self._decoded(_NO_NUMBER.sub("null", _LONE_BACKSLASH.sub(r"\\\\", text)))
        except (Unfinished, ValueError):
            self._lose(text)
            return []
        self.mended += 1
        return found

    def _lose(self, text: str) -> None:
        self.lost += '"ph"' in text


def _fault(error: Exception, text: str) -> Exception:
    """Tell a text that ends too early from one that is wrong."""
    at_end = isinstance(error, json.JSONDecodeError) and error.pos >= len(text.rstrip())
    return Unfinished() if at_end else ValueError()


def _pieces(stream: Stream) -> Iterator[bytes]:
    """Cut the text where events begin; of a piece without an end only the start is kept."""
    buffer, begun = b"", False
    while data := stream.read(_CHUNK):
        buffer += data
        begins = [0] * begun + _begins(buffer)
        for start, end in pairwise(begins):
            yield buffer[start:end]
        begun = bool(begins)
        buffer = buffer[begins[-1] if begun else -_OVERLAP :]
        if len(buffer) > _LONGEST:
            yield buffer[:_OVERLAP]
            buffer, begun = buffer[-_OVERLAP:], False
    if begun:
        yield buffer


def _begins(buffer: bytes) -> list[int]:
    """Return where objects begin that are elements of lists; a value stands behind a colon."""
    starts = (found.start() for found in _BEGIN.finditer(buffer))
    return [at for at in starts if buffer[max(0, at - _OVERLAP) : at].rstrip()[-1:] in (b"[", b",")]
