"""Choose the command: a word that names one, else the main job.

The main job needs no word, so `ncu-triage report.ncu-rep` is all there is to type; a
report that is called like a command is given as ./rules.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import signal
import sys

from ncu_triage.errors import Stopped
from ncu_triage.signals import ENDING

COMMANDS = ("rules", "explain", "compare", "scan", "trend", "operators", "calibrate")
_COMPLETE = "_NCU_TRIAGE_COMPLETE"  # set by a shell that asks how a line could go on
_INTERRUPTED = 130


def entry() -> None:
    """Run the command line."""
    # Nearly everything made here lives until the end: looking for garbage in between
    # costs a twentieth of a short run and finds none.
    gc.set_threshold(100_000)
    try:
        _run()
    except Stopped as stopped:
        sys.exit(stopped.exit_code)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _run() -> None:
    _heed_signals()
    _prepare_streams()
    words = _to_complete() if _COMPLETE in os.environ else sys.argv[1:]
    named = bool(words) and words[0] in COMMANDS
    try:
        module = importlib.import_module(f"ncu_triage.cli.{words[0] if named else 'main'}")
        name = f"ncu-triage {words[0]}" if named else "ncu-triage"
        module.app(words[1:] if named else words, prog_name=name, complete_var=_COMPLETE)
    except SystemExit as end:
        if not named:
            _leave(end)
        raise


def _leave(end: SystemExit) -> None:
    """End the process now, if nothing in it waits for a proper end.

    Taking the interpreter apart costs a twentieth of a short run and serves nobody:
    outputs are in their places. Whoever registered to be told (a debugger, a measurement
    of coverage) is told in the usual way.
    """
    watched = sys.gettrace() or sys.getprofile() or atexit._ncallbacks()
    if watched or not isinstance(end.code, int):
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return
    os._exit(end.code)


def _heed_signals() -> None:
    """Let a signal that ends the run end it in order: half-written files are removed."""
    # Whoever ignores a signal, as nohup does, goes on ignoring it.
    usual = (signal.SIG_DFL, signal.default_int_handler)
    for name in ENDING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in usual:
            signal.signal(number, _stop)


def _stop(number: int, frame: object) -> None:
    raise Stopped(number)


def _to_complete() -> list[str]:
    """Return the command whose options a shell wants to complete; none is the main job."""
    from typer.main import get_command

    from ncu_triage.cli.completion import command

    # Only a command that offers to install completion makes the shells known.
    get_command(importlib.import_module("ncu_triage.cli.main").app)
    return command(COMMANDS)


def _prepare_streams() -> None:
    """Make sure that there are streams, and that no character stops the output."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
