"""`document_text`: the text of every uploaded PDF, HTML page or plain text."""

from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, Field

from agents_app.context import Context, HandlerError, TaskFile
from agents_app.handlers.document_text.charset import NotText, decode
from agents_app.handlers.document_text.markup import html_to_text
from agents_app.handlers.document_text.pdf import (
    PdfText,
    looks_like_pdf,
    read_pdf,
)
from agents_app.plaintext import clean
from agents_app.reading import Unreadable
from agents_app.registry import handles

NO_TEXT = "has no text; a scan needs text recognition first"
FIRST_PAGES = "the text is that of the first pages"
NOT_READ = "was not read: max_chars was used up"


class DocumentRequest(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    max_chars: int = Field(
        default=100_000,
        ge=1,
        le=200_000,  # At four bytes a character the result still fits.
        description="How many characters to return over all files.",
    )


class DocumentText(BaseModel):
    """One file. `pages` is for PDFs; `note` says why there is no text, or not all."""

    model_config = ConfigDict(frozen=True)

    file_id: str
    name: str
    content_type: str
    pages: int | None = None
    characters: int = 0
    text: str = ""
    truncated: bool = False
    note: str | None = None


class DocumentTexts(BaseModel):
    model_config = ConfigDict(frozen=True)

    documents: list[DocumentText]


@handles(
    "document_text",
    input=DocumentRequest,
    output=DocumentTexts,
    name="Document text",
    estimated_time="1s-30s",
    accepts_files=True,
    min_files=1,
    max_duration_s=300,
    capabilities=("pdf", "html", "text"),
)
def document_text(ctx: Context[DocumentRequest]) -> DocumentTexts:
    """Read the text out of PDF, HTML and plain text files."""
    left = ctx.payload.max_chars
    documents: list[DocumentText] = []
    for number, file in enumerate(ctx.files):
        ctx.progress(100 * number // len(ctx.files), f"Reading {file.name}")
        documents.append(_read(file, left, ctx.check))
        left -= documents[-1].characters
    if not any(document.text for document in documents):
        raise _nothing_readable(documents)
    return DocumentTexts(documents=documents)


def _nothing_readable(documents: list[DocumentText]) -> HandlerError:
    notes = [f"{document.name} {document.note}." for document in documents]
    if len(notes) == 1:
        return HandlerError(notes[0])
    return HandlerError("No file has readable text.", details={"files": notes})


def _read(file: TaskFile, left: int, check: Callable[[], None]) -> DocumentText:
    empty = DocumentText(
        file_id=file.id, name=file.name, content_type=file.content_type
    )
    if left == 0:
        return empty.model_copy(update={"truncated": True, "note": NOT_READ})
    try:
        data = file.read()
        if looks_like_pdf(data):
            pdf = read_pdf(file.path, left + 1, check)
            return empty.model_copy(update=_of_pdf(pdf, left))
        text = _text_of(file, data)
    except (Unreadable, NotText) as refused:
        return empty.model_copy(update={"note": str(refused)})
    return empty.model_copy(update=_bounded(text, left))


def _of_pdf(pdf: PdfText, left: int) -> dict[str, object]:
    found = _bounded(pdf.text, left) | {"pages": pdf.pages}
    if pdf.cut_off is None:
        return found
    note = f"{pdf.cut_off}; {FIRST_PAGES}" if pdf.text else str(pdf.cut_off)
    return found | {"truncated": True, "note": note}


def _text_of(file: TaskFile, data: bytes) -> str:
    text = clean(decode(data, file.content_type))
    return html_to_text(text) if _is_html(file, text) else text.strip()


def _bounded(text: str, left: int) -> dict[str, object]:
    if not text:
        return {"note": NO_TEXT}
    if len(text) > left:
        note = "is longer than max_chars allows"
        return {
            "text": text[:left],
            "characters": left,
            "truncated": True,
            "note": note,
        }
    return {"text": text, "characters": len(text)}


def _is_html(file: TaskFile, text: str) -> bool:
    if file.content_type.partition(";")[0].strip() in {
        "text/html",
        "application/xhtml+xml",
    }:
        return True
    return text.lstrip()[:200].lower().startswith(("<!doctype html", "<html"))
