"""What a report says of its origin is in no output unless asked for; names can be aliased."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from fixtures.diagnosis_builder import bottleneck, diagnosis, finding
from fixtures.diagnosis_cases import fp64, realistic, transpose
from fixtures.report_writer import Rule, block, launch, message, write_report
from msgspec.structs import replace

from ncu_triage import api
from ncu_triage.errors import UsageError
from ncu_triage.model import CollectNext, Diagnosis, NvidiaRule, Where
from ncu_triage.privacy.alias import kernel_alias
from ncu_triage.privacy.aliases import anonymous
from ncu_triage.privacy.hidden import hidden
from ncu_triage.privacy.told import private_facts
from ncu_triage.render import OUTPUTS, console, notebook, renderer

RENDERERS: dict[str, Callable[[Diagnosis], bytes | str]] = {
    **{kind: renderer(kind) for kind in OUTPUTS if kind != "png"},
    "terminal": partial(console.render, width=120),
    "one kernel": partial(console.render, width=120, choice=console.Choice(kernel=re.compile("."))),
    "notebook": notebook.render,
}
# Planted where a report has its origin, and where texts may carry it.
HOST, USER, FOLDER, ARGUMENT, VALUE = (
    "node-zaphod",
    "beeblebrox",
    "magrathea",
    "--towel",
    "hushhush",
)
SECRETS = (HOST, USER, FOLDER, ARGUMENT, VALUE, "10.0.0.1")
HOME = f"/home/{USER}/{FOLDER}"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a report that is full of secrets."""
    texts = [
        f"Rule failed in {HOME}/Nsight Compute/2024.1/Sections/x.py:12",
        f"See @source:{HOME}/kernel.cu:12:the line@ and C:\\Users\\{USER}\\{FOLDER}\\k.cu",
        f"compiled with -I{HOME}/include on file://{HOME}/x",
    ]
    rules = [Rule(title=f"In {HOME}/a.cu", text=text, kind="error") for text in texts]
    one = launch(name="scan", demangled="scan(int *)", rules=rules, push_pop={1: [f"{HOME}/step"]})
    folder = tmp_path_factory.mktemp("private") / USER / FOLDER
    folder.mkdir(parents=True)
    command = f"ncu --set full -o {HOME}/out {HOME}/app {ARGUMENT} 42"
    path = write_report(folder / "nightly.ncu-rep", [one], host=HOST, command_line=command)
    program = (f"{HOME}/app", HOME, f"{ARGUMENT} 42", f"API_KEY={VALUE}")
    session = message((9, message(*enumerate(program, 1))))
    path.write_bytes(path.read_bytes() + block(b"", (1, 0), (2, 0), (3, session)))
    return path


def outputs(found: Diagnosis) -> dict[str, str]:
    texts = {name: render(found) for name, render in RENDERERS.items()}
    return {n: t if isinstance(t, str) else t.decode() for n, t in texts.items()}


def test_no_output_has_a_secret(report: Path) -> None:
    for name, text in outputs(api.diagnose(report)).items():
        assert not [secret for secret in SECRETS if secret in text], name
    assert "x.py:12" in outputs(api.diagnose(report))["json"]


def test_every_secret_is_in_the_report_and_shown_when_asked_for(report: Path) -> None:
    data = report.read_bytes()
    assert all(secret.encode() in data for secret in SECRETS)
    found = api.diagnose(report, show_private=True)
    facts = found.sources[0].private
    assert facts["Host"] == HOST
    assert facts["Environment"] == f"API_KEY={VALUE}"
    texts = outputs(found)
    for name in ("html", "static", "md", "json", "terminal"):
        assert [secret for secret in SECRETS if secret not in texts[name]] == [], name


def test_a_packed_report_is_read_the_same_way(tmp_path: Path) -> None:
    path = write_report(tmp_path / "r.ncu-repz", [launch()], host=HOST)
    assert private_facts(path)["Host"] == HOST


@pytest.mark.parametrize("content", [b"", b"NVR\0", b"NVR\0\xff\xff\xff\xff", b'"ID","Kernel"\n'])
def test_what_has_no_private_facts_has_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "r").write_bytes(content)
    assert private_facts(tmp_path / "r") == {}


def test_a_damaged_report_tells_what_it_can(report: Path, tmp_path: Path) -> None:
    data = report.read_bytes()
    for end in range(0, len(data), 97):
        (tmp_path / "cut").write_bytes(data[:end])
        private_facts(tmp_path / "cut")


@pytest.mark.parametrize("option", [[], ["--anonymise"], ["--show-private"]])
def test_the_command_hides_and_shows(report: Path, option: list[str]) -> None:
    command = [sys.executable, "-m", "ncu_triage", str(report), *option, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (HOST in done.stdout) is (option == ["--show-private"])
    name = json.loads(done.stdout)["kernels"][0]["name"]
    assert name == ("scan" if option != ["--anonymise"] else kernel_alias("scan", "scan"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"at {HOME}/x.cu:12", "at x.cu:12"),
        (f"C:\\Users\\{USER}\\My Documents\\x.cu", "x.cu"),
        (f"\\\\{HOST}\\share\\x.cu", "x.cu"),
        (f"file:///home/{USER}/x.cu", "x.cu"),
        (f"/home/{USER}", "…"),
        (f"lambda at /root/{FOLDER}/x.cu:3:1", "lambda at x.cu:3:1"),
        ("534 GB/s of 640 GB/s and/or 3 / 4", "534 GB/s of 640 GB/s and/or 3 / 4"),
        (
            "see https://docs.nvidia.com/nsight-compute/",
            "see https://docs.nvidia.com/nsight-compute/",
        ),
        ("-o report ./your-program", "-o report ./your-program"),
    ],
)
def test_folders_are_left_out_and_nothing_else(text: str, shown: str) -> None:
    given = diagnosis([transpose(bottleneck=bottleneck(sentence=text))])
    assert hidden(given).kernels[0].bottleneck.sentence == shown


def test_what_is_hidden_already_is_not_copied() -> None:
    given = realistic()
    assert hidden(given) is given


NAME, RANGE, FILE = "encryptSecretBlock", "client ACME phase 7", "acme_secret.cu"
FULL = f"void acme::{NAME}<float, 4>(float *, acme::Key)"


def named(**overrides: object) -> Diagnosis:
    """Build a report that says its names wherever a text can."""
    texts = [f"{NAME} is slow in {RANGE}", f"the kernel {FULL}: look at {NAME}, please"]
    found = finding(
        title=texts[0],
        cause=texts[1],
        remedies=[f"Change `{NAME}`."],
        where=[Where(file=f"/src/{FILE}", line=3, sass=f"CALL {NAME}", share=0.5)],
        nvidia=[texts[1]],
    )
    rule = NvidiaRule(rule="X", section="Y", kind="warning", title=NAME, text=texts[1])
    fields = {
        "name": NAME,
        "demangled": FULL,
        "nvtx": [RANGE],
        "context_name": f"{NAME} context",
        "stream_name": RANGE,
        "bottleneck": bottleneck(sentence=texts[0]),
        "findings": [found],
        "nvidia_rules": [rule],
    }
    command = f"ncu --set full --kernel-name regex:^({NAME}|Sobel)$ -o report ./your-program"
    return diagnosis(
        [transpose(**fields | overrides), fp64()],
        findings=[found],
        collect_next=CollectNext(command=command, why=f"It decides {NAME}."),
    )


def test_no_output_has_a_name_when_anonymised() -> None:
    for output, text in outputs(anonymous(hidden(named()))).items():
        for name in (NAME, RANGE, "ACME", FILE, "acme", "Sobel"):
            assert name not in text, (output, name)


def test_beside_a_command_with_aliases_it_says_that_they_are_none_of_the_profilers() -> None:
    said = "aliases: put the real ones in their place"
    for output, text in outputs(anonymous(hidden(named()))).items():
        if output in ("html", "md", "json", "terminal"):
            assert said in " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split()), output
    plain = CollectNext(command="ncu --set full -o report ./your-program", why="It decides all")
    given = replace(named(), collect_next=plain)
    assert anonymous(given).collect_next == plain
    assert said not in outputs(named())["html"]


def test_aliases_are_the_same_in_every_report_and_tell_templates_apart() -> None:
    first, second = anonymous(named()), anonymous(named(demangled=FULL.replace("4", "8")))
    assert first.kernels[0].name == second.kernels[0].name
    assert first.kernels[0].demangled != second.kernels[0].demangled
    assert re.fullmatch(r"kernel_[0-9a-f]{8}<[0-9a-f]{4}>", first.kernels[0].demangled)
    assert first.kernels[0].name in str(first.collect_next)


def test_a_name_that_is_an_ordinary_word_does_not_garble_texts() -> None:
    given = diagnosis([transpose(name="load", demangled="load(float *)")])
    found = anonymous(given)
    assert found.kernels[0].name.startswith("kernel_")
    assert found.kernels[0].findings[0].cause == given.kernels[0].findings[0].cause


def test_to_show_and_to_hide_is_refused(report: Path) -> None:
    with pytest.raises(UsageError, match="contradict"):
        api.diagnose(report, show_private=True, anonymise=True)
