"""Reports that lie in an object store or behind HTTP, served by these tests."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from fixtures.report_writer import launch, report_bytes

from ncu_triage.errors import UsageError
from ncu_triage.scan import remote

pytest.importorskip("s3fs", reason="ncu-triage[remote] is not installed")
pytest.importorskip("aiohttp", reason="ncu-triage[remote] is not installed")

SCAN = [sys.executable, "-m", "ncu_triage", "scan"]
KEYS = {"AWS_ACCESS_KEY_ID": "me", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
FILES = {
    "nights/1/a.ncu-rep": report_bytes([launch(name="a")]),
    "nights/2/b.ncu-rep": report_bytes([launch(name="b")]),
    "nights/2/copy.ncu-rep": report_bytes([launch(name="a")]),
    "nights/2/no-ending": report_bytes([launch(name="c")]),
    "nights/2/broken.ncu-rep": b"NVR\0",
    "nights/2/notes.txt": b"dear diary",
}


@pytest.fixture(scope="module")
def store() -> Iterator[dict[str, str]]:
    """Run an object store with a bucket of nights; yield the settings that lead to it."""
    pytest.importorskip("moto", reason="moto[server] is not installed")
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    address = next(m[0] for line in process.stderr if (m := re.search(r"http://\S+:\d+", line)))
    settings = {**KEYS, "AWS_ENDPOINT_URL": address, "NO_PROXY": "127.0.0.1"}
    drain = threading.Thread(target=process.stderr.read, daemon=True)
    drain.start()
    try:
        _fill(settings)
        yield settings
    finally:
        process.kill()
        process.wait()
        drain.join()
        process.stderr.close()


def _fill(settings: dict[str, str]) -> None:
    """Put the files into a bucket, from a process that s3fs may have to itself."""
    program = (
        "import json, sys, s3fs; fs = s3fs.S3FileSystem(); fs.mkdir('bucket');"
        "[fs.pipe_file('bucket/' + k, bytes.fromhex(v)) for k, v in json.load(sys.stdin).items()]"
    )
    given = json.dumps({name: content.hex() for name, content in FILES.items()})
    environment = {**os.environ, **settings}
    subprocess.run(
        [sys.executable, "-c", program], input=given, text=True, env=environment, check=True
    )


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    """Serve the files over HTTP and yield the address."""
    for name, content in FILES.items():
        path = tmp_path / "web" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    handler = partial(_Quiet, directory=str(tmp_path / "web"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        """Remember what was asked for."""
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _scan(
    out: Path, *where: str, settings: dict[str, str] | None = None
) -> tuple[int, list[dict[str, object]], str]:
    environment = {**os.environ, "NO_PROXY": "127.0.0.1", **(settings or {})}
    done = subprocess.run(
        [*SCAN, *where, "-o", str(out)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    index = out / "index.json"
    rows = json.loads(index.read_text())["reports"] if index.exists() else []
    return done.returncode, rows, done.stderr


def _names(rows: list[dict[str, object]]) -> set[str]:
    return {name for row in rows for name in row["names"]}  # type: ignore[attr-defined]


def test_a_folder_of_an_object_store(store: dict[str, str], tmp_path: Path) -> None:
    code, rows, said = _scan(tmp_path, "s3://bucket/nights", settings=store)
    assert code == 3
    assert _names(rows) == {name.removeprefix("nights/") for name in FILES if "notes" not in name}
    assert [row["names"] for row in rows if row["loss"]] == [["2/broken.ncu-rep"]]
    assert ["1/a.ncu-rep", "2/copy.ncu-rep"] in [row["names"] for row in rows]
    assert "secret" not in said


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("s3://bucket/nights/1/a.ncu-rep", {"a.ncu-rep"}),
        ("s3://bucket/nights/*/[ab].ncu-rep", {"1/a.ncu-rep", "2/b.ncu-rep"}),
    ],
)
def test_a_file_and_a_pattern_of_an_object_store(
    store: dict[str, str], tmp_path: Path, where: str, names: set[str]
) -> None:
    code, rows, _ = _scan(tmp_path, where, settings=store)
    assert (code, _names(rows)) == (0, names)


def test_the_second_run_judges_nothing_again(store: dict[str, str], tmp_path: Path) -> None:
    where = "s3://bucket/nights/1/"
    _scan(tmp_path, where, settings=store)
    _, _, said = _scan(tmp_path, where, settings=store)
    assert said.startswith("known   s3://bucket/nights/1/a.ncu-rep")


def test_what_is_not_there_is_a_row(store: dict[str, str], tmp_path: Path) -> None:
    code, rows, _ = _scan(tmp_path, "s3://bucket/none.ncu-rep", "s3://no-bucket/x/", settings=store)
    assert code == 3
    assert len(rows) == 2 and all(row["reason"] for row in rows)


def test_a_file_and_a_folder_over_http(web: str, tmp_path: Path) -> None:
    _Quiet.asked.clear()
    code, rows, _ = _scan(tmp_path / "file", f"{web}/nights/1/a.ncu-rep")
    assert (code, _names(rows)) == (0, {"a.ncu-rep"})
    assert _Quiet.asked.count("/nights/1/a.ncu-rep") == 1
    code, rows, _ = _scan(tmp_path / "folder", f"{web}/nights/2/")
    assert code == 3
    assert _names(rows) == {"b.ncu-rep", "copy.ncu-rep", "no-ending", "broken.ncu-rep"}


def test_a_server_that_says_no_is_a_row_without_its_password(web: str, tmp_path: Path) -> None:
    address = web.replace("http://", "http://me:secret@")
    code, rows, said = _scan(tmp_path, f"{address}/none.ncu-rep?signature=secret")
    assert code == 3
    assert rows[0]["names"] == ["none.ncu-rep"]
    assert rows[0]["reason"] == "there is no such file"
    assert "secret" not in said + json.dumps(rows)


def test_a_missing_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(UsageError, match=r"pip install 'ncu-triage\[remote\]'"):
        remote.expand("s3://bucket/a")
