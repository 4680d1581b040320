"""document_text: formats, encodings, files that cannot be read, bounds."""

import pytest

import agents_app.agents  # noqa: F401 - Declares the handlers.
from agents_app.protocol.errors import Code
from agents_app.testing import run_handler, task_file
from tests.agents.papers import locked_pdf, pdf


@pytest.fixture
def read(tmp_path):
    def read(*files, **options):
        uploads = []
        for name, data, content_type in files:
            (tmp_path / name).write_bytes(data)
            uploads.append(task_file(tmp_path / name, content_type))
        return run_handler("document_text", options, files=uploads)

    return read


def only(played):
    (document,) = played.result["documents"]
    return document


def test_it_reads_a_pdf(read):
    document = only(read(("a.pdf", pdf("Hello", "world"), "application/pdf")))
    assert document["text"] == "Hello\nworld"
    assert (document["pages"], document["characters"]) == (1, 11)
    assert (document["truncated"], document["note"]) == (False, None)


def test_it_knows_a_pdf_by_its_bytes_not_by_its_name(read):
    document = only(read(("a.txt", b"\n\n" + pdf("Hello"), "text/plain")))
    assert document["text"] == "Hello"


HTML = b"""<!DOCTYPE html><html><head><title>Menu</title><style>p {}</style></head>
<body><script>alert("x")</script><h1>Today's   soup</h1><p>Pea &amp; mint<br>4&nbsp;EUR
</p><table><tr><td>Bread</td><td>free</td></tr></table></body></html>"""


@pytest.mark.parametrize("content_type", ["text/html; charset=utf-8", "text/plain"])
def test_it_reads_what_a_reader_of_the_page_would(read, content_type):
    document = only(read(("a.html", HTML, content_type)))
    assert document["text"].splitlines() == [
        "Menu",
        "Today's soup",
        "Pea & mint",
        "4 EUR",
        "Bread free",
    ]


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        ("Käse für 5 €, süß".encode(), "text/plain"),
        ("\ufeffKäse für 5 €, süß".encode(), "text/plain"),
        ("Käse für 5 €, süß".encode("utf-16"), "text/plain"),
        ("Käse für 5 €, süß".encode("cp1252"), "text/plain; charset=windows-1252"),
        ("Käse für 5 €, süß".encode("iso8859-15"), 'text/plain; charset="iso8859-15"'),
    ],
)
def test_it_finds_the_encoding(read, data, content_type):
    assert only(read(("a.txt", data, content_type)))["text"] == "Käse für 5 €, süß"


def test_it_guesses_an_encoding_that_nothing_declares(read):
    text = (
        "发票号码:一二三四五。购买方名称:北京某某科技有限公司。价税合计:壹仟元整。" * 5
    )
    assert only(read(("a.txt", text.encode("gb18030"), "text/plain")))["text"] == text


@pytest.mark.parametrize(
    "charset",
    [
        *("no-such-charset", "base64", "hex", "rot13", "undefined", "idna"),
        *("punycode", "utf-7", "unicode_escape", "raw_unicode_escape", "utf-32"),
    ],
)
def test_it_does_not_trust_a_charset_that_is_none(read, charset):
    data = "Käse ist gut für müde Mäuse".encode("cp1252")
    document = only(read(("a.txt", data, f"text/plain; charset={charset}")))
    assert "gut" in document["text"]


def test_it_drops_characters_that_cannot_be_stored(read):
    data = b"a\x01b\x1bc\r\nd\x0ce"
    assert only(read(("a.txt", data, "text/plain")))["text"] == "abc\nd\ne"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (locked_pdf(), "a.bin is protected by a password."),
        (b"%PDF-1.4 and then nothing", "a.bin is not a readable PDF."),
        (pdf("Hello")[:200], "a.bin is not a readable PDF."),
        (pdf(), "a.bin has no text; a scan needs text recognition first."),
        (b"", "a.bin has no text; a scan needs text recognition first."),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a.bin is not a text document."),
    ],
)
def test_it_says_why_a_file_has_no_text(read, data, text):
    played = read(("a.bin", data, "application/octet-stream"))
    assert (played.error.code, played.error.message) == (Code.HANDLER_FAILED, text)
    assert not played.outcome.retryable


def test_it_reads_what_it_can_and_notes_the_rest(read):
    played = read(
        ("a.pdf", locked_pdf(), "application/pdf"), ("b.txt", b"Hello", "text/plain")
    )
    first, second = played.result["documents"]
    assert (first["text"], first["note"]) == ("", "is protected by a password")
    assert (second["text"], second["note"]) == ("Hello", None)


def test_it_lists_every_reason_when_nothing_is_readable(read):
    played = read(("a.pdf", locked_pdf(), "application/pdf"), ("b.txt", b"", "x/y"))
    assert len(played.error.details["files"]) == 2


def test_it_needs_a_file(read):
    error = read().error
    assert error.code == Code.PAYLOAD_INVALID
    assert error.message == "This task type takes at least 1 file, not 0."


def test_it_returns_no_more_characters_than_asked_for(read):
    played = read(
        ("a.pdf", pdf("123456"), "application/pdf"),
        ("b.txt", b"abcdef", "text/plain"),
        max_chars=8,
    )
    first, second = played.result["documents"]
    assert (first["text"], first["truncated"]) == ("123456", False)
    assert (second["text"], second["truncated"]) == ("ab", True)


def test_it_says_which_files_it_did_not_get_to(read):
    names = ["a.txt", "b.txt"]
    played = read(*[(name, b"abc", "text/plain") for name in names], max_chars=3)
    first, second = played.result["documents"]
    assert (first["truncated"], first["note"]) == (False, None)
    assert second["note"] == "was not read: max_chars was used up"
    assert (second["truncated"], second["characters"]) == (True, 0)


def test_its_largest_result_still_fits(read):
    data = ("\U0001f9fe" * 250_000).encode()
    document = only(read(("a.txt", data, "text/plain"), max_chars=200_000))
    assert document["characters"] == 200_000


@pytest.mark.parametrize("max_chars", [0, 200_001, "many"])
def test_it_refuses_other_bounds(read, max_chars):
    played = read(("a.txt", b"Hello", "text/plain"), max_chars=max_chars)
    assert played.error.code == Code.PAYLOAD_INVALID
