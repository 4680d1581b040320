"""The text of a PDF, read in a process of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agents_app.reading.calling import CutOff, call


@dataclass(frozen=True, kw_only=True, slots=True)
class PdfText:
    """`pages` is the page count of the file, however far `text` reaches.

    `cut_off` says why it does not reach the last one, unless characters ran out.
    """

    pages: int
    text: str
    cut_off: CutOff | None = None


def looks_like_pdf(head: bytes) -> bool:
    """Readers accept junk before the header, so look into the first kilobyte."""
    return b"%PDF-" in head[:1024]


def read_pdf(path: Path, max_characters: int, check: Callable[[], None]) -> PdfText:
    """All text up to `max_characters`; Unreadable when there are not even pages.

    A page that is too much for the limits of `calling` ends the text before it. `check`
    is called meanwhile and may raise.
    """
    answer = call("agents_app.reading.pages", path, str(max_characters), check=check)
    match answer.said:
        case [int(pages), *texts]:
            text = "\n".join(map(str, texts)).strip()
            return PdfText(pages=pages, text=text, cut_off=answer.cut_off)
    raise answer.unreadable()
