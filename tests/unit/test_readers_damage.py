"""Cut, damaged and hostile reports: read as far as they go, or refused in one line."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import NamedTuple

import pytest
import zstandard
from fixtures.report_writer import Rule, block, launch, message, report_bytes, sized, write_report

from ncu_triage.errors import InputError, TriageError
from ncu_triage.model import Source
from ncu_triage.readers.ncu_rep import compressed, container
from ncu_triage.readers.open import open_report

FULL = launch(
    metrics={"a": 1, "b": 2.5, "text": "x", "none": None},
    histograms={"sass__inst_executed_per_opcode": {"FFMA": 3}},
    sections=["SpeedOfLight"],
    rules=[Rule(title="T", speedup=3.0)],
    push_pop={1: ["step"]},
)


class Reading(NamedTuple):
    names: list[str]
    source: Source


def read(path: Path) -> Reading:
    report = open_report(path, 0)
    names = [one.name for one in report.launches()]
    report.settings()
    return Reading(names, report.source())


def reading(data: bytes, folder: Path) -> Reading:
    path = folder / "r.ncu-rep"
    path.write_bytes(data)
    return read(path)


def start_of(data: bytes, name: str) -> int:
    return data.index(name.encode())


def test_a_cut_within_a_launch_keeps_those_before_it(tmp_path: Path) -> None:
    data = report_bytes([launch(name="first"), launch(name="second"), launch(name="third")])

    names, source = reading(data[: start_of(data, "second(")], tmp_path)

    assert names == ["first"]
    assert (source.complete, source.lost_launches) == (False, 1)
    (note,) = source.notes
    assert note.startswith("the file ends in the middle of block 3")
    assert note.endswith(": 1 launch could not be read")


def test_a_cut_within_a_shared_block_counts_what_its_header_promised(tmp_path: Path) -> None:
    data = report_bytes([launch(name=f"k{i}") for i in range(4)], per_block=4)

    names, source = reading(data[: start_of(data, "k2(")], tmp_path)

    assert names == ["k0", "k1"]
    assert source.lost_launches == 2


def test_a_cut_within_the_last_header_is_noted(tmp_path: Path) -> None:
    names, source = reading(report_bytes([launch(name="copy")])[:-1], tmp_path)

    assert names == ["copy"]
    assert not source.complete
    assert "is cut off or damaged" in source.notes[0]


def test_what_follows_the_last_block_is_noted(tmp_path: Path) -> None:
    whole = report_bytes([launch()])

    assert "second report" in reading(whole + whole, tmp_path).source.notes[0]
    assert "(the last 9 bytes)" in reading(whole + b"\xff" * 9, tmp_path).source.notes[0]
    assert "(the last 8 bytes)" in reading(whole + b"\0" * 8, tmp_path).source.notes[0]


def test_a_damaged_launch_keeps_its_number(tmp_path: Path) -> None:
    value = message((1, 0), (2, message((5, 1))))
    nameless = message((12, "no name at all"), (13, value))
    path = write_report(
        tmp_path / "r.ncu-rep",
        [
            launch(raw=b"\xff" * 40),
            launch(raw=nameless),
            launch(name="bare", metrics={}),
            launch(name="copy"),
        ],
    )

    report = open_report(path, 0)
    ids = [one.id for one in report.launches()]

    assert ids == ["0/0/3"]
    assert report.source().lost_launches == 3
    assert report.source().notes == ["3 launches damaged, or without a name or metrics"]


def test_metrics_without_a_name_tell_of_missing_blocks(tmp_path: Path) -> None:
    data = report_bytes([launch(metrics={"a": 1}), launch(metrics={"a": 1, "b": 2})])
    nameless = data.replace(message((1, "b")), b"\x7a\x01b")

    source = reading(nameless, tmp_path).source

    assert source.notes == ["1 metric values without a name: blocks are missing"]
    assert not source.complete


def test_a_name_that_is_no_text_is_still_a_name(tmp_path: Path) -> None:
    data = report_bytes([launch(name="copy")]).replace(b"copy", b"c\xffpy")

    assert reading(data, tmp_path).names == ["c\ufffdpy"]


def test_a_report_of_which_nothing_can_be_read_is_refused(tmp_path: Path) -> None:
    data = report_bytes([launch(name="copy")])
    cut = data[: start_of(data, "copy")]

    for useless in (data[:4], data[:8], data[:16], cut, report_bytes([launch(raw=b"\xff" * 40)])):
        with pytest.raises(InputError, match="copy") as caught:
            reading(useless, tmp_path)
        assert "\n" not in str(caught.value)


def test_counts_and_sizes_are_not_believed(tmp_path: Path) -> None:
    """Headers may promise four thousand million launches, in blocks larger than the file."""
    most = 2**32 - 1
    whole = report_bytes([launch(name="copy")])
    greedy = [
        block(b"", (2, most), (7, most), (8, most), (9, most)),
        block(b"\0" * 64, (1, most), (2, most)),
        sized(message((2, most), (5, most))) + b"\0" * 64,
        struct.pack("<I", most) + b"\x10\x01",
        block(struct.pack("<I", most) + b"\0" * 60, (2, 1)),
    ]
    for extra in greedy:
        assert reading(whole + extra, tmp_path).names == ["copy"]


def test_the_number_of_blocks_and_names_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = report_bytes([launch(name="first"), launch(name="second")])

    monkeypatch.setattr(container, "MAX_BLOCKS", 2)
    names, source = reading(data, tmp_path)
    assert names == ["first"]
    assert "more blocks or names" in source.notes[0]

    monkeypatch.setattr(container, "MAX_MESSAGE", 20)
    with pytest.raises(InputError, match="no launch can be read"):
        reading(data, tmp_path)


def test_names_that_repeat_cost_their_place_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report that is put together from others has the same names over and over."""
    whole = report_bytes([launch(name="copy", metrics={f"m{i}": 1.0 for i in range(50)})])
    start = 8 + struct.unpack_from("<I", whole, 4)[0]
    many = whole[:start] + whole[start:] * 40

    monkeypatch.setattr(container, "MAX_NAMES", 60)
    names, source = reading(many, tmp_path)
    assert (len(names), source.complete) == (40, True)

    monkeypatch.setattr(container, "MAX_REPEATED_NAMES", 500)
    names, source = reading(many, tmp_path)
    assert len(names) < 40 and "more blocks or names" in source.notes[0]


def test_what_is_empty_in_a_packed_report_takes_no_room(tmp_path: Path) -> None:
    data = report_bytes([launch(name="copy")]) + bytes(3 << 20) + b"x"
    path = tmp_path / "r.ncu-repz"
    path.write_bytes(zstandard.ZstdCompressor().compress(data))
    with path.open("rb") as file:
        unpacked, damage = compressed.unpack(file)
    assert (unpacked.size, damage) == (len(data), None)
    assert unpacked.read(0, len(data)) == data


def test_nested_groups_do_not_exhaust_the_stack(tmp_path: Path) -> None:
    """Wire type 3 opens a group of an unknown field; ten thousand within each other."""
    bomb = b"\xa3\x06" * 10_000

    assert reading(report_bytes([launch(name="copy"), launch(raw=bomb)]), tmp_path).names == [
        "copy"
    ]


def test_a_cut_compressed_report_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(300_000).hex()
    launches = [launch(name="copy"), launch(metrics={"noise": noise})]
    path = write_report(tmp_path / "r.ncu-repz", launches)
    path.write_bytes(path.read_bytes()[:200_000])

    names, source = read(path)

    assert names == ["copy"]
    assert not source.complete


def test_damage_within_the_compressed_data_is_noted(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(3_000_000)
    frame = bytearray(zstandard.ZstdCompressor().compress(report_bytes([launch()]) + noise))
    frame[2_000_000:2_900_000] = b"\xff" * 900_000
    path = tmp_path / "r.ncu-repz"
    path.write_bytes(frame)

    names, source = read(path)

    assert names == ["copy"]
    assert source.notes[0] == "the compressed data is damaged: it was unpacked up to there"


def test_what_follows_the_compressed_report_is_noted(tmp_path: Path) -> None:
    path = write_report(tmp_path / "r.ncu-repz", [launch(name="copy")])
    path.write_bytes(path.read_bytes() * 2)

    names, source = read(path)

    assert names == ["copy"]
    assert "second report" in source.notes[0]


def test_unpacking_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed, "MAX_UNPACKED", 1 << 20)
    path = tmp_path / "r.ncu-repz"
    bomb = report_bytes([launch()]) + b"\0" * (8 << 20)
    path.write_bytes(zstandard.ZstdCompressor().compress(bomb))

    names, source = read(path)

    assert names == ["copy"]
    assert source.notes[0].startswith("unpacking stopped at")


def harm(data: bytes, dice: random.Random) -> bytes:
    """Flip a bit, set a byte, insert, delete, or claim an absurd length."""
    at = dice.randrange(4, len(data))
    some = dice.choice([1, 4, 40])
    before, after = data[:at], data[at:]
    return dice.choice(
        [
            before + bytes([after[0] ^ 1 << dice.randrange(8)]) + after[1:],
            before + dice.choice([b"\0", b"\x7f", b"\x80", b"\xff"]) + after[1:],
            before + dice.randbytes(some) + after,
            before + after[some:],
            before + struct.pack("<I", dice.choice([0, 2**31, 2**32 - 1])) + after[4:],
        ]
    )


@pytest.mark.parametrize("packed", [False, True])
def test_no_byte_string_escapes_as_another_error(packed: bool, tmp_path: Path) -> None:
    data = report_bytes([FULL, launch(kind="graph"), launch(name="last")])
    if packed:
        data = zstandard.ZstdCompressor().compress(data)
    for seed in range(150 if packed else 600):
        dice = random.Random(seed)
        harmed = harm(data, dice)
        for _ in range(seed % 4):
            harmed = harm(harmed, dice)
        try:
            lines = reading(harmed, tmp_path).source.notes
        except TriageError as error:
            lines = [str(error)]
        assert not any("\n" in line for line in lines)
