"""Names and texts of strangers, as they may stand on a page.

A character that turns the direction of writing makes `gpj.exe` look like `exe.jpg`;
escaping does not help against it (G71).
"""

import re
from collections.abc import Iterable

from tasks_app.models import Attachment

_IN_PLACE = "\N{REPLACEMENT CHARACTER}"
# Whatever turns the text around it, and what no page can show; not what languages need.
_TURNING = re.compile("[\0-\b\v\f\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Without control characters, direction marks and the like."""
    return "".join(one if one.isprintable() else _IN_PLACE for one in text)


def legible(text: str) -> str:
    """A text of several words or lines without what makes it look like another."""
    return _TURNING.sub(_IN_PLACE, text)


def to_be_shown(files: Iterable[Attachment]) -> list[Attachment]:
    """The files with names that are what they look like; not to be saved."""
    shown = list(files)
    for file in shown:
        file.name = printable(file.name)
        file.content_type = printable(file.content_type)
    return shown
