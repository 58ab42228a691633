"""What to collect next, in a command that can be typed and a sentence that counts rightly."""

from __future__ import annotations

from fixtures.diagnosis_builder import kernel, quantities

from ncu_triage.model import KernelDiagnosis, Undecided
from ncu_triage.summary import collect_next


def _open(name: str, *rules: str) -> KernelDiagnosis:
    collect = "--section InstructionStats"
    undecided = [Undecided(rule=rule, missing=["opcodes"], collect=collect) for rule in rules]
    return kernel(name=name, demangled=name, quantities=quantities(1e-3), undecided=undecided)


def test_one_is_not_called_many() -> None:
    alone = collect_next([_open("copy", "debug-build")])
    assert alone is not None
    assert alone.why == "decides 1 rule that is open on 1 of 1 launch"
    several = collect_next([_open("copy", "debug-build", "spilling"), _open("scale")])
    assert several is not None
    assert several.why == "decides 2 rules that are open on 1 of 2 launches"
    assert several.command.startswith("ncu --section InstructionStats --kernel-name copy ")


def test_a_name_that_no_command_line_holds_is_no_filter() -> None:
    found = collect_next([_open("k" * 5000, "debug-build"), _open("scale")])
    assert found is not None
    assert found.command == "ncu --section InstructionStats -o report ./your-program"
