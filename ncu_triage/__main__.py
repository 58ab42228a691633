"""Run `python -m ncu_triage`."""

from ncu_triage.cli import entry

entry()
