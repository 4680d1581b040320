"""A round: page after page into the inbox, each message answered at once."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic

from agents_app.models import Agent, AgentState
from agents_app.protocol import jsontext
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import CATALOGUE, Code, SynapseError
from tasks_app import inbox, presence, queue
from tasks_app.collecting import reading
from tasks_app.errands import Errands
from tasks_app.inbox import pace
from tasks_app.sharing import courier as threads

MAX_PAGES = 5
# A round ends after so many messages that are none.
MAX_REFUSED = 10
# A round begins nothing new after this; the flag of its bell must outlive it.
_ROUND_SECONDS = 12.0
# A peer that failed after this hung.
_HUNG_SECONDS = 1.0
# And so did one with which so long a round came to nothing.
_SLOW_SECONDS = 5.0
_SHOWN_ID = 100

logger = logging.getLogger(__name__)


def ring_all() -> None:
    """Have every mailbox looked at that a peer keeps for us."""
    fetched = Agent.objects.filter(fetch=True).exclude(endpoint="")
    for peer in fetched.exclude(state=AgentState.DISABLED):
        queue.ring_mailbox(peer.id)


def collect(peer_id: str) -> None:
    """Take what waits for us at this peer. Outside any transaction; never two at once.

    An answer that the peer did not sign for this very request changes nothing. One that
    hangs, or has nothing but what must be refused, is asked more seldom each time.
    """
    if not _errands.run(peer_id):
        queue.mailbox_done(peer_id)


def _collect(peer_id: str) -> bool:
    """Whether the peer did its part."""
    known = Agent.objects.filter(pk=peer_id, fetch=True).exclude(endpoint="")
    more = False
    well = True
    started = monotonic()
    try:
        peer = known.exclude(state=AgentState.DISABLED).first()
        if peer is not None:
            tour = _Round(peer=peer)
            more = tour.run()
            hung = tour.settled == 0 and monotonic() - started > _SLOW_SECONDS
            well = not hung and tour.refused < MAX_REFUSED
    except reading.Unreachable as trouble:
        logger.info("The mailbox at %s cannot be reached: %s", peer_id, trouble)
        well = monotonic() - started < _HUNG_SECONDS
    except SynapseError as trouble:
        logger.warning("The mailbox at %s cannot be read: %s", peer_id, trouble)
        well = False
    finally:
        queue.mailbox_done(peer_id)
    if more:
        queue.ring_mailbox(peer_id)
    return well


def _ring_again(peer_id: str) -> None:
    queue.mailbox_done(peer_id)
    queue.ring_mailbox(peer_id)


_errands = Errands("mailboxes", _collect, ring=_ring_again, threads=threads)


@dataclass(slots=True, kw_only=True)
class _Round:
    """`held` are tasks of which a message must come again: later ones wait for it."""

    peer: Agent
    held: set[str] = field(default_factory=set)
    settled: int = 0
    refused: int = 0
    last_refusal: tuple[object, object] = ("", "")
    started: float = field(default_factory=monotonic)

    def run(self) -> bool:
        """Whether another round would find more, and not only what must wait."""
        try:
            return self._read_all()
        finally:
            self._tell_refused()

    def _tell_refused(self) -> None:
        """Once a round: who floods does not fill our log (G38)."""
        if self.refused:
            logger.warning(
                "%s messages at %s are refused, the last one (%r): %s",
                self.refused,
                self.peer.id,
                *self.last_refusal,
            )

    def _read_all(self) -> bool:
        after: str | None = None
        for _ in range(MAX_PAGES):
            page = reading.read(self.peer, after)
            for message in page.messages:
                if monotonic() - self.started > _ROUND_SECONDS:
                    return self.settled > 0
                if self.refused >= MAX_REFUSED or not self._has_pace():
                    return False
                self._take(message)
            after = page.next
            if after is None:
                return False
        return self.settled > 0

    def _has_pace(self) -> bool:
        """What is fetched counts like what is posted (G38); the rest stays there."""
        try:
            pace.buckets.spend(self.peer.pk)
        except SynapseError:
            return False
        return True

    def _take(self, message: object) -> None:
        task_id = _task_of(message)
        if task_id is not None and task_id in self.held:
            return
        raw = jsontext.dumps(message)
        try:
            envelope = _envelope(self.peer, raw)
        except SynapseError as error:
            self._refuse(message, error)
            return
        answer = inbox.receive(self.peer, envelope, raw)
        if answer.code is not None and CATALOGUE[answer.code].retryable:
            if task_id is not None:
                self.held.add(task_id)
            return
        # Best effort: the message comes again, and so does this answer.
        said = presence.say(self.peer, message_id=answer.message_id, body=answer.body)
        self.settled += said.ok

    def _refuse(self, message: object, error: SynapseError) -> None:
        """What is no envelope of this peer would come again for ever."""
        about = message.get("message_id") if isinstance(message, Mapping) else None
        self.refused += 1
        self.last_refusal = (_shown(about), error)
        if isinstance(about, str):
            nack = inbox.nack_of(error, recipient=self.peer.address, message_id=about)
            presence.say(self.peer, message_id=nack.message_id, body=nack.to_bytes())


def _envelope(peer: Agent, raw: bytes) -> Envelope:
    """Nobody else's: the peer signed the page for itself only."""
    envelope = Envelope.from_bytes(raw)
    if envelope.sender != peer.address:
        details = {"fields": {"sender": f"must be {peer.address}"}}
        raise SynapseError(Code.ENVELOPE_INVALID, details=details)
    return envelope


def _shown(about: object) -> object:
    return about[:_SHOWN_ID] if isinstance(about, str) else None


def _task_of(message: object) -> str | None:
    payload = message.get("payload") if isinstance(message, Mapping) else None
    task_id = payload.get("task_id") if isinstance(payload, Mapping) else None
    return task_id if isinstance(task_id, str) else None
