"""Our messages when nobody can call us: fetched from the node again and again.

A message stays in the mailbox until it is acknowledged, so an agent that dies gets it
once more. `Mailbox` only sees to it that one run of the agent gets each once.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field

from agents_app.kit.link import Link, Undelivered
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import SynapseError
from agents_app.protocol.payloads import Ack, ErrorObject, Nack

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Mailbox:
    """Not for two threads at a time, but for `acknowledge` and `refuse`."""

    link: Link
    _seen: set[str] = field(default_factory=set)
    _settled: dict[str, Ack | Nack] = field(default_factory=dict)

    def arrivals(self, every_s: float) -> Iterator[Envelope]:
        """Each new message, oldest first, until the link stops; polls in between."""
        while not self.link.stopping.is_set():
            try:
                yield from self._round()
            except (Undelivered, SynapseError) as trouble:
                logger.warning("The mailbox cannot be read: %s", trouble)
            self.link.stopping.wait(every_s)

    def acknowledge(self, message_id: str) -> None:
        """The node may forget it."""
        self._settle(Ack(message_id=message_id))

    def settle(self, message_id: str, over: bool) -> None:
        """Acknowledge it, or take it out once more in the next round."""
        if over:
            self.acknowledge(message_id)
        else:
            self._seen.discard(message_id)

    def refuse(self, message_id: str, error: SynapseError) -> None:
        """It had no effect; the node offers it again if the error may pass."""
        words = Nack(message_id=message_id, error=ErrorObject.of(error))
        if error.spec.retryable:
            self._seen.discard(message_id)
            self._send(words)
        else:
            self._settle(words)

    def _round(self) -> Iterator[Envelope]:
        there = set()
        for envelope in self.link.mailbox():
            there.add(envelope.message_id)
            if words := self._settled.get(envelope.message_id):
                self._send(words)  # It did not get there the first time.
            elif envelope.message_id not in self._seen:
                self._seen.add(envelope.message_id)
                yield envelope
        self._forget(there)

    def _forget(self, there: set[str]) -> None:
        """What left the mailbox will not come again."""
        self._seen.intersection_update(there)
        for gone in self._settled.keys() - there:
            self._settled.pop(gone, None)

    def _settle(self, words: Ack | Nack) -> None:
        self._settled[words.message_id] = words
        self._send(words)

    def _send(self, words: Ack | Nack) -> None:
        try:
            self.link.send(self.link.envelope(words))
        except Undelivered as trouble:
            logger.warning("Said again in the next round: %s", trouble)
