"""One input, one run: the main job in this process, as a user would call it."""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import shutil
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from fixtures.example import PATH as EXAMPLE
from fuzz import database, raw, report, text, tree
from fuzz.checks import Ran, problems
from fuzz.seeds import Seed, judged

_ENDINGS = {"packed": ".ncu-repz", "csv": ".csv", "rule": ".yaml", "diagnosis": ".json"}
_OUTPUTS = ("html", "md", "csv", "sarif", "xml", "svg")
_GATE = ("--fail-on", "severity=low")


class Input(NamedTuple):
    """A mutated input; it follows from the seed and the number alone."""

    kind: str
    data: bytes
    dice: random.Random


def made(seeds: list[Seed], seed: int, number: int, folder: Path) -> Input:
    """Return one input."""
    dice = random.Random(f"{seed}:{number}")
    kind = dice.choice(sorted({one.kind for one in seeds}))
    # Reports and tables are what the tool is for.
    if dice.random() < 0.5:
        known = {one.kind for one in seeds}
        kind = dice.choice([one for one in ("report", "csv") if one in known] or [kind])
    data = dice.choice([one.data for one in seeds if one.kind == kind])
    try:
        changed = _mutated(kind, data, dice, folder)
    except (ValueError, IndexError, KeyError, struct.error, sqlite3.Error):
        # A file of a folder may be broken already: then its bytes are what there is to change.
        changed = raw.mutated(data, dice)
    return Input(kind, changed, dice)


def _mutated(kind: str, data: bytes, dice: random.Random, folder: Path) -> bytes:
    if kind == "report":
        return report.mutated(data, dice)
    if kind == "packed":
        return report.packed(data, dice)
    if kind == "export":
        return database.mutated(data, dice, folder)
    if kind in ("trace", "diagnosis") and data[:1] in (b"{", b"[") and dice.random() < 0.6:
        return tree.json_mutated(data, dice)
    if kind in ("rule", "operators") and dice.random() < 0.6:
        return tree.yaml_mutated(data, dice)
    if data.startswith(b"\x1f\x8b"):
        return raw.mutated(data, dice)
    return text.mutated(data, dice)


def run(given: Input, folder: Path) -> tuple[int, list[str]]:
    """Run the job that reads such an input; return its exit code and what is wrong."""
    path = folder / f"input{_ENDINGS.get(given.kind, '')}"
    if given.kind == "rule":
        path = _rule_file(given.data, folder)
    path.write_bytes(given.data)
    if given.kind in ("trace", "export") and given.dice.random() < 0.6:
        return _timeline(path)
    outputs = [folder / "out.json"]
    outputs += [folder / f"out.{kind}" for kind in given.dice.sample(_OUTPUTS, 1)]
    if given.kind == "diagnosis":
        outputs = [folder / "out.json", given.dice.choice((folder / "out.html", folder / "out.md"))]
    for output in outputs:
        output.unlink(missing_ok=True)
    return _command(given, path, outputs)


def _rule_file(data: bytes, folder: Path) -> Path:
    """Return where a rule lies: its file is called by its id."""
    rules = folder / "rules"
    shutil.rmtree(rules, ignore_errors=True)
    rules.mkdir()
    id = re.search(rb'^id: "?([a-z-]{1,60})"?$', data, re.MULTILINE)
    return rules / f"{id[1].decode() if id else 'input'}.yaml"


def _command(given: Input, path: Path, outputs: list[Path]) -> tuple[int, list[str]]:
    to = [word for output in outputs for word in ("-o", str(output))]
    codes: tuple[int, ...] = (0, 3)
    partly = given.kind in ("trace", "export")
    words = [str(path), *to]
    if partly:
        words = [str(EXAMPLE), "--timeline", *words]
    if given.kind == "diagnosis":
        words = ["compare", str(_base(path.parent)), str(path), *to]
    elif given.kind == "rule":
        words, codes = [str(EXAMPLE), "--rules", str(path.parent), *to], (0, 2)
    elif given.kind in ("operators", "ceilings"):
        words, codes = [str(EXAMPLE), f"--{given.kind}", str(path), *to], (0, 2)
    elif given.kind == "config":
        words, codes = [str(EXAMPLE), "--config", str(path), *to], (0, 2)
    elif given.kind == "acknowledged":
        words = [str(EXAMPLE), *_GATE, "--acknowledged", str(path), *to]
        codes = (0, 1, 2)
    elif partly:
        pass
    elif given.dice.random() < 0.2:
        words, partly = [str(EXAMPLE), *words], True
    elif given.dice.random() < 0.2:
        outputs = []
        words = [str(path), *given.dice.choice(([], ["--top", "99"], ["--kernel", "."]))]
    ran = called(words, outputs)
    return ran.code, list(problems(ran, codes, partly=partly))


def _base(folder: Path) -> Path:
    path = folder / "base.json"
    if not path.exists():
        path.write_bytes(judged().data)
    return path


def called(words: list[str], outputs: list[Path]) -> Ran:
    """Call the command line in this process."""
    from ncu_triage.cli import compare, main
    from ncu_triage.pipeline import rules

    if "--rules" in words or "--config" in words:
        rules.cache_clear()
    app = compare.app if words[0] == "compare" else main.app
    said, shown, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(shown):
        try:
            app(words[1:] if words[0] == "compare" else words, prog_name="ncu-triage")
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
    return Ran(code, said.getvalue(), shown.getvalue(), outputs)


def _timeline(path: Path) -> tuple[int, list[str]]:
    import msgspec

    from ncu_triage.errors import InputError
    from ncu_triage.timeline.open import open_timeline
    from ncu_triage.timeline.summarise import summarise

    try:
        msgspec.json.encode(summarise(open_timeline(path)))
    except InputError as error:
        return 3, ["a message of several lines"] if "\n" in str(error) else []
    return 0, []


def environment(folder: Path) -> None:
    """Make runs repeatable: no cache or settings of whoever runs this."""
    os.environ |= {"XDG_CACHE_HOME": str(folder / "cache"), "COLUMNS": "100", "NO_COLOR": "1"}
    os.environ |= {"NCU_TRIAGE_DEBUG": "", "TMPDIR": str(folder)}
    os.chdir(folder)


Job = Callable[[int], tuple[int, list[str]]]
