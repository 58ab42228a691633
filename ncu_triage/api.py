"""Diagnose a report from Python, and look at the result in a notebook.

>>> import ncu_triage
>>> found = ncu_triage.diagnose("tests/fixtures/example.ncu-rep")
>>> found.kernels[0].name, found.kernels[0].bottleneck.kind
('copy_rows', 'dram-bandwidth')
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ncu_triage import model
from ncu_triage.errors import InputError

if TYPE_CHECKING:
    import pandas

    from ncu_triage.ceilings.apply import Measured

PathLike: TypeAlias = str | os.PathLike[str]


class Diagnosis(model.Diagnosis, frozen=True, kw_only=True):
    """What limits each kernel of a report, by which numbers, and what to fix first.

    The fields are those of the JSON output: `kernels` (a `KernelDiagnosis` per launch),
    `groups`, `findings`, `priorities`, `totals`, `devices`, `catalogue` and so on, in SI
    base units. In a notebook it shows the verdict, what to fix first, and the roofline.
    """

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a row per launch; columns are named like the quantities.

        A quantity that a launch lacks is missing (NaN), never 0. The units are in
        `attrs["units"]`.

        >>> frame = diagnose("tests/fixtures/example.ncu-rep").to_dataframe()
        >>> frame.loc[frame.name == "copy_rows", "dram_throughput_pct"].item()
        88.3
        >>> frame.attrs["units"]["duration"]
        's'
        """
        import pandas

        from ncu_triage.render.columns import rows, units

        frame = pandas.DataFrame.from_records(rows(self))
        frame.attrs["units"] = units(self)
        return frame

    def to_html(self, *, static: bool = False) -> str:
        """Return the whole page, one file without network; static is without script.

        >>> "copy_rows" in diagnose("tests/fixtures/example.ncu-rep").to_html(static=True)
        True
        """
        return self._as("static" if static else "html").decode()

    def to_markdown(self) -> str:
        """Return the ticket, cut to what a comment in GitHub or GitLab holds."""
        return self._as("md").decode()

    def to_json(self) -> str:
        """Return the JSON, which reads back as the same diagnosis."""
        return self._as("json").decode()

    def to_svg(self) -> str:
        """Return the roofline as a picture."""
        return self._as("svg").decode()

    def _repr_html_(self) -> str:
        """Show the verdict, what to fix first and the roofline in a notebook."""
        from ncu_triage.render.notebook import render

        return render(self)

    def _as(self, kind: str) -> bytes:
        from ncu_triage.render import renderer

        return renderer(kind)(self)


def diagnose(  # noqa: PLR0913 - what a user may wish for
    path: PathLike | Sequence[PathLike],
    *,
    rules: PathLike | Sequence[PathLike] = (),
    config: PathLike | None = None,
    ceilings: PathLike | Sequence[PathLike] = (),
    lines: bool = False,
    operators: PathLike | None = None,
    show_private: bool = False,
    anonymise: bool = False,
    timeline: PathLike | None = None,
) -> Diagnosis:
    """Judge every launch of a report, or of several as one.

    `rules` is a folder of rules of your own, or several, `config` a file that adjusts rules;
    `ceilings` are files of `ncu-triage calibrate`, what kernels reach on these GPUs; `lines`
    names the code behind each finding; `operators` is a file that says which kernels compute
    what.
    Host, user, folders, command line and environment
    are left out unless `show_private`; `anonymise` also gives kernels, NVTX ranges and
    source files aliases. `timeline` is an export of Nsight Systems or a trace of PyTorch's
    profiler: it fills the field of that name, and ranks the priorities by the program's time
    unless it says why the two are not comparable. Raises `ncu_triage.errors.InputError` for
    a file that cannot be read or holds no launch, `UsageError` for a file of operators that
    is wrong.

    >>> diagnose("no-such-file.ncu-rep")
    Traceback (most recent call last):
    ...
    ncu_triage.errors.InputError: no-such-file.ncu-rep: there is no such file
    """
    from ncu_triage.pipeline import diagnose as judge
    from ncu_triage.pipeline import rules as load
    from ncu_triage.privacy.seen import Privacy

    paths = _paths(path)
    privacy = Privacy(show_private, anonymise).checked()
    judged_by = load(tuple(_paths(rules)), None if config is None else Path(config))
    plan = None
    if operators is not None:
        from ncu_triage.operators.plan import read_plan

        plan = read_plan(Path(operators))
    measured = _measured(ceilings)
    found, failures = judge(paths, judged_by, places=lines, operators=plan, ceilings=measured)
    if failures:
        raise InputError(f"{failures[0].path}: {failures[0].message}")
    if timeline is not None:
        found = _beside(found, Path(timeline))
    seen = privacy.applied(found, paths, ())
    return Diagnosis(**{field: getattr(seen, field) for field in seen.__struct_fields__})


def _paths(given: PathLike | Sequence[PathLike]) -> list[Path]:
    """Return paths, of one or of several."""
    return [Path(one) for one in ([given] if isinstance(given, str | os.PathLike) else given)]


def _beside(found: model.Diagnosis, timeline: Path) -> model.Diagnosis:
    from ncu_triage.timeline.attach import with_timeline

    try:
        return with_timeline(found, timeline)
    except InputError as error:
        raise InputError(f"{timeline}: {error}") from error


def _measured(files: PathLike | Sequence[PathLike]) -> Measured | None:
    paths = _paths(files)
    if not paths:
        return None
    from ncu_triage.ceilings.apply import measured

    return measured(paths)
