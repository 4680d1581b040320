"""What a message of a peer does to a task: the same plans, spoken by somebody else.

The state table decides what is legal; here it is only told who said it and under which
message id.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from agents_app.protocol import jsontext
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import move_of
from agents_app.protocol.payloads import (
    HumanDecision,
    Payload,
    TaskAck,
    TaskCancel,
    TaskComplete,
    TaskConfirm,
    TaskFailed,
    TaskNeedHuman,
    TaskNeedInfo,
    TaskReject,
    TaskStatusUpdate,
)
from agents_app.protocol.states import WAITING
from agents_app.protocol.times import parse_rfc3339
from agents_app.schemas import check_question
from tasks_app import outbox
from tasks_app.changes import Change, Logged, Snapshot
from tasks_app.policy import Policy
from tasks_app.transition import attempts, desk, steps


def from_executor(
    task: Snapshot, words: Payload, *, now: datetime, policy: Policy
) -> Change:
    """The peer that executes our task speaks.

    TASK_ENDED, ILLEGAL_TRANSITION, SCHEMA_INVALID for what nobody could answer.
    """
    match words:
        case TaskConfirm():
            return _confirmed(task, words, now, policy)
        case TaskReject():
            return _rejected(task, words, now, policy)
        case TaskStatusUpdate():
            return _updated(task, words, now, policy)
        case TaskNeedInfo() | TaskNeedHuman():
            check_question(words)
            return attempts.ask(task, words, position=None, now=now, policy=policy)
        case TaskComplete():
            return attempts.complete(task, words, now=now, policy=policy)
        case TaskFailed():
            return attempts.fail(task, words.error, now=now, policy=policy)
        case TaskAck():
            return _acknowledged(task, words, steps.from_executor(task), now)
        case _:
            raise SynapseError(Code.WRONG_DIRECTION)


def from_requester(
    task: Snapshot, words: Payload, *, now: datetime, policy: Policy
) -> Change:
    """The peer whose task we execute speaks; facts are judged by `desk.provide`."""
    match words:
        case TaskCancel():
            return desk.cancel(
                task,
                by=task.requester,
                reason=words.reason or "",
                now=now,
                policy=policy,
            )
        case HumanDecision():
            return desk.decide(task, words, by=task.requester, now=now, policy=policy)
        case TaskAck():
            return _acknowledged(task, words, steps.from_requester(task), now)
        case _:
            raise SynapseError(Code.WRONG_DIRECTION)


def under_its_id(change: Change, envelope: Envelope) -> Change:
    """The peer's own message keeps the id that it came with.

    The plan made one up; it stands in what the plan says in reply, too.
    """
    heard = next(
        message
        for message in change.messages
        if message.type == envelope.type and message.sender == envelope.sender
    )
    made_up, real = heard.message_id, envelope.message_id
    # A peer chooses its ids, and quotes are allowed in them; we sign these bytes.
    in_json = jsontext.dumps(real).decode()[1:-1]

    def corrected(message: Logged) -> Logged:
        if message is heard:
            return replace(message, message_id=real, in_reply_to=envelope.in_reply_to)
        if message.in_reply_to == made_up:
            return replace(message, in_reply_to=real)
        return message

    opened = change.opened and replace(change.opened, message_id=real)
    return replace(
        change,
        messages=tuple(map(corrected, change.messages)),
        opened=opened,
        outgoing=tuple(
            replace(out, body=out.body.replace(made_up, in_json))
            for out in change.outgoing
        ),
    )


def _confirmed(
    task: Snapshot, words: TaskConfirm, now: datetime, policy: Policy
) -> Change:
    route = steps.from_executor(task)
    change = steps.say(steps.begin(task), words, route, now, move_of(words))
    change = steps.with_after(
        change, status_message="Accepted.", due_at=_deadline(task, now, policy)
    )
    return outbox.announce(change, now, policy)


def _rejected(
    task: Snapshot, words: TaskReject, now: datetime, policy: Policy
) -> Change:
    route = steps.from_executor(task)
    change = steps.say(steps.begin(task), words, route, now, move_of(words))
    change = steps.end(change, now, words.reason.message)
    return outbox.announce(replace(change, error=words.reason.to_json()), now, policy)


def _updated(
    task: Snapshot, words: TaskStatusUpdate, now: datetime, policy: Policy
) -> Change:
    route = steps.from_executor(task)
    change = steps.say(steps.begin(task), words, route, now, move_of(words))
    if task.state in WAITING:
        change = steps.withdraw(change, task.executor, now)
    change = steps.with_after(
        change,
        progress=max(task.progress, min(words.progress or 0, 99)),
        status_message=words.message or task.status_message,
        eta=parse_rfc3339(words.eta) if words.eta else task.eta,
        due_at=_deadline(task, now, policy),
    )
    return outbox.announce(change, now, policy)


def _acknowledged(
    task: Snapshot, words: TaskAck, route: steps.Route, now: datetime
) -> Change:
    return steps.say(steps.begin(task), words, route, now, None)


def _deadline(task: Snapshot, now: datetime, policy: Policy) -> datetime:
    """A peer may queue it as long as we would, and run it as long as it may."""
    return now + timedelta(seconds=policy.max_queue_s + task.max_duration_s)
