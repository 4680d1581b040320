"""The three addresses of A2A. Every answer is an envelope or signed JSON."""

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from agents_app.protocol import jsontext
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import CATALOGUE, Code, SynapseError
from tasks_app import collecting, inbox
from tasks_app.api import bodies
from tasks_app.api.a2a import answers, mailbox, pace, status
from tasks_app.api.a2a.peers import Peer, verified
from tasks_app.api.errors import translate
from tasks_app.api.views.door import Door

SENDER_HEADER = "X-Synapse-Agent"
# Room for an envelope around the largest payload that P2A takes.
_ENVELOPE_BYTES = 64 * 1024


class AgentDoor(Door):
    """Knows peers by their signature only; whatever fails is answered by a nack."""

    authentication_classes = []
    only_json = False
    _peer: Peer | None = None
    _claimed: Envelope | None = None

    def handle_exception(  # type: ignore[override] # DRF takes any HttpResponse
        self, exc: Exception
    ) -> HttpResponse:
        """DRF's hook: called for whatever an action raises."""
        return answers.refusal(translate(exc), peer=self._peer, claimed=self._claimed)

    def _verified_reader(self, request: Request) -> Peer:
        """Who signed a GET: the empty body under a fresh id (design §3).

        A repeat within the 300 s is harmless: it reads, and changes nothing.
        """
        sender = request.headers.get(SENDER_HEADER, "")
        peer = verified(sender, request.headers, b"")
        if collecting.is_ours(peer.message_id):
            raise SynapseError(Code.SIGNATURE_INVALID)
        self._peer = peer
        pace.buckets.spend(peer.agent.pk)
        return peer


@extend_schema(exclude=True)
class MessageViewSet(AgentDoor):
    """Messages for us, and those that wait for a peer."""

    def create(self, request: Request) -> HttpResponse:
        """Take one envelope; 200 and `p2p:ack` only when its effect is stored."""
        bodies.require_type(request, bodies.JSON)
        limit = settings.SYNAPSE_MAX_BODY_SIZE + _ENVELOPE_BYTES
        raw = bodies.Body(request, limit).read_all()
        try:
            envelope = Envelope.from_bytes(raw)
        except SynapseError:
            self._peer = _author_of_broken(request, raw)
            raise
        self._claimed = envelope
        peer = verified(envelope.sender, request.headers, raw)
        if peer.message_id != envelope.message_id:
            raise SynapseError(Code.SIGNATURE_INVALID)
        self._peer = peer
        pace.buckets.spend(peer.agent.pk)
        answer = inbox.receive(peer.agent, envelope, raw)
        return answers.signed(
            peer,
            answer.body,
            message_id=answer.message_id,
            status=CATALOGUE[answer.code].http_status if answer.code else 200,
        )

    def list(self, request: Request) -> HttpResponse:
        """The mailbox of the peer that signed this."""
        peer = self._verified_reader(request)
        body = mailbox.page(peer.agent, request.query_params)
        return answers.signed(peer, body, message_id=peer.message_id, status=200)


@extend_schema(exclude=True)
class StateViewSet(AgentDoor):
    """The status query (A2A chapter 8)."""

    def retrieve(self, request: Request, task_id: str) -> HttpResponse:
        """Where a task of this peer stands, whichever side it is on."""
        peer = self._verified_reader(request)
        body = jsontext.dumps(status.of_task(peer.agent, task_id))
        return answers.signed(peer, body, message_id=peer.message_id, status=200)


def _author_of_broken(request: Request, raw: bytes) -> Peer | None:
    """Who signed what is no envelope: a peer of a later version can trust the nack."""
    try:
        value = jsontext.loads(raw)
        sender = value.get("sender") if isinstance(value, dict) else None
        return verified(str(sender), request.headers, raw)
    except SynapseError:
        return None
