"""Triage Nsight Compute reports: what limits each kernel, by which numbers.

From Python, `ncu_triage.diagnose("report.ncu-rep")` returns a `Diagnosis`; see docs/python.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ncu_triage.api import Diagnosis as Diagnosis
    from ncu_triage.api import diagnose as diagnose

__all__ = ["Diagnosis", "__version__", "diagnose"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import what is public when it is first asked for: the command line starts without it."""
    if name not in ("Diagnosis", "diagnose"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ncu_triage import api

    return getattr(api, name)
