"""Which reports are nights of the same thing: told by their file names without dates."""

from __future__ import annotations

import re

_ENDINGS = re.compile(r"\.(?:ncu-repz?|nsight-cuprof-report|csv|txt|log|tsv|out)$", re.IGNORECASE)
# A date with or without a time, a commit, the number of a build: they differ every night.
_TIME = r"[-_.T ]?[0-2]\d[-_.:h]?[0-5]\d(?:[-_.:m]?[0-5]\d)?Z?"
_DATE = rf"(?:19|20)\d\d[-_.]?[01]\d[-_.]?[0-3]\d(?:{_TIME})?"
_COMMIT = r"(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}"
_BUILD = r"(?:run|build|job|nightly|ci|pr|attempt)[-_.#]?\d+"
_VARYING = re.compile(
    rf"(?<![A-Za-z0-9])(?:{_DATE}|{_COMMIT}|{_BUILD})(?![A-Za-z0-9])", re.IGNORECASE
)
_LEFT = re.compile(r"[-_. ]{2,}")


def benchmark_of(name: str) -> str:
    """Return what a report is a night of: `2026-01-05/gemm-3fa9c1d.ncu-rep` is `gemm`.

    A folder counts as far as it is no date: `resnet/profile.ncu-rep` is `resnet/profile`.
    """
    *folders, last = name.split("/")
    parts = [_kept(part) for part in (*folders, _ENDINGS.sub("", last))]
    return "/".join(filter(None, parts))


def _kept(part: str) -> str:
    return _LEFT.sub("-", _VARYING.sub("", part)).strip("-_. ")
