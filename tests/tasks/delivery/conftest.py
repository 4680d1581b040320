"""Outbox rows made the short way, a clock that can be moved, and who listens."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from uuid import UUID

import pytest
from django.utils import timezone

from tasks_app import lifecycle
from tasks_app.callbacks import endpoint_of
from tasks_app.lifecycle import Submission
from tasks_app.models import Caller, Delivery
from tasks_app.secrets import vault
from tests.receiver import Receiver

Submit = Callable[..., UUID]
Put = Callable[..., Delivery]


class Clock:
    """Real time and what it was moved by."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def forward(self, seconds: float) -> None:
        self.ahead += timedelta(seconds=seconds)


@pytest.fixture(autouse=True)
def loopback(settings) -> None:
    settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS = (ip_network("127.0.0.0/8"),)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(timezone, "now", clock)
    return clock


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def submit(caller: Caller) -> Submit:
    """A task with a callback."""

    def submit(url: str, token: str | None = None) -> UUID:
        wanted = Submission(
            caller_id=caller.pk,
            task_type="probe_echo",
            payload={},
            callback_url=url,
            callback_token=vault().seal(token) if token else None,
        )
        return lifecycle.submit(wanted)[0].id

    return submit


@pytest.fixture
def put(caller: Caller, submit: Submit) -> Put:
    """Put a callback into the outbox: of a task of its own, or beside another."""

    def put(
        url: str,
        *,
        beside: Delivery | None = None,
        terminal: bool = False,
        token: str | None = None,
        body: str = "{}",
        party: str | None = None,
    ) -> Delivery:
        now = timezone.now()
        return Delivery.objects.create(
            task_id=beside.task_id if beside else submit(url, token),
            sequence=beside.sequence + 1 if beside else 1,
            event="completed" if terminal else "processing",
            terminal=terminal,
            party=party or f"caller:{caller.pk}",
            url=url,
            endpoint=endpoint_of(url),
            body=body,
            next_try_at=now,
            created_at=now,
        )

    return put
