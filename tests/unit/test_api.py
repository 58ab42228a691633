"""The package from Python and in a notebook; its examples are run, too."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.report_writer import launch, write_report

import ncu_triage
from ncu_triage import api, model
from ncu_triage.errors import InputError
from ncu_triage.gate.judge import gate
from ncu_triage.gate.rows import verdict
from ncu_triage.render import json_

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "tests" / "fixtures" / "example.ncu-rep"


@pytest.fixture(scope="module")
def found() -> api.Diagnosis:
    return ncu_triage.diagnose(EXAMPLE)


@pytest.fixture
def at_root() -> Iterator[None]:
    before = Path.cwd()
    os.chdir(ROOT)
    yield
    os.chdir(before)


@pytest.mark.usefixtures("at_root")
def test_the_examples_in_the_module_hold() -> None:
    done = doctest.testmod(api)
    assert done.attempted >= 7
    assert done.failed == 0


@pytest.mark.usefixtures("at_root")
def test_the_examples_in_the_guide_hold() -> None:
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    done = doctest.testfile(str(ROOT / "docs" / "python.md"), False, optionflags=options)
    assert done.attempted >= 10
    assert done.failed == 0


def test_it_is_the_diagnosis_that_every_output_knows(found: api.Diagnosis) -> None:
    assert isinstance(found, model.Diagnosis)
    assert json_.render(found) == json_.render(json_.read(found.to_json().encode()))
    assert found.kernels[0].bottleneck.kind == "dram-bandwidth"


def test_one_folder_of_rules_is_given_as_several_are(tmp_path: Path) -> None:
    rule = (ROOT / "rules" / "tail-effect.yaml").read_text(encoding="utf-8")
    (tmp_path / "own-tail.yaml").write_text(
        rule.replace("id: tail-effect", "id: own-tail"), encoding="utf-8"
    )
    for given in (str(tmp_path), tmp_path, [tmp_path]):
        judged_by = ncu_triage.diagnose(EXAMPLE, rules=given).tool
        assert judged_by.kernel_rules and "own-tail" in judged_by.kernel_rules
    assert "own-tail" not in (ncu_triage.diagnose(EXAMPLE).tool.kernel_rules or [])


def test_a_gate_takes_conditions_as_they_are_written(found: api.Diagnosis) -> None:
    rows = gate(found, ["rule=fusion-candidate"])
    assert [row.about.name for row in rows] == ["whole report"]
    assert verdict(rows) == "failed"


def test_a_data_frame_has_the_numbers_and_says_their_units(found: api.Diagnosis) -> None:
    frame = found.to_dataframe()
    assert len(frame) == len(found.kernels)
    for i, kernel in enumerate(found.kernels):
        assert frame.loc[i, "duration"] == kernel.quantities["duration"]
        assert frame.loc[i, "bottleneck"] == kernel.bottleneck.kind
    assert frame["dram_throughput_pct"].dtype == float
    assert frame["issue_active"].isna().sum() == sum(
        "issue_active" in kernel.absent for kernel in found.kernels
    )
    assert frame.attrs["units"]["dram_bandwidth"] == "byte/s"


def test_the_outputs_are_those_of_the_command(found: api.Diagnosis, tmp_path: Path) -> None:
    files = [tmp_path / f"x.{kind}" for kind in ("html", "md", "json", "svg")]
    outputs = [word for file in files for word in ("-o", str(file))]
    subprocess.run([sys.executable, "-m", "ncu_triage", str(EXAMPLE), *outputs], check=True)
    made = [found.to_html(), found.to_markdown(), found.to_json(), found.to_svg()]
    assert made == [file.read_text() for file in files]


def test_a_notebook_shows_verdict_priorities_and_roofline(found: api.Diagnosis) -> None:
    shown = found._repr_html_()
    assert "do not hide their latency" in shown
    assert "What to fix first" in shown
    assert "data:image/svg+xml;base64," in shown
    assert "<script" not in shown and "<style" not in shown


def test_several_reports_are_one_diagnosis(tmp_path: Path) -> None:
    paths = [write_report(tmp_path / f"{i}.ncu-rep", [launch(name=f"k{i}")]) for i in range(2)]
    assert [k.name for k in ncu_triage.diagnose(paths).kernels] == ["k0", "k1"]


def test_what_cannot_be_read_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "bad.ncu-rep").write_text("dear diary")
    with pytest.raises(InputError, match=r"bad\.ncu-rep: "):
        ncu_triage.diagnose(str(tmp_path / "bad.ncu-rep"))


def test_the_package_offers_the_function_the_result_and_nothing_else() -> None:
    assert ncu_triage.diagnose is api.diagnose
    assert ncu_triage.Diagnosis is api.Diagnosis
    with pytest.raises(AttributeError, match="no attribute 'analyse'"):
        _ = ncu_triage.analyse  # type: ignore[attr-defined]


def test_importing_the_package_imports_nothing_heavy() -> None:
    program = (
        "import sys, ncu_triage; ncu_triage.__version__;"
        "print(sorted({'pandas', 'plotly', 'jinja2', 'msgspec', 'typer'} & set(sys.modules)));"
        f"ncu_triage.diagnose({str(EXAMPLE)!r});"
        "print(sorted({'pandas', 'plotly', 'jinja2', 'typer', 'ncu_report'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["[]", "[]"]
