"""The report's messages, as far as they are needed: number, name and type of each field.

The numbers are the interface that NVIDIA documents (Customization Guide, report file
format). What is not declared stays undecoded. A launch's metrics are declared as bytes,
because the per-instruction lists in them are most of a file (`entry` reads the rest), and
texts are too: a flipped bit in a name must not cost the launch. Nothing is `required`, so
that a damaged message still tells what it holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError as DecodeError

# Classes made at run time have no static type; only this package touches their messages.
Message: TypeAlias = Any
Fields: TypeAlias = Mapping[str, str]

_Field = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "u32": _Field.TYPE_UINT32,
    "u64": _Field.TYPE_UINT64,
    "float": _Field.TYPE_FLOAT,
    "double": _Field.TYPE_DOUBLE,
    "text": _Field.TYPE_BYTES,
}

_VALUE = "1 text text, 2 float float, 3 double double, 4 u32 u32, 5 u64 u64"

# The fields that a range, a command list and a graph share; they differ from number 12 on.
_GROUP = "1 thread u64, 4 metrics text*, 7 sections Section*, 10 nvtx Nvtx, 11 context u64"
# What a command list and a graph share besides.
_STREAM = "12 stream u64, 13 clock Clock, 14 context_name text, 15 stream_name text"

_REPORT: Fields = {
    "FileHeader": "1 version u32",
    "BlockHeader": (
        "1 sources u32, 2 kernels u32, 3 session Session, 4 strings StringTable,"
        " 5 payload_size u32, 6 process Process, 7 ranges u32, 8 cmdlists u32, 9 graphs u32"
    ),
    "StringTable": "1 strings text*",
    "Process": "1 id u64",
    "Session": (
        "6 devices Device*, 8 versions Version*, 10 settings ProfilerSettings, 11 cmdline text"
    ),
    "Device": "1 id u32",
    "Version": "1 provider text, 2 version text",
    "ProfilerSettings": "8 clock_control text, 11 replay_mode text",
    "Kernel": (
        "1 thread u64, 5 mangled text, 6 function text, 7 demangled text, 10 grid Extent,"
        " 11 block Extent, 13 metrics text*, 17 sections Section*, 19 rules Rule*,"
        " 21 nvtx Nvtx, 22 context u64, 23 stream u64, 25 clock Clock,"
        " 26 context_name text, 27 stream_name text"
    ),
    "Range": f"{_GROUP}, 12 clock Clock, 13 context_name text",
    "Cmdlist": f"{_GROUP}, {_STREAM}, 18 display_name text, 21 rules Rule*",
    "Graph": f"{_GROUP}, {_STREAM}",
    "Extent": "1 x u64, 2 y u64, 3 z u64",
    "Clock": "1 requested u32",
    "Metric": "1 name u32, 2 value Value",
    "Value": f"one of: {_VALUE}",
    "Section": "1 id text",
    "Rule": "1 id text, 2 name text, 3 body Body, 4 section text",
    "Body": "1 items Item*",
    "Item": "1 message RuleMessage, 10 speedup Speedup",
    "RuleMessage": "1 text text, 2 kind u32, 4 title text",
    "Speedup": "1 scope u32, 2 value double",
    "Nvtx": "2 threads NvtxThread*, 3 start_end NvtxRanges*",
    "NvtxThread": "1 id u64, 2 domains NvtxStack*",
    "NvtxStack": "3 stack NvtxRange*",
    "NvtxRanges": "3 ranges NvtxNamed*",
    "NvtxRange": "1 name text",
    "NvtxNamed": "2 name text",
}

_INSTANCES: Fields = {
    "InstancedMetric": "3 instances Instance*",
    "Instance": "1 key Value, 2 value Value",
    "Value": f"one of: {_VALUE}",
}


def _add_field(message: descriptor_pb2.DescriptorProto, declaration: str, one_of: bool) -> None:
    number, name, kind = declaration.split()
    field = message.field.add(name=name, number=int(number))
    field.label = _Field.LABEL_REPEATED if kind.endswith("*") else _Field.LABEL_OPTIONAL
    kind = kind.rstrip("*")
    if kind in _SCALARS:
        field.type = _SCALARS[kind]
    else:
        field.type, field.type_name = _Field.TYPE_MESSAGE, f".ncu.{kind}"
    if one_of:
        field.oneof_index = 0


def _compile(name: str, messages: Fields) -> dict[str, Message]:
    file = descriptor_pb2.FileDescriptorProto(name=name, package="ncu", syntax="proto2")
    for title, declarations in messages.items():
        message = file.message_type.add(name=title)
        one_of = declarations.startswith("one of: ")
        if one_of:
            message.oneof_decl.add(name="value")
        for declaration in declarations.removeprefix("one of: ").split(","):
            _add_field(message, declaration, one_of)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return {
        title: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"ncu.{title}"))
        for title in messages
    }


_CLASSES = _compile("report", _REPORT)
FileHeader = _CLASSES["FileHeader"]
BlockHeader = _CLASSES["BlockHeader"]
Kernel = _CLASSES["Kernel"]
Range = _CLASSES["Range"]
Cmdlist = _CLASSES["Cmdlist"]
Graph = _CLASSES["Graph"]
Metric = _CLASSES["Metric"]
Value = _CLASSES["Value"]
InstancedMetric = _compile("instances", _INSTANCES)["InstancedMetric"]


def text(value: bytes) -> str:
    """Decode a text of the file; what is not UTF-8 shows as a replacement character."""
    return value.decode("utf-8", "replace")
