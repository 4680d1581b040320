"""What an invoice says of itself, and what its caller knows better.

First step of the handler. `reading.invoices` reads the PDF, in a process of its own.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from agents_app.context import HandlerError, TaskFile
from agents_app.handlers.invoice_approval.fields import Draft, KnownFields, Source
from agents_app.reading import Unreadable
from agents_app.reading.calling import call

# For vendors that invoice2data does not know; operators add theirs.
_OWN_TEMPLATES = Path(__file__).parents[1] / "invoice_templates"


def read_invoice(
    file: TaskFile, known: KnownFields, check: Callable[[], None]
) -> Draft:
    """What the PDF says, overruled by what the caller already knows.

    `check` is called while the PDF is read and may raise.
    """
    try:
        found = _found(file, check)
    except Unreadable as refused:
        raise HandlerError(f"{file.name} {refused}.") from refused
    given = known.model_dump(mode="json", include=set(KnownFields.model_fields))
    return Draft().filled(found, Source.DOCUMENT).filled(given, Source.PAYLOAD)


def _found(file: TaskFile, check: Callable[[], None]) -> Mapping[str, object]:
    answer = call(
        "agents_app.reading.invoices", file.path, str(_OWN_TEMPLATES), check=check
    )
    match answer.said:
        case [dict(found)]:
            return found
    raise answer.unreadable()
