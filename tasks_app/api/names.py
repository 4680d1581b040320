"""Names of files: shown, never used as a path (G57)."""

import re
import unicodedata
from pathlib import PurePosixPath

MAX_LENGTH = 255
FALLBACK = "file"
_LONGEST_SUFFIX = 20
# Windows gives these a meaning.
_RESERVED = re.compile(r'[<>:"|?*]')
_SPACES = re.compile(r"\s+")


def harmless(name: str) -> str:
    """The last part of a name without controls, direction marks and leading dots.

    At most 255 characters, the suffix kept; `file` when nothing is left.
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    visible = "".join(char for char in last if char.isprintable() or char.isspace())
    text = _SPACES.sub(" ", _RESERVED.sub("_", visible)).strip(" .") or FALLBACK
    if len(text) <= MAX_LENGTH:
        return text
    suffix = PurePosixPath(text).suffix
    suffix = suffix if len(suffix) <= _LONGEST_SUFFIX else ""
    return text[: MAX_LENGTH - len(suffix)] + suffix
