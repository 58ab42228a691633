"""The JSON output, which reads back as the same Diagnosis, and its schema."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from ncu_triage.errors import InputError
from ncu_triage.model import SCHEMA_VERSION, Diagnosis, decodable
from ncu_triage.render.schema import schema_of


def render(diagnosis: Diagnosis) -> bytes:
    """Write a diagnosis as JSON: fields in the model's order, map keys sorted."""
    return msgspec.json.encode(diagnosis, order="deterministic") + b"\n"


def read(data: bytes) -> Diagnosis:
    """Read a diagnosis back from its JSON; fields of a later version are ignored.

    Raises InputError for what is no diagnosis, or one of another schema version.
    """
    try:
        diagnosis = _decoder().decode(data)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(f"is no diagnosis: {error}") from error
    if diagnosis.schema_version != SCHEMA_VERSION:
        found = diagnosis.schema_version
        raise InputError(f"has schema version {found}; this program reads {SCHEMA_VERSION}")
    return diagnosis


@lru_cache(maxsize=1)
def _decoder() -> msgspec.json.Decoder[Diagnosis]:
    return msgspec.json.Decoder(decodable())


def schema() -> dict[str, Any]:
    """Return the JSON Schema of what `render` writes."""
    return schema_of(decodable(), "diagnosis", SCHEMA_VERSION)
