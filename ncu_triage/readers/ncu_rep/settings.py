"""How the profile was taken, from the session's pieces.

The session also holds host, user, paths and the program's arguments. None of that is
declared in the schema but the command line, of which only four options are taken, and
only where their value looks like a keyword.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from ncu_triage.model import Settings
from ncu_triage.readers.ncu_rep import schema

_TARGET = "Nsight Compute Target"
_KEYWORD = re.compile(r"[A-Za-z][\w-]{0,63}")
_OPTIONS = {
    "--set": "set",
    "--clock-control": "clock_control",
    "--cache-control": "cache_control",
    "--replay-mode": "replay_mode",
}
# The profiler's own name, behind a folder that may have spaces.
_PROFILER = re.compile(r'.*?\b(?:ncu|nv-nsight-cu-cli)(?:\.\w+)?"?\s+')
# Options that take no value; after any other one, a word is its value.
_SWITCHES = frozenset({"-f", "--force-overwrite", "--csv", "--nvtx", "--quiet", "--verbose"})
_LONGEST_COMMAND = 1 << 16


def ncu_version(sessions: Iterable[schema.Message]) -> str | None:
    """Return the profiler's version without the build, e.g. `2024.1.1.0`."""
    for session in sessions:
        for one in session.versions:
            if schema.text(one.provider) == _TARGET:
                return schema.text(one.version).partition(" ")[0] or None
    return None


def read_settings(
    sessions: Iterable[schema.Message], sections: Iterable[str], clocks: set[bool]
) -> Settings:
    """Collect the settings; where sources disagree the profiler's own record wins.

    `sections` and `clocks` come from the launches: what was collected, and whether the
    clock was locked for them.
    """
    found: dict[str, str] = {}
    if len(clocks) == 1:
        found["clock_control"] = "base" if clocks == {True} else "none"
    for session in sessions:
        found |= _from_command(schema.text(session.cmdline[:_LONGEST_COMMAND]))
    for session in sessions:
        found |= _from_record(session.settings)
    return Settings(sections=sorted(set(sections)), **found)


def _from_record(record: schema.Message) -> dict[str, str]:
    pairs = {"clock_control": record.clock_control, "replay_mode": record.replay_mode}
    words = {name: schema.text(value).lower() for name, value in pairs.items()}
    return {name: word for name, word in words.items() if _KEYWORD.fullmatch(word)}


def _from_command(command: str) -> dict[str, str]:
    """Read the profiler's options; stop at the program, whose options are its own."""
    profiler = _PROFILER.match(command)
    words = command[profiler.end() :].split() if profiler else []
    found: dict[str, str] = {}
    takes_value = False
    for word, following in pairwise([*words, ""]):
        if word.startswith("-"):
            option, equals, value = word.partition("=")
            takes_value = not equals and option not in _SWITCHES
            value = value if equals else following
            if option in _OPTIONS and _KEYWORD.fullmatch(value):
                found[_OPTIONS[option]] = value
        elif takes_value:
            takes_value = False
        else:
            break
    return found
