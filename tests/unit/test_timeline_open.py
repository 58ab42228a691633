"""One line for every file that is no timeline."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from ncu_triage.errors import InputError
from ncu_triage.timeline.open import open_timeline

FOREIGN = {
    "file is empty": b"",
    "nsys export --type sqlite FILE": b"NVIDIA Tegra Profiler Report\x00\x01",
    "report of Nsight Compute": b"NVR\0\x01\0\0\0",
    "without --timeline": b"\x28\xb5\x2f\xfd\x04\x00",
    "Git LFS pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
    "zip archive": b"PK\x03\x04rest",
    "unpack it first": b"\xfd7zXZ\0rest",
    "ELF": b"\x7fELF\x02\x01",
    "web page": b"\n<!DOCTYPE html><html></html>",
    "SQLite file packed with gzip": gzip.compress(b"SQLite format 3\0rest"),
    "gzip, and holds no trace": gzip.compress(b"notes"),
    "with gzip": b"\x1f\x8b\x08\x00broken",
    "unknown content": b"Start (ns),Duration (ns),Name\n1,2,k\n",
    ".json.gz": b"[1234] a line of output\n",
    "no timeline": bytes(range(255, 0, -1)),
}  # fmt: skip


@pytest.mark.parametrize("phrase", FOREIGN)
def test_a_foreign_file_is_named_in_one_line(phrase: str, tmp_path: Path) -> None:
    path = tmp_path / "secret-name.sqlite"
    path.write_bytes(FOREIGN[phrase])

    with pytest.raises(InputError) as caught:
        open_timeline(path)

    assert phrase in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_what_is_no_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    cases = {
        "missing": "no such file",
        ".": "directory",
        "pipe": "pipe",
        "a\0b": "no valid file name",
    }
    for name, phrase in cases.items():
        with pytest.raises(InputError, match=phrase):
            open_timeline(tmp_path / name)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/home/me")

    (tmp_path / "t.json").write_text("{}")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match="not permitted"):
        open_timeline(tmp_path / "t.json")
