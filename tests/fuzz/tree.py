"""Mutations of JSON and YAML by node: what still parses, and says something else."""

from __future__ import annotations

import json
import random
from typing import Any

import yaml
from fuzz.chance import DOUBLES, INTEGERS, text
from fuzz.text import mutated

_LONGEST = 4 << 20


def json_mutated(data: bytes, dice: random.Random) -> bytes:
    """Change nodes of a JSON document."""
    try:
        tree = json.loads(data)
    except ValueError:
        return mutated(data, dice)
    return json.dumps(_several(tree, dice))[:_LONGEST].encode("utf-8", "replace")


def yaml_mutated(data: bytes, dice: random.Random) -> bytes:
    """Change nodes of a YAML document."""
    tree = _several(yaml.safe_load(data), dice)
    if not isinstance(tree, dict):
        return json.dumps(tree)[:_LONGEST].encode()
    # JSON is YAML, too, and nothing is too deep for it.
    lines = [f"{name}: {json.dumps(value)}" for name, value in tree.items()]
    return "\n".join(lines)[:_LONGEST].encode("utf-8", "replace")


def _several(tree: Any, dice: random.Random) -> Any:
    for _ in range(dice.choice((1, 1, 2, 5))):
        tree = _changed(tree, dice)
    return tree


def _changed(node: Any, dice: random.Random) -> Any:
    inside = list(node) if isinstance(node, dict) else range(len(node)) if _is_list(node) else []
    if not inside or dice.random() < 0.1:
        return _other(node, dice)
    place = dice.choice(list(inside))
    node = dict(node) if isinstance(node, dict) else list(node)
    match dice.randrange(10):
        case 0:
            del node[place]
        case 1 if isinstance(node, list):
            node += [node[place]] * dice.choice((1, 500))
        case 1:
            node[text(dice)[:50]] = node[place]
        case _:
            node[place] = _changed(node[place], dice)
    return node


def _is_list(node: Any) -> bool:
    return isinstance(node, list)


def _other(node: Any, dice: random.Random) -> Any:
    value: Any = dice.choice((None, True, text(dice), dice.choice(INTEGERS), dice.choice(DOUBLES)))
    match dice.randrange(8):
        case 0:
            return [node] * dice.choice((0, 1, 3))
        case 1:
            return {"a": node}
        case 2:
            for _ in range(dice.choice((10, 400))):
                node = [node]
            return node
        case 3 if isinstance(node, int | float) and not isinstance(node, bool):
            return -node
        case 4 if isinstance(node, str):
            return node[: dice.randrange(len(node) + 1)]
        case _:
            return value
