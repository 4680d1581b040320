"""What each error code means: HTTP status, whether retrying helps, a safe text.

One table for P2A answers, A2A nacks, task errors and the docs. `errors` raises from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from agents_app.protocol.codes import Category, Code
from agents_app.protocol.texts_zh import TEXTS_ZH


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSpec:
    """One line of the catalogue (A2A chapter 7, P2A chapter 9).

    `retryable` says whether the same request, unchanged, may succeed later.
    `text` and `text_zh` are safe to show to anyone.
    """

    code: Code
    category: Category
    http_status: int
    retryable: bool
    text: str
    text_zh: str


_RETRYABLE = frozenset(
    {
        Code.INTERNAL,
        Code.DATABASE_UNAVAILABLE,
        Code.RATE_LIMITED,
        Code.CHANGED_MEANWHILE,
        Code.QUOTA_EXCEEDED,
        Code.NO_LIVE_AGENT,
        Code.DELIVERY_FAILED,
        Code.AGENT_SILENT,
        Code.FILE_NOT_READY,
        Code.FILE_UNREACHABLE,
    }
)

_ENTRIES: Mapping[Code, tuple[int, str]] = {
    Code.INTERNAL: (500, "Something went wrong on our side."),
    Code.DATABASE_UNAVAILABLE: (503, "The database cannot be reached right now."),
    Code.RATE_LIMITED: (429, "Too many requests; slow down."),
    Code.MALFORMED_JSON: (400, "The body is not valid JSON."),
    Code.INVALID_FIELD: (400, "A field is missing or has a wrong value."),
    Code.ROUTE_NOT_FOUND: (404, "There is nothing at this address."),
    Code.METHOD_NOT_ALLOWED: (405, "This address does not accept that method."),
    Code.NOT_ACCEPTABLE: (406, "Only application/json can be returned here."),
    Code.UNSUPPORTED_MEDIA_TYPE: (415, "This content type is not supported here."),
    Code.BODY_TOO_LARGE: (413, "The request body is too large."),
    Code.UNKNOWN_PARAMETER: (400, "The query names an unknown parameter."),
    Code.UNSTORABLE_VALUE: (400, "A value cannot be stored as it is."),
    Code.BODY_TOO_SLOW: (408, "The request body came too slowly."),
    Code.TASK_NOT_FOUND: (404, "There is no such task."),
    Code.TASK_ENDED: (409, "The task has already ended."),
    Code.ILLEGAL_TRANSITION: (
        409,
        "The task does not allow this in its current state.",
    ),
    Code.IDEMPOTENCY_CONFLICT: (
        409,
        "This idempotency key came with another request before.",
    ),
    Code.HANDLER_FAILED: (500, "The agent failed while working on the task."),
    Code.ATTEMPTS_EXHAUSTED: (500, "The task failed in every attempt it was allowed."),
    Code.MAX_DURATION: (504, "The task ran longer than its type allows."),
    Code.NOT_STARTED: (504, "No agent began the task in time."),
    Code.JOURNAL_MISMATCH: (500, "The handler changed while the task was waiting."),
    Code.RESULT_INVALID: (500, "The agent returned a result that breaks its schema."),
    Code.TASK_REJECTED: (422, "The agent declined the task."),
    Code.ALREADY_DECIDED: (409, "Someone has already decided this question."),
    Code.QUESTION_CHANGED: (
        409,
        "The question has changed or closed since it was shown.",
    ),
    Code.CLAIMED_BY_OTHER: (409, "Someone else is deciding this question."),
    Code.DECISION_INVALID: (422, "The decision is not one of those offered."),
    Code.FILE_NOT_FOUND: (404, "The task has no such file."),
    Code.CHANGED_MEANWHILE: (409, "The task kept changing while this was applied."),
    Code.PROGRESS_INVALID: (422, "Progress is an integer from 0 to 100."),
    Code.FILE_NOT_READY: (404, "The file is still on its way; ask again soon."),
    Code.TOO_MANY_MESSAGES: (409, "The task has had too many messages."),
    Code.STOPPED_BY_EXECUTOR: (
        409,
        "The agent that worked on the task has stopped it.",
    ),
    Code.VOTES_DIFFER: (409, "The votes so far are for another answer."),
    Code.ALREADY_VOTED: (409, "You have already voted on this question."),
    Code.TOP_LEVEL: (409, "There is no higher level to give this question to."),
    Code.NOT_ELIGIBLE: (422, "That person may not decide this question."),
    Code.QUESTION_CLIMBED: (
        409,
        "The question went to another level after it was shown.",
    ),
    Code.NO_INFO_NEEDED: (409, "The task is not waiting for information."),
    Code.INFO_INVALID: (422, "The provided information does not fit the task."),
    Code.INFO_TIMEOUT: (504, "The missing information did not arrive in time."),
    Code.UNKNOWN_TASK_TYPE: (422, "No agent here offers this task type."),
    Code.PAYLOAD_INVALID: (
        422,
        "The payload does not fit the task type's input schema.",
    ),
    Code.FILE_TOO_LARGE: (413, "A file is larger than allowed."),
    Code.TOO_MANY_FILES: (413, "There are more files than allowed."),
    Code.FILE_TYPE_REFUSED: (415, "This kind of file is not accepted."),
    Code.SCHEMA_INVALID: (422, "The task type's own schema is broken."),
    Code.QUOTA_EXCEEDED: (429, "Too many unfinished tasks."),
    Code.NO_LIVE_AGENT: (503, "No agent that can do this is available now."),
    Code.KEY_MISSING: (401, "An API key is required."),
    Code.KEY_INVALID: (401, "The API key is not valid."),
    Code.KEY_MISMATCH: (401, "The header and the query carry different API keys."),
    Code.FORBIDDEN: (403, "You may not do this."),
    Code.ADDRESS_REFUSED: (422, "This address may not be called."),
    Code.TOKEN_INVALID: (400, "The callback token cannot be sent as a header."),
    Code.SIGNATURE_INVALID: (401, "The signature does not fit the message."),
    Code.TIMESTAMP_SKEW: (401, "The signature's timestamp is too far from now."),
    Code.OWN_STAFF: (403, "You belong to the caller that submitted this task."),
    Code.ENVELOPE_INVALID: (400, "The message envelope is not valid."),
    Code.UNKNOWN_MESSAGE_TYPE: (422, "This message type is not known."),
    Code.WRONG_DIRECTION: (422, "The sender may not send this message type."),
    Code.VERSION_UNSUPPORTED: (422, "This protocol version is not spoken here."),
    Code.MESSAGE_ID_REUSED: (409, "This message id came with other content before."),
    Code.DELIVERY_FAILED: (502, "The message could not be delivered."),
    Code.AGENT_SILENT: (504, "The agent that had the task fell silent."),
    Code.FILE_UNREACHABLE: (
        502,
        "A file could not be fetched from the agent that has it.",
    ),
}


def _spec(code: Code, http_status: int, text: str) -> ErrorSpec:
    return ErrorSpec(
        code=code,
        category=code.category,
        http_status=http_status,
        retryable=code in _RETRYABLE,
        text=text,
        text_zh=TEXTS_ZH[code],
    )


CATALOGUE: Mapping[Code, ErrorSpec] = MappingProxyType(
    {code: _spec(code, status, text) for code, (status, text) in _ENTRIES.items()}
)
