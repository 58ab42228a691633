"""What a user may ask of a scan."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

from ncu_triage.scan.limits import Limits


class Options(Struct, frozen=True, kw_only=True):
    """A scan's arguments, as they were given."""

    paths: list[str]
    out: Path
    jobs: int | None = None
    limits: Limits = Limits()
    cluster: str | None = None
    history: str | None = None
    label: str | None = None
    when: str | None = None
    rules: list[Path] = field(default_factory=list)
    config: Path | None = None
    ceilings: list[Path] = field(default_factory=list)
