"""`invoice_approval`: read an invoice, ask for what is missing, get it approved.

reading → asking → deciding → booking; `fields` is what they pass on.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from pydantic import Field

from agents_app.context import Context
from agents_app.handlers.invoice_approval.asking import ask_for_missing
from agents_app.handlers.invoice_approval.deciding import Verdict, Word, decide
from agents_app.handlers.invoice_approval.fields import Invoice, InvoiceFields, Source
from agents_app.handlers.invoice_approval.reading import read_invoice
from agents_app.protocol.jsontext import dumps
from agents_app.registry import handles
from agents_app.results import InWords


class ApprovalOutcome(InvoiceFields, InWords):
    """The five fields and what became of them. A rejection is a result, no failure."""

    approved: bool
    decision: Word
    sources: dict[str, Source] = Field(description="Where each field comes from.")
    decided_by: str | None = None
    comment: str | None = None
    receipt_file_id: str | None = Field(
        default=None, description="The booking receipt, a JSON file of this task."
    )

    def in_words(self) -> str:
        """What became of it, and by whom."""
        if self.decision is Word.AUTO:
            return "Booked: within the limit."
        verb = "Booked, approved" if self.approved else "Rejected"
        changed = " with changes" if self.decision is Word.MODIFIED else ""
        return f"{verb}{changed} by {self.decided_by}."


@handles(
    "invoice_approval",
    input=Invoice,
    output=ApprovalOutcome,
    name="Invoice approval",
    estimated_time="2s-10s",
    accepts_files=True,
    min_files=1,
    max_files=1,
    max_duration_s=120,
    capabilities=("pdf", "human_approval"),
)
def approve_invoice(ctx: Context[Invoice]) -> ApprovalOutcome:
    """Read an invoice PDF, ask for missing facts, get it approved above a limit."""
    ctx.progress(10, "Reading the invoice")
    (file,) = ctx.files
    draft = ctx.step("read", read_invoice, file, ctx.payload, ctx.check)
    draft = ask_for_missing(ctx, draft)
    ctx.progress(50, "Deciding")
    verdict = decide(ctx, draft)
    receipt: str | None = None
    if verdict.approved:
        ctx.progress(90, "Booking")
        receipt = ctx.step("book", book, ctx.attach, ctx.task_id, verdict)
    return _outcome(verdict, receipt)


def book(
    attach: Callable[[str, bytes, str], str], task_id: str, verdict: Verdict
) -> str:
    """Stands for a call to the books: leaves a receipt and returns its file id."""
    receipt = {
        "task_id": task_id,
        **verdict.draft.values,
        "decision": str(verdict.word),
        "decided_by": verdict.decided_by,
        "booked_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    return attach("receipt.json", dumps(receipt), "application/json")


def _outcome(verdict: Verdict, receipt: str | None) -> ApprovalOutcome:
    fields = verdict.draft.complete()
    return ApprovalOutcome(
        **dict(fields),
        approved=verdict.approved,
        decision=verdict.word,
        sources=verdict.draft.sources,
        decided_by=verdict.decided_by,
        comment=verdict.comment,
        receipt_file_id=receipt,
    )
