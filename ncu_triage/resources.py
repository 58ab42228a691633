"""Where the rules and the templates lie: inside the wheel, else beside a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_dir(name: str) -> Path:
    """Return the folder `rules` or `templates`.

    Raises FileNotFoundError where neither a wheel's data nor a checkout holds it.
    """
    packaged = _PACKAGE / "_data" / name
    if packaged.is_dir():
        return packaged
    checkout = _PACKAGE.parent / name
    if (_PACKAGE.parent / "pyproject.toml").is_file() and checkout.is_dir():
        return checkout
    raise FileNotFoundError(f"the installation lacks its {name} folder; install ncu-triage again")


# Rules and settings are read whole, and taken apart in many times their size.
LARGEST = 1 << 20


def too_large(path: Path) -> bool:
    """Tell whether a file is too large to be something that a person wrote by hand."""
    try:
        return path.stat().st_size > LARGEST
    except OSError:
        return False  # whoever reads it says what is wrong with it
