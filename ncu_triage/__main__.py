"""Run `python -m ncu_triage`."""

from ncu_triage.cli.entry import entry

entry()
