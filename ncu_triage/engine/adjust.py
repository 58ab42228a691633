"""A user's own thresholds, severities and omissions, from a TOML file.

disable = ["short-kernel"]

[severity]
small-grid = "low"

[thresholds.bandwidth-wall]
wall = 85.0
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from ncu_triage.engine.rule import Rule
from ncu_triage.errors import RuleError
from ncu_triage.model import Severity
from ncu_triage.resources import LARGEST, too_large

OWN_FILE = "ncu-triage.toml"
SHARED_FILE = "pyproject.toml"
_LIMIT = "a threshold is a finite number, 0 or more"


class Adjustments(Struct, frozen=True, forbid_unknown_fields=True):
    """What a configuration file may say."""

    disable: list[str] = field(default_factory=list)
    severity: dict[str, Severity] = field(default_factory=dict)
    thresholds: dict[str, dict[str, float]] = field(default_factory=dict)


class Configuration(NamedTuple):
    """A configuration file with what it says; None where there is none."""

    path: Path | None
    adjustments: Adjustments


def configuration(path: Path | None, folder: Path) -> Configuration:
    """Read the given file, else the one in the folder.

    Raises RuleError that names the file and the fault.
    """
    if path is not None:
        return _read(path, path.name == SHARED_FILE)
    if (folder / OWN_FILE).is_file():
        return _read(folder / OWN_FILE, False)
    if _speaks_of_us(folder / SHARED_FILE):
        return _read(folder / SHARED_FILE, True)
    return Configuration(None, Adjustments())


def _speaks_of_us(path: Path) -> bool:
    """Tell whether a project's file can hold our table, without taking it apart."""
    try:
        return b"ncu-triage" in path.read_bytes()
    except OSError:
        return False


def _read(path: Path, shared: bool) -> Configuration:
    import tomllib

    try:
        if too_large(path):
            raise RuleError(f"{path}: has more than {LARGEST} bytes; no configuration has")
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        for table in ("tool", "ncu-triage") if shared else ():
            content = content.get(table, {})
            if not isinstance(content, dict):
                raise RuleError(f"{path}: {table} is no table")
        _check_thresholds(path, content)
        return Configuration(path, msgspec.convert(content, Adjustments))
    except msgspec.ValidationError as error:
        hint = "; a severity is high, medium, low or info" if "$.severity" in str(error) else ""
        raise RuleError(f"{path}: {error}{hint}") from error
    # What is wrong with a number or a date is a ValueError, as TOML's own errors are.
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else " ".join(str(error).split())
        raise RuleError(f"{path}: {reason}") from error


def _check_thresholds(path: Path, content: dict[str, Any]) -> None:
    """Refuse a threshold that is no number, by its name and line."""
    tables = content.get("thresholds")
    for id, table in tables.items() if isinstance(tables, dict) else ():
        for name, value in table.items() if isinstance(table, dict) else ():
            if isinstance(value, bool) or not isinstance(value, int | float):
                shown = f"{value!r:.40}" if isinstance(value, str) else "no number"
                at = f"{path.name}, line {_line(path, name)}"
                raise RuleError(f"{at}: {name} of {id} is {shown}; {_LIMIT}")


def adjusted(rules: Sequence[Rule], configuration: Configuration) -> list[Rule]:
    """Apply a configuration to the rules; one that names what is not there is refused."""
    path, wanted = configuration
    if path is None:
        return list(rules)
    by_id = {rule.id: rule for rule in rules}
    for id in [*wanted.disable, *wanted.severity, *wanted.thresholds]:
        if id not in by_id:
            _unknown(path, "rule", id, by_id)
    for id, values in wanted.thresholds.items():
        for name in values:
            if name not in by_id[id].thresholds:
                _unknown(path, f"threshold of {id}", name, by_id[id].thresholds)
            if not (math.isfinite(values[name]) and values[name] >= 0):
                at = f"{path.name}, line {_line(path, name)}"
                raise RuleError(f"{at}: {name} of {id} is {values[name]:g}; {_LIMIT}")
    return [
        replace(
            rule,
            severity=wanted.severity.get(rule.id, rule.severity),
            thresholds=rule.thresholds | wanted.thresholds.get(rule.id, {}),
        )
        for rule in rules
        if rule.id not in wanted.disable
    ]


def _unknown(path: Path, what: str, name: str, known: Iterable[str]) -> NoReturn:
    """Refuse a name with its line in the file and the nearest right one."""
    import difflib

    near = difflib.get_close_matches(name, list(known), 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    at = f"{path.name}, line {_line(path, name)}"
    raise RuleError(f"{at}: there is no {what} {name!r}{hint}")


def _line(path: Path, name: str) -> int:
    """Return the first line that has a name."""
    lines = path.read_text(encoding="utf-8").splitlines()
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    return next((i for i, text in enumerate(lines, 1) if word.search(text)), 0)
