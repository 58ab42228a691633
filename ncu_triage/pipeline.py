"""Read, derive, judge: from opened profiles to one Diagnosis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ncu_triage import __version__
from ncu_triage.ceilings.assumed import assumed
from ncu_triage.engine.adjust import configuration
from ncu_triage.engine.judge import judge, judge_report
from ncu_triage.engine.numbers import engine_entries
from ncu_triage.engine.priorities import priorities
from ncu_triage.engine.rule import rule_files
from ncu_triage.engine.ruleset import RuleSet, load_rules
from ncu_triage.engine.whole.survey import report_entries
from ncu_triage.errors import InputError, RuleError
from ncu_triage.model import (
    CatalogueEntry,
    Device,
    Diagnosis,
    Kernel,
    KernelDiagnosis,
    Launch,
    Provenance,
    Settings,
    Source,
    Tool,
)
from ncu_triage.quantities.catalogue import catalogue, entry
from ncu_triage.quantities.derive import derive, device_of
from ncu_triage.quantities.replay import ReplayCheck
from ncu_triage.readers.open import open_report
from ncu_triage.readers.report import Report, Striped
from ncu_triage.resources import data_dir
from ncu_triage.summary import (
    Groups,
    cited_names,
    collect_next,
    groups,
    share_catalogue,
    together,
    totals,
)

if TYPE_CHECKING:
    from ncu_triage.ceilings.apply import Measured
    from ncu_triage.operators.plan import Plan
    from ncu_triage.stripes import Judged

Progress = Callable[[int], None]
# From so many launches on, a report is worth more than one process.
_MANY = 100


class Failure(NamedTuple):
    """An input that could not be read, and why in one line."""

    path: Path
    message: str


def names() -> dict[str, CatalogueEntry]:
    """Return every number that a rule may name, with its unit and denominator."""
    quantities = {id: entry(item, Provenance()) for id, item in catalogue().items()}
    return quantities | engine_entries() | report_entries()


@lru_cache(maxsize=4)
def rules(extra: tuple[Path, ...] = (), config: Path | None = None) -> RuleSet:
    """Load the project's rules and those of the user's folders, which replace by id.

    A configuration file adjusts them: the given one, else the current folder's. Raises
    RuleError for a rule or a configuration that is wrong.
    """
    for folder in extra:
        if not folder.is_dir():
            raise RuleError(f"--rules {folder}: there is no such folder")
        if not rule_files([folder]):
            raise RuleError(f"{folder} holds no rule: a rule is a file that ends in .yaml")
    wanted = configuration(config, Path.cwd())
    return load_rules([data_dir("rules"), *extra], names(), wanted)


def diagnose(  # noqa: PLR0913 - what a user may wish for
    paths: Sequence[Path],
    judged_by: RuleSet,
    progress: Progress | None = None,
    *,
    places: bool = False,
    operators: Plan | None = None,
    ceilings: Measured | None = None,
    all_cores: bool = False,
) -> tuple[Diagnosis, list[Failure]]:
    """Judge every launch of the profiles; those that cannot be read come back by name.

    `progress` is called with the number of launches done so far; `places` asks for the
    lines of code behind each finding, which takes NVIDIA's reader and a moment more.
    `operators` says what kernels compute; `ceilings` are what reference kernels reached, for
    launches on the same GPU. With `all_cores`, a large report is judged in several
    processes. Raises UsageError where two operators claim one launch.
    """
    work = _Work(judged_by, progress or (lambda done: None), ceilings)
    failures = []
    for index, path in enumerate(paths):
        try:
            work.add(open_report(path, index), all_cores=all_cores)
            if places:
                work.place(path, index)
        except InputError as error:
            failures.append(Failure(path, str(error)))
    found = work.diagnosis()
    if operators is not None:
        from ncu_triage.operators.judge import with_operators

        found = with_operators(found, operators)
    return found, failures


def _tool(judged_by: RuleSet) -> Tool:
    return Tool(
        name="ncu-triage",
        version=__version__,
        rules=judged_by.version,
        kernel_rules=judged_by.ids("kernel"),
        report_rules=judged_by.ids("report"),
    )


class _Work:
    """The launches judged so far, and what their files and devices were."""

    def __init__(self, judged_by: RuleSet, progress: Progress, ceilings: Measured | None) -> None:
        self._rules = judged_by
        self._progress = progress
        self._ceilings = ceilings
        self._groups = Groups()
        self._kernels: list[KernelDiagnosis] = []
        self._devices: dict[Device, int] = {}
        self._sources: list[Source] = []
        self._settings: list[Settings] = []

    def add(self, report: Report, *, all_cores: bool = False) -> None:
        """Judge one file's launches, one at a time or, if there are many, on all cores."""
        if not (all_cores and self._joined(report)):
            self._take(map(ReplayCheck().checked, report.launches()))
        self._sources.append(report.source())
        self._settings.append(report.settings())

    def _take(self, launches: Iterable[Launch], step: int = 1) -> None:
        for launch in launches:
            kernel = derive(launch, self._device(launch), self._rules.metrics)
            self._kernels.append(self._judged(kernel))
            if step:
                self._progress(len(self._kernels) * step)

    def _joined(self, report: Report) -> bool:
        """Judge a large report in several processes; tell whether that was done."""
        if not isinstance(report, Striped) or report.expected < _MANY:
            return False
        from ncu_triage.stripes import in_order, judged_in_stripes

        stripes = judged_in_stripes(report, self._apart)
        for kernel, device in in_order(stripes or []):
            index = None if device is None else self._devices.setdefault(device, len(self._devices))
            found = replace(kernel, device=index)
            self._kernels.append(replace(found, group=self._groups.of(found)))
        return stripes is not None

    def _apart(self, launches: Iterable[Launch], step: int) -> Judged:
        """Judge some launches of a file apart from the others, each for `step` of them."""
        from ncu_triage.stripes import Judged

        work = _Work(self._rules, self._progress, self._ceilings)
        work._take(launches, step)
        return Judged(work._kernels, list(work._devices))

    def _judged(self, kernel: Kernel) -> KernelDiagnosis:
        """Judge a kernel by what its GPU was measured to reach, or by what is assumed."""
        if self._ceilings is None:
            return judge(kernel, self._rules, self._groups.of(kernel))
        device = None if kernel.device is None else list(self._devices)[kernel.device]
        under, achievable = self._ceilings.applied(kernel, device)
        return judge(under, self._rules, self._groups.of(kernel), achievable)

    def place(self, path: Path, index: int) -> None:
        """Add the places in the code to the findings of the file just judged."""
        from ncu_triage.places import with_places

        sources = {item.rule.id: item.rule.source for item in self._rules.rules}
        known = {rule: metric for rule, metric in sources.items() if metric}
        own = [k for k in self._kernels if k.id.startswith(f"{index}/")]
        self._kernels[len(self._kernels) - len(own) :] = with_places(path, own, known)

    def _device(self, launch: Launch) -> int | None:
        """Return the place of the launch's GPU among all seen, a new one at the end."""
        found = device_of(launch)
        if found is None:
            return None
        return self._devices.setdefault(found, len(self._devices))

    def diagnosis(self) -> Diagnosis:
        """Put everything together: the rules about the whole, the totals, the ranking."""
        outcome = judge_report(self._kernels, self._rules)
        cited = cited_names(outcome.findings, outcome.undecided)
        shared, kernels = share_catalogue(self._kernels, self._rules.entries, cited)
        return Diagnosis(
            tool=_tool(self._rules),
            sources=self._sources,
            devices=list(self._devices),
            collection=together(self._settings),
            totals=totals(kernels),
            catalogue=shared,
            kernels=kernels,
            groups=groups(kernels),
            findings=outcome.findings,
            priorities=priorities(kernels, outcome.findings),
            collect_next=collect_next(kernels),
            ceilings=assumed(kernels, list(self._devices), self._ceilings),
            undecided=outcome.undecided,
            rule_errors=outcome.failures,
        )
