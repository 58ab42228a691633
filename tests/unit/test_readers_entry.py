"""A metric's number and value from its first bytes, as Protocol Buffers reads them."""

from __future__ import annotations

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from ncu_triage.readers.ncu_rep import schema
from ncu_triage.readers.ncu_rep.entry import plain, read_entry

VALUES = st.one_of(
    st.builds(lambda x: {"double": x}, st.floats(allow_nan=False)),
    st.builds(lambda x: {"float": x}, st.floats(allow_nan=False, width=32)),
    st.builds(lambda x: {"u32": x}, st.integers(0, 2**32 - 1)),
    st.builds(lambda x: {"u64": x}, st.integers(0, 2**64 - 1)),
    st.builds(lambda x: {"text": x.encode()}, st.text(max_size=200)),
    st.just({}),
    st.none(),
)


def _by_protobuf(data: bytes) -> tuple[int, float | str | None]:
    message = schema.Metric.FromString(data)
    return message.name, plain(message.value)


@given(st.integers(0, 2**32 - 1), VALUES, st.binary(max_size=40))
def test_it_reads_what_protobuf_reads(number: int, value: dict | None, instances: bytes) -> None:
    message = schema.Metric(name=number, **({} if value is None else {"value": value}))
    # A list of instances (field 3) behind it, whatever is in it.
    data = message.SerializeToString() + b"\x1a" + bytes([len(instances)]) + instances
    assert read_entry(data) == _by_protobuf(data)


def test_another_order_is_read_too() -> None:
    value = schema.Metric(value={"double": 2.5}).SerializeToString()
    number = schema.Metric(name=300).SerializeToString()
    assert read_entry(value + number) == (300, 2.5)


@pytest.mark.parametrize("cut", range(1, 14))
def test_what_is_cut_is_damaged_or_as_protobuf_reads_it(cut: int) -> None:
    data = schema.Metric(name=300, value={"double": 2.5}).SerializeToString()[:cut]
    try:
        expected = _by_protobuf(data)
    except DecodeError:
        with pytest.raises(DecodeError):
            read_entry(data)
    else:
        assert read_entry(data) == expected
