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
# By Python's names. An outsider chooses among these only: some other codecs of Python
# raise whatever the bytes are (`undefined`, `idna`), or take time in their square.
_KNOWN = frozenset(
    {
        *("utf-8", "ascii", "mac-roman", "mac-cyrillic", "koi8-r", "koi8-u"),
        *(f"iso8859-{part}" for part in range(1, 17)),
        *(f"cp{page}" for page in (437, 850, 852, 855, 866, 874)),
        *(f"cp{page}" for page in range(1250, 1259)),
        *("gb2312", "gbk", "gb18030", "big5", "big5hkscs", "tis-620"),
        *("shift_jis", "cp932", "euc_jp", "iso2022_jp", "euc_kr", "cp949"),
    }
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
        known = codecs.lookup(name).name
    except LookupError:
        return None
    return known if known in _KNOWN else None


def _guess(data: bytes) -> str:
    best = from_bytes(data[:_SAMPLE]).best()
    return (best and _text_encoding(best.encoding)) or "cp1252"
