"""The shape of the code: imports run downwards, files and functions stay small."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "ncu_triage"
# From the bottom up: a layer may import those above it in this list and itself.
LAYERS = (
    ("errors", "units", "resources", "cache", "forks", "signals"),
    ("model",),
    ("compare",),
    ("gate",),
    ("gpus",),
    ("readers", "quantities", "timeline"),
    ("engine", "operators"),
    ("ceilings",),
    ("summary", "rule_pages", "places"),
    ("stripes",),
    ("pipeline",),
    ("history",),
    ("privacy",),
    ("view",),
    ("render",),
    ("output",),
    ("scan",),
    ("api",),
    ("__init__",),
    ("cli",),
    ("__main__",),
)
# What must not know what, although it lies above: outputs see the view and the model
# only, and the judgement sees names and numbers only.
FORBIDDEN = {
    "engine": {"quantities", "readers", "gpus"},
    "operators": {"engine", "quantities", "readers"},
    "readers": {"quantities", "timeline"},
    "quantities": {"readers", "timeline"},
    "ceilings": {"quantities", "readers", "timeline"},
    "timeline": {"compare", "gate", "gpus", "quantities", "readers"},
    "view": {"engine", "quantities", "readers", "gpus", "operators", "pipeline", "summary"},
    "render": {"engine", "quantities", "readers", "gpus", "operators", "pipeline", "summary"},
}
HEAVY = {"pandas", "plotly", "ncu_report", "distributed", "sqlalchemy", "pyarrow", "fsspec"}
FILES = sorted(PACKAGE.rglob("*.py"))


def _part(module: str) -> str:
    pieces = module.split(".")
    return pieces[1] if len(pieces) > 1 else "__init__"


def _module(path: Path) -> str:
    relative = path.relative_to(PACKAGE.parent).with_suffix("")
    return ".".join(relative.parts).removesuffix(".__init__")


def _imports(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _level(part: str) -> int:
    return next(i for i, layer in enumerate(LAYERS) if part in layer)


@pytest.mark.parametrize("path", FILES, ids=_module)
def test_imports_run_downwards(path: Path) -> None:
    own = _part(_module(path))
    used = {_part(name) for name in _imports(_tree(path)) if name.startswith("ncu_triage.")}
    used = {part for part in used if any(part in layer for layer in LAYERS)}
    upwards = {part for part in used if _level(part) > _level(own)}
    assert not upwards, f"{own} imports {upwards}, which lies above it"
    assert not used & FORBIDDEN.get(own, set())


def test_no_import_goes_in_a_circle() -> None:
    modules = {_module(path): path for path in FILES}
    edges = {
        name: {_known(target, modules) for target in _imports(_tree(path))} - {None, name}
        for name, path in modules.items()
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in done:
            for target in edges[name]:
                visit(str(target), (*trail, name))
            done.add(name)

    for name in modules:
        visit(name, ())


def _known(target: str, modules: dict[str, Path]) -> str | None:
    """Return the module that an imported name lies in: itself, or the one around it."""
    while target and target not in modules:
        target = target.rpartition(".")[0]
    return None if target == "ncu_triage" else target or None


@pytest.mark.parametrize("path", FILES, ids=_module)
def test_heavy_packages_are_imported_late(path: Path) -> None:
    top = {
        name.partition(".")[0]
        for node in _tree(path).body
        for name in _imports(node)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert not top & HEAVY


@pytest.mark.parametrize("path", FILES, ids=_module)
def test_files_and_functions_stay_small(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, node.name


@pytest.mark.parametrize("path", FILES, ids=_module)
def test_what_is_public_is_documented(path: Path) -> None:
    tree = _tree(path)
    assert ast.get_docstring(tree), "the module"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), node.name


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
