"""Reports in Google's and in Azure's store, each played by an emulator on this machine.

pip install gcsfs gcp-storage-emulator adlfs; npm install -g azurite
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from fixtures.report_writer import launch, report_bytes

SCAN = [sys.executable, "-m", "ncu_triage", "scan"]
HOST = "127.0.0.1"
PATIENCE = 60.0
# The account and key that every copy of Azurite has.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
FILES = {
    "nights/1/a.ncu-rep": report_bytes([launch(name="a")]),
    "nights/2/b.ncu-rep": report_bytes([launch(name="b")]),
    "nights/2/copy.ncu-rep": report_bytes([launch(name="a")]),
    "nights/2/broken.ncu-rep": b"NVR\0",
    "nights/2/notes.txt": b"dear diary",
}
PUT = (
    "import json, sys, fsspec; fs = fsspec.filesystem(sys.argv[1]); fs.mkdir('bucket');"
    "[fs.pipe_file('bucket/' + k, bytes.fromhex(v)) for k, v in json.load(sys.stdin).items()]"
)


class Cloud(NamedTuple):
    """A store: its scheme, and the settings by which its own tools would find it."""

    scheme: str
    settings: dict[str, str]


def _google(port: int) -> tuple[list[str], Cloud]:
    _needs("gcsfs", "gcp_storage_emulator")
    command = [sys.executable, "-m", "gcp_storage_emulator", "start", "--in-memory"]
    settings = {
        "STORAGE_EMULATOR_HOST": f"http://{HOST}:{port}",
        "FSSPEC_GS_TOKEN": "anon",
        # Asks over another protocol what kind of bucket it is, and the emulator is silent.
        "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false",
    }
    return [*command, f"--host={HOST}", f"--port={port}"], Cloud("gs", settings)


def _azure(port: int) -> tuple[list[str], Cloud]:
    _needs("adlfs")
    program = shutil.which("azurite-blob")
    if program is None:
        pytest.skip("Azurite is not installed (npm install -g azurite)")
    told = {
        "DefaultEndpointsProtocol": "http",
        "AccountName": ACCOUNT,
        "AccountKey": KEY,
        "BlobEndpoint": f"http://{HOST}:{port}/{ACCOUNT}",
    }
    connection = "".join(f"{name}={value};" for name, value in told.items())
    command = [program, "--silent", "--inMemoryPersistence", "--disableTelemetry"]
    ports = ["--skipApiVersionCheck", "--blobHost", HOST, "--blobPort", str(port)]
    return [*command, *ports], Cloud("az", {"AZURE_STORAGE_CONNECTION_STRING": connection})


def _needs(*packages: str) -> None:
    for package in packages:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")


@pytest.fixture(scope="module", params=[_google, _azure], ids=["gs", "az"])
def cloud(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cloud]:
    """Run an emulator with a bucket of nights."""
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    command, found = request.param(port)
    folder = tmp_path_factory.mktemp("store")
    null = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=null, stderr=null, cwd=folder)
    try:
        _answers(process, port)
        given = json.dumps({name: content.hex() for name, content in FILES.items()})
        put = [sys.executable, "-c", PUT, found.scheme]
        subprocess.run(put, input=given, text=True, env=_environment(found), check=True)
        yield found
    finally:
        process.kill()
        process.wait()


def _answers(process: subprocess.Popen[bytes], port: int) -> None:
    """Wait for the emulator; skip where it does not run, as with a Python it is too old for."""
    deadline = time.monotonic() + PATIENCE
    while True:
        if process.poll() is not None:
            pytest.skip("the emulator of this store does not run here")
        with socket.socket() as line:
            if line.connect_ex((HOST, port)) == 0:
                return
        assert time.monotonic() < deadline, "the emulator did not start"
        time.sleep(0.1)


def _environment(cloud: Cloud) -> dict[str, str]:
    return {**os.environ, "NO_PROXY": HOST, **cloud.settings}


def _scan(cloud: Cloud, out: Path, where: str) -> tuple[int, list[dict[str, object]], str]:
    done = subprocess.run(
        [*SCAN, f"{cloud.scheme}://bucket/{where}", "-o", str(out)],
        capture_output=True,
        text=True,
        env=_environment(cloud),
        check=False,
    )
    index = out / "index.json"
    rows = json.loads(index.read_text())["reports"] if index.exists() else []
    return done.returncode, rows, done.stderr


def test_a_folder_is_judged_and_known_the_second_time(cloud: Cloud, tmp_path: Path) -> None:
    code, rows, said = _scan(cloud, tmp_path, "nights")
    assert code == 3
    assert [row["names"] for row in rows] == [
        ["1/a.ncu-rep", "2/copy.ncu-rep"],
        ["2/b.ncu-rep"],
        ["2/broken.ncu-rep"],
    ]
    assert f"judged  {cloud.scheme}://bucket/nights/2/b.ncu-rep: 1 launch" in said
    _, _, again = _scan(cloud, tmp_path, "nights")
    known = [line for line in again.splitlines() if line.startswith("known ")]
    assert len(known) == 2 and "judged" not in again


def test_a_pattern_and_what_is_not_there(cloud: Cloud, tmp_path: Path) -> None:
    code, rows, _ = _scan(cloud, tmp_path / "pattern", "nights/*/[ab].ncu-rep")
    assert (code, [row["names"] for row in rows]) == (0, [["1/a.ncu-rep"], ["2/b.ncu-rep"]])
    code, rows, said = _scan(cloud, tmp_path / "none", "nights/none.ncu-rep")
    assert code == 3
    assert [(row["names"], row["reason"]) for row in rows] == [
        (["none.ncu-rep"], "there is no such file")
    ]
    assert KEY not in said
