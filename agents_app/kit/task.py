"""One task in the hands of its handler: each method is one message to the node.

The handler runs in a thread of its own, so it may simply wait: for facts, for a
decision. What comes for it meanwhile is put into `_answers` by `OpenTasks`.
"""

import hashlib
import logging
import threading
from collections.abc import Mapping, Sequence
from queue import SimpleQueue

from agents_app.kit.link import Link, Undelivered
from agents_app.protocol import ids
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import (
    Attachment,
    ErrorObject,
    HumanDecision,
    MissingField,
    Nack,
    Option,
    Payload,
    TaskComplete,
    TaskConfirm,
    TaskFailed,
    TaskInfoProvided,
    TaskNeedHuman,
    TaskNeedInfo,
    TaskReject,
    TaskRequest,
    TaskStatusUpdate,
)
from agents_app.protocol.states import TaskState

logger = logging.getLogger(__name__)

Reply = TaskInfoProvided | HumanDecision


class Cancelled(Exception):
    """The task is over for us: cancelled, ended by the node, or the agent stops."""


class Task:
    """What was asked, and the executor's words about it (A2A 6.2 to 6.9).

    Every method raises Cancelled once the task is over, SynapseError for what the node
    refuses, Undelivered when the node is not there.
    """

    def __init__(self, link: Link, request: TaskRequest) -> None:
        self.id = request.task_id
        self.type = request.task_type
        self.payload: Mapping[str, object] = request.payload
        self.priority = request.priority
        self.attachments = request.attachments
        self._link = link
        self._over = threading.Event()
        self._question: str | None = None
        self._files: list[tuple[Attachment, bytes]] = []
        self._answers: SimpleQueue[Reply | None] = SimpleQueue()

    @property
    def cancelled(self) -> bool:
        """Whether to stop; also while nothing is said."""
        return self._over.is_set()

    def confirm(self, estimated_time: str | None = None) -> None:
        """We take it (6.2). The kit has said so before a handler starts."""
        self._say(TaskConfirm(task_id=self.id, estimated_time=estimated_time))

    def reject(self, error: SynapseError) -> None:
        """We do not take it (6.3); only before `confirm`."""
        self._say(TaskReject(task_id=self.id, reason=ErrorObject.of(error)))

    def progress(
        self, percent: int, message: str | None = None, *, eta: str | None = None
    ) -> None:
        """How far it is, 0 to 100 (6.4); `eta` as RFC 3339."""
        status = str(TaskState.EXECUTING)
        self._say(
            TaskStatusUpdate(
                task_id=self.id,
                status=status,
                progress=percent,
                message=message,
                eta=eta,
            )
        )

    def need_info(
        self,
        fields: Sequence[str | MissingField],
        reason: str,
        *,
        answer_within_s: int | None = None,
    ) -> Mapping[str, object]:
        """Ask the requester for facts (6.7) and wait; all that were provided.

        Answers come in parts; it waits until every required one is there.
        """
        wanted = tuple(MissingField.parse(_plain(field)) for field in fields)
        question = TaskNeedInfo(
            task_id=self.id,
            request_id=str(ids.new_id()),
            missing_fields=wanted,
            reason=reason,
            answer_within_s=answer_within_s,
        )
        self._ask(question, question.request_id)
        facts: dict[str, object] = {}
        required = {field.name for field in wanted if field.required}
        while True:
            answer = self._answer()
            if isinstance(answer, TaskInfoProvided):
                facts |= answer.provided_info
                if required <= facts.keys():
                    self._question = None
                    return facts

    def need_human(
        self,
        reason: Mapping[str, object],
        *,
        level: int = 1,
        options: Sequence[str | Option] = (),
        suggested_value: Mapping[str, object] | None = None,
        decision_schema: Mapping[str, object] | None = None,
        answer_within_s: int | None = None,
    ) -> HumanDecision:
        """Ask a person on the requester's side (6.9) and wait for the decision."""
        question = TaskNeedHuman(
            task_id=self.id,
            request_id=str(ids.new_id()),
            escalation_level=level,
            reason=reason,
            options=tuple(Option.parse(_plain(option)) for option in options),
            suggested_value=suggested_value,
            decision_schema=decision_schema,
            answer_within_s=answer_within_s,
        )
        self._ask(question, question.request_id)
        while True:
            answer = self._answer()
            if isinstance(answer, HumanDecision):
                self._question = None
                return answer

    def attach(
        self,
        name: str,
        data: bytes,
        content_type: str = "application/octet-stream",
    ) -> str:
        """A file of the result, by its id; kept in memory and brought at the end."""
        file = Attachment(
            file_id=str(ids.new_id()),
            name=name,
            content_type=content_type,
            size=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
        )
        self._files.append((file, data))
        return file.file_id

    def complete(
        self,
        result: Mapping[str, object],
        *,
        summary: str | None = None,
        attachments: Sequence[Attachment] = (),
    ) -> None:
        """It is done (6.5). Attachments are fetched from their `url` by the node."""
        brought = (file for file, _ in self._files)
        self._say(
            TaskComplete(
                task_id=self.id,
                result=result,
                summary=summary,
                attachments=(*attachments, *brought),
            )
        )
        self._over.set()
        self._bring()

    def fail(self, error: SynapseError) -> None:
        """It cannot be done (6.6); the text goes to the requester."""
        self._say(TaskFailed(task_id=self.id, error=ErrorObject.of(error)))
        self._over.set()

    def hear(self, answer: Reply) -> None:
        """An answer came in.

        One to a question of another run of this agent is taken and forgotten: the
        handler began again, and asks again. To refuse it would fail the task.
        """
        if self._question is None or answer.request_id not in (None, self._question):
            logger.info("An answer to an older question of task %s.", self.id)
            return
        self._answers.put(answer)

    def end(self) -> None:
        """Nothing more is wanted; whoever waits in a question wakes up."""
        self._over.set()
        self._answers.put(None)

    def _bring(self) -> None:
        """The result counts without them, so trouble is only logged."""
        for file, data in self._files:
            try:
                answer = self._link.bring(self.id, file, data)
            except Undelivered as trouble:
                logger.warning("File %s was not brought: %s", file.name, trouble)
                continue
            if isinstance(answer, Nack):
                logger.warning(
                    "File %s was refused: %s", file.name, answer.error.message
                )

    def _ask(self, question: Payload, request_id: str | None) -> None:
        self._question = request_id  # Before: the answer may be faster than the ack.
        self._say(question)

    def _answer(self) -> Reply:
        answer = self._answers.get()
        if answer is None or self._over.is_set():
            raise Cancelled(self.id)
        return answer

    def _say(self, words: Payload) -> None:
        if self._over.is_set():
            raise Cancelled(self.id)
        answer = self._link.send(self._link.envelope(words))
        if not isinstance(answer, Nack):
            return
        error = answer.error
        if error.code in (Code.TASK_ENDED, Code.TASK_NOT_FOUND):
            self._over.set()
            raise Cancelled(self.id)
        code = Code(error.code) if error.code in set(Code) else Code.INTERNAL
        raise SynapseError(code, error.message, details=error.details)


def _plain(item: str | MissingField | Option) -> object:
    return item if isinstance(item, str) else item.to_json()
