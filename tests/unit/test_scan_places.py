"""Which files a scan takes: by what the user named, and by content in folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fixtures.report_writer import launch, report_bytes, write_report

from ncu_triage.errors import UsageError
from ncu_triage.scan import places
from ncu_triage.scan.places import Found, find
from ncu_triage.scan.remote import shown
from ncu_triage.scan.store import stem_of

REPORT = report_bytes([launch()])
DETAILS = (
    '"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Value"\n"0","1","k"\n'
)
SCRIPT = "ncu --metrics sm__cycles_active.avg,dram__bytes.sum,lts__t_bytes.sum ./app\n==PROF== x\n"


def _find(*paths: str | Path, out: Path = Path("/nowhere")) -> Found:
    return find([str(path) for path in paths], out)


def _names(*paths: str | Path, out: Path = Path("/nowhere")) -> list[str]:
    return [place.name for place in _find(*paths, out=out).places]


@pytest.mark.parametrize(
    ("name", "content", "taken"),
    [
        ("a.ncu-rep", REPORT, True),
        ("no-ending", REPORT, True),
        ("notes.txt", REPORT, True),
        ("broken.ncu-rep", b"", True),
        ("broken.ncu-repz", b"\0\1\2", True),
        ("details.csv", DETAILS.encode(), True),
        ("details", DETAILS.encode("utf-16"), True),
        ("run.log", ("x\n" * 5000 + DETAILS).encode(), True),
        ("failed.log", b"==PROF== Connected\n==ERROR== no permission\n", True),
        ("README.md", b"# ncu-triage\n", False),
        ("profile.sh", SCRIPT.encode(), False),
        ("other.csv", b"a,b,c\n1,2,3\n", False),
        ("empty.csv", b"", False),
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(5000), False),
        ("logs.zst", b"\x28\xb5\x2f\xfd" + bytes(20), False),
    ],
)
def test_a_folder_gives_profiles_by_content(
    tmp_path: Path, name: str, content: bytes, taken: bool
) -> None:
    (tmp_path / name).write_bytes(content)
    found = _find(tmp_path)
    assert [place.name for place in found.places] == ([name] if taken else [])
    assert found.passed_over == (0 if taken else 1)


def test_a_packed_report_is_looked_into(tmp_path: Path) -> None:
    packed = write_report(tmp_path / "a.ncu-repz", [launch()])
    packed.rename(tmp_path / "a.bin")
    assert _names(tmp_path) == ["a.bin"]


def test_a_named_file_is_taken_whatever_it_is(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("dear diary")
    assert _names(tmp_path / "README.md", tmp_path / "none.ncu-rep") == [
        "README.md",
        "none.ncu-rep",
    ]


def test_names_end_at_what_was_named(tmp_path: Path) -> None:
    for folder in ("nights/1", "nights/2", "other"):
        (tmp_path / folder).mkdir(parents=True)
        write_report(tmp_path / folder / "a.ncu-rep", [launch()])
    assert _names(tmp_path / "nights") == ["1/a.ncu-rep", "2/a.ncu-rep"]
    assert _names(tmp_path / "nights", tmp_path / "other") == [
        *("nights/1/a.ncu-rep", "nights/2/a.ncu-rep"),
        "other/a.ncu-rep",
    ]
    assert _names(f"{tmp_path}/nights/*/*.ncu-rep") == ["1/a.ncu-rep", "2/a.ncu-rep"]
    assert str(tmp_path) not in "".join(_names(f"{tmp_path}/**/*.ncu-rep"))


def test_a_file_called_like_a_pattern_is_a_file(tmp_path: Path) -> None:
    write_report(tmp_path / "a[1].ncu-rep", [launch()])
    assert _names(f"{tmp_path}/a[1].ncu-rep") == ["a[1].ncu-rep"]


def test_a_pattern_without_a_match_is_said(tmp_path: Path) -> None:
    found = _find(f"{tmp_path}/*.ncu-rep")
    assert not found.places
    assert "nothing matches" in found.refused[0].reason


def test_a_file_named_twice_is_one(tmp_path: Path) -> None:
    path = write_report(tmp_path / "a.ncu-rep", [launch()])
    assert _names(path, path) == ["a.ncu-rep"]


def test_what_a_scan_wrote_hidden_folders_and_pipes_are_left_alone(tmp_path: Path) -> None:
    for folder in ("out/reports", ".git", "in"):
        (tmp_path / folder).mkdir(parents=True)
        write_report(tmp_path / folder / "a.ncu-rep", [launch()])
    os.mkfifo(tmp_path / "pipe.ncu-rep")
    (tmp_path / "in" / "loop").symlink_to(tmp_path)
    assert _names(tmp_path, out=tmp_path / "out") == ["in/a.ncu-rep"]


def test_a_name_that_is_no_text_can_be_shown(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"a\xff.ncu-rep")  # noqa: PTH118
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(REPORT)
    (place,) = _find(tmp_path).places
    assert place.name == "a\N{REPLACEMENT CHARACTER}.ncu-rep"
    assert Path(place.where).read_bytes() == REPORT


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("https://me:secret@host/a.ncu-rep?sig=secret", "https://host/a.ncu-rep"),
        ("s3://bucket/a b.ncu-rep", "s3://bucket/a b.ncu-rep"),
        ("/home/me/a?b.ncu-rep", "/home/me/a?b.ncu-rep"),
    ],
)
def test_a_log_shows_no_password(url: str, text: str) -> None:
    assert shown(url) == text


def test_an_unknown_scheme_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="nonsense"):
        _find("nonsense://me:secret@host/x")


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("nights/gemm.ncu-rep", "gemm-0123456789ab"),
        ("../../etc/passwd", "passwd-0123456789ab"),
        ("<script>.ncu-repz", "script-0123456789ab"),
        ("漢字.ncu-rep", "report-0123456789ab"),
        ("a" * 300, "a" * 60 + "-0123456789ab"),
    ],
)
def test_a_page_is_called_after_its_report(name: str, stem: str) -> None:
    assert stem_of(name, "0123456789abcdef") == stem


def test_a_folder_that_cannot_be_read_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "n" / "closed").mkdir(parents=True)
    (tmp_path / "n" / "a.ncu-rep").write_bytes(REPORT)
    scandir = os.scandir

    def refusing(path: str) -> object:
        # As for a user without rights, whoever runs the tests.
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    found = _find(tmp_path / "n")
    assert [place.name for place in found.places] == ["a.ncu-rep"]
    assert found.refused == [("closed/", "reading the folder failed: Permission denied")]


@pytest.mark.parametrize(("name", "taken"), [("t.csv", True), ("notes.txt", False)])
def test_a_table_that_cannot_be_opened_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, taken: bool
) -> None:
    def closed(*args: object) -> bool:
        raise PermissionError(13, "Permission denied")

    (tmp_path / name).write_text("a,b\n")
    monkeypatch.setattr(places, "is_profile", closed)
    assert bool(_find(tmp_path).places) == taken
