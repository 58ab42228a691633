"""What a file is, by its first bytes; and one line for everything that is no report."""

from __future__ import annotations

import gc
import gzip
import hashlib
import os
import threading
from pathlib import Path

import pytest
import zstandard
from fixtures.report_writer import launch, report_bytes, write_report

from ncu_triage.errors import InputError
from ncu_triage.readers.ncu_rep.bytefile import Ahead, ByteFile
from ncu_triage.readers.open import open_report

FOREIGN = {
    "empty": b"",
    "Git LFS pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
    "web page": b"\n<!DOCTYPE html><html><body>404</body></html>",
    "gzip": gzip.compress(b"NVR\0"),
    "zip archive": b"PK\x03\x04rest",
    "xz": b"\xfd7zXZ\0rest",
    "tar archive": b"a".ljust(257, b"\0") + b"ustar\0",
    "SQLite": b"SQLite format 3\0rest",
    "ELF": b"\x7fELF\x02\x01",
    "JSON": b'{"schema_version": 1}',
    "beside the report (.ncu-rep) of the same program": b"SQLite format 3\0rest",
    "nsys export --type sqlite": b"NVIDIA Tegra Profiler Report\0\1",
    "this is a trace": b'\n{"schemaVersion": 1, "traceEvents": [',
    "as PyTorch's profiler writes": gzip.compress(b'[\n{"ph": "X", "cat": "Kernel"},\n'),
    "trace, as PyTorch's": gzip.compress(b'{"deviceProperties": [' + bytes(range(256)) * 99),
    "names launches but holds no metrics": b'"ID","Process ID","Kernel Name"\n"0","1","f"\n',
    "CSV export": '"ID";"Kernel Name"\n'.encode("utf-16"),
    "CSV": b"==PROF== Connected to process 1\n\"ID\",\"Kernel Name\"\n",
    "text": "Größe: keine\n".encode(),
    "first bytes (NVR) are missing": report_bytes([launch()])[4:],
    "(NVR) are missing": report_bytes([launch()])[8:],
    "are missing": report_bytes([launch()])[10:],
    "unknown content": bytes(range(255, 0, -1)),
    "no Nsight Compute report": b"\xff\xfe" + bytes(range(255, 0, -1)),
    "holds no Nsight Compute report": zstandard.ZstdCompressor().compress(b"notes"),
    "damaged or holds no": zstandard.ZstdCompressor().compress(b"notes")[:8],
}  # fmt: skip


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        list(open_report(path, 0).launches())
    return str(caught.value)


@pytest.mark.parametrize("phrase", FOREIGN)
def test_a_foreign_file_is_named_in_one_line(phrase: str, tmp_path: Path) -> None:
    path = tmp_path / "nightly.ncu-rep"
    path.write_bytes(FOREIGN[phrase])

    line = refusal(path)

    assert phrase in line
    assert "\n" not in line
    assert "nightly" not in line


def test_a_missing_file_a_directory_and_a_pipe_are_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert "no such file" in refusal(tmp_path / "missing.ncu-rep")
    assert "directory" in refusal(tmp_path)
    assert "pipe" in refusal(tmp_path / "pipe")
    assert "no valid file name" in refusal(Path("a\0b"))


def test_a_file_that_may_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/home/me")

    path = write_report(tmp_path / "r.ncu-rep", [launch()])
    monkeypatch.setattr(Path, "open", refuse)

    assert "not permitted" in refusal(path)


def test_a_failing_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error", "/home/me")

    path = write_report(tmp_path / "r.ncu-rep", [launch()])
    monkeypatch.setattr(Path, "open", refuse)

    assert refusal(path) == "reading the file failed: Input/output error"


@pytest.mark.parametrize("name", ["r.ncu-rep", "r.csv", "r", "r.ncu-repz"])
def test_the_content_decides_not_the_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(report_bytes([launch(name="copy")]))

    report = open_report(path, 0)

    assert [one.name for one in report.launches()] == ["copy"]
    assert report.source().format == "ncu-rep"


def test_a_compressed_report_reads_like_a_plain_one(tmp_path: Path) -> None:
    launches = [launch(name="copy"), launch(name="scale")]
    packed = open_report(write_report(tmp_path / "r.ncu-repz", launches), 0)
    plain = open_report(write_report(tmp_path / "r.ncu-rep", launches), 0)

    assert list(packed.launches()) == list(plain.launches())
    assert packed.source().format == "ncu-repz"
    assert packed.source().sha256 != plain.source().sha256


def test_a_report_gives_its_file_back(tmp_path: Path) -> None:
    """Left open, a file would be a ResourceWarning, which is an error in these tests."""
    path = write_report(tmp_path / "r.ncu-repz", [launch()])
    gc.collect()
    before = len(list(Path("/dev/fd").iterdir()))

    list(open_report(path, 0).launches())
    gc.collect()

    assert len(list(Path("/dev/fd").iterdir())) == before


def test_a_large_file_is_hashed_as_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    data = bytes(range(256)) * 40_000
    path.write_bytes(data)
    with path.open("rb") as file:
        read = ByteFile(file)
        read.hash_ahead()
        assert read.read(255, 2) == b"\xff\x00"
        assert read.sha256() == hashlib.sha256(data).hexdigest()
    assert not any(isinstance(thread, Ahead) for thread in threading.enumerate())
