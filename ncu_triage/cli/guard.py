"""Turn every error into one line and an exit code; the only place that does."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from ncu_triage import __version__
from ncu_triage.errors import Stopped, TriageError, UsageError

PROBLEM = 3
BUG = 4
_INTERRUPTED = 130
# A file name has up to 4096 characters; what a file says in a message may have a million.
_LONGEST = 6000


def guarded(work: Callable[[], int]) -> int:
    """Run the work and return its exit code; say what went wrong in one line."""
    try:
        code = work()
        # A full disk is known now, not when the process has ended.
        sys.stdout.flush()
        return code
    except TriageError as error:
        complain(str(error))
        return error.exit_code
    except (KeyboardInterrupt, Stopped) as stopped:
        complain("interrupted: what was not yet written is left as it was")
        return stopped_code(stopped)
    except BrokenPipeError:
        # The reader of the output went away; closing it again must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        complain(f"{place}{error.strerror or error}")
        return UsageError.exit_code
    except MemoryError:
        complain("there is not enough memory for this: judge fewer reports at once")
        return PROBLEM
    except Exception as error:
        if os.environ.get("NCU_TRIAGE_DEBUG"):
            raise
        complain(bug(error))
        return BUG


def stopped_code(stopped: BaseException) -> int:
    """Return the exit code of a run that a signal ended: 130 for Ctrl-C, 143 for SIGTERM."""
    return stopped.exit_code if isinstance(stopped, Stopped) else _INTERRUPTED


def complain(line: str) -> None:
    """Print one line of complaint; control characters of a file's name stay harmless."""
    safe = "".join(c if c.isprintable() else "?" for c in line)
    tell(f"ncu-triage: {safe}")


def tell(line: str) -> None:
    """Print a line to stderr; that nobody reads it must not change the exit code."""
    line = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    with contextlib.suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)


def bug(error: Exception) -> str:
    """Describe a bug so that it can be reported: what and where, without any data."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "ncu_triage" in Path(frame.filename).parts]
    place = f" in {Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
    return (
        f"this is a bug in ncu-triage {__version__}: {type(error).__name__}{place}."
        " Please report it with this line; NCU_TRIAGE_DEBUG=1 shows the whole trace"
    )
