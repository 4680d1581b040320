"""Messages in the outbox, and what a peer may answer to one."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol import ids, signing
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.payloads import Ack, ErrorObject, Nack, Payload
from tasks_app.models import Delivery
from tasks_app.secrets import vault
from tests.receiver import Exchange, Step

NODE = "agent:synapse"


class Friend:
    """A peer with an endpoint, which signs what it answers."""

    def __init__(self, name: str, endpoint: str = "") -> None:
        self.secret = signing.new_secret()
        self.row = Agent.objects.create(
            id=name, endpoint=endpoint, secrets=[vault().seal(self.secret)]
        )

    def change(self, **fields: Any) -> Agent:
        Agent.objects.filter(pk=self.row.pk).update(**fields)
        self.row.refresh_from_db()
        return self.row

    def answer(
        self, status: int, words: Payload, *, secret: str | None = None, **changes: Any
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of a signed answer."""
        fields = {
            "message_id": ids.new_message_id(),
            "sender": self.row.address,
            "recipient": NODE,
            "timestamp": datetime.now(UTC),
        } | changes
        envelope = Envelope.carrying(words, **fields)
        body = envelope.to_bytes()
        headers = signing.sign(
            message_id=changes.get("signed_as", envelope.message_id),
            timestamp=datetime.now(UTC),
            body=body,
            secrets=[secret or self.secret],
        )
        return status, headers, body

    def acks(self, status: int = 200, **changes: Any) -> Step:
        return self._says(lambda about: Ack(message_id=about), status, changes)

    def nacks(self, code: int, status: int = 400, **changes: Any) -> Step:
        wait = changes.pop("retry_after", None)
        error = ErrorObject(code=code, message="No.", retry_after=wait)
        return self._says(
            lambda id_: Nack(message_id=id_, error=error), status, changes
        )

    def _says(
        self, words: Callable[[str], Payload], status: int, changes: dict[str, Any]
    ) -> Step:
        def step(exchange: Exchange) -> None:
            about = exchange.receiver.requests[-1].json()["message_id"]
            about = changes.get("about", about)
            rest = {key: value for key, value in changes.items() if key != "about"}
            exchange.answer(*self.answer(status, words(about), **rest))

        return step


def letter(
    friend: Friend,
    *,
    beside: Delivery | None = None,
    task_id: object = None,
    event: str = "p2p:task_status_update",
) -> Delivery:
    """A message in the outbox as the ledger writes it; `beside` is of the same task."""
    now = timezone.now()
    pk = ids.new_id()
    return Delivery.objects.create(
        id=pk,
        kind="message",
        peer=friend.row,
        task_id=beside.task_id if beside else task_id,
        sequence=beside.sequence + 1 if beside else 1,
        event=event,
        terminal=False,
        party=friend.row.address,
        url="",
        endpoint=friend.row.address,
        body=json.dumps({"message_id": str(pk)}),
        next_try_at=now,
        created_at=now,
    )
