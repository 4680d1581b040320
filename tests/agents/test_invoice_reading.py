"""Reading an invoice: what the PDF says, what it leaves open, where it came from."""

import pytest

from agents_app.context import HandlerError
from agents_app.handlers.invoice_approval.fields import Invoice, Source
from agents_app.handlers.invoice_approval.reading import read_invoice
from agents_app.testing import task_file
from tests.agents.papers import EXAMPLES, locked_pdf, pdf


def go_on():
    """The attempt was not stopped."""


@pytest.fixture
def read(tmp_path):
    def read(data):
        path = tmp_path / "invoice.pdf"
        path.write_bytes(data)
        return read_invoice(task_file(path), Invoice(), go_on)

    return read


def sample(name, known="{}"):
    payload = Invoice.model_validate_json(known)
    return read_invoice(task_file(EXAMPLES / name), payload, go_on)


def test_it_reads_the_sample_whole():
    draft = sample("invoice.pdf")
    assert draft.missing == ()
    assert draft.values == {
        "vendor": "Quillfeather Paper Ltd",
        "invoice_number": "QF-2024-0117",
        "date": "2024-05-31",
        "amount": 1512.5,
        "currency": "EUR",
    }
    assert set(draft.sources.values()) == {Source.DOCUMENT}


def test_it_keeps_what_it_found_when_something_is_missing():
    draft = sample("invoice-without-date.pdf")
    assert draft.missing == ("date",)
    assert draft.values["amount"] == 1512.5


def test_it_believes_the_caller_more_than_the_document():
    draft = sample("invoice.pdf", '{"amount": 12.3, "currency": "usd"}')
    assert (draft.values["amount"], draft.values["currency"]) == (12.3, "USD")
    assert draft.sources["amount"] is Source.PAYLOAD
    assert draft.sources["vendor"] is Source.DOCUMENT


@pytest.mark.parametrize("lines", [(), ("A letter", "Total due: EUR 5.00")])
def test_it_knows_nothing_of_a_document_no_template_fits(read, lines):
    assert read(pdf(*lines)).values == {}


def test_it_takes_no_vendor_from_a_template_that_found_next_to_nothing(read):
    draft = read(pdf("Quillfeather Paper Ltd", "No Invoice, only a greeting"))
    assert draft.values == {}


def test_it_takes_no_currency_that_a_template_only_assumes(read):
    """This vendor's template names none; invoice2data itself would say EUR."""
    lines = ("Gesamtbetrag inkl. MwSt 12.34", "Datum: 03-05-2024")
    draft = read(pdf("USt-IdNr. DE245768940", "Quittierte Rechnung: A1", *lines))
    assert draft.missing == ("currency",)
    assert draft.values["amount"] == 12.34


@pytest.mark.parametrize(
    "amount", ["1,512.50 Total due: EUR 9.00", "99999999999999999999.00"]
)
def test_it_takes_no_amount_that_is_ambiguous_or_absurd(read, amount):
    draft = read(
        pdf(
            "Quillfeather Paper Ltd",
            "Invoice",
            "Invoice number: QF-2024-0001",
            "Invoice date: 31 May 2024",
            f"Total due: EUR {amount}",
        )
    )
    assert draft.missing == ("amount",)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (locked_pdf(), "invoice.pdf is protected by a password."),
        (b"Dear customer", "invoice.pdf is not a readable PDF."),
        (b"", "invoice.pdf is not a readable PDF."),
    ],
)
def test_it_says_why_a_file_cannot_be_read(read, data, text):
    with pytest.raises(HandlerError) as refused:
        read(data)
    assert refused.value.message == text
