"""The frozen types that pass between the layers.

`Launch` is what a reader gives, `Kernel` what the quantities make of it, and
`Diagnosis` the one object that every output works from. SI base units throughout
(s, Hz, byte, byte/s, FLOP/s), percent as 0-100, stall shares as 0-1.
"""

from ncu_triage.model.diagnosis import (
    CollectNext,
    Diagnosis,
    Group,
    InProgram,
    Priority,
    Spread,
    TimeSaved,
    Tool,
    Totals,
    decodable,
)
from ncu_triage.model.kernel import (
    CatalogueEntry,
    Ceiling,
    Device,
    Kernel,
    MeasurementWarning,
    Provenance,
    Roofline,
    RooflinePoint,
    Stalls,
)
from ncu_triage.model.launch import Launch, NvidiaRule, Settings, Source
from ncu_triage.model.operators import (
    Operator,
    OperatorBest,
    OperatorMeasured,
    OperatorTensor,
)
from ncu_triage.model.verdict import (
    Bottleneck,
    Evidence,
    Finding,
    Gain,
    KernelDiagnosis,
    RuleFailure,
    Undecided,
    Where,
)
from ncu_triage.model.words import (
    SCHEMA_VERSION,
    SEVERITIES,
    Absence,
    BottleneckKind,
    Confidence,
    Extent,
    Severity,
    Value,
    Workload,
)

__all__ = [
    "SCHEMA_VERSION",
    "SEVERITIES",
    "Absence",
    "Bottleneck",
    "BottleneckKind",
    "CatalogueEntry",
    "Ceiling",
    "CollectNext",
    "Confidence",
    "Device",
    "Diagnosis",
    "Evidence",
    "Extent",
    "Finding",
    "Gain",
    "Group",
    "InProgram",
    "Kernel",
    "KernelDiagnosis",
    "Launch",
    "MeasurementWarning",
    "NvidiaRule",
    "Operator",
    "OperatorBest",
    "OperatorMeasured",
    "OperatorTensor",
    "Priority",
    "Provenance",
    "Roofline",
    "RooflinePoint",
    "RuleFailure",
    "Settings",
    "Severity",
    "Source",
    "Spread",
    "Stalls",
    "TimeSaved",
    "Tool",
    "Totals",
    "Undecided",
    "Value",
    "Where",
    "Workload",
    "decodable",
]
