"""Errors that a user can cause, each with the exit code it ends in."""

from __future__ import annotations


class TriageError(Exception):
    """Stop with one line for the user and an exit code."""

    exit_code = 2


class Stopped(BaseException):
    """End the run, as a signal asks; what is being written is left out.

    No KeyboardInterrupt: a library on the way would turn that into an exit code of its own.
    """

    def __init__(self, signal: int) -> None:
        super().__init__(signal)
        self.exit_code = 128 + signal


class UsageError(TriageError):
    """Refuse arguments that make no sense or name no place to write (exit code 2)."""

    exit_code = 2


class InputError(TriageError):
    """Refuse an input that cannot be read or holds nothing to judge (exit code 3).

    The message names the fault and what to do about it, without the file's name:
    whoever prints it knows the name as the user wrote it.
    """

    exit_code = 3


class RuleError(TriageError):
    """Refuse a rule file that is wrong (exit code 2: rules are part of the call)."""

    exit_code = 2
