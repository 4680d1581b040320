"""One courier thread at work: claim, send, record, until nothing is due."""

import logging
import random
import time
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from agents_app.outbound import Reply
from agents_app.protocol.retry import RetryPolicy
from tasks_app import queue
from tasks_app.delivery.claiming import claim_next
from tasks_app.delivery.due import in_flight, sendable
from tasks_app.delivery.giving_up import on_dead
from tasks_app.delivery.hearing import Heard, hear
from tasks_app.delivery.judging import Mishap, Verdict, judge, judge_message
from tasks_app.delivery.parking import settle
from tasks_app.delivery.recording import record
from tasks_app.delivery.sending import budget_s, send
from tasks_app.models import Delivery, DeliveryKind, DeliveryState
from tasks_app.sharing import courier as threads

# After this long a thread goes back to the broker: a courier asked to stop can.
_WORK_SECONDS = 5.0
_JITTER = 0.2

logger = logging.getLogger(__name__)


def deliver_due() -> None:
    """Send what is due until nothing is, or it is time to look at the bells again."""
    queue.courier_heard()
    settle(timezone.now())
    until = time.monotonic() + _WORK_SECONDS
    while delivery := claim_next(timezone.now(), threads):
        try:
            _ring_for_more()  # A slow receiver must not hold up the rest.
            _serve(delivery)
        except Exception:
            # Its lease brings it back; the others need not wait for that.
            logger.exception("Delivery %s could not be recorded.", delivery.pk)
        finally:
            threads.leave(delivery.party)
        if time.monotonic() > until:
            break
    _ring_for_more()


def _ring_for_more() -> None:
    now = timezone.now()
    if sendable(now, in_flight(now), threads.sated()).exists():
        queue.ring_courier()


def _serve(delivery: Delivery) -> None:
    if not _in_time(delivery):
        logger.warning("Delivery %s was claimed too long ago to send.", delivery.pk)
        return
    started_at = timezone.now()
    tried = _try(delivery)
    now = timezone.now()
    verdict = _judge(delivery, tried, now)
    if not record(delivery, tried, verdict, started_at=started_at, now=now):
        logger.warning("Delivery %s is another courier's by now.", delivery.pk)
        return
    _after(delivery, verdict)


def _judge(delivery: Delivery, tried: Reply | Mishap, now: datetime) -> Verdict:
    failures = delivery.tries - delivery.schedule_from
    dice = random.random()  # noqa: S311 - jitter
    if delivery.kind == DeliveryKind.CALLBACK:
        return judge(tried, failures=failures, policy=_policy(), now=now, random=dice)
    heard = hear(delivery, tried) if isinstance(tried, Reply) else Heard()
    return judge_message(
        tried, heard, failures=failures, policy=_policy(), now=now, random=dice
    )


def _in_time(delivery: Delivery) -> bool:
    """Whether the request would end before the lease does.

    Not after the thread or the machine was halted: by now another may have sent the
    final callback of the task.
    """
    budget = timedelta(seconds=budget_s(delivery))
    lease = delivery.leased_until
    return lease is not None and timezone.now() + budget <= lease


def _try(delivery: Delivery) -> Reply | Mishap:
    if delivery.tries - delivery.schedule_from > _policy().attempts:
        return Mishap.LOST
    try:
        return send(delivery)
    except Exception:
        logger.exception("Delivery %s could not be sent.", delivery.pk)
        return Mishap.INTERNAL


def _policy() -> RetryPolicy:
    return RetryPolicy(delays_s=settings.SYNAPSE_CALLBACK_SCHEDULE, jitter=_JITTER)


def _after(delivery: Delivery, verdict: Verdict) -> None:
    if verdict.state is DeliveryState.DEAD:
        logger.warning(
            "Delivery %s of task %s is given up after try %s.",
            delivery.pk,
            delivery.task_id,
            delivery.tries,
        )
        on_dead(delivery)
    if verdict.next_try_at is None:
        return
    if verdict.counts:
        logger.info(
            "Delivery %s of task %s failed in try %s; the next is due at %s.",
            delivery.pk,
            delivery.task_id,
            delivery.tries,
            verdict.next_try_at.isoformat(timespec="seconds"),
        )
    wait = (verdict.next_try_at - timezone.now()).total_seconds()
    queue.ring_courier(in_seconds=max(0.0, wait))
