"""A simulated year of nights: what was planted is found, and hardly anything else."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

_SCRIPT = Path(__file__).parents[2] / "benchmarks" / "nightly.py"
YEARS = 6


@pytest.fixture(scope="module")
def nightly() -> ModuleType:
    """Return the simulation of the benchmarks as a module."""
    spec = importlib.util.spec_from_file_location("nightly", _SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["nightly"] = module
    spec.loader.exec_module(module)
    return module


def _check(nightly: ModuleType, repeats: list[object]) -> None:
    total = nightly.Tally()
    for seed in range(YEARS):
        total = total.plus(nightly.year(random.Random(seed), repeats, None))
    assert total.big + total.small == 12 * YEARS
    assert total.big_found >= 0.9 * total.big
    assert total.drifts_found >= 0.9 * total.drifts
    assert total.limited_found >= 0.9 * total.limited
    assert total.false_alarms <= 12 * YEARS


def test_with_noise_that_is_made_up(nightly: ModuleType) -> None:
    _check(nightly, nightly.made_up_repeats(random.Random(0)))


@pytest.mark.corpus
def test_with_the_noise_of_real_repeats(nightly: ModuleType, corpus: Path) -> None:
    repeats = nightly.real_repeats(corpus)
    assert len(repeats) > 10
    _check(nightly, repeats)
