"""Call kernels, ranges and source files by aliases: for reports that are shown to others.

An alias is made of the name alone, so a kernel has the same one in every report and
output. Whoever guesses a name can check the guess; nobody can read it off.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import PurePath

from msgspec.structs import replace

from ncu_triage.model import Diagnosis
from ncu_triage.privacy.alias import alias, kernel_alias
from ncu_triage.privacy.texts import changed
from ncu_triage.resources import data_dir

_WORD = re.compile(r"[^\W_]\w*|_\w+")
_NAMES = ("name", "demangled", "nvtx", "context_name", "stream_name", "before", "after")
_ALIASED = "the kernel names in this command are aliases: put the real ones in their place"


def anonymous(diagnosis: Diagnosis) -> Diagnosis:
    """Return the diagnosis with an alias for every name, in texts and commands, too."""
    aliases = _Aliases(diagnosis)
    found = changed(diagnosis, aliases.apply)
    before, after = diagnosis.collect_next, found.collect_next
    if before is None or after is None or before.command == after.command:
        return found
    # The profiler knows no alias.
    return replace(found, collect_next=replace(after, why=f"{after.why.rstrip('.')}; {_ALIASED}"))


class _Aliases:
    """The aliases of one report's names, and where in a text such a name may begin."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        self._exact: dict[str, str] = {}
        self._exact |= {one.name: alias("operator", one.name) for one in diagnosis.operators}
        for kernel in diagnosis.kernels:
            self._exact |= {one: alias("range", one) for one in kernel.nvtx}
            for what, name in (("context", kernel.context_name), ("stream", kernel.stream_name)):
                self._exact |= {name: alias(what, name)} if name else {}
        for kernel in diagnosis.kernels:
            self._exact[kernel.name] = kernel_alias(kernel.name, kernel.name)
            self._exact[kernel.demangled] = kernel_alias(kernel.name, kernel.demangled)
        if diagnosis.timeline:
            from ncu_triage.privacy.timeline import timeline_aliases

            self._exact = timeline_aliases(diagnosis.timeline, self._exact) | self._exact
        self._exact.pop("", None)
        self._ordinary = _ordinary_words()
        # Texts are long and names are many: the words of both decide what to look for.
        self._by_word: dict[str, list[str]] = defaultdict(list)
        for name in sorted(self._exact, key=lambda one: (-len(one), one)):
            words = _WORD.findall(name)
            if words and not (words == [name] and name.lower() in self._ordinary):
                self._by_word[max(words, key=len)].append(name)

    def apply(self, field: str, text: str) -> str:
        """Replace a name that is the whole text, or that stands somewhere in it."""
        if field == "file":
            return f"{alias('file', text)}{PurePath(text).suffix[:8]}"
        if field == "reference":
            return kernel_alias(text, text)
        if field in _NAMES and text in self._exact:
            return self._exact[text]
        for word in dict.fromkeys(_WORD.findall(text)):
            for name in self._by_word.get(word, ()):
                text = _replaced(text, name, self._exact[name])
        return text


def _replaced(text: str, name: str, new: str) -> str:
    """Replace a name where it stands as a whole."""
    before = r"(?<!\w)" if name[0].isalnum() or name[0] == "_" else ""
    after = r"(?!\w)" if name[-1].isalnum() or name[-1] == "_" else ""
    return re.sub(before + re.escape(name) + after, lambda match: new, text)


def _ordinary_words() -> frozenset[str]:
    """Return the words of the rules' own texts: a kernel called "copy" is not named there."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(data_dir("rules").glob("*.yaml")))
    return frozenset(word.lower() for text in texts for word in _WORD.findall(text))
