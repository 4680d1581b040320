"""Files for a peer that cannot fetch them: brought beside its endpoint, once named."""

import hashlib
from datetime import UTC, datetime

import pytest
from django.utils import timezone

from agents_app.protocol import ids, signing, tickets
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.tickets import FileTicket
from tasks_app import delivery, filelinks, lifecycle, runner, storage
from tasks_app.ledger import NewAttachment
from tasks_app.lifecycle import Submission
from tasks_app.models import Attachment, Delivery, Task
from tests.factories import submission
from tests.tasks.delivery.letters import Friend

pytestmark = pytest.mark.django_db
DATA = b"\x00\xff bytes"


@pytest.fixture
def friend(receiver, settings) -> Friend:
    """It can be called, and cannot call us."""
    settings.SYNAPSE_PUBLIC_URL = "http://127.0.0.1:8000"
    friend = Friend("friend", receiver.url("/a2a/messages"))
    offer = {"supported_task_types": [{"type": "paint"}]}
    friend.change(fetch=True, capabilities=offer, heartbeat_at=timezone.now())
    return friend


@pytest.fixture
def done(friend, declare) -> Task:
    """A task of the friend that ended with a result file."""

    def attach(ctx):
        return {"id": ctx.attach("a.bin", DATA, "application/octet-stream")}

    declare(attach)
    wanted = Submission(
        caller_id=None,
        requester=friend.row.address,
        requester_task_id="t-1",
        task_type="test_type",
        payload={},
    )
    lifecycle.submit(wanted)
    runner.drain("default")
    Delivery.objects.filter(kind="message").update(state="delivered")
    return Task.objects.get()


def test_it_brings_a_result_beside_the_endpoint(done, friend, receiver) -> None:
    file = Attachment.objects.get()
    receiver.on(f"/a2a/files/{file.pk}", lambda exchange: _ack(exchange, friend))
    delivery.deliver_due()
    (upload,) = receiver.requests
    text = upload.headers[tickets.HEADER]
    now = datetime.now(UTC)
    signed = signing.verify(upload.headers, text.encode(), [friend.secret], now=now)
    row = Delivery.objects.get(kind="file")
    assert (signed, upload.body, row.state) == (str(row.pk), DATA, "delivered")
    assert upload.headers["content-type"] == "application/octet-stream"
    assert FileTicket.from_text(text) == FileTicket(
        sender="agent:synapse",
        recipient="agent:friend",
        task_id="t-1",
        file_id=str(file.pk),
        size=len(DATA),
        sha256=hashlib.sha256(DATA).hexdigest(),
    )


def _ack(exchange, friend: Friend) -> None:
    about = exchange.receiver.requests[-1].headers["webhook-id"]
    friend.acks(about=about)(_About(exchange, about))


class _About:
    """The exchange, whose request carries no envelope."""

    def __init__(self, exchange, about: str) -> None:
        self.answer = exchange.answer
        self.receiver = self
        self.requests = [self]
        self._about = about

    def json(self) -> dict[str, str]:
        return {"message_id": self._about}


def test_it_names_it_without_a_link_in_the_message(done) -> None:
    letter = Delivery.objects.get(event="p2p:task_complete")
    (named,) = Envelope.from_bytes(letter.body.encode()).payload["attachments"]
    assert "url" not in named
    assert named["size"] == len(DATA)


def test_it_brings_it_again_until_it_is_taken(done, friend, receiver, clock) -> None:
    def too_early(exchange) -> None:
        about = exchange.receiver.requests[-1].headers["webhook-id"]
        friend.nacks(2021, 404, about=about)(_About(exchange, about))

    receiver.on(
        f"/a2a/files/{Attachment.objects.get().pk}",
        too_early,
        lambda exchange: _ack(exchange, friend),
    )
    delivery.deliver_due()
    assert Delivery.objects.get(kind="file").state == "waiting"
    clock.forward(10)
    delivery.deliver_due()
    assert Delivery.objects.get(kind="file").state == "delivered"
    first, second = receiver.requests
    assert first.headers["webhook-id"] == second.headers["webhook-id"]


def test_it_brings_what_our_caller_uploaded(friend, caller, receiver) -> None:
    file_id = _stored()
    file = NewAttachment(
        id=file_id,
        kind="input",
        name="a.bin",
        content_type="text/plain",
        size=len(DATA),
        sha256=hashlib.sha256(DATA).hexdigest(),
        created_at=timezone.now(),
    )
    task, _ = lifecycle.submit(submission(caller, "paint", attachments=(file,)))
    row = Delivery.objects.get(kind="file")
    ticket = FileTicket.from_text(row.body)
    assert (ticket.task_id, ticket.file_id) == (str(task.id), str(file_id))


def _stored():
    file_id = ids.new_id()
    storage.keep_bytes(file_id, DATA)
    return file_id


def test_it_brings_nothing_to_one_that_can_fetch_it(friend, caller) -> None:
    friend.change(fetch=False)
    now = timezone.now()
    assert filelinks.link_for(friend.row.address, _stored(), now) is not None
    friend.change(fetch=True)
    assert filelinks.link_for(friend.row.address, _stored(), now) is None
