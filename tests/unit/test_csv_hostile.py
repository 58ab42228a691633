"""Whatever the bytes: launches or one line, no other error, and bounded memory."""

from __future__ import annotations

import random
import time
import tracemalloc
from pathlib import Path

import pytest
from fixtures.csv_reading import read
from fixtures.csv_writer import DURATION, SOL, csv_launch, details, raw

from ncu_triage.errors import TriageError
from ncu_triage.readers.csv import text
from ncu_triage.readers.csv.names import base_name
from ncu_triage.readers.open import open_report

TIME = "gpu__time_duration.sum"
RULE = ("SpeedOfLight", "SOLBottleneck", "ERR", "Failed:\nno metric.", "", "")
SEEDS = (
    details(csv_launch(rules=[RULE]), csv_launch(id=1)).encode(),
    details(csv_launch()).replace('"', "").encode("utf-16"),
    raw({TIME: "ns", "sass__inst_executed_per_opcode": ""}).encode(),
    b"ID,0\ngpu__time_duration.sum [us],12.3\n",
)


def _damaged(data: bytes, chance: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(chance.choice((1, 4, 16))):
        place = chance.randrange(len(out) + 1)
        noise = bytes(chance.choice(b'",;\t\n\r0.(){}[]\0\xff') for _ in range(9))
        out[place : place + chance.choice((0, 1, 40))] = noise[: chance.randrange(9)]
    return bytes(out)


@pytest.mark.parametrize("seed", range(4))
def test_damage_never_surprises(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    for _ in range(150):
        try:
            got = read(tmp_path, _damaged(SEEDS[seed], chance))
        except TriageError as error:
            assert "\n" not in str(error)
            continue
        assert all(one.name and one.id for one in got.launches)
        assert not [note for note in got.source.notes if "\n" in note]


def test_a_file_is_never_loaded_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_PIECE", 1 << 16)
    path = tmp_path / "large.csv"
    units = {f"sm__counter_{i}.sum": "inst" for i in range(400)}
    row = csv_launch(raw=dict.fromkeys(units, "1234567"))
    head, unit, line = raw(units, row).splitlines()
    path.write_text("\n".join([head, unit, *[line] * 400]))
    assert path.stat().st_size > 1.5e6

    report = open_report(path, 0)
    tracemalloc.start()
    count = sum(1 for _ in report.launches())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (count, peak < 1e6) == (400, True)


def test_a_launch_takes_well_under_a_millisecond(tmp_path: Path) -> None:
    """Sixty rows a launch, two hundred launches; it takes a third of this."""
    rows = [(SOL, f"sm__counter_{i}.sum", "inst", f"{i}.50") for i in range(60)]
    path = tmp_path / "details.csv"
    path.write_text(details(*(csv_launch(id=i, rows=rows) for i in range(200))))
    times = []
    for _ in range(3):
        start = time.process_time()
        assert sum(1 for _ in open_report(path, 0).launches()) == 200
        times.append(time.process_time() - start)

    assert min(times) < 0.2


def test_a_line_without_end_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "LONGEST_LINE", 1000)
    monkeypatch.setattr(text, "_PIECE", 300)

    got = read(tmp_path, "x" * 5000 + "\n" + details(csv_launch()))

    assert len(got.launches) == 1
    assert got.source.notes == ["1 line longer than 16 MB: left out"]


def test_texts_beyond_all_bounds_are_cut(tmp_path: Path) -> None:
    rows = [
        DURATION,
        (SOL, "x" * 5000, "%", "1.00"),
        (SOL, "Compute (SM) Throughput", "y" * 5000, "2"),
    ]

    one = read(tmp_path, details(csv_launch(kernel="k" * 100_000, rows=rows))).one

    assert len(one.name) == 1 << 16
    assert one.metrics[TIME] == pytest.approx(5410)


@pytest.mark.parametrize(
    "name", ["<", "(((", "))", "a<b", "operator()", "::", "_Z99x", "f<(int)4>"]
)
def test_a_name_against_all_rules_stays_a_name(name: str) -> None:
    assert base_name(name)


@pytest.mark.parametrize(
    ("full", "name"),
    [
        ("operator<<(int)", "operator<<"),
        ("ns::operator()(int *)", "operator()"),
        ("void ns::operator[](int)", "operator[]"),
        ("std::operator<=>(a, b)", "operator<=>"),
        ("my_operator<int>(int)", "my_operator"),
        ("void run<ns::Op::operator()(int)::lambda>(int)", "run"),
    ],
)
def test_an_operators_sign_is_part_of_its_name(full: str, name: str) -> None:
    assert base_name(full) == name


def test_kernels_that_have_no_name_are_counted(tmp_path: Path) -> None:
    two = details(csv_launch(id=0), csv_launch(id=1, kernel=""), csv_launch(id=2))

    notes = read(tmp_path, two).source.notes

    assert "the table does not name the kernel of 1 of 3 launches" in notes
