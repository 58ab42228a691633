"""An installed wheel carries its rules and templates and works from any folder."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "tests" / "fixtures" / "example.ncu-rep"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*build, str(ROOT)], check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


def _files(folder: str, pattern: str) -> set[str]:
    base = ROOT / folder
    return {f"ncu_triage/_data/{folder}/{p.relative_to(base)}" for p in base.rglob(pattern)}


def test_the_wheel_holds_every_rule_and_template(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert _files("rules", "*.yaml") <= inside
    assert {f for f in _files("templates", "*.*")} <= inside
    assert "ncu_triage/py.typed" in inside
    assert not [name for name in inside if "libnvperf" in name or "_ncu_report" in name]


def test_the_installed_wheel_works_from_any_folder(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    # The dependencies are this environment's: what is tested is the package itself.
    venv.create(home, with_pip=False, system_site_packages=False)
    python = home / "bin" / "python"
    (site,) = home.glob("lib/python3*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    dependencies = [p for p in sys.path if p.endswith("site-packages")]
    (site / "dependencies.pth").write_text("\n".join(dependencies))
    page = tmp_path / "diag.html"
    command = [python, "-P", "-m", "ncu_triage", EXAMPLE, "-o", page]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "transpose_tile" in page.read_text()
    where = "import ncu_triage.resources as r; print(r.data_dir('rules'))"
    found = subprocess.run([python, "-P", "-c", where], cwd="/", capture_output=True, text=True)
    assert found.stdout.strip().startswith(str(site))


def test_the_example_report_is_up_to_date() -> None:
    from fixtures.example import example

    assert EXAMPLE.read_bytes() == example(), "run python tests/fixtures/example.py"
