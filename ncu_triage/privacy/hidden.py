"""Leave out where files lay: a folder tells the user's name, and what else is nobody's business."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PureWindowsPath

from ncu_triage.model import Diagnosis
from ncu_triage.privacy.texts import changed

# A path of at least one folder, of any system, wherever a text has it. Behind a letter a
# slash divides (GB/s, and/or), unless the users' own folder follows, which may have spaces.
_PATH = re.compile(
    r"(?:file://|~)?/(?:home|Users|root)/(?:[^/\n:*?\"<>|]+/)*[\w.+@~=-]*"
    r"|(?:file://|~)?(?<![\w./])/(?:[\w.+@~=-]+/)+[\w.+@~=-]*"
    r"|\b[A-Za-z]:[\\/](?:[^\\/:*?\"<>|\n]+[\\/])+[^\\/:*?\"<>|\s]*"
    r"|\\\\(?:[^\\/:*?\"<>|\n]+\\)+[^\\/:*?\"<>|\s]*"
)
_HOMES = re.compile(r"^(?:file://)?(?:/home|/Users|[A-Za-z]:[\\/]Users)[\\/][^\\/]*$", re.I)
_GONE = "…"


def hidden(diagnosis: Diagnosis) -> Diagnosis:
    """Return the diagnosis without any folder; names of files stay."""
    return changed(diagnosis, _without_folder)


@lru_cache(maxsize=1024)  # The launches of a kernel say the same again and again.
def _without_folder(field: str, text: str) -> str:
    if "/" not in text and "\\" not in text:
        return text
    if field == "file":
        return PureWindowsPath(text).name or text
    return _PATH.sub(_last_part, text)


def _last_part(match: re.Match[str]) -> str:
    """Keep a file's name; the last part of a user's own folder is the user."""
    path = match[0]
    last = "" if _HOMES.match(path) else PureWindowsPath(path).name
    return last if last and not path.endswith(("/", "\\")) else _GONE
