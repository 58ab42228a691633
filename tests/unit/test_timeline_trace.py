"""PyTorch traces: exact times, categories of all years, and JSON that is broken."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from fixtures.timeline_case import ADD, SCALE, hand_worked
from fixtures.timeline_spec import Kernel, Spec
from fixtures.timeline_trace import event, events, trace_text, write_trace

from ncu_triage.errors import InputError
from ncu_triage.timeline.events import CopyKind, Shape, Timeline
from ncu_triage.timeline.measure.figures import figures
from ncu_triage.timeline.open import open_timeline
from ncu_triage.timeline.trace import events as reading
from ncu_triage.timeline.trace import stream
from ncu_triage.timeline.trace.times import nanoseconds


def read(path: Path, text: str | bytes) -> Timeline:
    path = path / "t.json"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return open_timeline(path)


def listed(*events: str) -> str:
    return '{"traceEvents": [\n' + ",\n".join(events) + "\n]}"


def kernel(start: int = 1_000, end: int = 2_000, name: str = "k", **args: object) -> str:
    return event("kernel", name, start, end, **{"device": 0, "stream": 7, **args})


@pytest.mark.parametrize("behind", [False, True])
def test_the_gpus_stand_before_the_events_or_behind(behind: bool, tmp_path: Path) -> None:
    path = write_trace(tmp_path / "t.json", hand_worked(), behind=behind)
    (gpu,) = open_timeline(path).devices

    assert (gpu.name, gpu.compute_capability) == ("NVIDIA RTX A4500", "8.6")
    assert (gpu.sm_count, gpu.clock) == (56, None)


def test_a_kernel_and_its_shape(tmp_path: Path) -> None:
    one = read(tmp_path, listed(kernel(name=SCALE, grid=(4, 3, 2), block=(64, 2, 1),
                                       registers_per_thread=40)))  # fmt: skip

    assert one.names[0].full == SCALE
    assert one.shapes[0] == Shape((4, 3, 2), (64, 2, 1), 40)
    assert one.source.format == "pytorch-trace"


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (12, 12_000),
        ("105.0", 105_000),
        ("1712169898123456.789", 1712169898123456789),
        ("0.0004", 0),
        ("1e999999999", None),
        ("nonsense", None),
        ("NaN", None),
        ("9" * 50, None),
        (None, None),
        (True, None),
        ([], None),
    ],
)
def test_times_are_exact_or_none(value: object, exact: int | None) -> None:
    assert nanoseconds(value) == exact


def test_nineteen_digits_keep_their_nanoseconds(tmp_path: Path) -> None:
    start = 1712169898123456789
    one = read(tmp_path, listed(kernel(start, start + 1), kernel(start + 3, start + 7)))

    assert list(one.kernels.start) == [start, start + 3]
    assert figures(one).gaps.gap_total_ns == 2


def test_a_unit_for_the_display_changes_no_time(tmp_path: Path) -> None:
    text = '{"displayTimeUnit": "ns", ' + listed(kernel())[1:]
    assert list(read(tmp_path, text).kernels.end) == [2_000]


def test_a_kernel_of_no_length_is_real_where_the_clock_is_coarse(tmp_path: Path) -> None:
    """It covers nothing and ends no gap, but it was launched."""
    one = read(tmp_path, listed(kernel(1_000, 2_000), kernel(4_000, 4_000), kernel(9_000, 9_500)))
    measured = figures(one)

    assert (measured.kernels.kernels, measured.kernels.busy_ns) == (3, 1_500)
    assert (measured.gaps.gaps, measured.gaps.gap_total_ns) == (1, 7_000)


def test_a_kernel_at_time_zero_has_lost_its_times(tmp_path: Path) -> None:
    one = read(tmp_path, listed(kernel(), kernel(0, 0)))

    assert len(one.kernels) == 1
    assert one.source.notes == ("1 event without usable times left out",)


def test_what_lies_on_a_gpu_track_but_is_no_work(tmp_path: Path) -> None:
    others = ("gpu_user_annotation", "cuda_sync", "cuda_event", "overhead", "cpu_op")
    one = read(tmp_path, listed(kernel(), *(event(cat, "x", 0, 90_000) for cat in others)))

    assert figures(one).any_busy_ns == 1_000
    assert len(one.overheads) == 1


def test_copies_are_told_by_their_names(tmp_path: Path) -> None:
    names = (
        "Memcpy HtoD (Pageable -> Device)",
        "Memcpy DtoD (Device -> Device)",
        "Memset (Device)",
    )
    one = read(tmp_path, listed(*(event("gpu_memcpy", name, 1, 9, bytes=4) for name in names)))

    assert one.copy_kinds == (CopyKind("HtoD", True), CopyKind("DtoD"), CopyKind("memset"))


def test_events_of_the_oddest_types_do_no_harm(tmp_path: Path) -> None:
    odd = [None, [], {}, "x", -1, 1e308, True, {"a": []}]
    fields = ("ph", "cat", "name", "pid", "tid", "ts", "dur", "args")
    inner = ("device", "stream", "context", "correlation", "grid", "block", "bytes")
    plain = json.loads(kernel(grid=(1, 1, 1), block=(1, 1, 1)))
    made = [plain | {field: value} for field in fields for value in odd]
    made += [plain | {"args": plain["args"] | {key: value}} for key in inner for value in odd]
    made += [plain | {"args": plain["args"] | {"grid": ["4", 1, 1]}}, plain]
    one = read(tmp_path, json.dumps({"traceEvents": [*made, 7, None, "x"]}))

    assert len(one.kernels) >= len(inner) * len(odd)
    assert (
        one.shapes[-1] == Shape((4, 1, 1), (1, 1, 1)) or Shape((4, 1, 1), (1, 1, 1)) in one.shapes
    )


def test_the_content_decides_not_the_name(tmp_path: Path) -> None:
    packed = gzip.compress(trace_text(hand_worked()).encode())
    assert len(read(tmp_path, packed).kernels) == 4
    plain = tmp_path / "t.json.gz"
    plain.write_text("\ufeff" + trace_text(hand_worked()))
    assert len(open_timeline(plain).kernels) == 4


# Broken JSON.


def test_a_cut_trace_keeps_all_complete_events(tmp_path: Path) -> None:
    whole = trace_text(hand_worked())
    cut = whole[: whole.index(ADD) + 4]
    one = read(tmp_path, cut)

    assert len(one.kernels) == 1
    assert one.devices[0].name == "NVIDIA RTX A4500"
    assert not one.source.complete
    assert one.source.lost_events == 1
    assert one.source.notes == (
        "the file ends inside its list of events: its writer was stopped",
        "1 unreadable event left out",
    )


def test_a_trace_that_ends_behind_a_comma_lost_only_its_end(tmp_path: Path) -> None:
    one = read(tmp_path, "[\n" + ",\n".join(events(hand_worked())) + ",\n")

    assert len(one.kernels) == 4
    assert (one.source.complete, one.source.lost_events) == (False, 0)


def test_packed_data_that_ends_early_or_is_damaged(tmp_path: Path) -> None:
    spec = Spec(kernels=[Kernel(f"k{i % 7}", 1_000 * i, 1_000 * i + 500) for i in range(1, 3_000)])
    packed = gzip.compress(trace_text(spec).encode())
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 0xFF
    for data in (packed[: len(packed) // 2], packed[:-4], bytes(damaged)):
        one = read(tmp_path, data)
        assert 0 < len(one.kernels) <= 2_999
        assert not one.source.complete
        assert "compressed data ends early" in one.source.notes[0]


MENDED = {
    "backslash": kernel(name=r"C:\projects\x"),
    "line end": kernel(name="two\nlines"),
    "control character": kernel(name="a\x01b"),
    "inf": kernel().replace('"stream"', '"blocks per SM": inf, "stream"'),
    "nan": kernel().replace('"stream"', '"blocks per SM": -nan, "stream"'),
}


@pytest.mark.parametrize("fault", MENDED)
def test_a_usual_fault_is_mended(fault: str, tmp_path: Path) -> None:
    one = read(tmp_path, listed(kernel(name="before"), MENDED[fault], kernel(name="after")))

    assert len(one.kernels) == 3
    assert one.source.complete
    assert {"before", "after"} < {name.full for name in one.names}
    assert not any("\n" in name.full or "\x01" in name.full for name in one.names)


LOST = {
    "quote": kernel(name='a "quoted" name'),
    "odd quote": kernel(name='an "odd name'),
    "no value": kernel().replace("1.000", ""),
    "brace": kernel().replace("}", "]", 1),
}


@pytest.mark.parametrize("fault", LOST)
def test_what_cannot_be_mended_is_counted_and_the_next_event_is_read(
    fault: str, tmp_path: Path
) -> None:
    one = read(tmp_path, listed(kernel(name="before"), LOST[fault], kernel(name="after")))

    assert {"before", "after"} <= {name.full for name in one.names}
    assert one.source.lost_events == 1
    assert not one.source.complete


def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    one = read(tmp_path, listed(kernel(name="bad")).encode().replace(b"bad", b"b\xff\xfed"))

    assert one.names[0].full == "b\ufffd\ufffdd"


def test_a_number_of_thousands_of_digits_loses_its_event_only(tmp_path: Path) -> None:
    long = kernel().replace('"ts": 1.000', f'"ts": {"9" * 9_000}')
    one = read(tmp_path, listed(kernel(), long))

    assert len(one.kernels) == 1
    assert one.source.lost_events == 1


def test_an_event_without_end_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_LONGEST", 4_000)
    monkeypatch.setattr(reading, "_CHUNK", 1_000)
    endless = kernel(name="x" * 20_000)[:-20]
    one = read(tmp_path, listed(kernel(name="before"), endless, kernel(name="after"))[:-1])

    assert [name.full for name in one.names] == ["before", "after"]
    assert one.source.lost_events == 1


@pytest.mark.parametrize("chunk", [300, 1_000])
def test_events_across_chunks_are_whole(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_CHUNK", chunk)
    spec = Spec(kernels=[Kernel(f"k{i}", 1_000 * i, 1_000 * i + 500) for i in range(1, 100)])
    one = read(tmp_path, trace_text(spec)[:-30])

    assert len(one.kernels) == 99
    assert one.source.lost_events == 0


# What is no trace.


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_ALLOWED", 100_000)
    with pytest.raises(InputError, match="times as large as the file"):
        read(tmp_path, gzip.compress(b'{"a":"' + b'b","c":"' * 1_000_000))


def test_a_text_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_LONGEST_TEXT", 100_000)
    with pytest.raises(InputError, match="has no end"):
        read(tmp_path, b'{"a":"' + b"b" * 1_000_000)


OTHERS = {
    "no trace of PyTorch": '{"schema_version": 1}',
    "its kinds": '{"traceEvents": []}',
    "no events of its kinds": '{"traceEvents": [{"ph": "X", "cat": "Op", "ts": 1, "dur": 2}]}',
    "old autograd profiler": '[{"name": "k", "ph": "X", "ts": 1, "dur": 2, "tid": 0,'
    ' "pid": "CUDA functions", "args": {}}]',
    "this is JSON": '{"traceEvents": {{{',
    "a file that export_chrome_trace wrote": "[" * 100_000,
}


@pytest.mark.parametrize("phrase", OTHERS)
def test_other_json_is_named(phrase: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=phrase) as caught:
        read(tmp_path, OTHERS[phrase])
    assert "\n" not in str(caught.value)


def test_a_trace_of_the_host_alone_holds_no_kernel(tmp_path: Path) -> None:
    assert len(read(tmp_path, listed(event("cpu_op", "aten::add", 1, 9))).kernels) == 0


# Layouts that other programs give a trace that they pass on.


def test_lists_of_objects_inside_of_an_event_do_not_cut_it(tmp_path: Path) -> None:
    inner = kernel(name="one").replace('"device"', '"extra": [{"id": 1}, {"name": "x"}], "device"')
    one = read(tmp_path, listed(inner, kernel(name="two")))

    assert [name.full for name in one.names] == ["one", "two"]
    assert (one.source.complete, one.source.lost_events) == (True, 0)


def test_keys_in_any_order_and_no_blanks(tmp_path: Path) -> None:
    made = [json.loads(kernel(i * 1_000, i * 1_000 + 500)) for i in range(1, 9)]
    shuffled = [{"zzz": 1, **one} if i % 2 else one for i, one in enumerate(made)]
    for sort in (False, True):
        text = json.dumps({"traceEvents": shuffled}, sort_keys=sort, separators=(",", ":"))
        one = read(tmp_path, text)
        assert (len(one.kernels), one.source.complete) == (8, True)
    one = read(tmp_path, json.dumps({"traceEvents": shuffled}, indent=60))
    assert (len(one.kernels), one.source.complete) == (8, True)


def test_events_of_the_host_are_passed_over_without_a_loss(tmp_path: Path) -> None:
    """One of them is broken, one hides a kernel that begins with an unknown key."""
    hiding = event("cpu_op", "aten::add", 1, 9) + ', {"zzz": 1, ' + kernel().lstrip()[1:]
    broken = event("cpu_op", 'an "odd name', 1, 9)
    one = read(tmp_path, listed(broken, hiding, kernel(), event("cpu_op", "last", 1, 9)))

    assert len(one.kernels) == 2
    assert (one.source.complete, one.source.lost_events) == (True, 0)
