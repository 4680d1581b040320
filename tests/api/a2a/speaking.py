"""A peer as others would write it: builds envelopes, signs bytes, reads answers."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.http import HttpResponse
from django.test import Client

from agents_app.models import Agent
from agents_app.protocol import ids, signing
from agents_app.protocol.times import rfc3339
from tasks_app.api.addresses import PREFIX
from tasks_app.secrets import vault

NODE = "agent:synapse"
MESSAGES = PREFIX + "/a2a/messages"


class Peer:
    """`agent:<name>`, known to the node unless told otherwise."""

    def __init__(self, name: str, *, known: bool = True, **fields: Any) -> None:
        self.address = f"agent:{name}"
        self.secret = signing.new_secret()
        self._client = Client(raise_request_exception=False)
        self.row = Agent(
            id=name, name=name, secrets=[vault().seal(self.secret)], **fields
        )
        if known:
            self.row.save(force_insert=True)

    def envelope(self, kind: str, payload: object, **fields: object) -> dict[str, Any]:
        return {
            "protocol": "synapse",
            "version": "1.0.0",
            "message_id": ids.new_message_id(),
            "type": f"p2p:{kind}",
            "sender": self.address,
            "recipient": NODE,
            "timestamp": rfc3339(datetime.now(UTC)),
            "payload": payload,
        } | fields

    def say(self, kind: str, payload: object, **fields: object) -> HttpResponse:
        return self.send(self.envelope(kind, payload, **fields))

    def send(self, envelope: Mapping[str, Any]) -> HttpResponse:
        body = json.dumps(envelope).encode()
        return self.post(body, self.signed(body, str(envelope["message_id"])))

    def signed(
        self,
        body: bytes,
        message_id: str,
        *,
        at: datetime | None = None,
        secrets: Sequence[str] = (),
    ) -> dict[str, str]:
        return signing.sign(
            message_id=message_id,
            timestamp=at or datetime.now(UTC),
            body=body,
            secrets=secrets or [self.secret],
        )

    def post(
        self,
        body: bytes,
        headers: Mapping[str, str],
        content_type: str = "application/json",
    ) -> HttpResponse:
        return self._client.generic(
            "POST", MESSAGES, body, content_type, headers=dict(headers)
        )

    def get(
        self, path: str, headers: Mapping[str, str] | None = None, **query: object
    ) -> HttpResponse:
        """A signed GET below `/a2a`; with `headers`, whatever they say."""
        if headers is None:
            headers = self.signed(b"", ids.new_message_id()) | {
                "x-synapse-agent": self.address
            }
        return self._client.get(
            f"{PREFIX}/a2a{path}", query_params=query, headers=dict(headers)
        )

    def mailbox(self, **query: object) -> dict[str, Any]:
        response = self.get("/messages", **query)
        assert response.status_code == 200, response.content
        return self.read(response)

    def read(self, response: HttpResponse) -> dict[str, Any]:
        """What the node signed for us."""
        signing.verify(
            response.headers, response.content, [self.secret], now=datetime.now(UTC)
        )
        return json.loads(response.content)


def acked(response: HttpResponse) -> bool:
    assert response.status_code == 200, response.content
    return json.loads(response.content)["type"] == "p2p:ack"


def refused(response: HttpResponse) -> int:
    """The code of a nack, whose status is the one of the catalogue."""
    nack = json.loads(response.content)
    assert nack["type"] == "p2p:nack", nack
    assert 400 <= response.status_code < 500
    return nack["payload"]["error"]["code"]
