"""The file of measured ceilings: it reads back, and says what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncu_triage.ceilings.file import Ceilings, Gpu, Reached, parse, read, text_of
from ncu_triage.errors import UsageError

GPU = Gpu(name="NVIDIA RTX A4500", compute_capability="8.6", sm_count=56, dram_nominal=640.08e9)
COPY = Reached(
    unit="DRAM",
    mix="copy",
    value=563.27e9,
    nominal=640.08e9,
    share_pct=88.0,
    busy_pct=92.0,
    sm_clock=1.05e9,
    kernel="copy_rows",
    report="copy.ncu-rep",
    launches=3,
    how="by hand",
)
PRODUCT = Reached(
    unit="fp32",
    value=12.8e12,
    nominal=15.0528e12,
    share_pct=85.0,
    busy_pct=86.0,
    kernel='multiply<"a\\b">(\x7f\x1b[0m, 矩阵)',
    launches=1,
    how="by hand",
)
FILE = Ceilings(format=1, gpu=GPU, ceiling=[COPY, PRODUCT])
TEXT = text_of(FILE)


def test_what_is_written_reads_back() -> None:
    found = parse(TEXT, "x")
    assert found.gpu == GPU
    assert found.ceiling[0] == COPY
    # Names of kernels are foreign text: quotes, control characters, any script.
    assert found.ceiling[1] == PRODUCT
    assert text_of(found) == TEXT


def test_a_person_can_read_it() -> None:
    assert "value = 5.63270e11\n" in TEXT
    assert 'mix = "copy"\n' in TEXT
    assert "share_pct = 88\n" in TEXT
    assert TEXT.startswith("# What reference kernels reach on this GPU")
    assert "\x1b" not in TEXT and "\x7f" not in TEXT


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format = 1", "format = 2", "format 2 is of a later version, not 1"),
        ("format = 1", "format 1", "this is no TOML"),
        ("sm_count = 56\n", "", "sm_count"),
        ("launches = 3", 'launches = "3"', "launches"),
        ("launches = 3", "launches = 3\nspeed = 1", "speed"),
        ('unit = "DRAM"', 'unit = "RAM"', r"ceiling 1 \(RAM\): the unit is one of"),
        ("value = 5.63270e11", "value = 7e11", "it exceeds the nominal value"),
        ("value = 5.63270e11", "value = nan", "value is no number above 0"),
        ("value = 5.63270e11", "value = -1.0", "value is no number above 0"),
        ("share_pct = 88\n", "share_pct = 60\n", "share_pct is not value / nominal"),
        ("busy_pct = 92\n", "busy_pct = 120\n", "busy_pct is above 100"),
        # 64 of 640 GB/s: no kernel that reaches so little stands at a wall.
        (
            "value = 5.63270e11\nnominal = 6.40080e11\nshare_pct = 88",
            "value = 6.4008e10\nnominal = 6.40080e11\nshare_pct = 10",
            "it is 10.0 % of nominal, and below 60.0 % no unit is at its wall",
        ),
        (
            "value = 5.63270e11\nnominal = 6.40080e11\nshare_pct = 88",
            "value = 8.8e10\nnominal = 1e11\nshare_pct = 88",
            "nominal is not the dram_nominal of the GPU",
        ),
        ("launches = 3", "launches = -3", "launches is no number above 0"),
        ("sm_clock = 1.05000e09", "sm_clock = 1", "in Hz, and 1 Hz is the clock of no GPU"),
        ("sm_count = 56", "sm_count = 0", "gpu: sm_count is no number above 0"),
        ("dram_nominal = 6.40080e11", "dram_nominal = -1.0", "gpu: dram_nominal is no number"),
        ('mix = "copy"\n', "", "mix .* belongs to DRAM"),
        ('mix = "copy"\n', 'mix = "half"\n', "half"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(UsageError, match=message) as caught:
        parse(TEXT.replace(old, new, 1), "--ceilings a.toml")
    assert str(caught.value).startswith("--ceilings a.toml")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="no UTF-8 text"):
        read(tmp_path / "binary.toml")
