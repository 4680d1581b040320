"""One side of the wire, raw: it can say what no client would, and reads every answer.

An answer becomes one short text: `ack`, `nack 6005`, or what is wrong with it. So a
check is a line: who says what, and which text is expected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import requests

from agents_app.kit.link import API, SENDER_HEADER, TIMEOUT
from agents_app.protocol import ids, jsontext, signing
from agents_app.protocol.addresses import Party
from agents_app.protocol.envelope import PROTOCOL, VERSION, Envelope
from agents_app.protocol.errors import CATALOGUE, Code, SynapseError
from agents_app.protocol.times import rfc3339

Json = dict[str, Any]  # Any: bodies are compared, not interpreted.

# Without knowing who is talking, or before anything was read.
_MAY_BE_UNSIGNED = frozenset(
    {
        Code.SIGNATURE_INVALID,
        Code.TIMESTAMP_SKEW,
        Code.ENVELOPE_INVALID,
        Code.METHOD_NOT_ALLOWED,
        Code.UNSUPPORTED_MEDIA_TYPE,
        Code.BODY_TOO_LARGE,
    }
)


@dataclass(frozen=True, kw_only=True)
class Heard:
    """An answer: its text, its bytes, and the payload if it is an envelope."""

    text: str
    body: bytes = b""
    payload: Json

    @property
    def details(self) -> Json:
        """Of the error of a nack."""
        error = self.payload.get("error", {})
        return error.get("details", {}) if isinstance(error, dict) else {}


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """`agent:<name>` towards `other`, whose messages go to `url`.

    `base` is where the GETs of a node are; a peer has none.
    """

    name: str
    secret: str = field(repr=False)
    other: str
    url: str
    base: str = ""

    @property
    def address(self) -> str:
        return Party.AGENT.address(self.name)

    @classmethod
    def before_node(cls, name: str, secret: str, node_url: str, node: str) -> "Speaker":
        """A peer of the node at `node_url`."""
        base = node_url.rstrip("/") + API
        return cls(
            name=name, secret=secret, other=node, url=f"{base}/messages", base=base
        )

    def envelope(self, kind: str, payload: object, **fields: object) -> Json:
        """All fields as they should be; `fields` puts others in their place."""
        return {
            "protocol": PROTOCOL,
            "version": VERSION,
            "message_id": ids.new_message_id(),
            "type": f"p2p:{kind}",
            "sender": self.address,
            "recipient": self.other,
            "timestamp": rfc3339(datetime.now(UTC)),
            "payload": payload,
        } | fields

    def say(self, kind: str, payload: object, **fields: object) -> Heard:
        """Send one message as it should be sent."""
        return self.send(self.envelope(kind, payload, **fields))

    def send(self, envelope: Mapping[str, object]) -> Heard:
        """Sign and post an envelope, whatever is in it."""
        body = jsontext.dumps(dict(envelope))
        return self.post(body, self.signed(body, str(envelope.get("message_id"))))

    def signed(
        self,
        body: bytes,
        message_id: str,
        *,
        late_s: int = 0,
        secrets: Sequence[str] = (),
    ) -> dict[str, str]:
        """The three headers, as if it were `late_s` seconds later."""
        return signing.sign(
            message_id=message_id,
            timestamp=datetime.now(UTC) + timedelta(seconds=late_s),
            body=body,
            secrets=secrets or [self.secret],
        )

    def post(
        self,
        body: bytes,
        headers: Mapping[str, str],
        *,
        content_type: str = "application/json",
        method: str = "POST",
    ) -> Heard:
        """Any bytes under any headers."""
        try:
            reply = requests.request(
                method,
                self.url,
                data=body,
                headers={"Content-Type": content_type, **headers},
                timeout=TIMEOUT,
                allow_redirects=False,
            )
        except requests.RequestException as trouble:
            return Heard(text=f"no answer: {type(trouble).__name__}", payload={})
        return self._read(reply, headers.get(signing.ID_HEADER, ""))

    def get(
        self,
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Heard:
        """A signed GET; `ok` with the body as `payload`, or the text of a nack."""
        if headers is None:
            signed = self.signed(b"", ids.new_message_id())
            headers = {**signed, SENDER_HEADER: self.address}
        try:
            reply = requests.get(
                f"{self.base}{path}",
                params=query,
                headers=headers,
                timeout=TIMEOUT,
                allow_redirects=False,
            )
        except requests.RequestException as trouble:
            return Heard(text=f"no answer: {type(trouble).__name__}", payload={})
        if not reply.ok:
            return self._read(reply, "")
        asked = headers.get(signing.ID_HEADER, "")
        if self._signer(reply) != asked:
            return Heard(text="not signed", body=reply.content, payload={})
        value = cast(Json, jsontext.loads(reply.content))
        return Heard(text="ok", body=reply.content, payload=value)

    def _read(self, reply: requests.Response, about: str) -> Heard:
        try:
            envelope = Envelope.from_bytes(reply.content)
        except SynapseError:
            text = f"HTTP {reply.status_code} without an envelope"
            return Heard(text=text, body=reply.content, payload={})
        payload = dict(envelope.payload)
        text = ", but ".join([_named(envelope), *self._faults(reply, envelope, about)])
        return Heard(text=text, body=reply.content, payload=payload)

    def _faults(
        self, reply: requests.Response, envelope: Envelope, about: str
    ) -> list[str]:
        code = _code(envelope)
        status = CATALOGUE[code].http_status if code else 200
        signer = self._signer(reply)
        named = envelope.payload.get("message_id")
        faults = {
            f"HTTP {reply.status_code}": reply.status_code != status,
            "not signed": signer is None and code not in _MAY_BE_UNSIGNED,
            "signed under another id": signer not in (None, envelope.message_id),
            f"from {envelope.sender}": envelope.sender != self.other,
            f"about {named!r}": bool(signer and about) and named != about,
        }
        return [fault for fault, there in faults.items() if there]

    def _signer(self, reply: requests.Response) -> str | None:
        try:
            return signing.verify(
                reply.headers, reply.content, [self.secret], now=datetime.now(UTC)
            )
        except SynapseError:
            return None


def _code(envelope: Envelope) -> Code | None:
    error = envelope.payload.get("error")
    code = error.get("code") if isinstance(error, Mapping) else None
    return Code(code) if code in set(Code) else None


def _named(envelope: Envelope) -> str:
    name = envelope.type.removeprefix("p2p:")
    code = _code(envelope)
    return f"{name} {int(code)}" if code else name
