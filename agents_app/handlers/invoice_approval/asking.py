"""Asks the caller for the facts the invoice does not give."""

from collections.abc import Sequence

from agents_app.context import Context, HandlerError, MissingField
from agents_app.handlers.invoice_approval.fields import (
    Draft,
    Invoice,
    Source,
    field_schema,
)

MAX_ROUNDS = 3


def ask_for_missing(ctx: Context[Invoice], draft: Draft) -> Draft:
    """The completed draft. Asks again for what cannot be used, three times in all."""
    reason = "The invoice does not say: {}."
    for _ in range(MAX_ROUNDS):
        missing = draft.missing
        if not missing:
            return draft
        answer = ctx.need_info(
            [_question(name) for name in missing], reason.format(", ".join(missing))
        )
        draft = draft.filled(answer, Source.ANSWER)
        reason = "These values are still missing or could not be used: {}."
    if draft.missing:
        raise _still_missing(draft.missing)
    return draft


def _question(name: str) -> MissingField:
    schema = field_schema(name)
    return MissingField(
        name=name,
        type=str(schema["type"]),
        description=str(schema["description"]),
        json_schema=schema,
    )


def _still_missing(names: Sequence[str]) -> HandlerError:
    text = f"The invoice is still incomplete after {MAX_ROUNDS} questions."
    return HandlerError(text, details={"missing_fields": list(names)})
