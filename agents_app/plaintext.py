"""Text as it may be stored and shown: Unix line ends, no control characters."""

import re

# C0 but tab and newline, DEL and C1, lone surrogates, byte order marks, non-characters.
_REFUSED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


def clean(text: str) -> str:
    """Form feeds, which stand between pages in PDFs and old texts, become newlines."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    return _REFUSED.sub("", text)
