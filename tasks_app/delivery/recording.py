"""Writing down a try: its own row always, the delivery only for who still holds it."""

from datetime import datetime

from django.db import transaction

from agents_app.outbound import Reply
from tasks_app.delivery.advancing import advance
from tasks_app.delivery.due import queue_of
from tasks_app.delivery.judging import Mishap, Verdict
from tasks_app.models import Delivery, DeliveryAttempt, DeliveryState

_KEPT_BYTES = 4096


def record(
    delivery: Delivery,
    tried: Reply | Mishap,
    verdict: Verdict,
    *,
    started_at: datetime,
    now: datetime,
) -> bool:
    """Keep the try and apply the verdict; False when the lease went to another.

    A courier that wakes up late changes nothing: never two outcomes of one callback.
    What was no try leaves no trace: who claims next counts from where this one did.
    """
    waits = verdict.state is DeliveryState.WAITING
    held = Delivery.objects.filter(
        pk=delivery.pk,
        state=DeliveryState.WAITING,
        tries=delivery.tries,
        leased_until__isnull=False,
    )
    with transaction.atomic():
        applied = held.update(
            state=verdict.state,
            tries=delivery.tries if verdict.counts else delivery.tries - 1,
            next_try_at=verdict.next_try_at,
            leased_until=None,
            ended_at=None if waits else now,
        )
        # The row is locked now; one that was not ours may be gone.
        if verdict.counts and (applied or _is_there(delivery)):
            _attempt(delivery, tried, verdict, started_at).save(force_insert=True)
    if applied:
        advance(queue_of(delivery), after=delivery.pk)
    return bool(applied)


def _is_there(delivery: Delivery) -> bool:
    row = Delivery.objects.filter(pk=delivery.pk)
    # As a list: `exists` takes no lock.
    return bool(list(row.select_for_update(no_key=True).values_list("pk")))


def _attempt(
    delivery: Delivery, tried: Reply | Mishap, verdict: Verdict, started_at: datetime
) -> DeliveryAttempt:
    attempt = DeliveryAttempt(
        delivery=delivery, number=delivery.tries, started_at=started_at, elapsed_ms=0
    )
    if isinstance(tried, Mishap):
        attempt.error = tried
        return attempt
    attempt.elapsed_ms = tried.elapsed_ms
    attempt.status = tried.status
    attempt.error = tried.error or verdict.reason
    kept = tried.body[:_KEPT_BYTES].decode(errors="replace")
    attempt.response = kept.replace("\0", "")
    return attempt
