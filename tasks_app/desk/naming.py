"""Which question an answer of a peer is about (decisions 18)."""

from dataclasses import dataclass

from agents_app.protocol.errors import Code, SynapseError
from tasks_app.models import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """By what the answer names its question. The seed has none of it: all optional."""

    request_id: str | None = None
    version: int | None = None
    # Of the envelope: the id of the message that asked.
    in_reply_to: str | None = None


UNNAMED = Named()


def check_named(question: Question, named: Named) -> None:
    """QUESTION_CHANGED, with how the open one is named, when it is about another one.

    `in_reply_to` counts where nothing else is said. What names nothing is taken for the
    open question: a peer that knows only the seed has no other way to answer.
    """
    request_id, version = named.request_id, named.version
    fits = request_id in (None, question.request_id)
    fits = fits and version in (None, question.wire_version)
    if request_id is None and version is None:
        fits = named.in_reply_to in (None, question.message_id)
    if not fits:
        now_open = {
            "request_id": question.request_id,
            "version": question.wire_version,
        }
        raise SynapseError(Code.QUESTION_CHANGED, details=now_open)
