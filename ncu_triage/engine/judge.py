"""Judge one kernel: its bottleneck, then every rule with that in hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ncu_triage.engine.bottleneck import bottleneck
from ncu_triage.engine.evaluate import Facts, Outcome, evaluate
from ncu_triage.engine.gain import ASSUMED, Achievable
from ncu_triage.engine.numbers import numbers, rough, texts
from ncu_triage.engine.ruleset import RuleSet
from ncu_triage.engine.waiting import waiting_for
from ncu_triage.engine.what_if import what_if
from ncu_triage.engine.whole.survey import survey
from ncu_triage.model import Bottleneck, Kernel, KernelDiagnosis, NvidiaRule

# Rule kinds of NVIDIA that recommend something: "optimization" since 2023.2, and
# "warning" before that.
_ADVICE = ("optimization", "warning")


def judge(
    kernel: Kernel, rules: RuleSet, group: int, achievable: Achievable = ASSUMED
) -> KernelDiagnosis:
    """Judge a kernel; rules that fail are listed and the others still speak.

    `achievable` is what the GPU's units were measured to reach, where that is known.
    """
    limit = bottleneck(kernel, achievable)
    facts = kernel_facts(kernel, limit)._replace(achievable=achievable)
    outcome = evaluate(rules, "kernel", facts)
    # What one kernel would gain cannot be told from the averages of many.
    alone = kernel.workload == "kernel"
    fields = {name: getattr(kernel, name) for name in Kernel.__struct_fields__}
    return KernelDiagnosis(
        **fields,
        group=group,
        bottleneck=limit,
        findings=outcome.findings,
        undecided=outcome.undecided,
        rule_errors=outcome.failures,
        what_if=what_if(kernel, limit, outcome.findings, achievable) if alone else [],
    )


def kernel_facts(kernel: Kernel, limit: Bottleneck) -> Facts:
    """Collect what the rules may see of a kernel, its bottleneck included."""
    known = numbers(kernel)
    values: dict[str, float | str] = {**known, **texts(kernel)}
    values["bottleneck"] = limit.kind
    if waiting := waiting_for(known):
        values["waiting_for"] = waiting
    inapplicable = frozenset(q for q, why in kernel.absent.items() if why == "not-applicable")
    return Facts(values, inapplicable, _advice(kernel.nvidia_rules), rough=rough(kernel))


def judge_report(kernels: Sequence[KernelDiagnosis], rules: RuleSet) -> Outcome:
    """Hold the rules about the report as a whole against all its kernels."""
    return evaluate(rules, "report", report_facts(kernels))


def report_facts(kernels: Sequence[KernelDiagnosis]) -> Facts:
    """Collect what the rules may see of a report as a whole."""
    found = survey(kernels)
    return Facts(found.numbers, cases=found.cases)


def _advice(messages: Sequence[NvidiaRule]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for message in messages:
        if message.kind in _ADVICE:
            found[message.rule].append(message.title or message.rule)
    return found
