"""What a timeline adds to each output, what a refused one does, and what stays secret."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import jsonschema
import msgspec
import pytest
from fixtures.diagnosis_builder import diagnosis
from fixtures.diagnosis_builder import kernel as profiled
from fixtures.example import PATH as EXAMPLE
from fixtures.timeline_nsys import hidden_texts, write_export
from fixtures.timeline_pair import PARAMETERS, beside_another_gpu, beside_example
from fixtures.timeline_spec import Call, Copy, Gpu, Kernel, Range, Spec
from fixtures.timeline_trace import write_trace

from ncu_triage import api
from ncu_triage.model import Diagnosis
from ncu_triage.privacy.alias import kernel_alias
from ncu_triage.privacy.aliases import anonymous
from ncu_triage.privacy.hidden import hidden
from ncu_triage.render import OUTPUTS, console, notebook, renderer
from ncu_triage.render.json_ import read, render, schema
from ncu_triage.timeline.attach import with_timeline
from ncu_triage.view.build import view

RENDERERS: dict[str, Callable[[Diagnosis], bytes | str]] = {
    **{kind: renderer(kind) for kind in OUTPUTS if kind != "png"},
    "terminal": partial(console.render, width=100),
    "notebook": notebook.render,
}
TOLD = ("html", "static", "md", "md-uncut", "terminal", "json")
RANKING = (*(set(TOLD) - {"json"}), "notebook")
HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[2J\u202e{{7*7}}"


def outputs(found: Diagnosis, names: tuple[str, ...] = tuple(RENDERERS)) -> dict[str, str]:
    texts = {name: RENDERERS[name](found) for name in names}
    plain = {n: t if isinstance(t, str) else t.decode() for n, t in texts.items()}
    return {n: t.replace("\N{NO-BREAK SPACE}", " ") for n, t in plain.items()}


def unwrapped(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def joined() -> Diagnosis:
    return beside_example()


@pytest.fixture(scope="module")
def refused() -> Diagnosis:
    return beside_another_gpu()


def test_every_output_can_show_a_timeline_the_same_each_time(
    joined: Diagnosis, refused: Diagnosis
) -> None:
    for given in (joined, refused):
        assert outputs(given) == outputs(given)
        assert all(outputs(given).values())


def test_every_output_says_where_the_end_to_end_time_goes(joined: Diagnosis) -> None:
    for name, text in outputs(joined, RANKING).items():
        plain = unwrapped(text)
        assert "kernels ran for 35.8 % of the 43.6 ms from the first GPU work to the last" in plain
        assert "More than any kernel" in plain and "25.4 ms (58.2 %) in which nothing" in plain, (
            name
        )


@pytest.mark.parametrize("name", ["html", "static", "md", "terminal"])
def test_the_parts_the_gaps_and_the_bounds_are_told(name: str, joined: Diagnosis) -> None:
    plain = unwrapped(outputs(joined, (name,))[name])
    for words in (
        "Host-bound gaps",
        "Copies not overlapped",
        "80 gaps between kernels: median 8.00 µs, P90 8.00 µs, longest 6.97 ms.",
        "69 above 5 µs, 27.4 ms in all: 7.3 % copies, 92.7 % nothing queued, because the host",
        "The timeline holds 3 of the 8 profiled kernels",
        "CUDA graphs",
        "510 µs",
        "550 µs",
    ):
        assert words in plain, words
    assert "ounds, not estimates" in plain


@pytest.mark.parametrize("name", ["html", "static", "md"])
def test_profiled_kernels_stand_beside_their_real_times(name: str, joined: Diagnosis) -> None:
    plain = unwrapped(outputs(joined, (name,))[name])
    for words in ("27.5 %", "12.0 ms", "800 µs", "1.40 ms", "1.75 ×", "Does not occur"):
        assert words in plain, words
    assert "reduce_norm (16.0 % of the kernels' time, 5 launches)" in plain.replace("&#39;", "'")


def test_every_ranking_names_its_time(joined: Diagnosis) -> None:
    for name, text in outputs(joined, RANKING).items():
        plain = unwrapped(text).replace("&#39;", "'")
        assert "the program's" in plain and "the timeline" in plain, name
        assert plain.index("bank conflicts") < plain.index("Latency is not hidden"), name
        assert "In the report: 468 µs (6.7 %)." in plain, name
        assert "Not on the timeline, ranked by the report's own time:" in plain, name
    for name, text in outputs(api.diagnose(EXAMPLE), RANKING).items():
        plain = unwrapped(text).replace("&#39;", "'")
        assert "of the report's GPU time" in plain or "GPU time of the whole report" in plain, name
        assert "timeline" not in plain.replace("look at the gaps on a timeline", "").lower(), name


def test_what_the_timeline_lacks_has_a_place_behind_the_others(joined: Diagnosis) -> None:
    shown = view(joined).priorities
    assert [one.missing for one in shown] == [False, False, True, True, True]
    assert shown[2].saving.of == "of the report's time"
    assert shown[1].beside == "In the report: 630 µs (9.0 %); without 1 launch not on the timeline."


def test_each_card_says_what_its_kernel_takes_in_the_program(joined: Diagnosis) -> None:
    cards = {card.name.short: card for card in view(joined).cards}
    assert cards["transpose_tile"].facts[-1].text == (
        "15 launches, median 800 µs, 27.5 % of the end-to-end time"
    )
    assert cards["blur_double"].facts[-1].text == "does not occur in the timeline"


def test_a_refused_timeline_is_said_and_changes_nothing_else(refused: Diagnosis) -> None:
    plain = api.diagnose(EXAMPLE)
    assert view(refused).priorities == view(plain).priorities
    for name, text in outputs(refused, (*RANKING, "json")).items():
        assert "not comparable" in text or 'comparable":false' in text, name
        assert "Quadro GP100" in text, name
    for name, text in outputs(refused, ("html", "md", "terminal")).items():
        assert "profiled ones" not in text, name
        assert "More than any" not in text, name


def test_the_json_reads_back_and_follows_its_schema(joined: Diagnosis, refused: Diagnosis) -> None:
    for given in (joined, refused):
        data = render(given)
        again = read(data)
        assert render(again) == data
        assert again.timeline == given.timeline
        jsonschema.Draft202012Validator(schema()).validate(msgspec.json.decode(data))


def test_a_json_from_before_has_no_timeline() -> None:
    data = msgspec.json.decode(render(api.diagnose(EXAMPLE)))
    for field in ("timeline", "ranked_by"):
        del data[field]
    for priority in data["priorities"]:
        del priority["in_program"]
    older = read(msgspec.json.encode(data))
    assert (older.timeline, older.ranked_by) == (None, "report")
    assert older.priorities[0].in_program is None


def test_a_timeline_without_kernels_or_gaps_is_no_trouble(tmp_path: Path) -> None:
    report = diagnosis([profiled(demangled="a", name="a", grid=(32, 1, 1))])
    for number, spec in enumerate((Spec(), Spec([Kernel("a", 1_000, 2_000)]))):
        found = with_timeline(report, write_export(tmp_path / f"{number}.sqlite", spec))
        assert all(outputs(found).values())
        assert found.timeline and found.timeline.comparable is bool(spec.kernels)


def small(tmp_path: Path, spec: Spec) -> Diagnosis:
    report = diagnosis([profiled(demangled="a", name="a", grid=(32, 1, 1))])
    return with_timeline(report, write_export(tmp_path / "t.sqlite", spec))


def test_the_time_of_two_gpus_is_told_from_what_passes(tmp_path: Path) -> None:
    """Each works from 1 to 21 µs, for 10 µs: a half of 40 µs, of which 20 pass."""
    kernels = [
        Kernel("a", start, start + 5_000, device=gpu) for gpu in (0, 1) for start in (1_000, 16_000)
    ]
    found = small(tmp_path, Spec(kernels, gpus=[Gpu(), Gpu()]))
    whole = "40.0 µs of 2 GPUs together (20.0 µs each, from the first GPU work to the last)"

    assert found.timeline and found.timeline.wall == pytest.approx(20e-6)
    for name, text in outputs(found, ("html", "static", "md", "terminal")).items():
        assert f"kernels ran for 50.0 % of the {whole}" in unwrapped(text), name
    shown = view(found).timeline
    assert shown
    assert "20.0 µs (40.0 µs of 2 GPUs together)" in [fact.text for fact in shown.facts]


def test_a_gap_of_unknown_cause_is_no_queued_work(tmp_path: Path) -> None:
    """9 µs before a kernel whose call is missing, 3 of them a copy."""
    kernels = [Kernel("a", 1_000, 2_000, call=1), Kernel("a", 11_000, 12_000)]
    calls = [Call("cudaLaunchKernel", 500, 600, 1)]
    copies = [Copy("HtoD", 4_000, 7_000, size=8)]
    shown = view(small(tmp_path, Spec(kernels, copies, calls))).timeline

    assert shown
    parts = {part.label: part.time for part in shown.parts}
    assert parts == {
        "Kernels": "2.00 µs",
        "Copies not overlapped": "3.00 µs",
        "Gaps of unknown cause": "6.00 µs",
    }
    assert [gap.why for gap in shown.gaps] == [
        "33.3 % copies; unknown: its launch call is not in the file"
    ]
    assert shown.gaps_summary
    assert shown.gaps_summary.endswith("9.00 µs in all: 33.3 % copies, 66.7 % of unknown cause.")
    short = {fact.label: fact.text for fact in shown.facts}["Launch-bound share"]
    assert short == "100.0 % of launches take less than 10 µs: 100.0 % of kernel time"


def test_no_short_launch_is_said_in_words(tmp_path: Path) -> None:
    shown = view(small(tmp_path, Spec([Kernel("a", 1_000, 21_000)]))).timeline
    assert shown
    assert "no launch takes less than 10 µs" in [fact.text for fact in shown.facts]


def test_names_from_the_file_stay_text(tmp_path: Path) -> None:
    tag = HOSTILE.split("\x1b")[0]
    kernels = [Kernel(tag, 1_000, 9_000), Kernel(HOSTILE, 90_000, 99_000)]
    spec = Spec(kernels, ranges=[Range(HOSTILE, 10 * i, 10 * i + 9) for i in range(9)])
    report = diagnosis([profiled(demangled=tag, name=tag, grid=(32, 1, 1)), profiled(name="b")])
    found = with_timeline(report, write_export(tmp_path / "t.sqlite", spec))
    assert found.timeline and found.timeline.comparable
    for name, text in outputs(found, RANKING).items():
        assert not set("\x1b\u202e") & set(text), name
        if name in ("html", "static", "notebook"):
            assert "<img src=x" not in text, name
        if name in ("html", "static"):
            assert "&lt;img src=x" in text, name


# Names and origins.


def test_nothing_of_the_host_reaches_an_output(joined: Diagnosis) -> None:
    for name, text in outputs(joined).items():
        assert not [secret for secret in hidden_texts() if secret in text], name


SECRET, OTHER, RANGE = "encryptSecretBlock", "leakKeySchedule", "client ACME"
FULL = f"void acme::{SECRET}<(int)4>(float *, acme::Key)"
LIBRARY = f"void acme::{SECRET}<4>(float*, acme::Key)"


def secret_spec(name: str) -> Spec:
    spec = Spec(ranges=[Range(f"{RANGE} {i}", 90_000 * i, 90_000 * i + 80_000) for i in range(6)])
    for i in range(6):
        start = 90_000 * i + 1_000
        spec.kernels.append(Kernel(name, start, start + 20_000, call=2 * i + 1))
        spec.kernels.append(Kernel(f"void acme::{OTHER}(float *)", start + 60_000, start + 70_000))
    return spec


@pytest.mark.parametrize("write", [write_export, write_trace])
def test_aliases_hide_every_name_and_are_those_of_the_report(
    write: Callable[[Path, Spec], Path], tmp_path: Path
) -> None:
    name = FULL if write is write_export else LIBRARY
    one = profiled(name=SECRET, demangled=FULL, grid=(32, 1, 1), nvtx=[f"{RANGE} 1"])
    lost = profiled(name="copy", demangled="copy")
    found = anonymous(
        hidden(with_timeline(diagnosis([one, lost]), write(tmp_path / "t.bin", secret_spec(name))))
    )

    for output, text in outputs(found).items():
        for word in (SECRET, OTHER, "ACME", "acme", "“copy”"):
            assert word not in text, (output, word)
    assert found.timeline
    alias = kernel_alias(SECRET, FULL)
    assert found.timeline.matched[0].name == alias == found.kernels[0].demangled
    assert {gap.before for gap in found.timeline.longest_gaps} <= {
        alias, kernel_alias(OTHER, f"void acme::{OTHER}(float *)"),
    }  # fmt: skip
    texts = " ".join(each.text for each in found.timeline.statements)
    assert f"“{alias}”" in texts
    assert "range_" in texts


def test_folders_in_names_are_left_out(tmp_path: Path) -> None:
    folder = "/home/beeblebrox/magrathea"
    spec = Spec([Kernel(f"lambda at {folder}/k.cu:3", 1_000, 2_000), Kernel("a", 9_000, 9_900)])
    spec.ranges = [Range(f"{folder}/step", 100 * i, 100 * i + 90) for i in range(90)]
    report = diagnosis([profiled(demangled="a", name="a", grid=(32, 1, 1))])
    found = hidden(with_timeline(report, write_export(tmp_path / "t.sqlite", spec)))
    for name, text in outputs(found).items():
        assert "beeblebrox" not in text and "magrathea" not in text, name


def test_the_page_loads_nothing_new_without_a_timeline(joined: Diagnosis) -> None:
    page = outputs(api.diagnose(EXAMPLE), ("static",))["static"]
    assert 'id="timeline"' not in page and ".p-kernels" not in page
    assert 'id="timeline"' in outputs(joined, ("static",))["static"]
    assert not re.search(r"<script", outputs(joined, ("static",))["static"])
    assert PARAMETERS not in outputs(joined, ("terminal",))["terminal"]
