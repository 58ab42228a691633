"""The JSON: it reads back, it follows its schema, and the schema is published."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from fixtures.diagnosis_builder import diagnosis, empty
from fixtures.diagnosis_cases import hostile, realistic

from ncu_triage.errors import InputError
from ncu_triage.render import comparison_json
from ncu_triage.render.json_ import read, render, schema
from ncu_triage.render.schema import text_of

PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "schema"


@pytest.mark.parametrize("given", [empty(), realistic(), diagnosis([hostile()])])
def test_json_reads_back_and_follows_its_schema(given: object) -> None:
    data = render(given)  # type: ignore[arg-type]
    assert read(data) == given
    jsonschema.Draft202012Validator(schema()).validate(msgspec.json.decode(data))


@pytest.mark.parametrize(
    ("name", "made"), [("diagnosis-1", schema), ("comparison-1", comparison_json.schema)]
)
def test_the_published_schemas_are_the_models(name: str, made: Callable[[], Any]) -> None:
    # After a change of a model: ncu_triage.render.schema.text_of(schema()) is the file's text.
    assert (PUBLISHED / f"{name}.json").read_text(encoding="utf-8") == text_of(made())


def test_fields_of_a_later_version_are_ignored() -> None:
    later = msgspec.json.decode(render(realistic())) | {"mood": "good"}
    later["kernels"][0]["mood"] = "bad"
    assert read(msgspec.json.encode(later)) == realistic()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is no diagnosis"),
        (b"[1]", "is no diagnosis"),
        (b'{"schema_version": 1}', "tool"),
        (render(empty()).replace(b'"schema_version":1', b'"schema_version":2'), "version 2"),
    ],
)
def test_what_is_no_diagnosis_is_refused_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(data)
    assert "\n" not in str(caught.value)
