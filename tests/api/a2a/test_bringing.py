"""POST a2a/files/{id}: a peer that cannot be called brings its files."""

import hashlib
import json

import pytest
from django.test import Client

from agents_app.protocol import ids, tickets
from synapse_site.edge.environ import ASKED_BEFORE
from tasks_app import storage
from tasks_app.api.a2a import pace
from tasks_app.api.addresses import PREFIX
from tasks_app.models import Attachment, Task
from tests.api.a2a.conftest import request
from tests.api.a2a.speaking import NODE, Peer, acked, refused
from tests.api.conftest import Program, error_of

pytestmark = pytest.mark.django_db
DATA = b"\x00\xff bytes of a file"
FILE = "01900000-0000-7000-8000-000000000001"


def _named(data: bytes = DATA) -> dict[str, object]:
    return {
        "file_id": FILE,
        "name": "a.bin",
        "content_type": "text/plain",
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def _bring(peer: Peer, task_id: object, data: bytes = DATA, **changes: object):
    """POST the bytes; `changes` are of the ticket, others of the request."""
    path = changes.pop("path", FILE)
    by = changes.pop("by", peer)
    environ = changes.pop("environ", {})
    known = {"sender": peer.address, "recipient": NODE, "task_id": str(task_id)}
    named = {name: _named()[name] for name in ("file_id", "size", "sha256")}
    text = json.dumps(known | named | changes)
    headers = by.signed(text.encode(), ids.new_message_id())
    return Client(raise_request_exception=False).generic(
        "POST",
        f"{PREFIX}/a2a/files/{path}",
        data,
        tickets.CONTENT_TYPE,
        headers=headers | {tickets.HEADER: text},
        **environ,
    )


class _BodyWanted(BaseException):
    """As of the web edge: no net catches it."""


class _Withheld:
    """A body that the edge has not taken yet."""

    def read(self, *_: object) -> bytes:
        raise _BodyWanted

    readline = read


def _completed(peer: Peer, task: Task) -> None:
    words = {"task_id": str(task.pk), "result": {}, "attachments": [_named()]}
    assert acked(peer.say("task_complete", words))


def test_it_keeps_the_file_of_a_result(ada, for_ada, program: Program) -> None:
    _completed(ada, for_ada)
    path = f"/task/{for_ada.pk}/files/{FILE}"
    assert error_of(program.get(path), 404)["code"] == 2021
    answer = _bring(ada, for_ada.pk)
    assert acked(answer)
    assert ada.read(answer)["payload"]["message_id"] == ada.read(answer)["in_reply_to"]
    assert b"".join(program.get(path).streaming_content) == DATA


def test_it_keeps_a_file_that_a_task_of_a_peer_brings(ada) -> None:
    assert acked(ada.say("task_request", request() | {"attachments": [_named()]}))
    assert acked(_bring(ada, "t-1"))
    file = Attachment.objects.get()
    assert (file.kind, file.source_url) == ("input", Attachment.HERE)
    assert storage.path_of(file.pk).read_bytes() == DATA


def test_it_takes_nothing_that_no_message_has_named(ada, for_ada) -> None:
    early = _bring(ada, for_ada.pk)
    assert (refused(early), early.status_code) == (2021, 404)
    assert ada.read(early)["payload"]["error"]["retry_after"] == 5
    _completed(ada, for_ada)
    assert refused(_bring(ada, for_ada.pk, sha256="0" * 64)) == 2021
    assert refused(_bring(ada, for_ada.pk, size=3)) == 2021


def test_it_shows_nobody_that_there_is_such_a_task_g33(ada, eve, for_ada) -> None:
    _completed(ada, for_ada)
    foreign, unknown = _bring(eve, for_ada.pk), _bring(eve, FILE)
    seen = [eve.read(one)["payload"]["error"] for one in (foreign, unknown)]
    assert seen[0] == seen[1]
    assert Attachment.objects.get().source_url == Attachment.AWAITED


@pytest.mark.parametrize("data", [b"x" * len(DATA), DATA[:-1], DATA + b"x"])
def test_it_keeps_no_other_bytes(ada, for_ada, data) -> None:
    _completed(ada, for_ada)
    assert refused(_bring(ada, for_ada.pk, data)) in (1011, 1016)
    assert Attachment.objects.get().source_url == Attachment.AWAITED
    assert acked(_bring(ada, for_ada.pk))


@pytest.mark.parametrize("size", [len(DATA) - 1, len(DATA) + 1])
def test_it_keeps_no_file_of_another_size(ada, for_ada, size) -> None:
    """Even if the hash is right: what we tell callers of it must be true."""
    named = _named() | {"size": size}
    words = {"task_id": str(for_ada.pk), "result": {}, "attachments": [named]}
    assert acked(ada.say("task_complete", words))
    assert refused(_bring(ada, for_ada.pk, size=size)) in (1011, 1016)
    assert Attachment.objects.get().source_url == Attachment.AWAITED


def test_it_binds_a_ticket_to_who_for_whom_and_where_g30(ada, eve, for_ada) -> None:
    _completed(ada, for_ada)
    assert refused(_bring(ada, for_ada.pk, by=eve)) == 5007
    assert refused(_bring(ada, for_ada.pk, sender=eve.address)) == 5007
    assert refused(_bring(ada, for_ada.pk, recipient="agent:other")) == 6001
    assert refused(_bring(ada, for_ada.pk, path=str(for_ada.pk))) == 5007
    assert Attachment.objects.get().source_url == Attachment.AWAITED


@pytest.mark.parametrize("text", ["", "{}", "[" * 99, "\xe4", "1", '{"sender": 1}'])
def test_it_answers_a_ticket_that_is_none(ada, text) -> None:
    response = Client(raise_request_exception=False).post(
        f"{PREFIX}/a2a/files/{FILE}",
        DATA,
        content_type=tickets.CONTENT_TYPE,
        headers={tickets.HEADER: text},
    )
    assert refused(response) in (1010, 1011, 1018)


def test_it_says_the_same_to_who_brings_it_twice_g31(ada, for_ada) -> None:
    _completed(ada, for_ada)
    assert acked(_bring(ada, for_ada.pk))
    assert acked(_bring(ada, for_ada.pk))
    assert Attachment.objects.get().source_url == Attachment.HERE


def test_it_takes_no_file_that_is_larger_than_files_may_be(
    ada, for_ada, settings
) -> None:
    settings.SYNAPSE_MAX_FILE_SIZE = len(DATA) - 1
    _completed(ada, for_ada)
    assert refused(_bring(ada, for_ada.pk)) == 2021


def test_it_counts_an_upload_once_that_the_edge_asks_for_twice_g38(
    ada, for_ada, settings, monkeypatch
) -> None:
    settings.SYNAPSE_PEER_MESSAGES_PER_MINUTE = 2
    monkeypatch.setattr(pace, "buckets", pace.Buckets())
    _completed(ada, for_ada)
    with pytest.raises(_BodyWanted):
        _bring(ada, for_ada.pk, environ={"wsgi.input": _Withheld()})
    assert acked(_bring(ada, for_ada.pk, environ={ASKED_BEFORE: "1"}))
    assert refused(_bring(ada, for_ada.pk)) == 1003, "one without a body counts, too"
