"""What a report tells of itself: the file, the profiler's version, the settings."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec
import pytest
from fixtures.report_writer import Workload, launch, write_report

from ncu_triage.errors import InputError
from ncu_triage.model import Settings
from ncu_triage.readers.open import open_report
from ncu_triage.readers.report import Report


def opened(folder: Path, *launches: Workload, **overrides: object) -> Report:
    report = open_report(write_report(folder / "r.ncu-rep", launches, **overrides), 0)
    list(report.launches())
    return report


def test_the_source_is_named_without_its_folder(tmp_path: Path) -> None:
    source = opened(tmp_path, launch()).source()

    assert source.name == "r.ncu-rep"
    assert source.sha256 == hashlib.sha256((tmp_path / "r.ncu-rep").read_bytes()).hexdigest()
    assert source.ncu_version == "2024.1.1.0"
    assert (source.complete, source.lost_launches, source.notes) == (True, 0, [])


def test_a_file_name_that_is_no_text_can_still_be_printed(tmp_path: Path) -> None:
    path = write_report(tmp_path / os.fsdecode(b"n\xff.ncu-rep"), [launch()])

    assert open_report(path, 0).source().name == "n\ufffd.ncu-rep"


def test_a_report_may_lack_the_profilers_version(tmp_path: Path) -> None:
    assert opened(tmp_path, launch(), version=None).source().ncu_version is None


def test_another_file_version_is_read_and_noted(tmp_path: Path) -> None:
    source = opened(tmp_path, launch(), file_version=8).source()

    assert source.complete
    assert source.notes == ["file version 8, read with NVIDIA's reader"]


def test_a_report_without_launches_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no launches: nothing was profiled"):
        opened(tmp_path)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (None, Settings()),
        ("ncu app", Settings()),
        ("ncu --set full --clock-control none app", Settings(set="full", clock_control="none")),
        ("ncu -f --replay-mode=application app --set x", Settings(replay_mode="application")),
        ("ncu -kx --set full app --set basic", Settings(set="full")),
        ('"C:\\Program Files\\NVIDIA\\ncu.exe" --set basic app', Settings(set="basic")),
        ("/opt/ncu/2024/ncu app", Settings()),
        ("python train.py --set full", Settings()),
        ("ncu -k regex:x --cache-control all app", Settings(cache_control="all")),
        ("ncu --set /home/secret-user/x app", Settings()),
        ("ncu --set", Settings()),
        ("", Settings()),
    ],
)
def test_settings_come_from_the_command_line(
    command: str | None, expected: Settings, tmp_path: Path
) -> None:
    report = opened(tmp_path, launch(clock_locked=None), command_line=command)

    assert report.settings() == expected


def test_the_profilers_own_record_wins(tmp_path: Path) -> None:
    report = opened(
        tmp_path,
        launch(clock_locked=False),
        command_line="ncu --clock-control boost app",
        settings={8: "Base", 11: "Kernel"},
    )

    assert report.settings() == Settings(clock_control="base", replay_mode="kernel")


def test_the_clock_is_told_by_the_launches_where_they_agree(tmp_path: Path) -> None:
    assert opened(tmp_path, launch(clock_locked=True)).settings().clock_control == "base"
    assert opened(tmp_path, launch(clock_locked=False)).settings().clock_control == "none"
    mixed = opened(tmp_path, launch(clock_locked=True), launch(clock_locked=False))
    assert mixed.settings().clock_control is None


def test_sections_are_the_union_over_the_launches(tmp_path: Path) -> None:
    report = opened(tmp_path, launch(sections=["B", "A"]), launch(sections=["A", "C"]))

    assert report.settings().sections == ["A", "B", "C"]


def test_nothing_private_is_kept(tmp_path: Path) -> None:
    """The synthetic file holds a host, an address, a user's folder and arguments."""
    report = opened(
        tmp_path, launch(), command_line="ncu --set full /home/secret-user/app --secret"
    )

    kept = msgspec.json.encode([list(report.launches()), report.source(), report.settings()])

    assert b"secret" not in kept
    assert b"10.0.0.1" not in kept
