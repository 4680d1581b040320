"""The text of a PDF, page by page, through PDFium. Runs in a child process."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from agents_app.plaintext import clean
from agents_app.reading import Unreadable


def read(path: str, max_characters: str) -> Iterator[object]:
    """The number of pages, then their texts until `max_characters` are used up."""
    with opened(path) as document:
        yield len(document)
        yield from page_texts(document, int(max_characters))


@contextmanager
def opened(path: str) -> Generator[pypdfium2.PdfDocument]:
    """Unreadable when PDFium refuses the file."""
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as refused:
        protected = refused.err_code == pdfium_c.FPDF_ERR_PASSWORD
        text = "is protected by a password" if protected else "is not a readable PDF"
        raise Unreadable(text) from refused
    with document:
        yield document


def page_texts(document: pypdfium2.PdfDocument, max_characters: int) -> Iterator[str]:
    """In order; the last one is cut where the characters are used up."""
    left = max_characters
    for index in range(len(document)):
        text = _page_text(document, index)
        yield text[:left]
        left -= len(text)
        if left < 0:
            return


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
