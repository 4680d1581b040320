"""The text of a PDF, page by page, through PDFium. Used by the built-in handlers."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from agents_app.plaintext import clean

_MAX_SECONDS = 30.0

PDFIUM = Lock()
"""PDFium is not thread-safe; whoever calls it in this process holds this lock."""


class UnreadablePdf(Exception):
    """The file cannot be opened. Its text is safe to show."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PdfText:
    """`pages` is the page count of the file, however far `text` reaches.

    `complete` is false when the pages took too long; `text` has those before.
    """

    pages: int
    text: str
    complete: bool = True


def looks_like_pdf(head: bytes) -> bool:
    """Readers accept junk before the header, so look into the first kilobyte."""
    return b"%PDF-" in head[:1024]


def read_pdf(path: Path, max_characters: int) -> PdfText:
    """All text up to `max_characters`; UnreadablePdf when PDFium refuses the file.

    Stops after the page with which `_MAX_SECONDS` are over: a file of a few kilobytes
    can name one page thousands of times, and everybody waits for the lock.
    """
    with PDFIUM, _opened(path) as document:
        texts: list[str] = []
        left = max_characters
        give_up_at = monotonic() + _MAX_SECONDS
        for index in range(len(document)):
            if monotonic() > give_up_at:
                return _text_of(document, texts, complete=False)
            text = _page_text(document, index)
            texts.append(text[:left])
            left -= len(text)
            if left < 0:
                break
        return _text_of(document, texts, complete=True)


def _text_of(
    document: pypdfium2.PdfDocument, texts: list[str], *, complete: bool
) -> PdfText:
    text = "\n".join(texts).strip()
    return PdfText(pages=len(document), text=text, complete=complete)


@contextmanager
def _opened(path: Path) -> Generator[pypdfium2.PdfDocument]:
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as refused:
        protected = refused.err_code == pdfium_c.FPDF_ERR_PASSWORD
        text = "is protected by a password" if protected else "is not a readable PDF"
        raise UnreadablePdf(text) from refused
    with document:
        yield document


def _page_text(document: pypdfium2.PdfDocument, index: int) -> str:
    """A broken page counts as an empty one: the others are still worth reading."""
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        return ""
    try:
        return clean(page.get_textpage().get_text_bounded())
    except pypdfium2.PdfiumError:
        return ""
    finally:
        page.close()  # Now, not with the document: thousands of pages would add up.
