"""The opened CSV: launches one by one, then what became of the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from ncu_triage.errors import InputError
from ncu_triage.model import Launch, Settings, Source
from ncu_triage.readers.csv.draft import Draft
from ncu_triage.readers.csv.refuse import refusal
from ncu_triage.readers.csv.scan import Scan, sniff
from ncu_triage.readers.csv.tally import Tally
from ncu_triage.readers.csv.text import TextFile


class CsvReport:
    """A CSV of Nsight Compute, read as a stream (`Report` says what the parts promise).

    A launch's id is source/0/n, where n is the profiler's ID as long as these ascend; in a
    file of several runs the count goes on. Launches that failed keep their number.
    """

    def __init__(self, text: TextFile, name: str, source_index: int) -> None:
        self._text = text
        self._name = name
        self._source_index = source_index
        found = sniff(text)
        if not found.rows:
            raise InputError(refusal(found))
        self._convention = found.convention
        self._formats = found.formats
        self._tally = Tally()
        self._sections: dict[str, None] = {}

    def launches(self) -> Iterator[Launch]:
        """Yield the launches in file order; refuse a file of which none can be read."""
        scan = Scan(self._text, self._convention)
        self._tally = scan.tally
        self._sections = {}
        self._formats = scan.formats
        number = -1
        for draft in scan.drafts():
            own = draft.identity.number
            number = own if own is not None and own > number else number + 1
            if self._usable(draft):
                yield draft.launch(f"{self._source_index}/0/{number}")
        if not self._tally.launches:
            raise InputError(self._nothing(scan))

    def _usable(self, draft: Draft) -> bool:
        """Count a launch; one that failed or has no metrics is left out."""
        if draft.failed or draft.empty:
            self._tally.failed += draft.failed
            self._tally.empty += not draft.failed
            return False
        self._tally.launches += 1
        if not draft.identity.kernel:
            self._tally.unnamed += 1
        self._sections.update(dict.fromkeys(draft.sections))
        return True

    def source(self) -> Source:
        """Describe the file and how much of it could be read."""
        return Source(
            name=self._name,
            sha256=self._text.sha256(),
            format="+".join(self._formats),
            complete=not self._tally.losses(),
            lost_launches=self._tally.failed + self._tally.empty + self._tally.cut_launches,
            notes=self._tally.notes(),
        )

    def settings(self) -> Settings:
        """Name the sections seen; nothing else of the settings is in a CSV."""
        return Settings(sections=sorted(self._sections))

    def _nothing(self, scan: Scan) -> str:
        """Say in one line why there is nothing to judge."""
        if notes := self._tally.notes():
            return f"no launch can be judged: {'; '.join(notes[:2])}"
        return scan.table.nothing() if scan.table is not None else "the file changed meanwhile"


def open_csv(file: BinaryIO, name: str, source_index: int) -> CsvReport:
    """Open a CSV or the captured output of a run; the report closes the file."""
    return CsvReport(TextFile(file), name, source_index)
