"""Read YAML that a user wrote: safely, with the line of each thing, no key twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ncu_triage.errors import UsageError

_MOST = 1_000_000  # bytes; a file of operators has a few thousand
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Document(NamedTuple):
    """A document's data, and on which line each item of its lists and maps begins."""

    name: str
    data: Any
    lines: dict[tuple[str, int | str], int]


def document(path: Path, option: str = "--operators") -> Document:
    """Read one YAML file. Raises UsageError with option and file, and the line where known."""
    name = f"{option} {path}"
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror or error}") from error
    if len(raw) > _MOST:
        raise UsageError(f"{name}: has more than {_MOST:,} bytes, which is no file of operators")
    loader = None
    try:
        loader = _Loader(raw.decode("utf-8-sig"))
        node = loader.get_single_node()
        lines = _lines(node, name)
        return Document(name, None if node is None else loader.construct_document(node), lines)
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: is no UTF-8 text; save it as such") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{name}{_where(error)}: {_why(error)}") from error
    except (AttributeError, KeyError) as error:
        raise UsageError(f"{name}: a value is not what its tag says") from error
    except (RecursionError, ValueError) as error:
        raise UsageError(f"{name}: is no YAML that makes sense: {error}") from error
    finally:
        if loader is not None:
            loader.dispose()


def _lines(node: yaml.Node | None, name: str) -> dict[tuple[str, int | str], int]:
    """Note where the items of the top lists and maps begin; refuse a key that stands twice."""
    found: dict[tuple[str, int | str], int] = {}
    seen: set[int] = set()
    todo: list[tuple[yaml.Node | None, str, int]] = [(node, "", 0)]
    while todo:
        one, field, depth = todo.pop()
        if one is None or id(one) in seen:  # an alias may point at what holds it
            continue
        seen.add(id(one))
        if isinstance(one, yaml.SequenceNode):
            for i, item in enumerate(one.value):
                if depth == 1:
                    found[field, i] = item.start_mark.line + 1
                todo.append((item, field, depth + 1))
        elif isinstance(one, yaml.MappingNode):
            keys: set[str] = set()
            for key, value in one.value:
                word, line = str(key.value), key.start_mark.line + 1
                if word in keys:
                    raise UsageError(f"{name}, line {line}: {word!r} stands here twice")
                keys.add(word)
                if depth == 1:
                    found[field, word] = line
                todo.append((value, word if depth == 0 else field, depth + 1))
    return found


def _where(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f", line {mark.line + 1}" if mark else ""


def _why(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or str(error)
    return f"is no YAML: {' '.join(str(problem).split())}"
