"""What the inbox remembers, below HTTP."""

import pytest
from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol import ids
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Nack, TaskCancel
from tasks_app import inbox
from tasks_app.inbox import applying
from tasks_app.models import Received

pytestmark = pytest.mark.django_db


@pytest.fixture
def peer(db: None) -> Agent:
    return Agent.objects.create(id="ada")


@pytest.fixture
def envelope() -> Envelope:
    return Envelope.carrying(
        TaskCancel(task_id="t"),
        message_id=ids.new_message_id(),
        sender="agent:ada",
        recipient="agent:synapse",
        timestamp=timezone.now(),
    )


def _receive(peer: Agent, envelope: Envelope) -> inbox.Answer:
    return inbox.receive(peer, envelope, envelope.to_bytes())


def test_it_remembers_a_refusal_that_stays_one(peer, envelope) -> None:
    answer = _receive(peer, envelope)
    assert answer.code is Code.TASK_NOT_FOUND
    known = Received.objects.get()
    assert (known.code, known.reply.encode()) == (2001, answer.body)
    assert _receive(peer, envelope) == answer


def test_it_forgets_a_refusal_that_may_become_an_ack(
    peer, envelope, monkeypatch
) -> None:
    def busy(*_: object) -> None:
        raise SynapseError(Code.CHANGED_MEANWHILE, retry_after=1)

    with monkeypatch.context() as patched:
        patched.setattr(applying, "apply", busy)
        assert _receive(peer, envelope).code is Code.CHANGED_MEANWHILE
    assert not Received.objects.exists()
    assert _receive(peer, envelope).code is Code.TASK_NOT_FOUND


def test_it_names_the_answer_by_its_own_id(peer, envelope) -> None:
    answer = _receive(peer, envelope)
    reply = Envelope.from_bytes(answer.body)
    assert answer.message_id == reply.message_id != envelope.message_id
    words = reply.content()
    assert isinstance(words, Nack)
    assert words.message_id == envelope.message_id


def test_it_says_no_more_than_text_can_hold() -> None:
    error = SynapseError(Code.ENVELOPE_INVALID, details={"path": "\ud800"})
    nack = inbox.nack_of(error)
    assert Envelope.from_bytes(nack.to_bytes()).content().error.details == {}
