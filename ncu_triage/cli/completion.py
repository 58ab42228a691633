"""Shell completion: the script asks the program itself, with the line in the environment.

`ncu-triage --install-completion` sets it up. As the main job needs no word, the line's
first word decides here, too, whose options are completed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

# Bash passes words and a place among them, the other shells pass the line.
_WORDS, _PLACE, _LINE = "COMP_WORDS", "COMP_CWORD", "_TYPER_COMPLETE_ARGS"


def command(commands: Sequence[str]) -> list[str]:
    """Return the command that the line begins with, if any, and take its word out."""
    variable = _WORDS if _WORDS in os.environ else _LINE
    line = os.environ.get(variable, "")
    begun = re.match(rf"(\S+\s+)({'|'.join(map(re.escape, commands))})\s+", line)
    if begun is None or os.environ.get(_PLACE) == "1":
        return []
    os.environ[variable] = begun[1] + line[begun.end() :]
    if variable == _WORDS:
        os.environ[_PLACE] = str(int(os.environ.get(_PLACE, "2")) - 1)
    return [begun[2]]


def first_words(commands: Sequence[str], incomplete: str) -> list[str]:
    """Return commands that begin so; a file of such a name is left to the shell."""
    found = [word for word in commands if incomplete and word.startswith(incomplete)]
    files = any(path.name.startswith(incomplete) for path in Path().iterdir()) if found else False
    return [] if files else found
