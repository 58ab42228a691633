"""The GitHub Action and the recipes: they call what there is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from fixtures.report_writer import launch, write_report

from ncu_triage.gate.conditions import condition

ROOT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
DOCS = [ROOT / "docs" / name for name in ("recipes.md", "gate.md", "compare.md")]


def _step(name: str) -> dict[str, Any]:
    return next(step for step in STEPS if step["name"] == name)


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """Return a runner's environment, with the tool where the action installs it."""
    tool = tmp_path / "runner" / "ncu-triage" / "bin" / "ncu-triage"
    tool.parent.mkdir(parents=True)
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ncu_triage "$@"\n')
    tool.chmod(0o755)
    return {
        **os.environ,
        "RUNNER_TEMP": str(tmp_path / "runner"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        **{name: "" for name in _step("Judge")["env"]},
        "RESULTS": "results",
    }


def _report(path: Path, nanoseconds: float) -> Path:
    return write_report(path, [launch(metrics={"gpu__time_duration.sum": nanoseconds})])


def _judge(runner: dict[str, str], cwd: Path, **env: str) -> int:
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", _step("Judge")["run"]],
        env={**runner, **env},
        cwd=cwd,
        check=False,
    )
    return done.returncode


def test_the_action_compares_and_fails_by_its_conditions(
    runner: dict[str, str], tmp_path: Path
) -> None:
    base, new = (_report(tmp_path / n, t) for n, t in (("a b.ncu-rep", 1e6), ("n.ncu-rep", 2e6)))
    sides = {"BASELINE": str(base), "REPORT": str(new)}
    assert _judge(runner, tmp_path, **sides, FAIL_ON="\nregression=5%,3sigma\n\n") == 1
    assert (tmp_path / "output").read_text() == "exit-code=1\n"
    assert "100.0 % slower" in (tmp_path / "summary").read_text()
    kinds = {path.suffix for path in (tmp_path / "results").iterdir()}
    assert kinds == {".html", ".md", ".json", ".sarif", ".xml"}


def test_without_a_condition_nothing_fails(runner: dict[str, str], tmp_path: Path) -> None:
    new = _report(tmp_path / "n.ncu-rep", 1e6)
    assert _judge(runner, tmp_path, BASELINE=str(new), REPORT=str(new), STRICT="true") == 0


def test_a_name_with_commands_in_it_runs_none(runner: dict[str, str], tmp_path: Path) -> None:
    name = "$(touch owned)`touch owned`; touch owned"
    assert _judge(runner, tmp_path, BASELINE=name, REPORT=name, FAIL_ON=name) == 2
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["name"])
def test_no_input_is_written_into_a_script(step: dict[str, Any]) -> None:
    assert "${{" not in step["run"]
    subprocess.run(["bash", "-n", "-c", step["run"]], check=True)


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_every_condition_in_the_docs_is_one(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    told = re.findall(r"--fail-on (?!CONDITION)([\w:=%,-]+)", text)
    block = re.search(r"fail-on: \|\n((?: +\S+\n)+)", text)
    told += block[1].split() if block else []
    assert told or page.name == "compare.md"
    for one in told:
        condition(one)


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_every_link_in_the_docs_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_recipes_are_valid_yaml() -> None:
    text = DOCS[0].read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        assert yaml.safe_load(block)


def test_the_recipe_uses_inputs_that_the_action_has() -> None:
    block = re.findall(r"```yaml\n(.*?)```", DOCS[0].read_text(encoding="utf-8"), re.DOTALL)[0]
    steps = yaml.safe_load(block)["jobs"]["judge"]["steps"]
    (used,) = [step["with"] for step in steps if "ncu-triage@" in step.get("uses", "")]
    assert set(used) <= set(ACTION["inputs"])


def test_an_older_run_does_not_speak_for_one_that_wrote_nothing(
    runner: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "diff.md").write_text("all was well")
    assert _judge(runner, tmp_path, REPORT="none.ncu-rep", BASELINE="none.json") == 3
    assert list((tmp_path / "results").iterdir()) == []
    assert not (tmp_path / "summary").exists()


def test_conditions_may_have_comments_and_reports_odd_names(
    runner: dict[str, str], tmp_path: Path
) -> None:
    _report(tmp_path / "-new.ncu-rep", 1e6)
    (tmp_path / "own.toml").write_text('disable = ["short-kernel"]\n')
    conditions = "# the kernels must have a time\n  nothing-measured  \n"
    given = {"REPORT": "-new.ncu-rep", "FAIL_ON": conditions, "CONFIG": "own.toml"}
    # The kernel has a time and too little data for a bottleneck: it was not measured.
    assert _judge(runner, tmp_path, **given) == 1
    assert _judge(runner, tmp_path, **{**given, "FAIL_ON": "# nothing"}) == 0
    assert _judge(runner, tmp_path, **given, RULES="none") == 2


def test_each_name_has_a_comment_of_its_own(runner: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "diff.md").write_text("<!-- ncu-triage compare -->\nslower\n")
    gh = tmp_path / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text('#!/bin/sh\necho "$MARK" >> marks\n')
    gh.chmod(0o755)
    path = f"{gh.parent}:{os.environ['PATH']}"
    known = {"PATH": path, "GITHUB_REPOSITORY": "me/it", "NUMBER": "7", "GH_TOKEN": ""}
    # The stand-in for `gh` finds a comment each time: what it prints is taken for its number.
    for name in ("", "fp16", "fp32 --> $(touch owned)"):
        subprocess.run(
            ["bash", "-c", _step("Comment")["run"]],
            env={**runner, **known, "NAME": name},
            cwd=tmp_path,
            check=True,
        )
    marks = set((tmp_path / "marks").read_text().splitlines())
    assert len(marks) == 3 and "<!-- ncu-triage compare -->" in marks
    assert all(mark.count("-->") == 1 for mark in marks)
    assert not (tmp_path / "owned").exists()
    body = (tmp_path / "runner" / "ncu-triage-comment.md").read_text().splitlines()
    assert body[0] in marks and body[1] == "slower"
