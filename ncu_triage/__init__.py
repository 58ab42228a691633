"""Triage Nsight Compute reports: what limits each kernel, by which numbers.

From Python, `ncu_triage.diagnose("report.ncu-rep")` returns a `Diagnosis`; see docs/python.md.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ncu_triage.api import Diagnosis as Diagnosis
    from ncu_triage.api import diagnose as diagnose

__version__ = "0.1.0"


class _Package(ModuleType):
    """The package, whose functions come late: the command line starts without them.

    They are properties because a module is called `diagnose`, too. Importing it would put
    it in the function's place.
    """

    @property
    def diagnose(self) -> Any:
        """Return the function that judges a report."""
        return importlib.import_module("ncu_triage.api").diagnose

    @diagnose.setter
    def diagnose(self, module: ModuleType) -> None:
        """Leave the function where it is."""

    @property
    def Diagnosis(self) -> Any:
        """Return the type of a result."""
        return importlib.import_module("ncu_triage.api").Diagnosis


sys.modules[__name__].__class__ = _Package
