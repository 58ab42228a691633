"""The cache saves time and decides nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ncu_triage import cache


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "ncu-triage"


def test_it_is_made_once(place: Path) -> None:
    calls = iter([b"first", b"second"])
    assert cache.cached("x", lambda: next(calls)) == b"first"
    assert cache.cached("x", lambda: next(calls)) == b"first"
    assert [path.name for path in place.iterdir()] == ["x"]


def test_a_damaged_file_is_made_anew(place: Path) -> None:
    cache.cached("x", lambda: b"good")
    (place / "x").write_bytes((place / "x").read_bytes()[:-1])
    assert cache.cached("x", lambda: b"new") == b"new"


def test_a_folder_that_others_may_write_to_is_not_used(place: Path) -> None:
    place.mkdir(mode=0o777)
    place.chmod(0o777)
    assert cache.cached("x", lambda: b"mine") == b"mine"
    assert list(place.iterdir()) == []


def test_a_place_that_is_no_folder_costs_time_only(place: Path) -> None:
    place.write_text("in the way")
    assert cache.cached("x", lambda: b"made") == b"made"


def test_what_versions_long_gone_have_left_is_removed(place: Path) -> None:
    for number in range(120):
        cache.store(f"old{number}", b"old")
    for path in list(place.iterdir())[:90]:
        os.utime(path, (1.0, 1.0))
    cache.store("new", b"new")
    assert len(list(place.iterdir())) == 31
    assert cache.load("new") == b"new"
