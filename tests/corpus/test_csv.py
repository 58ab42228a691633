"""Every CSV of the corpus: what it gives, or the line that refuses it."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from ncu_triage.errors import InputError
from ncu_triage.model import Finding, KernelDiagnosis, Launch, NvidiaRule, Source
from ncu_triage.pipeline import diagnose, rules
from ncu_triage.readers.open import open_report

pytestmark = pytest.mark.corpus

CHUNKS = 8
OTHER = "no export of Nsight Compute"
# File, then format and number of launches, or a phrase of the refusal.
REAL: dict[str, tuple[str, int] | str] = {
    "analysis_all_metrics_long": "lost its header or units",
    "analysis_metrics_summary": OTHER,
    "custom_gemm_comment_header": OTHER,
    "custom_kmer_summary": OTHER,
    "derived2020_kernel_stat_crlf": OTHER,
    "details_b200_k23": ("details-csv", 1),
    "details_clima_julia": ("details-csv", 6),
    "details_numba_copy_blocked": ("details-csv", 1),
    "gui_raw_transposed_bom": ("gui-csv", 1),
    "gui_source_cuda": "this is the source page",
    "handmade_units_row": ("metrics-csv", 29),
    "import_llmperf_details": ("details-csv", 1),
    "import_llmperf_section_MemoryWorkloadAnalysis": ("details-csv", 1),
    "live2020_bfs_lassen": ("details-csv", 20),
    "live2020_cfd097K_noths": ("details-csv", 100),
    "live2020_cfd097K_thousands": ("details-csv", 100),
    "live2020_cfd193K": ("details-csv", 100),
    "live_dequoted_thousands": ("details-csv", 1),
    "live_gb10_na_unit_blank": ("details-csv", 3),
    "live_logfile_reduceInteger": ("details-csv", 9),
    "live_logfile_rwoffset_ca": ("details-csv", 3),
    "live_metrics_esmm_thousands": ("details-csv", 9),
    "live_windows_eu_locale": ("details-csv", 3),
    "nsys_gpu_trace": "Nsight Systems",
    "nsys_kern_gb_sum": "Nsight Systems",
    "nvprof_gputrace_matmul": "nvprof",
    "nvprof_hw_perf_accelsim": OTHER,
    "pandas_tupleindex_unit_in_header": ("metrics-csv", 9),
    "pivot2020_headerless_interim": "lost its header or units",
    "pivot2020_labels_wide": ("pivot-csv", 300),
    "pivot2020_labels_wide_bom": ("pivot-csv", 2688),
    "raw_b200_k23": ("raw-csv", 1),
    "raw_live_flashinfer_b1": ("raw-csv", 16),
    "raw_live_sdpa_cudnn_mqa": ("raw-csv", 16),
    "rocprof_pmc_perf": "rocprof",
    "session_b200_k23": "this is the session page",
}
SOBEL, ADD = "sample-sobelDouble-a4500", "sample-addConstDouble-a2000"
TRANSPOSE = "sample-transposeCoalesced-a4500"
# The beginning of a file's name, then the report that it was exported from.
EXPORTED = {
    "loc_de_DE.details.v22": ADD,
    "loc_de_DE.details_auto": ADD,
    "loc_de_DE.details_base": ADD,
    "loc_de_DE.raw.v22": ADD,
    "loc_de_DE.raw_auto": ADD,
    "loc_de_DE.raw_base": ADD,
    "loc_": SOBEL,
    "rep_2020.2.1": "rtx3080-2020.2-3d528bf",
    "rep_2021.2.2": "a100pcie40gb-2021.2-0c1226e",
    "rep_2022.1.1": "a40-2022.1-3176628",
    "rep_2025.1.0": "rtx2060super-2025.1-048fae2",
    "transposeCoalesced": TRANSPOSE,
}
# Two reports that the corpus has no file of: the CLIs are held against each other.
PAIRED = {"rep_2020.3.1.details.v24": "rep_2020.3.1.details.v22"}
PAIRED |= {"rep_2020.3.1.raw.v24": "rep_2020.3.1.raw.v22", "nvtx.raw.v24": "nvtx.raw.v24"}
FAILED, SCREEN, NO_ROWS = "the profiler failed", "text for the screen", "header but no rows"
REFUSED = {
    "multi_import.v24": FAILED,
    "multi_import2.v24": SCREEN,
    "rep_2025.1.0.details.v22": FAILED,
    "rep_2025.1.0.raw.v22": FAILED,
    "transposeCoalesced.details_norules.v24": FAILED,
    "transposeCoalesced.details_nvtx.v24": FAILED,
    "transposeCoalesced.metrics_none.v24": "holds no metrics",
    "transposeCoalesced.plain_details.v24": SCREEN,
    "transposeCoalesced.plain_names.v24": SCREEN,
    "transposeCoalesced.plain_raw.v24": SCREEN,
    "transposeCoalesced.raw_nvtx.v24": FAILED,
    "transposeCoalesced.session.v24": "this is the session page",
    "transposeCoalesced.session_csv.v24": "this is the session page",
    "transposeCoalesced.src_cuda.v24": "this is the source page",
    "transposeCoalesced.src_cuda_sass.v24": "this is the source page",
    "transposeCoalesced.src_plain.v24": SCREEN,
    "transposeCoalesced.src_ptx.v24": "this is the source page",
    "transposeCoalesced.src_sass.v24": "this is the source page",
    "transposeCoalesced.sum_per-nvtx.v24": NO_ROWS,
    "transposeCoalesced.sumraw_per-nvtx.v24": NO_ROWS,
}
# File, then launches, NVIDIA's rules in the first, and whether it is whole.
REENCODED = {
    "concat_two_runs": (2, 12, True),
    "crlf": (1, 12, True),
    "dequoted": (1, 12, True),
    "interleaved_stdout": (1, 12, True),
    "pandas_resave_details": (1, 12, True),
    "pandas_resave_raw": (1, 0, True),
    "semicolon_deDE_excel": (1, 12, True),
    "tab": (1, 12, True),
    "truncated": (1, 8, False),
    "utf16le_bom_crlf": (1, 12, True),
    "utf8_bom": (1, 12, True),
}
# What the details page prints, by the section that it is in.
SHOWN = {
    "SpeedOfLight": (
        *("dram_throughput_pct", "sm_throughput_pct", "memory_throughput_pct", "duration"),
    ),
    "Occupancy": ("achieved_occupancy_pct", "theoretical_occupancy_pct"),
    "LaunchStats": ("waves_per_sm", "grid_size", "block_size"),
    "MemoryWorkloadAnalysis": ("l1_hit_pct", "l2_hit_pct"),
}


def _read(path: Path) -> tuple[list[Launch], Source]:
    report = open_report(path, 0)
    return list(report.launches()), report.source()


def _refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        _read(path)
    return str(caught.value)


@cache
def _report(corpus: Path, stem: str) -> dict[str, Launch]:
    return {one.id: one for one in open_report(corpus / "rep" / f"{stem}.ncu-rep", 0).launches()}


def _kernels(path: Path) -> dict[str, KernelDiagnosis]:
    diagnosis, _ = diagnose([path], rules())
    return {kernel.id: kernel for kernel in diagnosis.kernels}


def _names(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.csv")} - {"catalog"}


def _chunk(folder: Path, number: int) -> list[Path]:
    return sorted(folder.glob("*.csv"))[number::CHUNKS]


def _differences(
    one: Launch, whole: Mapping[str, Launch]
) -> list[tuple[str, float | str, float | str | None]]:
    """List the numbers of a launch that are not the report's to the printed precision.

    That is two decimals of a value between 1 and 1000, half a percent at worst. On the
    raw page it is six decimals in the unit of the largest launch.
    """
    report = whole[one.id].metrics
    pairs = [(name, value, report.get(name)) for name, value in one.metrics.items()]
    return [
        (name, value, other)
        for name, value, other in pairs
        if isinstance(value, float)
        and isinstance(other, float)
        and abs(value - other) > 0.0051 + 0.0051 * abs(other) + 1e-6 * _largest(name, whole)
    ]


def _largest(metric: str, whole: Mapping[str, Launch]) -> float:
    values = [one.metrics.get(metric) for one in whole.values()]
    return max(abs(value) for value in values if isinstance(value, float))


def test_every_published_file_does_what_its_catalogue_expects(corpus: Path) -> None:
    folder = corpus / "csv" / "real"
    with (folder / "catalog.csv").open(encoding="utf-8") as file:
        expected = {
            row["file"].removesuffix(".csv"): row["expected"] for row in csv.DictReader(file)
        }
    assert set(REAL) == set(expected) == _names(folder)
    for name, outcome in REAL.items():
        if isinstance(outcome, str):
            assert not expected[name].startswith("read"), name
            assert outcome in _refusal(folder / f"{name}.csv"), name
            continue
        assert not expected[name].startswith("refuse"), name
        launches, source = _read(folder / f"{name}.csv")
        assert (source.format, len(launches), source.complete) == (*outcome, True), name
        unknown = any(note.startswith("units unknown") for note in source.notes)
        assert unknown == ("units unknown" in expected[name] or name.startswith("pandas")), name


def test_every_flavour_gives_the_numbers_of_its_report_or_refuses(corpus: Path) -> None:
    folder = corpus / "csv" / "flavours"
    for name in sorted(_names(folder)):
        path = folder / f"{name}.csv"
        if name in REFUSED:
            assert REFUSED[name] in _refusal(path), name
            continue
        launches, source = _read(path)
        assert source.complete, name
        if name in PAIRED:
            whole = {one.id: one for one in _read(folder / f"{PAIRED[name]}.csv")[0]}
        elif stem := next((s for start, s in EXPORTED.items() if name.startswith(start)), None):
            whole = _report(corpus, stem)
        else:
            assert name in PAIRED.values(), name
            continue
        assert len(launches) == len(whole), name
        for one in launches:
            shared = one.metrics.keys() & whole[one.id].metrics.keys()
            assert len(shared) >= min(4, len(one.metrics)), name
            assert _differences(one, whole) == [], name


def test_nvtx_names_come_from_their_column(corpus: Path) -> None:
    launches, _ = _read(corpus / "csv" / "flavours" / "nvtx.raw.v24.csv")

    assert [one.nvtx for one in launches] == [("Non-fused-GEMM",)] * 2 + [("Fused-GEMM",)]


def test_every_encoding_gives_the_same_table(corpus: Path) -> None:
    folder = corpus / "csv" / "reencoded"
    (report,) = _report(corpus, SOBEL).values()
    assert set(REENCODED) == _names(folder)
    for name, (count, messages, complete) in REENCODED.items():
        launches, source = _read(folder / f"{name}.csv")
        assert (len(launches), source.complete) == (count, complete), name
        for one in launches:
            assert (one.name, one.grid, one.block) == (report.name, report.grid, report.block)
            assert len(one.rules) == messages, name
            assert _differences(one, {one.id: report}) == [], name


def _unreadable(corpus: Path, path: Path) -> bool:
    """Tell whether an export holds no launch that was measured; it must be refused then."""
    if any(one.grid for one in _report(corpus, path.stem).values()) and path.stat().st_size:
        return False
    _refusal(path)
    return True


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_raw_exports_hold_the_report_rounded_to_two_decimals(chunk: int, corpus: Path) -> None:
    for path in _chunk(corpus / "raw_csv", chunk):
        if _unreadable(corpus, path):
            continue
        launches, source = _read(path)
        whole = _report(corpus, path.stem)
        lost = [one for id, one in whole.items() if id not in {one.id for one in launches}]
        assert (len(lost), source.complete) == (source.lost_launches, not lost), path.name
        assert not any(one.grid for one in lost), path.name
        for one in launches:
            report = whole[one.id]
            numbers = {n: float(f"{v:.2f}") for n, v in report.metrics.items() if _is_number(v)}
            found = {n: v for n, v in one.metrics.items() if _is_number(v)}
            assert found == numbers, f"{path.name} {one.id}"
            assert (one.name, one.demangled, one.nan) == (
                report.name,
                report.demangled,
                report.nan,
            )
            for field in ("block", "process", "device", "context", "stream", "workload"):
                assert getattr(one, field) == getattr(report, field), path.name


def _is_number(value: float | str) -> bool:
    return isinstance(value, float)


def _at_the_threshold(finding: Finding) -> bool:
    """Tell whether rounding to two decimals can move a number over a limit."""
    return any(
        isinstance(e.value, float)
        and e.threshold is not None
        and abs(e.value - e.threshold) <= 0.01 + 0.01 * abs(e.threshold)
        for e in finding.evidence
    )


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_raw_exports_say_what_the_reports_say(chunk: int, corpus: Path) -> None:
    """Equal bottlenecks, equal findings; what the CSV lacks is undecided, not different."""
    for path in _chunk(corpus / "raw_csv", chunk):
        if _unreadable(corpus, path):
            continue
        reports = _kernels(corpus / "rep" / f"{path.stem}.ncu-rep")
        for id, kernel in _kernels(path).items():
            report = reports[id]
            where = f"{path.name} {id}"
            assert kernel.bottleneck.kind == report.bottleneck.kind, where
            undecided = {one.rule for one in kernel.undecided}
            found = {one.rule: one for one in kernel.findings}
            expected = {one.rule: one for one in report.findings if one.rule not in undecided}
            for rule in found.keys() ^ expected.keys():
                assert _at_the_threshold(found.get(rule) or expected[rule]), f"{where}: {rule}"


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_details_exports_give_the_headline_figures(chunk: int, corpus: Path) -> None:
    for path in _chunk(corpus / "details_csv", chunk):
        whole = _report(corpus, path.stem)
        try:
            launches = {one.id: one for one in _read(path)[0]}
        except InputError as error:
            assert any(p in str(error) for p in ("no rows", "empty", "launch")), path.name
            continue
        reports = _kernels(corpus / "rep" / f"{path.stem}.ncu-rep")
        for id, kernel in _kernels(path).items():
            assert _differences(launches[id], whole) == [], f"{path.name} {id}"
            for section, quantities in SHOWN.items():
                wanted = section in launches[id].sections
                for name in quantities if wanted else ():
                    value = reports[id].quantities.get(name)
                    # A launch whose counters are another's has none of its own.
                    suspect = kernel.absent.get(name) == "suspect"
                    if isinstance(value, float) and not suspect:
                        assert kernel.quantities[name] == pytest.approx(
                            value, rel=0.0051, abs=0.0051
                        ), f"{path.name} {id}: {name}"
            assert kernel.stalls is None
            assert any("WarpStateStats" in one.collect for one in kernel.undecided)
            assert not any(point.intensity for point in kernel.roofline.points)
            assert "--section" in (kernel.roofline.why_not or kernel.roofline.note or "")
            assert _messages(kernel.nvidia_rules) == _messages(reports[id].nvidia_rules), path.name


def _messages(messages: list[NvidiaRule]) -> Counter[tuple[str, str, str, str | None, str]]:
    """Count the messages by all that a CSV keeps of them; it has no titles."""
    return Counter(
        (one.rule, one.section, one.kind, one.scope, " ".join(one.text.split())) for one in messages
    )


def test_a_page_with_body_rows_has_stalls_pipes_and_a_roofline(corpus: Path) -> None:
    path = corpus / "csv" / "flavours" / "transposeCoalesced.details_body.v24.csv"
    (kernel,) = _kernels(path).values()
    (report,) = _kernels(corpus / "rep" / f"{TRANSPOSE}.ncu-rep").values()

    assert kernel.stalls is not None and report.stalls is not None
    assert kernel.stalls.fractions == pytest.approx(report.stalls.fractions, abs=1e-3)
    assert "bank-conflicts" in {one.rule for one in kernel.findings}
    assert kernel.roofline.placed
