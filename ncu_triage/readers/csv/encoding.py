"""How a text file is encoded, told from its first bytes."""

from __future__ import annotations

import codecs
import re

# The byte order mark as a character; it is no part of the text.
MARK = "\ufeff"
# The handler for bytes that are no UTF-8: Windows tools write them, mostly as spaces
# between thousands (0xA0).
WESTERN = "ncu-triage-western"

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# But for bell and backspace, with which progress bars are drawn, and escape for colours.
_CONTROL = re.compile(r"[\0-\x06\x0e-\x1a\x1c-\x1f]")
_SAMPLE = 4096


def _western(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error(WESTERN, _western)


def encoding_of(head: bytes) -> str:
    """Name the encoding: by a byte order mark, by zero bytes in every other place, else UTF-8."""
    for mark, name in _BOMS:
        if head.startswith(mark):
            return name
    sample = head[:_SAMPLE]
    half = len(sample) // 2
    odd, even = sample[1::2].count(0), sample[::2].count(0)
    if half and odd > 0.6 * half and even < 0.1 * half:
        return "utf-16-le"
    if half and even > 0.6 * half and odd < 0.1 * half:
        return "utf-16-be"
    return "utf-8"


def errors_of(encoding: str) -> str:
    """Name the handler for what the encoding does not allow; reading never stops for it."""
    return WESTERN if encoding == "utf-8" else "replace"


def decode_head(head: bytes) -> str | None:
    """Decode the first bytes of a text; None where the bytes are none."""
    encoding = encoding_of(head)
    # The head may end within a character.
    decoder = codecs.getincrementaldecoder(encoding)(errors_of(encoding))
    text = decoder.decode(head).removeprefix(MARK)
    if _CONTROL.search(text):
        return None
    genuine = encoding == "utf-8" and _is_utf8(head)
    western = sum(map(str.isascii, text)) * 2 > len(text)
    return text if genuine or western or not head else None


def _is_utf8(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True
