"""What one try means for its delivery: done, given up, or when to try again. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from agents_app.outbound import Reply, Trouble
from agents_app.protocol.retry import RetryPolicy
from tasks_app.delivery.hearing import Heard, may_succeed
from tasks_app.models import DeliveryState

_GONE = 410
_SLOW_DOWN = (429, 503)
# A receiver may ask for patience, but not for ever.
_MAX_RETRY_AFTER_SECONDS = 24 * 3600
_CROWDED_SECONDS = 1.0
# Success by HTTP, but no signed answer about this message.
NO_ACK = "no_ack"
# Sending again changes nothing about where a URL leads (G25) or what a header holds.
_HOPELESS = (Trouble.REFUSED_ADDRESS, Trouble.INVALID_REQUEST)


class Mishap(StrEnum):
    """Why nothing was sent; safe to show, like `Trouble`."""

    INTERNAL = "internal"
    # The couriers of every try died before they could say what came of it.
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the delivery becomes; `next_try_at` is set while it waits.

    `reason` says why an answer was not good enough, if there was one. What does not
    count was no try.
    """

    state: DeliveryState
    next_try_at: datetime | None = None
    reason: str = ""
    counts: bool = True


def judge(
    tried: Reply | Mishap,
    *,
    failures: int,
    policy: RetryPolicy,
    now: datetime,
    random: float,
) -> Verdict:
    """The verdict on a callback; `failures` counts this try, if it is one."""
    reply = tried if isinstance(tried, Reply) else Reply()
    if reply.error is Trouble.CROWDED:
        return _soon(now, random)
    if reply.ok:
        return Verdict(state=DeliveryState.DELIVERED)
    delay = policy.next_delay(failures, random=random)
    if delay is None or reply.status == _GONE or reply.error in _HOPELESS:
        return Verdict(state=DeliveryState.DEAD)
    wait = timedelta(seconds=max(delay, _asked_for(reply)))
    return Verdict(state=DeliveryState.WAITING, next_try_at=now + wait)


def judge_message(
    tried: Reply | Mishap,
    heard: Heard,
    *,
    failures: int,
    policy: RetryPolicy,
    now: datetime,
    random: float,
) -> Verdict:
    """The verdict on a message: only the peer's own word ends it, for good or bad."""
    if heard.acked:
        return Verdict(state=DeliveryState.DELIVERED)
    reply = tried if isinstance(tried, Reply) else Reply()
    if reply.error is Trouble.CROWDED:
        return _soon(now, random)
    reason, hopeless, wait_s = "", reply.error in _HOPELESS, _asked_for(reply)
    if heard.refused is not None:
        reason = f"nack {heard.refused.code}"
        hopeless = not may_succeed(heard.refused)
        wait_s = min(heard.refused.retry_after or 0, _MAX_RETRY_AFTER_SECONDS)
    elif reply.ok:
        reason = NO_ACK
    delay = policy.next_delay(failures, random=random)
    if delay is None or hopeless:
        return Verdict(state=DeliveryState.DEAD, reason=reason)
    return Verdict(
        state=DeliveryState.WAITING,
        next_try_at=now + timedelta(seconds=max(delay, wait_s)),
        reason=reason,
    )


def _soon(now: datetime, random: float) -> Verdict:
    """Its receiver has enough at the moment, under another name (G24)."""
    wait = timedelta(seconds=_CROWDED_SECONDS * (0.5 + random))
    return Verdict(state=DeliveryState.WAITING, next_try_at=now + wait, counts=False)


def _asked_for(reply: Reply) -> int:
    if reply.status not in _SLOW_DOWN:
        return 0
    return min(reply.retry_after or 0, _MAX_RETRY_AFTER_SECONDS)
