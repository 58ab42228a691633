"""What may be seen of a report: its origin only if asked for, its names unless aliased."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from ncu_triage.errors import UsageError
from ncu_triage.model import Diagnosis
from ncu_triage.privacy.hidden import hidden


class Privacy(NamedTuple):
    """What may be seen of a report's origin and names."""

    show_private: bool = False
    anonymise: bool = False

    def checked(self) -> Privacy:
        """Return it; refuse to show and to hide at the same time."""
        if self.show_private and self.anonymise:
            raise UsageError("to show private facts and to anonymise contradict each other")
        return self

    def applied(
        self, diagnosis: Diagnosis, reports: Sequence[Path], failed: Collection[Path]
    ) -> Diagnosis:
        """Return what may be seen of a diagnosis of these reports."""
        if self.show_private:
            from ncu_triage.privacy.told import with_private

            return with_private(diagnosis, [path for path in reports if path not in failed])
        if self.anonymise:
            from ncu_triage.privacy.aliases import anonymous

            return anonymous(hidden(diagnosis))
        return hidden(diagnosis)
