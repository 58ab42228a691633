"""Every real report through the main job: a page and a JSON that is what it says."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from ncu_triage.pipeline import diagnose, rules
from ncu_triage.render import html, json_

pytestmark = pytest.mark.corpus


def test_every_report_gives_a_page_and_a_valid_json(corpus: Path) -> None:
    reports = sorted((corpus / "rep").iterdir())
    check = jsonschema.Draft202012Validator(json_.schema())
    for path in reports:
        diagnosis, failures = diagnose([path], rules())
        assert not failures, path.name
        assert not [k.rule_errors for k in diagnosis.kernels if k.rule_errors], path.name
        text = json_.render(diagnosis)
        check.validate(json.loads(text))
        assert json_.read(text) == diagnosis
        page = html.render(diagnosis)
        assert page.startswith(b"<!doctype html>") and b"</html>" in page[-20:], path.name
    assert len(reports) == 162


def test_a_headline_dram_figure_is_found_wherever_one_can_be_had(corpus: Path) -> None:
    with_figure: set[str] = set()
    for path in sorted((corpus / "rep").iterdir()):
        diagnosis, _ = diagnose([path], rules())
        for kernel in diagnosis.kernels:
            if "dram_throughput_pct" in kernel.quantities:
                with_figure.add(path.name)
    assert len(with_figure) >= 128
