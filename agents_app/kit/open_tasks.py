"""The tasks we have: each runs its handler in a thread until it ends.

a message of the node → hear → a new thread, or word to the one that runs
"""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agents_app.kit.link import Link, Undelivered
from agents_app.kit.task import Cancelled, Task
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import MessageType
from agents_app.protocol.payloads import (
    HumanDecision,
    TaskAck,
    TaskCancel,
    TaskInfoProvided,
    TaskPayload,
    TaskRequest,
)

Handler = Callable[[Task], Mapping[str, object] | None]
# Raises SynapseError for a payload that the handler does not take.
Check = Callable[[Mapping[str, object]], object]
# True: the task is over. False: we could not say so, and it should come again.
Ended = Callable[[bool], None]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Offer:
    """One task type: who does it, and what it takes."""

    handler: Handler
    check: Check | None = None


@dataclass(frozen=True, kw_only=True)
class OpenTasks:
    """Runs up to `capacity` tasks at a time."""

    link: Link
    offers: Mapping[str, Offer]
    capacity: int
    _running: dict[str, Task] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def active(self) -> int:
        return len(self._running)

    def hear(self, words: TaskPayload, ended: Ended = lambda over: None) -> bool:
        """Take a message about a task; SynapseError when it has no effect.

        True when it is the beginning of a task: `ended` is called when that is over.
        """
        if isinstance(words, TaskRequest):
            return self._start(words, ended)
        if isinstance(words, TaskAck):
            return False
        task = self._running.get(words.task_id)
        if isinstance(words, TaskCancel):
            self._cancel(words.task_id, task)
        elif task is None:
            raise SynapseError(Code.TASK_NOT_FOUND)
        elif isinstance(words, TaskInfoProvided | HumanDecision):
            task.hear(words)
        else:
            raise SynapseError(Code.WRONG_DIRECTION)
        return False

    def stop(self) -> None:
        """Wake every handler that waits; each ends with Cancelled."""
        for task in list(self._running.values()):
            task.end()

    def _start(self, request: TaskRequest, ended: Ended) -> bool:
        offer = self.offers.get(request.task_type)
        if offer is None:
            details = {"supported": sorted(self.offers)}
            raise SynapseError(Code.UNKNOWN_TASK_TYPE, details=details)
        task = Task(self.link, request)
        with self._lock:
            if request.task_id in self._running:
                return False  # Asked again, in another envelope.
            if len(self._running) >= self.capacity:
                raise SynapseError(Code.QUOTA_EXCEEDED, retry_after=5)
            self._running[task.id] = task
        name = f"task-{task.id}"
        run = threading.Thread(
            target=self._run, args=(task, offer, ended), name=name, daemon=True
        )
        run.start()
        return True

    def _run(self, task: Task, offer: Offer, ended: Ended) -> None:
        over = True
        try:
            _play(task, offer)
        except Cancelled:
            logger.info("Task %s is over.", task.id)
            over = not self.link.stopping.is_set()
        except Undelivered as trouble:
            logger.warning("Task %s has to begin again: %s", task.id, trouble)
            over = False
        except SynapseError as refused:
            logger.warning("Task %s cannot be ended: %s", task.id, refused)
        finally:
            self._running.pop(task.id, None)
        ended(over)

    def _cancel(self, task_id: str, task: Task | None) -> None:
        """Acknowledged also when there is nothing left to cancel (A2A 5.4)."""
        if task is not None:
            task.end()
        words = TaskAck(task_id=task_id, acked_type=str(MessageType.TASK_CANCEL))
        self.link.send_aside(self.link.envelope(words))


def _play(task: Task, offer: Offer) -> None:
    """From the first word to the last; only the node's own trouble comes out."""
    if not _accepted(task, offer.check):
        return
    try:
        result = offer.handler(task)
        if not task.cancelled:
            task.complete(result or {})
    except (Cancelled, Undelivered):
        raise
    except SynapseError as failure:
        task.fail(failure)
    except Exception:
        # The text may hold anything; it stays in our own log.
        logger.exception("The handler of task %s failed.", task.id)
        task.fail(SynapseError(Code.HANDLER_FAILED))


def _accepted(task: Task, check: Check | None) -> bool:
    try:
        if check is not None:
            check(task.payload)
    except SynapseError as refused:
        task.reject(refused)
        return False
    except Exception:
        logger.exception("The check of task %s failed.", task.id)
        task.reject(SynapseError(Code.TASK_REJECTED))
        return False
    try:
        task.confirm()
    except SynapseError as refused:
        # We had it before we were restarted, and do it again.
        if refused.code is not Code.ILLEGAL_TRANSITION:
            raise
    return True
