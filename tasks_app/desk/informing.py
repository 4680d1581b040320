"""Facts: the caller supplies what the agent could not find (decisions 11, 12)."""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from django.utils import timezone

from agents_app.protocol import jsontext
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import MessageType
from agents_app.protocol.payloads import ErrorObject, TaskInfoProvided
from agents_app.protocol.states import TaskState
from agents_app.schemas import budget_to_hold, errors_in
from tasks_app import ledger, lifecycle, outbox
from tasks_app.changes import Change, Closed, Snapshot
from tasks_app.desk.deadlines import is_late
from tasks_app.desk.offers import MAX_VALUE_BYTES
from tasks_app.models import Message, Question, QuestionState
from tasks_app.transition import attempts
from tasks_app.transition import desk as plans

# Partial answers to one question. Each is a message in the log; a complete one is
# always taken.
MAX_PARTIAL_ANSWERS = 100
# What all of them say together, in bytes of JSON: the row is read whole.
MAX_PROVIDED_BYTES = 1_000_000
# Of the names in an error, and of the errors in an answer.
_MENTIONED = 20
_LONGEST_NAME = 128
_JSON_TYPES = {"string", "number", "integer", "boolean", "object", "array"}


def provide(
    task_id: uuid.UUID,
    provided: Mapping[str, object],
    *,
    by: str,
    version: int | None = None,
) -> Snapshot:
    """Answer an info request; partial answers add up until all required are there.

    Raises NO_INFO_NEEDED, QUESTION_CHANGED when `version` is not the open one, and
    INFO_INVALID naming each field. After the deadline the task fails instead, as by the
    sweep, and this is refused with TASK_ENDED.
    """
    now = timezone.now()

    def plan(task: Snapshot) -> Change:
        return change_by_facts(task, provided, by=by, version=version, now=now)

    return lifecycle.change(task_id, plan).after


def change_by_facts(
    task: Snapshot,
    provided: Mapping[str, object],
    *,
    by: str,
    version: int | None,
    request_id: str | None = None,
    now: datetime,
) -> Change:
    """What the facts do to the task; see `provide`.

    QUESTION_CHANGED also when `request_id`, by which peers name it, is another one's.
    """
    question = _open(task)
    if question.owner == "peer" and by != task.requester:
        raise SynapseError(Code.FORBIDDEN)
    if request_id not in (None, question.request_id):
        raise SynapseError(Code.QUESTION_CHANGED)
    if version is not None and version != question.version:
        details = {"version": question.version}
        raise SynapseError(Code.QUESTION_CHANGED, details=details)
    if is_late(question, now):
        raise _too_late(task)
    _check(question, provided)
    together = {**question.provided, **provided}
    complete = _is_complete(question, together)
    if not complete:
        _check_room(question, together)
    words = TaskInfoProvided(
        task_id=task.wire_id,
        request_id=question.request_id,
        version=question.wire_version,
        provided_info=provided,
    )
    return plans.provide(
        task,
        words,
        complete=complete,
        together=together,
        by=by,
        now=now,
        policy=lifecycle.policy(),
        question_id=question.message_id,
    )


def expire_info(task: Snapshot) -> None:
    """Nobody provided it in time: the task fails with INFO_TIMEOUT (G10)."""
    now = timezone.now()
    policy = lifecycle.policy()
    error = ErrorObject.of(SynapseError(Code.INFO_TIMEOUT))
    change = attempts.fail(task, error, now=now, policy=policy)
    expired = Closed(state=QuestionState.EXPIRED, by=policy.node, at=now)
    lifecycle.commit([replace(change, closed=expired)])


def _open(task: Snapshot) -> Question:
    if task.state is not TaskState.INFO_NEEDED:
        code = Code.TASK_ENDED if task.ended else Code.NO_INFO_NEEDED
        raise SynapseError(code, details={"state": str(task.state)})
    question = Question.objects.filter(
        task_id=task.id, state=QuestionState.OPEN
    ).first()
    if question is None:  # Answered since the task was read.
        raise SynapseError(Code.NO_INFO_NEEDED)
    return question


def _too_late(task: Snapshot) -> SynapseError:
    """Its deadline counts now, not at the next sweep; whoever is late is told so."""
    if not outbox.is_remote(task.executor, lifecycle.policy()):
        expire_info(task)
    # Else the sweep ends it: it also takes back what waits for the peer.
    found = ledger.load(task.id)
    ended = found is not None and found.ended
    return SynapseError(
        Code.TASK_ENDED if ended else Code.NO_INFO_NEEDED,
        "The time to provide it is over.",
        details={"state": str(found.state)} if found else None,
    )


def _check(question: Question, provided: Mapping[str, object]) -> None:
    jsontext.check_storable(provided, "provided_info")
    asked = {field["name"]: field for field in question.missing_fields}
    expected = f"expected some of: {_mention(asked)}."
    if not provided:
        raise _invalid({"provided_info": f"Empty; {expected}"})
    if len(jsontext.dumps(provided)) > MAX_VALUE_BYTES:
        raise _invalid({"provided_info": f"At most {MAX_VALUE_BYTES} bytes at a time."})
    errors: dict[str, str] = {}
    budget = budget_to_hold()
    for name, value in provided.items():
        if name not in asked:
            errors[name[:_LONGEST_NAME]] = f"Not asked for; {expected}"
        elif found := errors_in(_schema(asked[name]), value, budget):
            errors[name] = _told(found)
        if len(errors) == _MENTIONED:
            break
    if errors:
        raise _invalid(errors)


def _told(found: Mapping[str, str]) -> str:
    """A field has one text, whatever is wrong inside it: `items.0 must be …; …`."""
    return "; ".join(f"{path} {text}".strip() for path, text in found.items())


def _check_room(question: Question, together: Mapping[str, object]) -> None:
    """Partial answers add up, but not for ever; INFO_INVALID."""
    if len(jsontext.dumps(together)) > MAX_PROVIDED_BYTES:
        text = f"More than {MAX_PROVIDED_BYTES} bytes in all."
        raise _invalid({"provided_info": text})
    if not question.provided:
        return
    earlier = Message.objects.filter(
        task=question.task_id,
        type=MessageType.TASK_INFO_PROVIDED,
        in_reply_to=question.message_id,
    )
    if earlier[:MAX_PARTIAL_ANSWERS].count() == MAX_PARTIAL_ANSWERS:
        text = f"{MAX_PARTIAL_ANSWERS} partial answers came; send all that is missing."
        raise _invalid({"provided_info": text})


def _mention(names: Mapping[str, object]) -> str:
    rest = len(names) - _MENTIONED
    more = f" and {rest} more" if rest > 0 else ""
    return ", ".join(list(names)[:_MENTIONED]) + more


def _schema(field: Mapping[str, object]) -> Mapping[str, object]:
    schema = field.get("schema")
    if isinstance(schema, Mapping):
        return schema
    kind = field.get("type")
    return {"type": kind} if kind in _JSON_TYPES else {}


def _is_complete(question: Question, together: Mapping[str, object]) -> bool:
    return all(
        field["name"] in together
        for field in question.missing_fields
        if field.get("required", True)
    )


def _invalid(fields: Mapping[str, str]) -> SynapseError:
    return SynapseError(Code.INFO_INVALID, details={"fields": dict(fields)})
