"""Choose the command: a word that names one, else the main job.

The main job needs no word, so `ncu-triage report.ncu-rep` is all there is to type; a
report that is called like a command is given as ./rules.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys

COMMANDS = ("rules", "explain", "compare", "scan", "trend")
_INTERRUPTED = 130


def entry() -> None:
    """Run the command line."""
    # Nearly everything made here lives until the end: looking for garbage in between
    # costs a twentieth of a short run and finds none.
    gc.set_threshold(100_000)
    _prepare_streams()
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    named = word in COMMANDS
    try:
        module = importlib.import_module(f"ncu_triage.cli.{word if named else 'main'}")
        name = f"ncu-triage {word}" if named else "ncu-triage"
        module.app(sys.argv[2:] if named else sys.argv[1:], prog_name=name)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _prepare_streams() -> None:
    """Make sure that there are streams, and that no character stops the output."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
