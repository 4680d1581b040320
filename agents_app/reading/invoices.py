"""What a template of invoice2data, or one of the handler's, finds in an invoice.

Runs in a child process: the templates' patterns meet whatever a stranger's PDF says. A
field that a template does not find stays unknown; one it only guesses (a default
currency) counts as not found.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from invoice2data.extract.invoice_template import InvoiceTemplate
from invoice2data.extract.loader import read_templates
from invoice2data.input import pdfium

from agents_app.reading.pages import opened, page_texts

_MAX_CHARACTERS = 200_000
_KEY_FACTS = ("invoice_number", "date", "amount")
_TEMPLATE_FAILED = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    re.error,
)


def read(path: str, own_templates: str) -> Iterator[object]:
    """One object: field name to what was found. `own_templates` is a folder."""
    with opened(path) as document:
        text = "\n".join(page_texts(document, _MAX_CHARACTERS)).strip()
    yield _best(text, path, own_templates)


def _best(text: str, path: str, own_templates: str) -> Mapping[str, object]:
    """The first matching template that finds at least two key facts.

    Some templates match on very common words; one that then finds next to nothing has
    most likely matched another vendor's invoice, and its vendor would be wrong.
    """
    for template in _templates(own_templates):
        if template.matches_input(text):
            found = _extracted(template, text, path)
            if sum(found.get(name) is not None for name in _KEY_FACTS) >= 2:
                return found
    return {}


def _extracted(template: InvoiceTemplate, text: str, path: str) -> Mapping[str, object]:
    try:
        # With the path: a template may read an area of the page.
        output = template.extract(template.prepare_input(text), path, pdfium)
    except _TEMPLATE_FAILED:
        return {}
    return {
        "vendor": _one_line(output.get("issuer")),
        "invoice_number": _one_line(output.get("invoice_number")),
        "date": _day(output.get("date")),
        "amount": _amount(output.get("amount")),
        "currency": _one_line(output.get("currency")),
    }


def _templates(own: str) -> list[InvoiceTemplate]:
    """By priority, our own first among equals."""
    found = [*read_templates(own), *read_templates()]
    found.sort(key=lambda template: -int(template["priority"]))
    return [_lenient(template) for template in found]


def _lenient(template: InvoiceTemplate) -> InvoiceTemplate:
    """Keeps what was found when something is missing, and assumes no currency."""
    template["required_fields"] = []
    if "currency" not in template.get("options", {}):
        template.options["currency"] = None
    return template


def _one_line(value: object) -> str | None:
    """None for a list as well: several different matches are no finding."""
    if not isinstance(value, str | int):
        return None
    return " ".join(str(value).split()) or None


def _day(value: object) -> str | None:
    return value.date().isoformat() if isinstance(value, datetime) else None


def _amount(value: object) -> float | None:
    return round(value, 4) if isinstance(value, float | int) else None
