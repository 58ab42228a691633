"""Choose the command: a word that names one, else the main job.

The main job needs no word, so `ncu-triage report.ncu-rep` is all there is to type; a
report that is called like a command is given as ./rules.
"""

from __future__ import annotations

import gc
import sys


def entry() -> None:
    """Run the command line."""
    # Nearly everything made here lives until the end: looking for garbage in between
    # costs a twentieth of a short run and finds none.
    gc.set_threshold(100_000)
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "rules":
        from ncu_triage.cli.rules import app as rules

        rules(sys.argv[2:], prog_name="ncu-triage rules")
    elif command == "explain":
        from ncu_triage.cli.explain import app as explain

        explain(sys.argv[2:], prog_name="ncu-triage explain")
    else:
        from ncu_triage.cli.main import app

        app(sys.argv[1:], prog_name="ncu-triage")
