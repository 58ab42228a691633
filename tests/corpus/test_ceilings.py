"""Ceilings from real kernels, and what the roofline allows them."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from ncu_triage.ceilings.apply import Measured
from ncu_triage.ceilings.choose import calibrate
from ncu_triage.ceilings.file import Ceilings, parse, text_of
from ncu_triage.engine.gain import WORK
from ncu_triage.model import Device, Diagnosis
from ncu_triage.pipeline import diagnose, rules

pytestmark = pytest.mark.corpus


@cache
def _all(folder: Path) -> dict[Path, Diagnosis]:
    """Diagnose every report of one GPU."""
    found = {}
    for path in sorted((folder / "rep").glob("*.ncu-rep")):
        diagnosis, failures = diagnose([path], rules())
        assert failures == []
        if len(diagnosis.devices) == 1:
            found[path] = diagnosis
    return found


@cache
def _calibrated(folder: Path) -> list[tuple[list[Path], Ceilings]]:
    """Calibrate each GPU from all of its reports."""
    by_gpu: dict[Device, list[Path]] = defaultdict(list)
    for path, diagnosis in _all(folder).items():
        by_gpu[diagnosis.devices[0]].append(path)
    made = [
        (paths, calibrate([(str(path), _all(folder)[path]) for path in paths]).ceilings)
        for paths in by_gpu.values()
    ]
    return [(paths, found) for paths, found in made if found.ceiling]


def test_what_if_never_goes_beyond_what_a_finding_says_at_most(corpus: Path) -> None:
    seen = 0
    for diagnosis in _all(corpus).values():
        for kernel in diagnosis.kernels:
            most = {f.rule: f.gain.at_most_pct for f in kernel.findings if f.gain}
            for step in kernel.what_if:
                seen += 1
                assert 0.0 <= step.saved_pct <= 100.0
                assert step.rule is None or step.saved_pct <= most[step.rule] + 1e-9
                # Whatever takes the kernel to the same unit with the same work says the same.
                for finding in kernel.findings:
                    if finding.gain and finding.gain.limited_by == step.limited_by != WORK:
                        assert step.saved_pct <= finding.gain.at_most_pct + 1e-9
                    # No finding of the card goes beyond the step that takes the limit away.
                    if finding.gain and step.step == "next-limiter":
                        assert finding.gain.expected_pct <= step.saved_pct + 1e-9
    assert seen > 100


def test_real_ceilings_are_plausible_and_write_a_file(corpus: Path) -> None:
    found = [one for _, ceilings in _calibrated(corpus) for one in ceilings.ceiling]
    assert len([one for one in found if one.unit == "DRAM"]) >= 8
    assert all(60.0 <= one.share_pct <= 100.0 for one in found)
    for _, ceilings in _calibrated(corpus):
        text = text_of(ceilings)
        assert text_of(parse(text, "it")) == text


def test_under_its_own_ceilings_a_reference_is_at_the_wall(corpus: Path) -> None:
    for paths, ceilings in _calibrated(corpus):
        dram = {one.kernel for one in ceilings.ceiling if one.unit == "DRAM"}
        judged, failures = diagnose(paths, rules(), ceilings=Measured([ceilings]))
        assert failures == []
        kinds = {k.bottleneck.kind for k in judged.kernels if k.name in dram}
        assert "dram-bandwidth" in kinds or not dram
        assert not any("not applied" in w.effect for k in judged.kernels for w in k.measurement)
