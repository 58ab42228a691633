"""Read what a report file says about its origin; only for who asks to see it.

The reader of launches does not even declare these fields. Here they are taken from the
wire format by number: host and program of each process (block header 6), the machine
(session 3 and 4), the program with its arguments (9), the profiler's command line (11).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from ncu_triage.model import Diagnosis
from ncu_triage.readers.ncu_rep.bytefile import ByteFile
from ncu_triage.readers.ncu_rep.compressed import unpack
from ncu_triage.readers.ncu_rep.container import MAGIC, MAX_HEADER

_ZSTD = b"\x28\xb5\x2f\xfd"
_PROCESS, _SESSION, _PAYLOAD = 6, 3, 5
_MACHINES, _PROGRAM, _COMMAND = (3, 4), 9, 11
_ON_MACHINE = {5: "Host", 7: "Address"}
_ON_PROGRAM = {1: "Program", 2: "Directory", 3: "Arguments", 4: "Environment"}
_ON_PROCESS = {2: "Host", 3: "Process"}


def with_private(diagnosis: Diagnosis, paths: Sequence[Path]) -> Diagnosis:
    """Add what the files say about host, program, command line and environment."""
    sources = [
        replace(source, private=private_facts(path))
        for source, path in zip(diagnosis.sources, paths, strict=True)
    ]
    return replace(diagnosis, sources=sources)


def private_facts(path: Path) -> dict[str, str]:
    """Read a report file's private facts by label; other formats have none here."""
    with path.open("rb") as file:
        head = file.read(len(MAGIC))
        if head not in (MAGIC, _ZSTD):
            return {}
        file.seek(0)
        data = ByteFile(file) if head == MAGIC else unpack(file)[0]
        found: dict[str, list[str]] = {}
        for header in _headers(data):
            for label, text in _facts(header):
                texts = found.setdefault(label, [])
                if text not in texts:
                    texts.append(text)
    return {label: "; ".join(texts) for label, texts in found.items()}


def _headers(data: ByteFile) -> Iterator[bytes]:
    """Yield the blocks' headers, as far as the file holds together."""
    size = data.u32(len(MAGIC), data.size)
    offset = len(MAGIC) + 4 + (size or 0)
    while (size := data.u32(offset, data.size)) is not None and size <= MAX_HEADER:
        header = data.read(offset + 4, size)
        yield header
        payload = next((v for n, v in _fields(header) if n == _PAYLOAD), 0)
        offset += 4 + size + (payload if isinstance(payload, int) else 0)


def _facts(header: bytes) -> Iterator[tuple[str, str]]:
    for number, value in _messages(header):
        if number == _PROCESS:
            yield from _texts(value, _ON_PROCESS)
        if number == _SESSION:
            yield from _session(value)


def _session(data: bytes) -> Iterator[tuple[str, str]]:
    for number, value in _messages(data):
        if number in _MACHINES:
            yield from _texts(value, _ON_MACHINE)
        if number == _PROGRAM:
            yield from _texts(value, _ON_PROGRAM)
        if number == _COMMAND:
            yield "Command line", value.decode("utf-8", "replace")


def _texts(data: bytes, labels: dict[int, str]) -> Iterable[tuple[str, str]]:
    for number, value in _messages(data):
        if number in labels and value:
            yield labels[number], _text(value)


def _text(value: bytes) -> str:
    """Decode a text; an address is the first field of a message."""
    inner = next((v for n, v in _fields(value) if n == 1 and isinstance(v, bytes)), None)
    plain = value.decode("utf-8", "replace")
    return inner.decode("utf-8", "replace") if inner and value[:1] == b"\x0a" else plain


def _messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    return ((number, value) for number, value in _fields(data) if isinstance(value, bytes))


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield a message's fields by number; stop where the bytes are no message."""
    offset = 0
    while offset < len(data):
        try:
            key, offset = _varint(data, offset)
            kind = key & 7
            if kind == 0:
                value, offset = _varint(data, offset)
                yield key >> 3, value
            elif kind == 2:
                size, offset = _varint(data, offset)
                yield key >> 3, data[offset : offset + size]
                offset += size
            elif kind in (1, 5):
                offset += 8 if kind == 1 else 4
            else:
                return
        except IndexError:
            return


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    value = shift = 0
    while data[offset] & 128:
        value |= (data[offset] & 127) << shift
        shift, offset = shift + 7, offset + 1
        if shift > 63:
            raise IndexError("no number is that long")
    return value | data[offset] << shift, offset + 1
