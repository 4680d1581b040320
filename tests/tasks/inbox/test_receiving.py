"""What the inbox remembers, below HTTP."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol import ids
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Nack, TaskCancel
from tasks_app import inbox
from tasks_app.inbox import applying, forgetting
from tasks_app.models import Received
from tasks_app.sweep import sweep

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


def test_it_forgets_what_no_sender_may_send_again(peer, envelope) -> None:
    answer = _receive(peer, envelope)
    long_ago = timezone.now() - forgetting.KEPT_FOR
    Received.objects.update(created_at=long_ago + timedelta(minutes=1))
    sweep()
    assert _receive(peer, envelope) == answer
    Received.objects.update(created_at=long_ago - timedelta(minutes=1))
    sweep()
    assert not Received.objects.exists()


def test_it_remembers_for_longer_than_anybody_sends_again() -> None:
    delays = [0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]
    assert forgetting.KEPT_FOR.total_seconds() > 1.2 * sum(delays) + 2 * 86400


def test_it_forgets_a_few_at_a_time(peer, envelope, monkeypatch) -> None:
    monkeypatch.setattr(forgetting, "_LIMIT", 2)
    old = timezone.now() - 2 * forgetting.KEPT_FOR
    rows = [
        Received(sender="agent:ada", message_id=str(n), sha256="", created_at=old)
        for n in range(3)
    ]
    Received.objects.bulk_create(rows)
    assert forgetting.forget_old(timezone.now()) == 2
    assert [row.message_id for row in Received.objects.all()] == ["2"]
