"""The JSON Schema of a written type, as it is published in `docs/schema`."""

from __future__ import annotations

from typing import Any

import msgspec


def schema_of(type_: type[msgspec.Struct], name: str, version: int) -> dict[str, Any]:
    """Return the schema of a type under the name and version that its files carry."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:ncu-triage:{name}:{version}",
        "title": f"ncu-triage {name}, schema version {version}",
    }
    return head | msgspec.json.schema(type_)


def text_of(schema: dict[str, Any]) -> str:
    """Return a schema as the text of its published file."""
    encoded = msgspec.json.encode(schema, order="sorted")
    return msgspec.json.format(encoded, indent=2).decode() + "\n"
