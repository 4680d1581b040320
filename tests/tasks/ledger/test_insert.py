"""The insert at submit: the row, its first message and its files, or nothing."""

import pytest

from agents_app.protocol import ids
from tasks_app import ledger, lifecycle, routing
from tasks_app.ledger import NewAttachment, NewTask
from tasks_app.models import Attachment, Message, Task
from tests.factories import submission, submitted
from tests.tasks.ledger.planning import begin
from tests.tasks.racing import race

SHA = "0" * 64


def new_task(caller, key=None, files=0):
    """What a submit would write; planned by the real one, for a type that exists."""
    attachments = tuple(
        NewAttachment(
            id=ids.new_id(),
            kind="input",
            name=f"{number}.txt",
            content_type="text/plain",
            size=number,
            sha256=SHA,
            created_at=caller.created_at,
        )
        for number in range(files)
    )
    wanted = submission(caller, idempotency_key=key, attachments=attachments)
    executor = routing.choose(wanted.task_type, node=lifecycle.policy().node)
    return lifecycle._new_task(wanted, executor, caller.created_at)


def test_it_writes_the_task_with_its_message_and_files(caller):
    new = new_task(caller, files=2)
    assert ledger.insert(new)
    task = Task.objects.get()
    assert task.messages.get().type == "p2p:task_request"
    files = task.attachments.order_by("name").values_list("name", "size", "sha256")
    assert list(files) == [("0.txt", 0, SHA), ("1.txt", 1, SHA)]


def test_it_writes_nothing_under_a_key_that_is_taken(caller):
    """G12."""
    assert ledger.insert(new_task(caller, key="k", files=1))
    assert not ledger.insert(new_task(caller, key="k", files=1))
    counts = [model.objects.count() for model in (Task, Message, Attachment)]
    assert counts == [1, 1, 1]


def test_it_lets_each_caller_have_its_own_keys(caller, other_caller):
    assert ledger.insert(new_task(caller, key="k"))
    assert ledger.insert(new_task(other_caller, key="k"))


def test_it_takes_any_number_of_tasks_without_a_key(caller):
    assert ledger.insert(new_task(caller))
    assert ledger.insert(new_task(caller))


@pytest.mark.django_db(transaction=True)
def test_it_inserts_once_however_many_come_at_once(caller):
    """G12."""
    news: list[NewTask] = [new_task(caller, key="k") for _ in range(8)]
    won = race(*[lambda new=new: ledger.insert(new) for new in news])
    assert sorted(won) == [False] * 7 + [True]
    assert Message.objects.count() == Task.objects.count() == 1


def test_it_reads_back_what_it_wrote(caller):
    new = new_task(caller)
    ledger.insert(new)
    assert ledger.load(new.task.id) == new.task


def test_it_finds_no_task_under_an_unknown_id(db):
    assert ledger.load(ids.new_id()) is None


def test_it_reads_back_every_column_that_a_change_wrote(caller):
    task = submitted(caller, callback_events=("progress",), external_task_id="x")
    change = begin(task)
    ledger.commit([change])
    assert ledger.load(task.id) == change.after
