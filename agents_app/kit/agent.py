"""The agent as its author sees it: who it is, what it does, and `run`."""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from agents_app.kit.endpoint import Endpoint
from agents_app.kit.inbox import Inbox
from agents_app.kit.link import RETRY_SECONDS, Link, Undelivered
from agents_app.kit.mailbox import Mailbox
from agents_app.kit.open_tasks import Check, Ended, Handler, Offer, OpenTasks
from agents_app.protocol.addresses import Party
from agents_app.protocol.envelope import VERSION, Envelope
from agents_app.protocol.errors import SynapseError
from agents_app.protocol.payloads import (
    Ack,
    CapabilityQuery,
    CapabilityResponse,
    Heartbeat,
    Nack,
    Payload,
    TaskPayload,
    TaskTypeCapability,
)

HEARTBEAT_SECONDS = 30.0
POLL_SECONDS = 1.0

logger = logging.getLogger(__name__)


@dataclass(kw_only=True)
class Agent:
    """`agent:<id>` towards one node.

    `secret` is what `manage.py register_agent` printed; several, separated by spaces,
    while one is replaced. `node_url` has no path: `https://synapse.example.org`.
    """

    id: str
    secret: str = field(repr=False)
    node_url: str
    node_address: str = "agent:synapse"
    name: str = ""
    capacity: int = 4
    retry_s: Sequence[float] = RETRY_SECONDS
    _offers: dict[str, Offer] = field(default_factory=dict, init=False)
    _types: list[TaskTypeCapability] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.link = Link(
            address=Party.AGENT.address(self.id),
            secrets=tuple(self.secret.split()),
            node_url=self.node_url.rstrip("/"),
            node_address=self.node_address,
            retry_s=self.retry_s,
        )
        self.tasks = OpenTasks(
            link=self.link, offers=self._offers, capacity=self.capacity
        )

    def handles(
        self,
        task_type: str,
        *,
        description: str = "",
        input_schema: dict[str, object] | None = None,
        check: Check | None = None,
    ) -> Callable[[Handler], Handler]:
        """The function does this task type; what it returns is the result.

        The node checks payloads by `input_schema`; `check` may refuse one on our side
        with a SynapseError, before the task is accepted; TASK_REJECTED stands for any
        other exception.
        """

        def note(handler: Handler) -> Handler:
            self._offers[task_type] = Offer(handler=handler, check=check)
            self._types.append(
                TaskTypeCapability(
                    type=task_type,
                    description=description,
                    input_schema_object=input_schema,
                )
            )
            return handler

        return note

    def send(self, payload: Payload, *, in_reply_to: str | None = None) -> Ack | Nack:
        """Say anything to the node. Undelivered when it gives no answer."""
        return self.link.send(self.link.envelope(payload, in_reply_to=in_reply_to))

    def messages(self, every_s: float = POLL_SECONDS) -> Iterator[Envelope]:
        """What comes into our mailbox, until `stop`; each once.

        A message is acknowledged when the loop asks for the next one. If the loop is
        left by an exception it is not, and comes again.
        """
        mailbox = Mailbox(link=self.link)
        for envelope in mailbox.arrivals(every_s):
            yield envelope
            mailbox.acknowledge(envelope.message_id)

    def run(self, port: int | None = None, host: str = "127.0.0.1") -> None:
        """Serve until `stop`: by mailbox, or at an endpoint of our own on `port`."""
        beating = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        beating.start()
        if port is None:
            self._serve_mailbox()
            return
        with self.endpoint(port, host) as server:
            watch = threading.Thread(target=self._end, args=(server,), daemon=True)
            watch.start()
            server.serve_forever(poll_interval=0.1)

    def endpoint(self, port: int = 0, host: str = "127.0.0.1") -> Endpoint:
        """A server for our messages, for who runs it: `serve_forever` serves."""
        return Endpoint(Inbox(link=self.link, hear=self._hear), host, port)

    def stop(self) -> None:
        """Say nothing more and end `run` and `messages`.

        With a mailbox the open tasks come again when the agent does.
        """
        self.link.stopping.set()
        self.tasks.stop()

    def heartbeat(self) -> Ack | Nack:
        """We are here, with so many places taken (A2A 2.5)."""
        active = self.tasks.active
        return self.send(
            Heartbeat(
                agent_id=self.id,
                status="overloaded" if active >= self.capacity else "ok",
                active=active,
                capacity=self.capacity,
            )
        )

    def card(self) -> CapabilityResponse:
        """What we can do (P2A 7.5)."""
        return CapabilityResponse(
            agent_id=self.id,
            agent_name=self.name or self.id,
            protocol_version=VERSION,
            supported_task_types=tuple(self._types),
            max_concurrent_tasks=self.capacity,
            support_progress_updates=True,
            support_hil=True,
        )

    def _serve_mailbox(self) -> None:
        """A task stays in the mailbox until it is over: it survives our end."""
        mailbox = Mailbox(link=self.link)
        for envelope in mailbox.arrivals(POLL_SECONDS):
            ended = partial(mailbox.settle, envelope.message_id)
            try:
                begun = self._take(envelope, ended)
            except SynapseError as refused:
                mailbox.refuse(envelope.message_id, refused)
                continue
            if not begun:
                ended(True)

    def _hear(self, envelope: Envelope) -> None:
        self._take(envelope, lambda over: None)

    def _take(self, envelope: Envelope, ended: Ended) -> bool:
        """Whether a task began with it; SynapseError when it has no effect."""
        words = envelope.content()
        match words:
            case TaskPayload():
                return self.tasks.hear(words, ended)
            case CapabilityQuery():
                self.link.send_aside(
                    self.link.envelope(self.card(), in_reply_to=envelope.message_id)
                )
            case Ack() | Nack() | Heartbeat() | CapabilityResponse():
                pass
        return False

    def _beat(self) -> None:
        """First what we can do, so that work may come with the first heartbeat."""
        said = False
        while not self.link.stopping.is_set():
            try:
                said = said or isinstance(self.send(self.card()), Ack)
                self.heartbeat()
            except Undelivered as trouble:
                logger.warning("No heartbeat: %s", trouble)
            self.link.stopping.wait(HEARTBEAT_SECONDS)

    def _end(self, server: Endpoint) -> None:
        self.link.stopping.wait()
        server.shutdown()
