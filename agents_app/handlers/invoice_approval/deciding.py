"""Decides alone up to the limit, asks a person above it."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from agents_app.context import Action, Context, DecisionView, HandlerError, Option
from agents_app.handlers.invoice_approval.fields import (
    NAMES,
    Draft,
    Invoice,
    InvoiceFields,
    Source,
    change_schema,
    usable_value,
)

MAX_ROUNDS = 3
APPROVE = Option(id="approve", label="Approve and book")
REJECT = Option(id="reject", label="Reject")


class Word(StrEnum):
    """How the invoice was decided."""

    AUTO = "auto"  # Within the limit; nobody was asked.
    APPROVED = "approved"
    MODIFIED = "modified"  # Approved after a person changed a field.
    REJECTED = "rejected"


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    word: Word
    draft: Draft
    decided_by: str | None = None
    comment: str | None = None

    @property
    def approved(self) -> bool:
        return self.word is not Word.REJECTED


def level_for(amount: Decimal, limit: Decimal) -> int:
    """Who may decide: 1 up to ten times the limit, 2 up to a hundred, 3 above."""
    if amount <= 10 * limit:
        return 1
    return 2 if amount <= 100 * limit else 3


def decide(ctx: Context[Invoice], draft: Draft) -> Verdict:
    """Asks again when a change cannot be used or lifts the amount over the level."""
    limit = ctx.payload.limit
    amount = draft.complete().amount
    if amount <= limit:
        return Verdict(word=Word.AUTO, draft=draft)
    level, note = level_for(amount, limit), ""
    for _ in range(MAX_ROUNDS):
        decision = _ask(ctx, draft, level, note)
        if not decision.approved or decision.option_id == REJECT.id:
            return _verdict(Word.REJECTED, draft, decision)
        unusable = _unusable(decision)
        if unusable:
            note = f"This could not be used: {', '.join(unusable)}."
            continue
        draft = _changed(draft, decision)
        needed = level_for(draft.complete().amount, limit)
        if needed <= level:
            return _verdict(_word(draft), draft, decision)
        level, note = needed, "The amount was changed to one that needs this level."
    raise HandlerError(f"There was no usable decision in {MAX_ROUNDS} questions.")


def _ask(ctx: Context[Invoice], draft: Draft, level: int, note: str) -> DecisionView:
    fields = draft.complete()
    return ctx.need_human(
        level=level,
        reason=_reason(fields, ctx.payload.limit, note),
        options=(APPROVE, REJECT),
        suggested_value=draft.values,
        decision_schema=change_schema(),
    )


def _reason(fields: InvoiceFields, limit: Decimal, note: str) -> dict[str, object]:
    shown: dict[str, object] = fields.model_dump(mode="json")
    summary = (
        f"{fields.vendor} asks for {_shown(fields.amount)} {fields.currency}, "
        f"more than the limit of {_shown(limit)}."
    )
    reason = {"summary": summary, **shown, "limit": float(limit)}
    return reason | {"note": note} if note else reason


def _shown(amount: Decimal) -> str:
    """With two places; some currencies need the third."""
    rounded = round(amount, 2)
    return f"{rounded if rounded == amount else amount:,f}"


def _unusable(decision: DecisionView) -> list[str]:
    """What in the decision does not fit; empty when all of it does."""
    if decision.action is Action.SELECT and decision.option_id != APPROVE.id:
        return [f"option {decision.option_id}"]
    if decision.action is not Action.MODIFY:
        return []
    if not isinstance(decision.value, dict):
        return ["not an object"]
    return [
        str(name)
        for name, value in decision.value.items()
        if name not in NAMES or usable_value(name, value) is None
    ]


def _changed(draft: Draft, decision: DecisionView) -> Draft:
    if not isinstance(decision.value, dict) or decision.action is not Action.MODIFY:
        return draft
    # A form sends all fields back: who leaves a value as it is, is not its source.
    changed = {
        name: value
        for name, value in decision.value.items()
        if usable_value(name, value) != draft.values.get(name)
    }
    return draft.filled(changed, Source.OPERATOR)


def _word(draft: Draft) -> Word:
    changed = Source.OPERATOR in draft.sources.values()
    return Word.MODIFIED if changed else Word.APPROVED


def _verdict(word: Word, draft: Draft, decision: DecisionView) -> Verdict:
    return Verdict(
        word=word,
        draft=draft,
        decided_by=decision.decided_by.user_id,
        comment=decision.comment,
    )
