"""Rules as they were compiled the last time, so that a short run need not do it again.

Reading the files as YAML, checking and compiling them takes longer than judging a small
report. What is kept is bound to every byte it was made from: the rules, the names they
may use, the user's adjustments, and the programs that read and compile them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from cel_expr_python import cel
from msgspec import Struct

from ncu_triage import __version__, cache
from ncu_triage.engine.adjust import Adjustments, Configuration
from ncu_triage.engine.rule import OwnMetric, Rule
from ncu_triage.errors import RuleError
from ncu_triage.model import CatalogueEntry


class Shown(Struct, frozen=True):
    """A line of evidence: a quantity, and the limit it is held against if any."""

    quantity: str
    operator: str | None
    threshold: float | None


class KeptRule(Struct, frozen=True, kw_only=True):
    """A checked rule; its expressions are compiled, and written as bytes."""

    rule: Rule
    when: bytes
    unless: list[bytes]
    doubtful: bytes | None
    evidence: tuple[Shown, ...]
    remaining: dict[str, bytes]
    lost: bytes | None


class Kept(Struct, frozen=True, kw_only=True):
    """All rules of some folders, with the metrics they read under names of their own."""

    made_from: str
    version: str
    own: dict[str, OwnMetric]
    rules: list[KeptRule]


def made_from(
    files: Sequence[Path], entries: Mapping[str, CatalogueEntry], wanted: Configuration
) -> str:
    """Digest all that decides what loading the files gives.

    Raises RuleError for a file that cannot be read.
    """
    digest = hashlib.sha256(f"{__version__} {' '.join(entries)}".encode())
    for program in (Path(cel.__file__), *sorted(Path(__file__).parent.rglob("*.py"))):
        status = program.stat()
        digest.update(f"{program.name} {status.st_mtime_ns} {status.st_size}".encode())
    digest.update(msgspec.json.encode(wanted.adjustments))
    for path in files:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise RuleError(f"rule file {path.name}: {error.strerror}") from error
        digest.update(f"{path.name} {len(content)} ".encode() + content)
    return digest.hexdigest()


def slot(folders: Sequence[Path], wanted: Configuration) -> str:
    """Name what is kept of some folders under some adjustments.

    Two files for an installation: several at once must not undo each other's, nor a
    project with adjustments those without, and folders that change with every build must
    not fill the disk.
    """
    here = hashlib.sha256(str(Path(__file__)).encode()).hexdigest()[:8]
    usual = len(folders) == 1 and wanted.adjustments == Adjustments()
    return f"rules-{here}" if usual else f"rules-with-own-{here}"


def recall(name: str, source: str) -> Kept | None:
    """Return what is kept by this name if it was made from just this source."""
    data = cache.load(name)
    if data is None:
        return None
    try:
        kept = msgspec.msgpack.decode(data, type=Kept)
    except msgspec.MsgspecError:
        return None
    return kept if kept.made_from == source else None


def keep(name: str, kept: Kept) -> None:
    """Keep compiled rules in place of those that were kept before."""
    cache.store(name, msgspec.msgpack.encode(kept))
