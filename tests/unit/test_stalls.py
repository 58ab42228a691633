"""The stall distribution of the two families of counters."""

from __future__ import annotations

import pytest
from fixtures.launches import launch

from ncu_triage.model import Launch, Stalls
from ncu_triage.quantities.resolve import Resolver
from ncu_triage.quantities.stalls import stalls

RATIO = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
SAMPLE = "smsp__pcsamp_warps_issue_stalled_{}"


def _stalls(of: Launch) -> Stalls | None:
    return stalls(Resolver(of))


def test_shares_are_of_the_members_present_without_the_parts_of_others() -> None:
    found = _stalls(
        launch(
            {
                RATIO.format("long_scoreboard"): 6.0,
                RATIO.format("long_scoreboard_pipe_l1tex"): 5.0,
                RATIO.format("selected"): 1.0,
                RATIO.format("wait"): 3.0,
            }
        )
    )
    assert found is not None
    assert found.source == "hardware"
    assert found.fractions == {"long_scoreboard": 0.6, "selected": 0.1, "wait": 0.3}


def test_samples_are_the_second_choice_and_spell_states_alike() -> None:
    found = _stalls(
        launch(
            {
                SAMPLE.format("no_instructions"): 30.0,
                SAMPLE.format("no_instructions_not_issued"): 29.0,
                SAMPLE.format("barrier"): 10.0,
            }
        )
    )
    assert found is not None
    assert (found.source, found.samples) == ("sampling", 40)
    assert found.fractions == {"barrier": 0.25, "no_instruction": 0.75}


@pytest.mark.parametrize("metrics", [{}, {SAMPLE.format("wait"): 0.0}])
def test_nothing_collected_is_no_distribution(metrics: dict[str, float | str]) -> None:
    assert _stalls(launch(metrics)) is None
