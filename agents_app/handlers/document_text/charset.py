"""Bytes of unknown encoding to text."""

import codecs
import re

from charset_normalizer import from_bytes

_SAMPLE = 65_536  # Guessing takes time in proportion to what it looks at.
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(
    rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE
)


class NotText(Exception):
    """The bytes are no text in any encoding we know. Its text is safe to show."""


def decode(data: bytes, content_type: str) -> str:
    """Byte order mark, then UTF-8, then what the file says of itself, then a guess.

    UTF-8 comes before the declaration: text that decodes as UTF-8 is hardly ever
    anything else, and declarations are often wrong.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    if b"\0" in data:
        raise NotText("is not a text document")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode(_declared(data, content_type) or _guess(data), "replace")


def _declared(data: bytes, content_type: str) -> str | None:
    for place in (content_type.encode(errors="replace"), data[:1024]):
        found = _DECLARED.search(place)
        if found:
            return _text_encoding(found[1].decode())
    return None


def _text_encoding(name: str) -> str | None:
    try:
        "".encode(name)  # Refuses unknown names and codecs that are not for text.
    except LookupError:
        return None
    return name


def _guess(data: bytes) -> str:
    best = from_bytes(data[:_SAMPLE]).best()
    return best.encoding if best is not None else "cp1252"
