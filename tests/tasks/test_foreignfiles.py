"""Files that peers keep: fetched for a handler, or by the courier for callers."""

import hashlib
import uuid
from datetime import timedelta
from functools import partial
from ipaddress import ip_network

import pytest
from django.core.files.storage import FileSystemStorage
from django.db import connection
from django.utils import timezone

from agents_app.protocol import ids
from agents_app.protocol.errors import Code
from agents_app.protocol.payloads import Attachment as Named
from agents_app.protocol.payloads import TaskComplete, TaskRequest
from tasks_app import (
    desk,
    fetching,
    filelinks,
    foreignfiles,
    inbox,
    ledger,
    peers,
    runner,
    storage,
)
from tasks_app.models import Attachment, Delivery, Task
from tasks_app.presence.posting import envelope_for
from tasks_app.sharing import Threads
from tasks_app.sweep import sweep
from tests.factories import row, set_row, submitted
from tests.receiver import Receiver, hang, ok, redirect, status
from tests.tasks.away import away_for
from tests.tasks.presence.cards import live
from tests.tasks.racing import race
from tests.tasks.sweep.aging import ago

pytestmark = pytest.mark.django_db
DATA = b"bytes of a file"


@pytest.fixture(autouse=True)
def _public(settings) -> None:
    settings.SYNAPSE_PUBLIC_URL = "http://127.0.0.1:8000"
    settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS = [ip_network("127.0.0.0/8")]


@pytest.fixture
def north(db):
    return peers.register("north")[0]


def _file(url: str | None, data: bytes = DATA, **fields: object) -> Named:
    known = {
        "file_id": "f-1",
        "name": "a.txt",
        "content_type": "text/plain",
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "url": url,
    }
    return Named.parse({k: v for k, v in (known | fields).items() if v is not None})


def _say(peer, words) -> Code | None:
    envelope = envelope_for(peer, words).model_copy(
        update={"sender": peer.address, "recipient": "agent:synapse"}
    )
    return inbox.receive(peer, envelope, envelope.to_bytes()).code


def _ask(peer, *files: Named) -> Code | None:
    words = TaskRequest(
        task_id="t-1", task_type="test_type", payload={}, attachments=files
    )
    return _say(peer, words)


def _reading(declare):
    def handler(ctx):
        return {"read": ctx.files[0].read().decode()}

    declare(handler, accepts_files=True)


def _completed(caller, peer, *files: Named):
    """A task of ours that the peer completed with these files."""
    live(peer, "translate")
    task = submitted(caller, "translate")
    done = TaskComplete(task_id=task.wire_id, result={}, attachments=files)
    assert _say(peer, done) is None
    return task


def test_it_gives_the_handler_the_files_of_a_peer(north, declare):
    _reading(declare)
    with Receiver(ok(DATA)) as receiver:
        assert _ask(north, _file(receiver.url("/f?a=1"))) is None
        fetching.fetch_due()
        runner.drain("default")
        (request,) = receiver.wait_for(1)
    assert (request.method, request.path) == ("GET", "/f?a=1")
    assert Task.objects.get().result == {"read": DATA.decode()}
    assert Attachment.objects.get().source_url == ""


def test_it_fetches_them_once_for_all_attempts(north, declare):
    def handler(ctx):
        ctx.need_info(["colour"], "Which?")
        return {"read": ctx.files[0].read().decode()}

    declare(handler, accepts_files=True)
    with Receiver(ok(DATA)) as receiver:
        _ask(north, _file(receiver.url()))
        fetching.fetch_due()
        runner.drain("default")
        desk.provide(Task.objects.get().pk, {"colour": "red"}, by=north.address)
        runner.drain("default")
        assert len(receiver.wait_for(1)) == 1
    assert Task.objects.get().result == {"read": DATA.decode()}


@pytest.mark.parametrize(
    "answer",
    [status(404), ok(b"bytes of A file"), ok(DATA + b"!"), redirect("/other")],
    ids=["missing", "other", "longer", "redirect"],
)
def test_it_tries_again_when_a_file_cannot_be_had(north, declare, answer):
    _reading(declare)
    with Receiver(answer) as receiver:
        _ask(north, _file(receiver.url()))
        fetching.fetch_due()
    assert Attachment.objects.get().fetch_at > timezone.now()
    assert Task.objects.get().ready_at is None


def _fetch_until(done) -> None:
    """Try again, whenever that would be."""
    for _ in range(20):
        Attachment.objects.exclude(fetch_at=None).update(fetch_at=ago(1))
        fetching.fetch_due()
        if done():
            return


def test_it_fails_when_a_file_can_never_be_had(north, declare):
    _reading(declare)
    with Receiver(status(404)) as receiver:
        _ask(north, _file(receiver.url()))
        _fetch_until(lambda: Task.objects.get().state == "failed")
    assert Task.objects.get().error["code"] == Code.FILE_UNREACHABLE
    assert Delivery.objects.filter(event="p2p:task_failed").exists()
    assert Attachment.objects.get().fetch_at is None


def test_it_fails_before_its_queue_time_is_over(north, declare):
    _reading(declare)
    with Receiver(status(404)) as receiver:
        _ask(north, _file(receiver.url()))
        set_row(Task.objects.get(), due_at=timezone.now() + timedelta(seconds=4))
        fetching.fetch_due()
    assert Task.objects.get().error["code"] == Code.FILE_UNREACHABLE


def test_it_holds_no_worker_while_a_file_does_not_come_g16(north, declare):
    _reading(declare)
    with Receiver(hang()) as receiver:
        _ask(north, _file(receiver.url()))
        runner.drain("default")
        assert receiver.connections == 0
    assert (Task.objects.get().state, Task.objects.get().attempt) == ("pending", 0)


def test_it_starts_when_the_last_file_is_here(north, declare):
    _reading(declare)
    with Receiver(ok(DATA)) as receiver:
        _ask(north, _file(receiver.url("/a")), _file(receiver.url("/b")))
        Attachment.objects.filter(source_url__endswith="/b").update(fetch_at=ago(-60))
        fetching.fetch_due()
        assert Task.objects.get().ready_at is None
        Attachment.objects.exclude(fetch_at=None).update(fetch_at=ago(1))
        fetching.fetch_due()
    assert Task.objects.get().ready_at is not None


def test_it_starts_a_task_whose_courier_died_before_it_said_so(
    north, declare, monkeypatch
):
    _reading(declare)
    with Receiver(ok(DATA)) as receiver:
        _ask(north, _file(receiver.url()))
        with monkeypatch.context() as patch:
            patch.setattr(fetching, "_start", _die)
            fetching.fetch_due()
        assert Task.objects.get().ready_at is None
        Attachment.objects.exclude(fetch_at=None).update(fetch_at=ago(1))
        fetching.fetch_due()
        assert len(receiver.requests) == 1
    assert Task.objects.get().ready_at is not None


def _die(*_: object) -> None:
    raise RuntimeError("killed")


def test_it_fetches_nothing_for_a_task_that_has_ended(north, declare):
    _reading(declare)
    with Receiver(ok(DATA)) as receiver:
        _ask(north, _file(receiver.url()))
        set_row(Task.objects.get(), state="cancelled", due_at=None)
        fetching.fetch_due()
        assert receiver.connections == 0
    assert Attachment.objects.get().fetch_at is None


def test_it_gives_the_files_of_one_peer_no_more_than_its_share_g24(
    north, declare, monkeypatch
):
    _reading(declare)
    threads = Threads(2)
    monkeypatch.setattr(fetching, "threads", threads)
    assert threads.take(north.address)
    with Receiver(ok(DATA)) as receiver:
        _ask(north, _file(receiver.url()))
        fetching.fetch_due()
        assert receiver.connections == 0
        threads.leave(north.address)
        fetching.fetch_due()
    assert Task.objects.get().ready_at is not None


def test_it_keeps_no_thread_of_a_claim_that_the_database_lost_g24(
    north, caller, monkeypatch
):
    threads = Threads(2)
    monkeypatch.setattr(fetching, "threads", threads)
    with Receiver(ok(DATA)) as receiver:
        _completed(caller, north, _file(receiver.url()))
        with away_for("UPDATE"), pytest.raises(ledger.AWAY):
            fetching.fetch_due()
    assert threads.sated() == []


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"size": 10**9}, Code.FILE_TOO_LARGE),
        ({"content_type": "application/x-elf"}, Code.FILE_TYPE_REFUSED),
        ({"url": "ftp://example.com/a"}, Code.INVALID_FIELD),
        ({"url": "http://10.0.0.1/a"}, Code.ADDRESS_REFUSED),
    ],
)
def test_it_refuses_a_request_with_a_file_it_does_not_take(
    north, declare, changed, code
):
    _reading(declare)
    file = _file("http://127.0.0.1:8009/a").model_copy(update=changed)
    assert _ask(north, file) is code
    assert not Task.objects.exists()


def test_it_refuses_too_many_files(north, declare, settings):
    settings.SYNAPSE_MAX_FILES = 1
    _reading(declare)
    file = _file("http://127.0.0.1:8009/a")
    assert _ask(north, file, file) is Code.TOO_MANY_FILES


def test_it_names_a_link_to_a_result_file_for_a_peer(north, declare):
    declare(lambda ctx: {"file": ctx.attach("out.txt", DATA, "text/plain")})
    _ask(north)
    runner.drain("default")
    (file,) = _said("p2p:task_complete")["attachments"]
    assert file["url"].startswith("http://127.0.0.1:8000/api/v1/synapse/a2a/files/")


def test_it_names_a_link_to_an_upload_for_a_peer(north, caller):
    live(north, "translate")
    upload = foreignfiles.inputs([_file("http://127.0.0.1:8009/a")], timezone.now())
    submitted(caller, "translate", attachments=upload)
    (file,) = _said("p2p:task_request")["attachments"]
    assert file["url"] == filelinks.link(upload[0].id, Task.objects.get().created_at)


def _said(kind: str) -> dict:
    return Task.objects.get().messages.get(type=kind).payload


def test_it_fetches_result_files_by_the_courier(
    north, caller, bells, django_capture_on_commit_callbacks
):
    with Receiver(ok(DATA)) as receiver:
        with django_capture_on_commit_callbacks(execute=True):
            task = _completed(caller, north, _file(receiver.url()))
        assert ("synapse.fetch", [], "courier", 0) in bells
        fetching.fetch_due()
    file = row(task).attachments.get()
    assert (file.kind, file.source_url, file.fetch_at) == ("result", "", None)
    assert storage.path_of(file.pk).read_bytes() == DATA


def test_it_keeps_the_id_by_which_a_result_may_name_its_file(north, caller):
    file_id = ids.new_id()
    _completed(caller, north, _file("http://127.0.0.1:8009/a", file_id=str(file_id)))
    assert Attachment.objects.get().pk == file_id


def test_it_does_not_overwrite_a_file_whose_id_a_peer_uses_again(north, caller):
    again = _file("http://127.0.0.1:8009/a", file_id=str(ids.new_id()))
    first = _completed(caller, north, again)
    second = _completed(caller, north, again, again)
    kept = list(Attachment.objects.values_list("pk", "task_id").order_by("created_at"))
    assert kept[0] == (uuid.UUID(again.file_id), first.id)
    assert [task_id for _, task_id in kept[1:]] == [second.id] * 2


def test_it_comes_back_for_a_result_file(north, caller):
    with Receiver(status(503), ok(DATA)) as receiver:
        _completed(caller, north, _file(receiver.url()))
        fetching.fetch_due()
        file = Attachment.objects.get()
        assert file.fetch_at > timezone.now()
        Attachment.objects.update(fetch_at=ago(1))
        fetching.fetch_due()
    assert storage.path_of(file.pk).read_bytes() == DATA


def test_it_gives_a_result_file_up_at_last(north, caller):
    with Receiver(status(503)) as receiver:
        _completed(caller, north, _file(receiver.url()))
        for _ in range(20):
            Attachment.objects.exclude(fetch_at=None).update(fetch_at=ago(1))
            fetching.fetch_due()
        tries = len(receiver.wait_for(1))
    assert tries == 8
    assert Attachment.objects.get().fetch_at is None


def test_it_takes_over_from_a_courier_that_died(north, caller):
    with Receiver(ok(DATA)) as receiver:
        _completed(caller, north, _file(receiver.url()))
        claimed = fetching._claim(timezone.now())
        assert fetching._claim(timezone.now()) is None
        later = timezone.now() + timedelta(seconds=91)
        assert fetching._claim(later).pk == claimed.pk


def test_it_keeps_a_result_whose_file_it_will_not_fetch(north, caller):
    task = _completed(caller, north, _file("http://10.0.0.1/a"), _file(None))
    assert row(task).state == "completed"
    files = row(task).attachments
    assert set(files.values_list("fetch_at", flat=True)) == {None}
    sources = set(files.values_list("source_url", flat=True))
    assert sources == {Attachment.REFUSED, Attachment.AWAITED}


@pytest.mark.parametrize("url", [Attachment.AWAITED, "ftp://example.com/a", "x" * 3000])
def test_it_lets_no_link_pass_for_a_file_that_may_be_brought(north, caller, url):
    """It would get around the limit of size, too."""
    _completed(caller, north, _file(url, size=10**12))
    assert Attachment.objects.get().source_url == Attachment.REFUSED


def test_it_replaces_what_a_dead_attempt_left(north, caller):
    with Receiver(ok(DATA)) as receiver:
        _completed(caller, north, _file(receiver.url()))
        file = Attachment.objects.get()
        storage.keep_bytes(file.pk, b"half")
        fetching.fetch_due()
    assert storage.path_of(file.pk).read_bytes() == DATA


def test_it_rings_for_files_whose_bell_was_lost(
    north, caller, bells, django_capture_on_commit_callbacks
):
    task = _completed(caller, north, _file("http://127.0.0.1:8009/a"))
    set_row(task, due_at=None)
    with django_capture_on_commit_callbacks(execute=True):
        sweep()
    assert ("synapse.fetch", [], "courier", 0) in bells


def _awaited() -> Attachment:
    return foreignfiles.awaited(
        Task.objects.get().pk,
        "input",
        file_id="f-1",
        size=len(DATA),
        sha256=hashlib.sha256(DATA).hexdigest(),
    )


def test_it_starts_a_task_when_its_file_was_brought(north, declare):
    _reading(declare)
    assert _ask(north, _file(None)) is None
    runner.drain("default")
    assert Task.objects.get().state == "pending"
    foreignfiles.bring(_awaited(), DATA)
    fetching.fetch_due()
    runner.drain("default")
    assert Task.objects.get().result == {"read": DATA.decode()}


@pytest.mark.django_db(transaction=True)
def test_it_writes_what_is_brought_outside_of_a_transaction(
    north, declare, monkeypatch
):
    _reading(declare)
    assert _ask(north, _file(None)) is None
    save, held = FileSystemStorage.save, []

    def seen(*words):
        held.append(connection.in_atomic_block)
        return save(*words)

    monkeypatch.setattr(FileSystemStorage, "save", seen)
    foreignfiles.bring(_awaited(), DATA)
    assert held == [False]
    assert Attachment.objects.get().source_url == Attachment.HERE


@pytest.mark.django_db(transaction=True)
def test_it_keeps_a_file_once_that_is_brought_twice_at_once(north, declare, bells):
    _reading(declare)
    assert _ask(north, _file(None)) is None
    first, second = _awaited(), _awaited()
    bells.clear()
    ways = [partial(foreignfiles.bring, file, DATA) for file in (first, second)]
    assert race(*ways) == [None, None]
    assert bells.count(("synapse.fetch", [], "courier", 0)) == 1
    kept = storage.path_of(first.pk)
    assert [path for path in kept.parent.iterdir() if first.pk.hex in path.name] == [
        kept
    ]


def test_it_fails_a_task_in_time_whose_file_is_never_brought(north, declare):
    _reading(declare)
    assert _ask(north, _file(None)) is None
    Task.objects.update(due_at=ago(1))
    sweep()
    assert Task.objects.get().state == "failed"
